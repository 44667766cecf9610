// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's COMPARE, SEMANTICS.md 4, and IS_CLOSE.

#include <cmath>

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

using Direction = CompareAttribute::Direction;

// Orders the bits of floating-point numbers: -NaN < -inf < ... < -0 < +0 <
// ... < +inf < +NaN.
Int TotalOrderKey(DType type, uint64_t bits) {
  const uint64_t sign = FormatOf(type).sign_mask();
  const Int magnitude = bits & (sign - 1);
  return (bits & sign) != 0 ? -1 - magnitude : magnitude;
}

template <typename T>
bool Holds(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::kEq:
      return a == b;
    case Direction::kNe:
      return a != b;
    case Direction::kGe:
      return a >= b;
    case Direction::kGt:
      return a > b;
    case Direction::kLe:
      return a <= b;
    case Direction::kLt:
      return a < b;
  }
  return false;
}

bool CompareNumbers(const CompareAttribute& compare, DType type, uint64_t x,
                    uint64_t y) {
  const Direction direction = compare.direction;
  if (!IsFloat(type)) {
    return Holds(direction, IntegerOf(type, x), IntegerOf(type, y));
  }
  if (compare.total_order) {
    return Holds(direction, TotalOrderKey(type, x), TotalOrderKey(type, y));
  }
  if (type == DType::kF64) return Holds(direction, DoubleOf(x), DoubleOf(y));
  return Holds(direction, FloatOf(type, x), FloatOf(type, y));
}

template <typename T>
bool IsCloseFloat(T a, T b, T relative, T absolute) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= absolute + relative * std::abs(b);
}

}  // namespace

bool IsClose(const Instruction& instruction, DType type, uint64_t x,
             uint64_t y) {
  const auto [alpha, beta] = ScalarsOf(instruction, type);
  if (type == DType::kF64) {
    return IsCloseFloat(DoubleOf(x), DoubleOf(y), alpha, beta);
  }
  return IsCloseFloat(FloatOf(type, x), FloatOf(type, y),
                      static_cast<float>(alpha), static_cast<float>(beta));
}

bool Compare(const CompareAttribute& compare, DType type, Element x,
             Element y) {
  if (!IsComplex(type)) return CompareNumbers(compare, type, x.bits, y.bits);
  const DType part = RealType(type);
  const CompareAttribute equal{Direction::kEq, false};
  const bool both_equal = CompareNumbers(equal, part, x.bits, y.bits) &&
                          CompareNumbers(equal, part, x.imag_bits, y.imag_bits);
  return both_equal == (compare.direction == Direction::kEq);
}

}  // namespace stridecast::testing
