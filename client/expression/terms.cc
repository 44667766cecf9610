// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/terms.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/expression/advice.h"
#include "client/expression/fold.h"
#include "stridecast/operation.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {
namespace {

std::string Human(const ValueType& type) {
  return ShapeToString(type.type, type.shape);
}

// What the status of a value says, without the path of its instruction.
absl::string_view TextOf(const absl::Status& status) {
  const size_t colon = status.message().find(": ");
  return colon == absl::string_view::npos ? status.message()
                                          : status.message().substr(colon + 2);
}

// A letter each for `rank` dimensions, distinct.
bool AreNames(std::string letters, int rank) {
  std::sort(letters.begin(), letters.end());
  return static_cast<int>(letters.size()) == rank &&
         std::all_of(letters.begin(), letters.end(), absl::ascii_isalpha) &&
         std::adjacent_find(letters.begin(), letters.end()) == letters.end();
}

bool IsAscending(const DimVector& dimensions) {
  return std::is_sorted(dimensions.begin(), dimensions.end());
}

// The order in which `dimensions` ascend.
DimVector Ascending(const DimVector& dimensions) {
  DimVector order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return dimensions[a] < dimensions[b];
  });
  return order;
}

}  // namespace

absl::Status TermBuilder::NeedsType(Place at) const {
  return ErrorAt(text_, at,
                 absl::StrCat("\"", NameAt(at),
                              "\" of numbers alone, which have no element "
                              "type; give one to a number, as in 2f32"));
}

absl::Status TermBuilder::CheckIsValue(Place at, const Term& term) const {
  return term.IsNumber() ? NeedsType(at) : absl::OkStatus();
}

absl::Status TermBuilder::CheckDimensions(Place at, const Term& x,
                                          const DimVector& dimensions) const {
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(x));
  const int rank = type.shape.rank();
  for (int64_t dimension : dimensions) {
    if (dimension >= -rank && dimension < rank) continue;
    return ErrorAt(
        text_, at,
        absl::StrCat(
            dimension, " is no dimension of ", Human(type),
            rank == 0 ? ", which has none"
                      : absl::StrCat("; those are 0 to ", rank - 1,
                                     ", or from the end ", -rank, " to -1")));
  }
  return absl::OkStatus();
}

absl::Status TermBuilder::CheckExtents(Place at, const Term& x,
                                       const DimVector& extents) const {
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(x));
  int num_open = 0;
  int64_t others = 1;
  bool overflows = false;
  for (int64_t extent : extents) {
    if (extent < -1) {
      return ErrorAt(text_, at,
                     absl::StrCat(extent,
                                  " is no extent; -1 stands for what "
                                  "is left of the elements"));
    }
    if (extent == -1) {
      ++num_open;
    } else {
      overflows |= __builtin_mul_overflow(others, extent, &others);
    }
  }
  if (num_open == 0) return absl::OkStatus();
  if (num_open > 1) return ErrorAt(text_, at, "-1 may stand for one extent");
  const int64_t num_elements = type.shape.num_elements();
  if (!overflows && others != 0 && num_elements % others == 0) {
    return absl::OkStatus();
  }
  return ErrorAt(text_, at,
                 absl::StrCat("nothing that -1 could stand for makes ",
                              ListToString(extents), " of the ", num_elements,
                              " elements of ", Human(type)));
}

absl::StatusOr<ValueType> TermBuilder::TypeOf(const Term& term) const {
  auto type = builder_.TypeOf(term.value());
  if (!type.ok()) return ErrorAt(text_, term.place, TextOf(type.status()));
  return type;
}

absl::StatusOr<NamedShape> TermBuilder::ShapeOf(const Term& term) const {
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(term));
  const auto extents = type.shape.extents();
  return NamedShape{DimVector(extents.begin(), extents.end()), term.letters};
}

