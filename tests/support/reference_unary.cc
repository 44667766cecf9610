// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's unary operations on numbers, SEMANTICS.md 4.

#include <algorithm>
#include <cmath>

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

uint64_t Sign(DType type, uint64_t x) {
  if (IsFloat(type)) {
    return OnFloats(
        type,
        [](auto a) {
          return a > 0 ? decltype(a){1} : a < 0 ? decltype(a){-1} : a;
        },
        x);
  }
  return OnIntegers(
      type, [](Int a) { return Int{a > 0   ? 1
                                   : a < 0 ? -1
                                           : 0}; }, x);
}

uint64_t Abs(DType type, uint64_t x) {
  if (IsFloat(type)) return x & ~FormatOf(type).sign_mask();
  return OnIntegers(
      type, [](Int a) { return a < 0 ? -a : a; }, x);
}

uint64_t Square(DType type, uint64_t x) {
  if (IsFloat(type))
    return OnFloats(
        type, [](auto a) { return a * a; }, x);
  return Multiply(type, x, x);
}

// XLA's rule: the mantissa is rounded first; a type's own exponent range is
// kept, subnormals too, only a lesser one overflows and underflows.
uint64_t ReducePrecision(const ReducePrecisionAttribute& reduced, DType type,
                         uint64_t x) {
  const FloatFormat format = FormatOf(type);
  if (IsNan(type, x)) {
    return reduced.mantissa_bits > 0 ? format.canonical_nan()
                                     : format.infinity();
  }
  const uint64_t sign = x & format.sign_mask();
  uint64_t magnitude = x & ~format.sign_mask();
  const int dropped =
      format.mantissa_bits -
      std::min<int>(reduced.mantissa_bits, format.mantissa_bits);
  if (dropped > 0) {
    const uint64_t last = magnitude >> dropped & 1;
    magnitude += (uint64_t{1} << (dropped - 1)) - 1 + last;
    magnitude = magnitude >> dropped << dropped;
  }
  if (reduced.exponent_bits < format.exponent_bits) {
    const int exponent =
        static_cast<int>(magnitude >> format.mantissa_bits) - format.bias();
    const int greatest = (1 << (reduced.exponent_bits - 1)) - 1;
    if (exponent > greatest) magnitude = format.infinity();
    if (exponent <= -greatest) magnitude = 0;
  }
  return sign | magnitude;
}

template <typename Compute>
uint64_t Rounded(DType type, uint64_t x, Compute compute) {
  return IsFloat(type) ? OnFloats(type, compute, x) : x;
}

}  // namespace

uint64_t Negate(DType type, uint64_t x) {
  if (IsFloat(type)) return x ^ FormatOf(type).sign_mask();
  return CutToWidth(type, uint64_t{0} - x);
}

uint64_t Unary(const Instruction& instruction, DType type, uint64_t x) {
  switch (instruction.opcode) {
    case Opcode::kIdentity:
      return x;
    case Opcode::kAbs:
      return Abs(type, x);
    case Opcode::kNegate:
      return Negate(type, x);
    case Opcode::kSign:
      return Sign(type, x);
    case Opcode::kCeil:
      return Rounded(type, x, [](auto a) { return std::ceil(a); });
    case Opcode::kFloor:
      return Rounded(type, x, [](auto a) { return std::floor(a); });
    case Opcode::kTrunc:
      return Rounded(type, x, [](auto a) { return std::trunc(a); });
    case Opcode::kRoundNearestEven:
      return Rounded(type, x, [](auto a) { return std::nearbyint(a); });
    case Opcode::kRoundNearestAfz:
      return Rounded(type, x, [](auto a) { return std::round(a); });
    case Opcode::kSqrt:
      return OnFloats(
          type, [](auto a) { return std::sqrt(a); }, x);
    case Opcode::kReciprocal:
      return OnFloats(
          type, [](auto a) { return 1 / a; }, x);
    case Opcode::kSquare:
      return Square(type, x);
    case Opcode::kIsFinite:
      return !IsFloat(type) ||
             ToExact(type, x).kind == ExactNumber::Kind::kFinite;
    case Opcode::kIsNan:
      return IsFloat(type) && IsNan(type, x);
    case Opcode::kIsInf:
      return IsFloat(type) &&
             ToExact(type, x).kind == ExactNumber::Kind::kInfinity;
    case Opcode::kIsPosInf:
      return IsFloat(type) && x == FormatOf(type).infinity();
    case Opcode::kIsNegInf:
      return IsFloat(type) && x == Negate(type, FormatOf(type).infinity());
    case Opcode::kReducePrecision:
      return ReducePrecision(
          std::get<ReducePrecisionAttribute>(instruction.attribute), type, x);
    case Opcode::kNot:
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      return IntegerUnary(instruction.opcode, type, x);
    default:
      return Activation(instruction, type, x);
  }
}

}  // namespace stridecast::testing
