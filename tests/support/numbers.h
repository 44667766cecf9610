// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The numbers of every element type as exact values, for the oracle: a number
// is an integer times a power of two, and a conversion rounds such a value
// once. No floating-point instruction takes part, so no rounding mode, flush
// to zero or double rounding can.
// Shares nothing with stridecast/float16.h and core/kernels.

#ifndef STRIDECAST_TESTS_SUPPORT_NUMBERS_H_
#define STRIDECAST_TESTS_SUPPORT_NUMBERS_H_

#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/request.h"

namespace stridecast::testing {

// One element as its bits, in the low bits of a word: those of a number, or of
// the real and the imaginary part. A pred is 0 or 1.
struct Element {
  uint64_t bits = 0;
  uint64_t imag_bits = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

// (-1)^negative * significand * 2^exponent. Zero keeps its sign.
struct ExactNumber {
  enum class Kind { kFinite, kInfinity, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;
};

// Widths of a floating-point type; all are IEEE 754 interchange formats.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  // stored ones

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint64_t sign_mask() const {
    return uint64_t{1} << (exponent_bits + mantissa_bits);
  }
  uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  // Quiet, positive, payload 0.
  uint64_t canonical_nan() const {
    return infinity() | uint64_t{1} << (mantissa_bits - 1);
  }
};
FloatFormat FormatOf(DType float_type);

// Bits in a number of `type`, for complex types in one of its parts.
int NumberWidth(DType type);

// Of a pred, an integer or a floating-point number.
ExactNumber ToExact(DType type, uint64_t bits);

// The floating-point number nearest to `number`, ties to even; NaN is the
// canonical one.
uint64_t RoundToFloat(DType float_type, const ExactNumber& number);

// The integer below `number` in magnitude: `saturate` takes the nearest one of
// the type, else the low bits are kept and infinities are 0. NaN is 0.
uint64_t TruncateToInteger(DType integer_type, const ExactNumber& number,
                           bool saturate);

// CONVERT.
Element ConvertElement(DType from, DType to, Overflow overflow, Element x);

// The number that the low NumberWidth(type) bits stand for; `type` is signed.
int64_t SignedValue(DType type, uint64_t bits);
// `bits` cut to the width of `type`.
uint64_t CutToWidth(DType type, uint64_t bits);

// f16, bf16, f32 as float, exactly (NaN: some NaN), and back, rounded once.
float FloatOf(DType type, uint64_t bits);
uint64_t BitsOfFloat(DType type, float value);
double DoubleOf(uint64_t f64_bits);
uint64_t BitsOfDouble(double value);  // NaN is the canonical one

bool IsNan(DType float_type, uint64_t bits);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_NUMBERS_H_
