// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the parts of an expression mean: each call takes terms, appends the
// instructions of one operation and returns the term for its value. Here are
// the rules of numbers without a type and of shapes (stridecast/expression.h).
// All errors are kInvalidArgument with the place.

#ifndef STRIDECAST_CLIENT_EXPRESSION_TERMS_H_
#define STRIDECAST_CLIENT_EXPRESSION_TERMS_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/alignment.h"
#include "client/expression/place.h"
#include "stridecast/expression.h"
#include "stridecast/number.h"
#include "stridecast/program.h"

namespace stridecast {

// A value, or a number that has no element type yet.
struct Term {
  std::variant<Number, Value> what;
  std::string letters;  // of the value's dimensions, if they have some
  Place place;

  bool IsNumber() const { return std::holds_alternative<Number>(what); }
  const Number& number() const { return std::get<Number>(what); }
  Value value() const { return std::get<Value>(what); }
};

class TermBuilder {
 public:
  TermBuilder(absl::string_view text, ProgramBuilder& builder)
      : text_(text), builder_(builder) {}

  // `at` is the operator's or the function's name, which errors show.

  // An operand of the expression, if its letters suit it.
  absl::StatusOr<Term> Operand(Place at, const ExpressionValue& operand) const;
  // The scalar of that number and type.
  absl::StatusOr<Term> Scalar(Place at, const Number& number, DType type);

  absl::StatusOr<Term> Unary(Place at, Opcode opcode, const Term& x,
                             Attribute attribute = {});
  // NOT of preds only.
  absl::StatusOr<Term> LogicalNot(Place at, const Term& x);
  absl::StatusOr<Term> Binary(Place at, Opcode opcode, Term x, Term y,
                              Attribute attribute = {});
  // SELECT, CLAMP and FMA.
  absl::StatusOr<Term> Ternary(Place at, Opcode opcode,
                               std::vector<Term> terms);
  absl::StatusOr<Term> Quantize(Place at, const Term& x, Term scale,
                                const Term& zero_point);
  absl::StatusOr<Term> Dequantize(Place at, const Term& q, const Term& scale,
                                  Term zero_point);
  // A number becomes a scalar of that type.
  absl::StatusOr<Term> Convert(Place at, const Term& x, DType type,
                               Overflow overflow);
  absl::StatusOr<Term> BitcastConvert(Place at, const Term& x, DType type);
  absl::StatusOr<Term> Transpose(Place at, const Term& x,
                                 const DimVector& permutation);
  absl::StatusOr<Term> Reverse(Place at, const Term& x,
                               const DimVector& dimensions);
  absl::StatusOr<Term> Reshape(Place at, const Term& x,
                               const DimVector& extents);

 private:
  absl::string_view NameAt(Place at) const {
    return text_.substr(at.begin, at.end - at.begin);
  }
  absl::Status NeedsType(Place at) const;
  absl::Status CheckIsValue(Place at, const Term& term) const;
  // Gives the numbers among `terms` the type of the first value.
  absl::Status GiveType(Place at, absl::Span<Term> terms);
  // From the end negative.
  absl::Status CheckDimensions(Place at, const Term& x,
                               const DimVector& dimensions) const;
  // Of a reshape: whether there is one that -1 can stand for.
  absl::Status CheckExtents(Place at, const Term& x,
                            const DimVector& extents) const;
  absl::StatusOr<ValueType> TypeOf(const Term& term) const;
  absl::StatusOr<NamedShape> ShapeOf(const Term& term) const;
  absl::StatusOr<Alignment> AlignTerms(Place at,
                                       absl::Span<const Term> terms) const;
  // `value`, just appended, if it breaks no rule; `hint` ends the error if it
  // does.
  absl::StatusOr<Term> Checked(Place at, Value value, std::string letters,
                               absl::string_view hint = "");

  absl::string_view text_;
  ProgramBuilder& builder_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_TERMS_H_
