// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's operations on bits and on whole numbers alone, SEMANTICS.md 4.

#include <bit>
#include <numeric>

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

uint64_t Shift(Opcode opcode, DType type, uint64_t x, uint64_t count) {
  const int width = NumberWidth(type);
  const bool top_bit = (x >> (width - 1) & 1) != 0;
  const uint64_t ones = CutToWidth(type, ~uint64_t{0});
  const bool fills_with_ones =
      opcode == Opcode::kShiftRightArithmetic && top_bit;
  if (count >= static_cast<uint64_t>(width)) return fills_with_ones ? ones : 0;
  if (opcode == Opcode::kShiftLeft) return CutToWidth(type, x << count);
  return x >> count | (fills_with_ones ? ones & ~(ones >> count) : 0);
}

uint64_t Magnitude(DType type, uint64_t x) {
  const Int number = IntegerOf(type, x);
  return static_cast<uint64_t>(number < 0 ? -number : number);
}

uint64_t Lcm(uint64_t a, uint64_t b) {
  return a == 0 || b == 0 ? 0 : a / std::gcd(a, b) * b;
}

}  // namespace

uint64_t IntegerPower(DType type, uint64_t base, uint64_t exponent) {
  const Int power = IntegerOf(type, exponent);
  if (power < 0) {
    const Int number = IntegerOf(type, base);
    if (number == 1 || (number == -1 && (exponent & 1) == 0)) return 1;
    return number == -1 ? base : 0;
  }
  uint64_t result = 1;
  uint64_t factor = base;
  for (uint64_t rest = exponent; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return CutToWidth(type, result);
}

uint64_t IntegerBinary(Opcode opcode, DType type, uint64_t x, uint64_t y) {
  switch (opcode) {
    case Opcode::kAnd:
      return x & y;
    case Opcode::kOr:
      return x | y;
    case Opcode::kXor:
      return x ^ y;
    case Opcode::kGcd:
      return std::gcd(Magnitude(type, x), Magnitude(type, y));
    case Opcode::kLcm:
      return CutToWidth(type, Lcm(Magnitude(type, x), Magnitude(type, y)));
    case Opcode::kPower:
      return IntegerPower(type, x, y);
    default:
      return Shift(opcode, type, x, y);
  }
}

uint64_t IntegerUnary(Opcode opcode, DType type, uint64_t x) {
  switch (opcode) {
    case Opcode::kPopcnt:
      return static_cast<uint64_t>(std::popcount(x));
    case Opcode::kCountLeadingZeros:
      return static_cast<uint64_t>(std::countl_zero(x) - 64 +
                                   NumberWidth(type));
    default:  // kNot
      return type == DType::kPred ? x ^ 1 : CutToWidth(type, ~x);
  }
}

}  // namespace stridecast::testing
