// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's arithmetic on one element, SEMANTICS.md 4.
// f16 and bf16 are computed as float and rounded once; BitsOfFloat and
// BitsOfDouble make every NaN the canonical one.

#include <cmath>
#include <limits>

#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

using Int = __int128;  // holds every number of 64 bits and their quotients
using Direction = CompareAttribute::Direction;

// `compute` on numbers of a floating-point type.
template <typename Compute>
uint64_t OnFloats(DType type, uint64_t x, uint64_t y, Compute compute) {
  if (type == DType::kF64) {
    return BitsOfDouble(compute(DoubleOf(x), DoubleOf(y)));
  }
  return BitsOfFloat(type, compute(FloatOf(type, x), FloatOf(type, y)));
}

// `compute` on whole numbers; the result wraps.
template <typename Compute>
uint64_t OnIntegers(DType type, uint64_t x, uint64_t y, Compute compute) {
  const bool is_signed = ClassOf(type) == kSignedClass;
  const Int a = is_signed ? Int{SignedValue(type, x)} : Int{x};
  const Int b = is_signed ? Int{SignedValue(type, y)} : Int{y};
  return CutToWidth(type, static_cast<uint64_t>(compute(a, b)));
}

uint64_t Add(DType type, uint64_t x, uint64_t y) {
  if (type == DType::kPred) return x | y;
  if (IsFloat(type)) {
    return OnFloats(type, x, y, [](auto a, auto b) { return a + b; });
  }
  return CutToWidth(type, x + y);
}

uint64_t Subtract(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(type, x, y, [](auto a, auto b) { return a - b; });
  }
  return CutToWidth(type, x - y);
}

uint64_t Multiply(DType type, uint64_t x, uint64_t y) {
  if (type == DType::kPred) return x & y;
  if (IsFloat(type)) {
    return OnFloats(type, x, y, [](auto a, auto b) { return a * b; });
  }
  return CutToWidth(type, x * y);
}

uint64_t Divide(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(type, x, y, [](auto a, auto b) { return a / b; });
  }
  // By 0: -1, which is the greatest unsigned number too. MIN / -1 wraps.
  return OnIntegers(type, x, y,
                    [](Int a, Int b) { return b == 0 ? Int{-1} : a / b; });
}

uint64_t Remainder(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(type, x, y, [](auto a, auto b) { return std::fmod(a, b); });
  }
  return OnIntegers(type, x, y,
                    [](Int a, Int b) { return b == 0 ? a : a % b; });
}

// NaN if either is; +0 is greater than -0.
template <typename T>
T GreaterFloat(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

uint64_t Maximum(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(type, x, y,
                    [](auto a, auto b) { return GreaterFloat(a, b); });
  }
  return OnIntegers(type, x, y, [](Int a, Int b) { return a > b ? a : b; });
}

uint64_t Minimum(DType type, uint64_t x, uint64_t y) {
  if (IsFloat(type)) {
    return OnFloats(type, x, y,
                    [](auto a, auto b) { return -GreaterFloat(-a, -b); });
  }
  return OnIntegers(type, x, y, [](Int a, Int b) { return a < b ? a : b; });
}

Element ComplexMultiply(DType part, Element x, Element y) {
  return {Subtract(part, Multiply(part, x.bits, y.bits),
                   Multiply(part, x.imag_bits, y.imag_bits)),
          Add(part, Multiply(part, x.bits, y.imag_bits),
              Multiply(part, x.imag_bits, y.bits))};
}

// Smith's division, without special cases.
Element ComplexDivide(DType part, Element x, Element y) {
  const uint64_t a = x.bits, b = x.imag_bits, c = y.bits, d = y.imag_bits;
  const auto mul = [&](uint64_t p, uint64_t q) { return Multiply(part, p, q); };
  const auto add = [&](uint64_t p, uint64_t q) { return Add(part, p, q); };
  const auto sub = [&](uint64_t p, uint64_t q) { return Subtract(part, p, q); };
  const auto div = [&](uint64_t p, uint64_t q) { return Divide(part, p, q); };
  const bool real_is_greater =
      part == DType::kF64
          ? std::abs(DoubleOf(c)) >= std::abs(DoubleOf(d))
          : std::abs(FloatOf(part, c)) >= std::abs(FloatOf(part, d));
  if (real_is_greater) {
    const uint64_t r = div(d, c);
    const uint64_t t = add(c, mul(d, r));
    return {div(add(a, mul(b, r)), t), div(sub(b, mul(a, r)), t)};
  }
  const uint64_t r = div(c, d);
  const uint64_t t = add(mul(c, r), d);
  return {div(add(mul(a, r), b), t), div(sub(mul(b, r), a), t)};
}

