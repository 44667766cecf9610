// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/numbers.h"

#include <algorithm>
#include <bit>

namespace stridecast::testing {

using Wide = unsigned __int128;
using Kind = ExactNumber::Kind;

FloatFormat FormatOf(DType float_type) {
  switch (float_type) {
    case DType::kF16:
      return {5, 10};
    case DType::kBF16:
      return {8, 7};
    case DType::kF32:
      return {8, 23};
    default:
      return {11, 52};
  }
}

int NumberWidth(DType type) {
  switch (type) {
    case DType::kPred:
    case DType::kS8:
    case DType::kU8:
      return 8;
    case DType::kS16:
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return 16;
    case DType::kS32:
    case DType::kU32:
    case DType::kF32:
    case DType::kC64:
      return 32;
    default:
      return 64;
  }
}

uint64_t CutToWidth(DType type, uint64_t bits) {
  const int width = NumberWidth(type);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t SignedValue(DType type, uint64_t bits) {
  const int unused = 64 - NumberWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

ExactNumber ToExact(DType type, uint64_t bits) {
  if (IsFloat(type)) {
    const FloatFormat format = FormatOf(type);
    const uint64_t mantissa =
        bits & ((uint64_t{1} << format.mantissa_bits) - 1);
    const uint64_t field = bits & format.infinity();
    const bool negative = (bits & format.sign_mask()) != 0;
    if (field == format.infinity()) {
      return {mantissa != 0 ? Kind::kNan : Kind::kInfinity, negative};
    }
    const int least = 1 - format.bias() - format.mantissa_bits;
    if (field == 0) return {Kind::kFinite, negative, mantissa, least};
    const int biased = static_cast<int>(field >> format.mantissa_bits);
    return {Kind::kFinite, negative,
            mantissa | uint64_t{1} << format.mantissa_bits, least + biased - 1};
  }
  if (ClassOf(type) == kSignedClass) {
    const int64_t value = SignedValue(type, bits);
    return {Kind::kFinite, value < 0,
            value < 0 ? uint64_t{0} - static_cast<uint64_t>(value)
                      : static_cast<uint64_t>(value),
            0};
  }
  return {Kind::kFinite, false, bits, 0};
}

uint64_t RoundToFloat(DType float_type, const ExactNumber& number) {
  const FloatFormat format = FormatOf(float_type);
  if (number.kind == Kind::kNan) return format.canonical_nan();
  const uint64_t sign = number.negative ? format.sign_mask() : 0;
  if (number.kind == Kind::kInfinity) return sign | format.infinity();
  if (number.significand == 0) return sign;
  // 2^power <= magnitude < 2^(power+1); the result is a multiple of 2^last.
  const int power = number.exponent + 63 - std::countl_zero(number.significand);
  if (power > format.bias()) return sign | format.infinity();
  const int binade = std::max(power, 1 - format.bias());
  const int last = binade - format.mantissa_bits;
  const int shift = last - number.exponent;
  Wide rounded = 0;
  if (shift <= 0) {
    rounded = Wide{number.significand} << -shift;
  } else if (shift <= 64) {
    const Wide rest = number.significand & ((Wide{1} << shift) - 1);
    const Wide half = Wide{1} << (shift - 1);
    rounded = Wide{number.significand} >> shift;
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  }
  // The leading bit of a normal number adds the 1 that the exponent lacks; a
  // carry out of the mantissa lands in the exponent as it should.
  const uint64_t magnitude = (static_cast<uint64_t>(binade + format.bias() - 1)
                              << format.mantissa_bits) +
                             static_cast<uint64_t>(rounded);
  return sign | std::min(magnitude, format.infinity());
}

uint64_t TruncateToInteger(DType integer_type, const ExactNumber& number,
                           bool saturate) {
  if (number.kind == Kind::kNan) return 0;
  const bool is_signed = ClassOf(integer_type) == kSignedClass;
  const int width = NumberWidth(integer_type);
  // Magnitudes of 2^65 and more are cut to 2^65, which saturates the same and
  // whose low 64 bits are the same zeros once the exponent is 64 or more.
  Wide magnitude = 0;
  if (number.kind == Kind::kInfinity || number.exponent >= 64) {
    magnitude = number.kind == Kind::kInfinity || number.significand != 0
                    ? Wide{1} << 65
                    : 0;
  } else if (number.exponent >= 0) {
    magnitude = Wide{number.significand} << number.exponent;
  } else if (number.exponent > -64) {
    magnitude = number.significand >> -number.exponent;
  }
  if (saturate) {
    const Wide positive_limit = (Wide{1} << (width - (is_signed ? 1 : 0))) - 1;
    const Wide negative_limit = is_signed ? Wide{1} << (width - 1) : 0;
    magnitude =
        std::min(magnitude, number.negative ? negative_limit : positive_limit);
  }
  const auto low = static_cast<uint64_t>(magnitude);
  return CutToWidth(integer_type, number.negative ? uint64_t{0} - low : low);
}

namespace {

uint64_t ConvertNumber(DType from, DType to, Overflow overflow, uint64_t bits) {
  const ExactNumber exact = ToExact(from, bits);
  if (to == DType::kPred) {
    return exact.kind != Kind::kFinite || exact.significand != 0 ? 1 : 0;
  }
  if (IsFloat(to)) return RoundToFloat(to, exact);
  const bool saturate = overflow == Overflow::kUnspecified
                            ? IsFloat(from)
                            : overflow == Overflow::kSaturate;
  return TruncateToInteger(to, exact, saturate);
}

}  // namespace

Element ConvertElement(DType from, DType to, Overflow overflow, Element x) {
  const DType from_part = RealType(from);
  const DType to_part = RealType(to);
  Element result{ConvertNumber(from_part, to_part, overflow, x.bits), 0};
  if (IsComplex(to) && IsComplex(from)) {
    result.imag_bits = ConvertNumber(from_part, to_part, overflow, x.imag_bits);
  }
  return result;
}

float FloatOf(DType type, uint64_t bits) {
  if (type != DType::kF32)
    bits = RoundToFloat(DType::kF32, ToExact(type, bits));
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

uint64_t BitsOfFloat(DType type, float value) {
  return RoundToFloat(type,
                      ToExact(DType::kF32, std::bit_cast<uint32_t>(value)));
}

double DoubleOf(uint64_t f64_bits) { return std::bit_cast<double>(f64_bits); }

uint64_t BitsOfDouble(double value) {
  return RoundToFloat(DType::kF64,
                      ToExact(DType::kF64, std::bit_cast<uint64_t>(value)));
}

bool IsNan(DType float_type, uint64_t bits) {
  return ToExact(float_type, bits).kind == Kind::kNan;
}

}  // namespace stridecast::testing