absl::Status TermBuilder::GiveType(Place at, absl::Span<Term> terms) {
  const auto first =
      std::find_if(terms.begin(), terms.end(),
                   [](const Term& term) { return !term.IsNumber(); });
  if (first == terms.end()) return NeedsType(at);
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(*first));
  for (Term& term : terms) {
    if (term.IsNumber()) {
      ASSIGN_OR_RETURN(term, Scalar(term.place, term.number(), type.type));
      continue;
    }
    ASSIGN_OR_RETURN(const ValueType other, TypeOf(term));
    if (other.type == type.type) continue;
    return ErrorAt(
        text_, at,
        absl::StrCat("\"", NameAt(at), "\" of ", Human(type), " and ",
                     Human(other), ": element types differ; ",
                     ConversionAdvice(type.type, other.type)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Alignment> TermBuilder::AlignTerms(
    Place at, absl::Span<const Term> terms) const {
  std::vector<NamedShape> shapes;
  for (const Term& term : terms) {
    ASSIGN_OR_RETURN(NamedShape shape, ShapeOf(term));
    shapes.push_back(std::move(shape));
  }
  auto alignment = Align(shapes);
  if (!alignment.ok()) {
    return ErrorAt(text_, at, alignment.status().message());
  }
  return alignment;
}

absl::StatusOr<Term> TermBuilder::Checked(Place at, Value value,
                                          std::string letters,
                                          absl::string_view hint) {
  if (!builder_.status().ok()) {
    return ErrorAt(text_, at, builder_.status().message());
  }
  const auto type = builder_.TypeOf(value);
  if (!type.ok()) {
    return ErrorAt(text_, at, absl::StrCat(TextOf(type.status()), hint));
  }
  return Term{value, std::move(letters), at};
}

absl::StatusOr<Term> TermBuilder::Operand(
    Place at, const ExpressionValue& operand) const {
  const auto type = builder_.TypeOf(operand.value);
  if (!type.ok()) return ErrorAt(text_, at, type.status().message());
  const std::string& letters = operand.dimensions;
  if (!letters.empty() && !AreNames(letters, type->shape.rank())) {
    return ErrorAt(text_, at,
                   absl::StrCat("\"", letters,
                                "\" is not one letter for each dimension of ",
                                Human(*type)));
  }
  return Term{operand.value, letters, at};
}

absl::StatusOr<Term> TermBuilder::Scalar(Place at, const Number& number,
                                         DType type) {
  return Checked(at, builder_.Scalar(number, type), "");
}

absl::StatusOr<Term> TermBuilder::Unary(Place at, Opcode opcode, const Term& x,
                                        Attribute attribute) {
  if (x.IsNumber() && opcode == Opcode::kNegate) {
    return Term{Negated(x.number()), "", {at.begin, x.place.end}};
  }
  RETURN_IF_ERROR(CheckIsValue(at, x));
  return Checked(at, builder_.Append(opcode, {x.value()}, std::move(attribute)),
                 x.letters);
}

absl::StatusOr<Term> TermBuilder::LogicalNot(Place at, const Term& x) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(x));
  if (type.type == DType::kPred) return Unary(at, Opcode::kNot, x);
  return ErrorAt(text_, at,
                 absl::StrCat("\"!\" takes a pred, got ", Human(type),
                              "; ~ flips the bits of integers"));
}

absl::StatusOr<Term> TermBuilder::Binary(Place at, Opcode opcode, Term x,
                                         Term y, Attribute attribute) {
  if (x.IsNumber() && y.IsNumber() && IsFolded(opcode)) {
    auto number = Folded(opcode, x.number(), y.number());
    if (!number.ok()) return ErrorAt(text_, at, number.status().message());
    return Term{*number, "", {x.place.begin, y.place.end}};
  }
  Term terms[] = {std::move(x), std::move(y)};
  RETURN_IF_ERROR(GiveType(at, absl::MakeSpan(terms)));
  ASSIGN_OR_RETURN(Alignment alignment, AlignTerms(at, terms));
  // The server takes dimensions in ascending order only.
  for (size_t i = 0; i < 2; ++i) {
    DimVector& dimensions = alignment.dimensions[i];
    if (IsAscending(dimensions)) continue;
    ASSIGN_OR_RETURN(terms[i], Transpose(at, terms[i], Ascending(dimensions)));
    std::sort(dimensions.begin(), dimensions.end());
  }
  const DimVector& of_x = alignment.dimensions[0];
  const DimVector& of_y = alignment.dimensions[1];
  DimVector broadcast_dimensions;
  if (of_x.size() != of_y.size()) {
    broadcast_dimensions = of_x.size() < of_y.size() ? of_x : of_y;
  }
  return Checked(at,
                 builder_.Append(opcode, {terms[0].value(), terms[1].value()},
                                 std::move(attribute), broadcast_dimensions),
                 std::move(alignment.result.letters),
                 opcode == Opcode::kXor ? "; ** is the power" : "");
}

absl::StatusOr<Term> TermBuilder::Ternary(Place at, Opcode opcode,
                                          std::vector<Term> terms) {
  const bool has_predicate = opcode == Opcode::kSelect;
  if (has_predicate) RETURN_IF_ERROR(CheckIsValue(at, terms[0]));
  RETURN_IF_ERROR(
      GiveType(at, absl::MakeSpan(terms).subspan(has_predicate ? 1 : 0)));
  ASSIGN_OR_RETURN(Alignment alignment, AlignTerms(at, terms));
  std::vector<Value> operands;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool may_be_scalar = (opcode == Opcode::kSelect && i == 0) ||
                               (opcode == Opcode::kClamp && i != 1);
    ASSIGN_OR_RETURN(const NamedShape shape, ShapeOf(terms[i]));
    const bool fits = (may_be_scalar && shape.extents.empty()) ||
                      (shape.extents == alignment.result.extents &&
                       IsAscending(alignment.dimensions[i]));
    operands.push_back(fits ? terms[i].value()
                            : builder_.BroadcastInDim(terms[i].value(),
                                                      alignment.result.extents,
                                                      alignment.dimensions[i]));
  }
  return Checked(at, builder_.Append(opcode, operands),
                 std::move(alignment.result.letters));
}

