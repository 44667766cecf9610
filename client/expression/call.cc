// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/expression/call.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stridecast/number.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// How many arguments besides the operands, least and most.
struct NumberCount {
  size_t least;
  size_t most;
};
NumberCount NumbersOf(Form form) {
  switch (form) {
    case Form::kReducePrecision:
      return {2, 2};
    case Form::kUnaryScalar:
      return {0, 1};
    case Form::kUnaryScalars:
    case Form::kBinaryScalars:
      return {0, 2};
    default:
      return {0, 0};
  }
}

absl::Status CheckCount(absl::string_view text, Place name,
                        const Operation& operation, size_t count) {
  const auto arity = static_cast<size_t>(ArityOf(operation.form));
  const NumberCount numbers = NumbersOf(operation.form);
  const size_t least = arity + numbers.least;
  const size_t most = arity + numbers.most;
  if (count >= least && count <= most) return absl::OkStatus();
  return ErrorAt(
      text, name,
      absl::StrCat(text.substr(name.begin, name.end - name.begin), " takes ",
                   least,
                   most == least       ? ""
                   : most == least + 1 ? absl::StrCat(" or ", most)
                                       : absl::StrCat(" to ", most),
                   most == 1 ? " argument" : " arguments", ", got ", count));
}

absl::StatusOr<int32_t> BitsOf(absl::string_view text, const Term& argument) {
  constexpr uint64_t kMaxBits = 64;
  const Number& number = argument.number();
  if (number.kind() == Number::Kind::kInteger && !number.is_negative() &&
      number.magnitude() <= kMaxBits) {
    return static_cast<int32_t>(number.magnitude());
  }
  return ErrorAt(text, argument.place, "expected a number of bits");
}

absl::StatusOr<Attribute> AttributeOf(absl::string_view text, Form form,
                                      absl::Span<const Term> numbers) {
  for (const Term& number : numbers) {
    if (number.IsNumber()) continue;
    return ErrorAt(text, number.place,
                   "expected a number without element type");
  }
  if (numbers.empty()) return Attribute();
  if (form == Form::kReducePrecision) {
    ASSIGN_OR_RETURN(const int32_t exponent_bits, BitsOf(text, numbers[0]));
    ASSIGN_OR_RETURN(const int32_t mantissa_bits, BitsOf(text, numbers[1]));
    return Attribute(ReducePrecisionAttribute{exponent_bits, mantissa_bits});
  }
  ScalarsAttribute scalars;
  scalars.alpha = numbers[0].number().AsDouble();
  if (numbers.size() > 1) scalars.beta = numbers[1].number().AsDouble();
  return Attribute(scalars);
}

}  // namespace

absl::StatusOr<Term> Call(absl::string_view text, Place name,
                          const Operation& operation,
                          std::vector<Term> arguments, TermBuilder& terms) {
  RETURN_IF_ERROR(CheckCount(text, name, operation, arguments.size()));
  const auto arity = static_cast<size_t>(ArityOf(operation.form));
  ASSIGN_OR_RETURN(Attribute attribute,
                   AttributeOf(text, operation.form,
                               absl::MakeConstSpan(arguments).subspan(arity)));
  if (operation.form == Form::kQuantize) {
    return terms.Quantize(name, arguments[0], arguments[1], arguments[2]);
  }
  if (operation.form == Form::kDequantize) {
    return terms.Dequantize(name, arguments[0], arguments[1], arguments[2]);
  }
  switch (arity) {
    case 1:
      return terms.Unary(name, operation.opcode, arguments[0],
                         std::move(attribute));
    case 2:
      return terms.Binary(name, operation.opcode, arguments[0], arguments[1],
                          std::move(attribute));
    default:
      return terms.Ternary(name, operation.opcode, std::move(arguments));
  }
}

}  // namespace stridecast
