// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's arithmetic on numbers of a real type, as their bits; private to
// reference_*.cc. f16 and bf16 are computed as float and rounded once;
// BitsOfFloat and BitsOfDouble make every NaN the canonical one.

#ifndef STRIDECAST_TESTS_SUPPORT_REFERENCE_NUMBERS_H_
#define STRIDECAST_TESTS_SUPPORT_REFERENCE_NUMBERS_H_

#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"
#include "tests/support/numbers.h"

namespace stridecast::testing {

using Int =
    __int128;  // holds every number of 64 bits, their sums and quotients

// `compute` on numbers of a floating-point type.
template <typename Compute, typename... Bits>
uint64_t OnFloats(DType type, Compute compute, Bits... bits) {
  if (type == DType::kF64) return BitsOfDouble(compute(DoubleOf(bits)...));
  return BitsOfFloat(type, compute(FloatOf(type, bits)...));
}

// The whole number that the bits of an integer or a pred stand for.
inline Int IntegerOf(DType type, uint64_t bits) {
  return ClassOf(type) == kSignedClass ? Int{SignedValue(type, bits)}
                                       : Int{bits};
}

// `compute` on whole numbers; the result wraps.
template <typename Compute, typename... Bits>
uint64_t OnIntegers(DType type, Compute compute, Bits... bits) {
  const Int result = compute(IntegerOf(type, bits)...);
  return CutToWidth(type, static_cast<uint64_t>(result));
}

// --- reference_arithmetic.cc ---
uint64_t Add(DType type, uint64_t x, uint64_t y);
uint64_t Subtract(DType type, uint64_t x, uint64_t y);
uint64_t Multiply(DType type, uint64_t x, uint64_t y);
uint64_t Divide(DType type, uint64_t x, uint64_t y);
uint64_t Maximum(DType type, uint64_t x, uint64_t y);
uint64_t Minimum(DType type, uint64_t x, uint64_t y);
// The binary operations on numbers that are exactly defined, but COMPARE and
// those that integers alone have.
uint64_t Arithmetic(Opcode opcode, DType type, uint64_t x, uint64_t y);

// --- reference_integer.cc: bits and whole numbers ---
uint64_t IntegerPower(DType type, uint64_t base, uint64_t exponent);
// AND ... SHIFT_RIGHT_ARITHMETIC, GCD, LCM.
uint64_t IntegerBinary(Opcode opcode, DType type, uint64_t x, uint64_t y);
// NOT, POPCNT, COUNT_LEADING_ZEROS.
uint64_t IntegerUnary(Opcode opcode, DType type, uint64_t x);

// --- reference_compare.cc ---
bool Compare(const CompareAttribute& compare, DType type, Element x, Element y);
bool IsClose(const Instruction& instruction, DType type, uint64_t x,
             uint64_t y);

// --- reference_unary.cc ---
uint64_t Negate(DType type, uint64_t x);
// Unary operations on numbers that are exactly defined, but activations.
uint64_t Unary(const Instruction& instruction, DType type, uint64_t x);

// --- reference_activation.cc ---
// scalars.alpha and scalars.beta, or their defaults, in `type` (f16 and bf16:
// in f32).
struct Scalars {
  double alpha;
  double beta;
};
Scalars ScalarsOf(const Instruction& instruction, DType type);
// RELU, RELU6, LEAKY_RELU, SOFTSIGN, HARD_SIGMOID, HARD_SWISH,
// THRESHOLDED_RELU, SHRINK.
uint64_t Activation(const Instruction& instruction, DType type, uint64_t x);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_REFERENCE_NUMBERS_H_