absl::StatusOr<Term> TermBuilder::Quantize(Place at, const Term& x, Term scale,
                                           const Term& zero_point) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  RETURN_IF_ERROR(CheckIsValue(at, zero_point));
  Term terms[] = {x, std::move(scale)};
  RETURN_IF_ERROR(GiveType(at, absl::MakeSpan(terms)));
  ASSIGN_OR_RETURN(const Alignment alignment, AlignTerms(at, terms));
  ASSIGN_OR_RETURN(const ValueType type, TypeOf(zero_point));
  return Checked(
      at,
      builder_.Quantize(x.value(), terms[1].value(), zero_point.value(),
                        type.type, alignment.dimensions[1]),
      x.letters);
}

absl::StatusOr<Term> TermBuilder::Dequantize(Place at, const Term& q,
                                             const Term& scale,
                                             Term zero_point) {
  RETURN_IF_ERROR(CheckIsValue(at, q));
  RETURN_IF_ERROR(CheckIsValue(at, scale));
  Term terms[] = {q, std::move(zero_point)};
  RETURN_IF_ERROR(GiveType(at, absl::MakeSpan(terms)));
  ASSIGN_OR_RETURN(const Alignment alignment, AlignTerms(at, terms));
  return Checked(at,
                 builder_.Dequantize(q.value(), scale.value(), terms[1].value(),
                                     alignment.dimensions[1]),
                 q.letters);
}

absl::StatusOr<Term> TermBuilder::Convert(Place at, const Term& x, DType type,
                                          Overflow overflow) {
  if (x.IsNumber()) return Scalar(x.place, x.number(), type);
  return Checked(at, builder_.Convert(x.value(), type, overflow), x.letters);
}

absl::StatusOr<Term> TermBuilder::BitcastConvert(Place at, const Term& x,
                                                 DType type) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  ASSIGN_OR_RETURN(const ValueType from, TypeOf(x));
  const bool keeps_shape = ElementBytes(from.type) == ElementBytes(type);
  return Checked(at, builder_.BitcastConvert(x.value(), type),
                 keeps_shape ? x.letters : "");
}

absl::StatusOr<Term> TermBuilder::Transpose(Place at, const Term& x,
                                            const DimVector& permutation) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  RETURN_IF_ERROR(CheckDimensions(at, x, permutation));
  ASSIGN_OR_RETURN(
      Term transposed,
      Checked(at, builder_.Transpose(x.value(), permutation), x.letters));
  const auto rank = static_cast<int64_t>(permutation.size());
  for (size_t d = 0; d < transposed.letters.size(); ++d) {
    const int64_t from =
        permutation[d] < 0 ? permutation[d] + rank : permutation[d];
    transposed.letters[d] = x.letters[static_cast<size_t>(from)];
  }
  return transposed;
}

absl::StatusOr<Term> TermBuilder::Reverse(Place at, const Term& x,
                                          const DimVector& dimensions) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  RETURN_IF_ERROR(CheckDimensions(at, x, dimensions));
  return Checked(at, builder_.Reverse(x.value(), dimensions), x.letters);
}

absl::StatusOr<Term> TermBuilder::Reshape(Place at, const Term& x,
                                          const DimVector& extents) {
  RETURN_IF_ERROR(CheckIsValue(at, x));
  RETURN_IF_ERROR(CheckExtents(at, x, extents));
  return Checked(at, builder_.Reshape(x.value(), extents), "");
}

}  // namespace stridecast