// The length of (x, y). Of f32 parts the squares are exact in double; of f64
// parts they are rounded to 64 bits with the range of long double.
uint64_t Magnitude(DType part, Element x) {
  if (part == DType::kF32) {
    const double a = FloatOf(part, x.bits), b = FloatOf(part, x.imag_bits);
    if (std::isinf(a) || std::isinf(b)) return FormatOf(part).infinity();
    return RoundToFloat(
        part, ToExact(DType::kF64, BitsOfDouble(std::sqrt(a * a + b * b))));
  }
  const long double a = DoubleOf(x.bits), b = DoubleOf(x.imag_bits);
  if (std::isinf(a) || std::isinf(b)) return FormatOf(part).infinity();
  return BitsOfDouble(static_cast<double>(std::sqrt(a * a + b * b)));
}

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

bool Compare(const CompareAttribute& compare, DType type, uint64_t x,
             uint64_t y) {
  if (IsFloat(type)) {
    if (compare.total_order) {
      return Holds(compare.direction, TotalOrderKey(type, x),
                   TotalOrderKey(type, y));
    }
    if (type == DType::kF64) {
      return Holds(compare.direction, DoubleOf(x), DoubleOf(y));
    }
    return Holds(compare.direction, FloatOf(type, x), FloatOf(type, y));
  }
  return OnIntegers(type, x, y, [&](Int a, Int b) {
           return Holds(compare.direction, a, b) ? 1 : 0;
         }) != 0;
}

Element CompareElements(const CompareAttribute& compare, DType type, Element x,
                        Element y) {
  if (!IsComplex(type)) return {Compare(compare, type, x.bits, y.bits), 0};
  const DType part = RealType(type);
  const CompareAttribute equal{Direction::kEq, compare.total_order};
  const bool both_equal = Compare(equal, part, x.bits, y.bits) &&
                          Compare(equal, part, x.imag_bits, y.imag_bits);
  return {both_equal == (compare.direction == Direction::kEq), 0};
}

uint64_t Negate(DType type, uint64_t x) {
  if (IsFloat(type)) return x ^ FormatOf(type).sign_mask();
  return CutToWidth(type, uint64_t{0} - x);
}

}  // namespace

Element ReferenceUnary(const Instruction& instruction, DType type, Element x) {
  switch (instruction.opcode) {
    case Opcode::kConvert: {
      const auto& convert = std::get<ConvertAttribute>(instruction.attribute);
      return ConvertElement(type, convert.type, convert.overflow, x);
    }
    case Opcode::kNegate: {
      const DType part = RealType(type);
      return {Negate(part, x.bits),
              IsComplex(type) ? Negate(part, x.imag_bits) : 0};
    }
    case Opcode::kAbs:
      if (IsComplex(type)) return {Magnitude(RealType(type), x), 0};
      if (IsFloat(type)) return {x.bits & ~FormatOf(type).sign_mask(), 0};
      if (ClassOf(type) == kSignedClass && SignedValue(type, x.bits) < 0) {
        return {Negate(type, x.bits), 0};
      }
      return x;
    case Opcode::kNot:
      return {type == DType::kPred ? x.bits ^ 1 : CutToWidth(type, ~x.bits), 0};
    case Opcode::kSqrt:
      return {
          OnFloats(type, x.bits, 0, [](auto a, auto) { return std::sqrt(a); }),
          0};
    default:  // kIdentity
      return x;
  }
}

Element ReferenceBinary(const Instruction& instruction, DType type, Element x,
                        Element y) {
  const DType part = RealType(type);
  const auto by_parts = [&](uint64_t (*compute)(DType, uint64_t, uint64_t)) {
    return Element{
        compute(part, x.bits, y.bits),
        IsComplex(type) ? compute(part, x.imag_bits, y.imag_bits) : 0};
  };
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return by_parts(Add);
    case Opcode::kSubtract:
      return by_parts(Subtract);
    case Opcode::kMultiply:
      return IsComplex(type) ? ComplexMultiply(part, x, y) : by_parts(Multiply);
    case Opcode::kDivide:
      return IsComplex(type) ? ComplexDivide(part, x, y) : by_parts(Divide);
    case Opcode::kRemainder:
      return by_parts(Remainder);
    case Opcode::kMaximum:
      return by_parts(Maximum);
    case Opcode::kMinimum:
      return by_parts(Minimum);
    case Opcode::kAnd:
      return {x.bits & y.bits, 0};
    case Opcode::kOr:
      return {x.bits | y.bits, 0};
    case Opcode::kXor:
      return {x.bits ^ y.bits, 0};
    default:  // kCompare
      return CompareElements(std::get<CompareAttribute>(instruction.attribute),
                             type, x, y);
  }
}

Element ReferenceTernary(const Instruction& instruction, DType type, Element x,
                         Element y, Element z) {
  if (instruction.opcode == Opcode::kSelect) return x.bits != 0 ? y : z;
  return {Minimum(type, Maximum(type, y.bits, x.bits), z.bits), 0};
}

}  // namespace stridecast::testing
