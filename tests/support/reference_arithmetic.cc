// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's binary arithmetic, SEMANTICS.md 4.

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

uint64_t Remainder(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return std::fmod(a, b); }, x, y);
  }
  return OnIntegers(
      type, [](Int a, Int b) { return b == 0 ? a : a % b; }, x, y);
}

template <typename T>
T FloorModFloat(T a, T b) {
  const T m = std::fmod(a, b);
  if (m == 0) return std::copysign(T{0}, b);
  return std::signbit(m) != std::signbit(b) ? m + b : m;
}

uint64_t FloorMod(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return FloorModFloat(a, b); }, x, y);
  }
  return OnIntegers(
      type,
      [](Int a, Int b) {
        if (b == 0) return a;
        const Int m = a % b;
        return m != 0 && (m < 0) != (b < 0) ? m + b : m;
      },
      x, y);
}

// NumPy's.
template <typename T>
T FloorDivideFloat(T a, T b) {
  if (b == 0) return a / b;
  const T m = std::fmod(a, b);
  T q = (a - m) / b;
  if (m != 0 && (m < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(T{0}, a / b);
  const T floor = std::floor(q);
  return q - floor > T{0.5} ? floor + 1 : floor;
}

uint64_t FloorDivide(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return FloorDivideFloat(a, b); }, x, y);
  }
  return OnIntegers(
      type,
      [](Int a, Int b) {
        if (b == 0) return Int{-1};
        return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
      },
      x, y);
}

// NaN if either is; +0 is greater than -0.
template <typename T>
T GreaterFloat(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// FMAX and FMIN: of a NaN and a number the number.
uint64_t IgnoringNan(DType type, uint64_t x, uint64_t y,
                     uint64_t (*compute)(DType, uint64_t, uint64_t)) {
  if (IsFloat(type) && IsNan(type, x)) x = y;
  if (IsFloat(type) && IsNan(type, y)) y = x;
  return compute(type, x, y);
}

uint64_t Copysign(DType type, uint64_t x, uint64_t y) {
  const uint64_t sign = FormatOf(type).sign_mask();
  return (x & ~sign) | (y & sign);
}

uint64_t Nextafter(DType type, uint64_t x, uint64_t y) {
  const FloatFormat format = FormatOf(type);
  if (IsNan(type, x) || IsNan(type, y)) return format.canonical_nan();
  // Signed magnitudes order as the numbers do, both zeros alike.
  const uint64_t sign = format.sign_mask();
  const auto order = [&](uint64_t bits) {
    const auto magnitude = static_cast<Int>(bits & ~sign);
    return (bits & sign) != 0 ? -magnitude : magnitude;
  };
  if (order(x) == order(y)) return y;
  if (order(x) == 0) return (y & sign) | 1;
  const bool away_from_zero = (order(y) > order(x)) == (order(x) > 0);
  return away_from_zero ? x + 1 : x - 1;
}

uint64_t DifferenceSquare(DType type, uint64_t x, uint64_t y) {
  if (!IsFloat(type)) {
    const uint64_t difference = Subtract(type, x, y);
    return Multiply(type, difference, difference);
  }
  return OnFloats(
      type, [](auto a, auto b) { return (a - b) * (a - b); }, x, y);
}

uint64_t Mean(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return (a + b) / 2; }, x, y);
  }
  return OnIntegers(
      type, [](Int a, Int b) { return (a + b) / 2; }, x, y);
}

uint64_t Heaviside(DType type, uint64_t x, uint64_t y) {
  return OnFloats(
      type,
      [](auto a, auto b) {
        if (std::isnan(a)) return a;
        return a == 0 ? b : static_cast<decltype(a)>(a > 0 ? 1 : 0);
      },
      x, y);
}

// 0 and infinities keep their value whatever finite power of two they meet.
uint64_t Ldexp(DType type, uint64_t x, uint64_t y) {
  ExactNumber number = ToExact(type, x);
  const ExactNumber power = ToExact(type, y);
  if (IsNan(type, x) || IsNan(type, y)) return FormatOf(type).canonical_nan();
  // Further than from the least number of any type to the greatest.
  constexpr int64_t kFar = 5000;
  int64_t shift = power.negative ? -kFar : kFar;
  if (power.kind == ExactNumber::Kind::kFinite) {
    const uint64_t bits = TruncateToInteger(DType::kS64, power, true);
    shift = std::clamp(static_cast<int64_t>(bits), -kFar, kFar);
  } else if (number.kind == ExactNumber::Kind::kInfinity && power.negative) {
    return FormatOf(type).canonical_nan();
  } else if (number.kind == ExactNumber::Kind::kFinite &&
             number.significand == 0 && !power.negative) {
    return FormatOf(type).canonical_nan();
  }
  number.exponent += static_cast<int>(shift);
  return RoundToFloat(type, number);
}

}  // namespace

uint64_t Add(DType type, uint64_t x, uint64_t y) {
  if (type == DType::kPred) return x | y;
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return a + b; }, x, y);
  }
  return CutToWidth(type, x + y);
}

uint64_t Subtract(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return a - b; }, x, y);
  }
  return CutToWidth(type, x - y);
}

uint64_t Multiply(DType type, uint64_t x, uint64_t y) {
  if (type == DType::kPred) return x & y;
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return a * b; }, x, y);
  }
  return CutToWidth(type, x * y);
}

uint64_t Divide(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return a / b; }, x, y);
  }
  // By 0: -1, which is the greatest unsigned number too. MIN / -1 wraps.
  return OnIntegers(
      type, [](Int a, Int b) { return b == 0 ? Int{-1} : a / b; }, x, y);
}

uint64_t Maximum(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return GreaterFloat(a, b); }, x, y);
  }
  return OnIntegers(
      type, [](Int a, Int b) { return a > b ? a : b; }, x, y);
}

uint64_t Minimum(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(
        type, [](auto a, auto b) { return -GreaterFloat(-a, -b); }, x, y);
  }
  return OnIntegers(
      type, [](Int a, Int b) { return a < b ? a : b; }, x, y);
}

uint64_t Arithmetic(Opcode opcode, DType type, uint64_t x, uint64_t y) {
  switch (opcode) {
    case Opcode::kAdd:
      return Add(type, x, y);
    case Opcode::kSubtract:
      return Subtract(type, x, y);
    case Opcode::kMultiply:
      return Multiply(type, x, y);
    case Opcode::kDivide:
      return Divide(type, x, y);
    case Opcode::kRemainder:
      return Remainder(type, x, y);
    case Opcode::kFloorMod:
      return FloorMod(type, x, y);
    case Opcode::kFloorDivide:
      return FloorDivide(type, x, y);
    case Opcode::kMaximum:
      return Maximum(type, x, y);
    case Opcode::kMinimum:
      return Minimum(type, x, y);
    case Opcode::kFmax:
      return IgnoringNan(type, x, y, Maximum);
    case Opcode::kFmin:
      return IgnoringNan(type, x, y, Minimum);
    case Opcode::kCopysign:
      return Copysign(type, x, y);
    case Opcode::kNextafter:
      return Nextafter(type, x, y);
    case Opcode::kDifferenceSquare:
      return DifferenceSquare(type, x, y);
    case Opcode::kMean:
      return Mean(type, x, y);
    case Opcode::kLdexp:
      return Ldexp(type, x, y);
    case Opcode::kHeaviside:
      return Heaviside(type, x, y);
    default:
      return IntegerBinary(opcode, type, x, y);
  }
}

}  // namespace stridecast::testing
