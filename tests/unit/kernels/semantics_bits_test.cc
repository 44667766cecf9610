// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The edge cases of operations that move, count or select bits.

#include <gtest/gtest.h>

#include "tests/unit/kernels/semantics_rows.h"

namespace stridecast::kernel_tests {
namespace {

TEST(SemanticsBitsTest, Bitwise) {
  Check({
      {"and", Opcode::kAnd, DType::kS32, {0xFFFF0000, 0xFF00FF00}, 0xFF000000},
      {"or", Opcode::kOr, DType::kU16, {0xFF00, 0x0FF0}, 0xFFF0},
      {"xor", Opcode::kXor, DType::kS64, {kAll64, 1}, kAll64 - 1},
      {"pred and", Opcode::kAnd, DType::kPred, {1, 0}, 0},
      {"pred or", Opcode::kOr, DType::kPred, {1, 0}, 1},
      {"pred xor", Opcode::kXor, DType::kPred, {1, 1}, 0},
      {"not", Opcode::kNot, DType::kU8, {0x0F}, 0xF0},
      {"not", Opcode::kNot, DType::kS64, {0}, kAll64},
      {"pred not is logical", Opcode::kNot, DType::kPred, {1}, 0},
      {"pred not is logical", Opcode::kNot, DType::kPred, {0}, 1},
  });
}

TEST(SemanticsBitsTest, CopysignAndNextafter) {
  constexpr Opcode sign = Opcode::kCopysign;
  constexpr Opcode next = Opcode::kNextafter;
  Check({
      {"-1 of 1", sign, DType::kF32, {k1, kMinus0}, kMinus1},
      {"keeps a NaN", sign, DType::kF32, {kSignalling, kMinus1}, 0xFF800001},
      {"from a NaN", sign, DType::kF16, {0x3C00, 0xFE01}, 0xBC00},
      {"positive", sign, DType::kBF16, {0xFF81, 0}, 0x7F81},
      {"up", next, DType::kF32, {k1, k2}, k1 + 1},
      {"down", next, DType::kF32, {k1, kMinusInf}, k1 - 1},
      {"negative, away", next, DType::kF32, {kMinus1, kMinusInf}, kMinus1 + 1},
      {"negative, back", next, DType::kF32, {kMinus1, k0}, kMinus1 - 1},
      {"0 up", next, DType::kF32, {kMinus0, k1}, 1},
      {"0 down", next, DType::kF32, {k0, kMinus1}, kMinus0 | 1},
      {"to 0 keeps the sign", next, DType::kF32, {kMinus0 | 1, k1}, kMinus0},
      {"equal: y", next, DType::kF32, {k0, kMinus0}, kMinus0},
      {"equal: y", next, DType::kF32, {kMinus0, k0}, k0},
      {"equal", next, DType::kF32, {kInf, kInf}, kInf},
      {"to infinity", next, DType::kF32, {kMax, kInf}, kInf},
      {"from infinity", next, DType::kF32, {kInf, k0}, kMax},
      {"through 0", next, DType::kF32, {1, kMinus1}, k0},
      {"NaN", next, DType::kF32, {kPayload, k1}, kNan},
      {"NaN", next, DType::kF32, {k1, kSignalling}, kNan},
      {"in the type itself", next, DType::kF16, {0x3C00, 0x7C00}, 0x3C01},
      {"in the type itself", next, DType::kBF16, {0x3F80, 0}, 0x3F7F},
      {"overflow", next, DType::kF16, {0x7BFF, 0x7C00}, 0x7C00},
      {"NaN", next, DType::kBF16, {0x7F81, 0x3F80}, 0x7FC0},
      {"f64", next, DType::kF64, {1, kNan64}, kNan64},
      {"f64", next, DType::kF64, {kS64Min, kTwo63}, 1},
  });
}

TEST(SemanticsBitsTest, Shifts) {
  constexpr Opcode left = Opcode::kShiftLeft;
  constexpr Opcode logical = Opcode::kShiftRightLogical;
  constexpr Opcode arithmetic = Opcode::kShiftRightArithmetic;
  Check({
      {"1 << 7", left, DType::kS8, {1, 7}, kS8Min},
      {"by the width", left, DType::kS8, {1, 8}, 0},
      {"by -1", left, DType::kS32, {1, kAll32}, 0},
      {"by 2^32", left, DType::kU64, {1, 0x100000000}, 0},
      {"by 63", left, DType::kU64, {3, 63}, kS64Min},
      {"by 256 as u16", left, DType::kU16, {1, 256}, 0},
      {"of a negative number", logical, DType::kS8, {kAll8, 1}, 0x7F},
      {"by the width", logical, DType::kS8, {kAll8, 8}, 0},
      {"by -1", logical, DType::kS64, {kAll64, kAll64}, 0},
      {"by 31", logical, DType::kU32, {kS32Min, 31}, 1},
      {"of a negative number", arithmetic, DType::kS8, {kS8Min, 1}, 0xC0},
      {"by the width", arithmetic, DType::kS16, {kS16Min, 16}, kAll16},
      {"by -1", arithmetic, DType::kS32, {kS32Min, kAll32}, kAll32},
      {"by -1", arithmetic, DType::kS32, {0x7FFFFFFF, kAll32}, 0},
      {"unsigned: the top bit", arithmetic, DType::kU8, {kS8Min, 1}, 0xC0},
      {"unsigned: the top bit", arithmetic, DType::kU64, {kS64Min, 64}, kAll64},
      {"by 0", arithmetic, DType::kS64, {kS64Min, 0}, kS64Min},
  });
}

TEST(SemanticsBitsTest, ComplexParts) {
  constexpr Opcode join = Opcode::kComplex;
  constexpr Opcode real = Opcode::kReal;
  constexpr Opcode imag = Opcode::kImag;
  constexpr Opcode conj = Opcode::kConj;
  Check({
      {"keeps NaNs", join, DType::kF32, {kPayload, k1}, C64(kPayload, k1)},
      {"keeps NaNs",
       join,
       DType::kF32,
       {k1, kSignalling},
       C64(k1, kSignalling)},
      {"f64",
       join,
       DType::kF64,
       {kS64Min, kNan64 + 1},
       Bits(kS64Min, kNan64 + 1)},
      {"real", real, DType::kC64, {C64(kSignalling, k1)}, kSignalling},
      {"real", real, DType::kC128, {Bits(1, 2)}, 1},
      {"real of real", real, DType::kF16, {0x7C01}, 0x7C01},
      {"real of real", real, DType::kF32, {kSignalling}, kSignalling},
      {"imaginary", imag, DType::kC64, {C64(k1, kSignalling)}, kSignalling},
      {"imaginary", imag, DType::kC128, {Bits(1, 2)}, 2},
      {"imaginary of real", imag, DType::kF64, {kNan64}, 0},
      {"imaginary of real", imag, DType::kBF16, {0xBF80}, 0},
      {"conjugate",
       conj,
       DType::kC64,
       {C64(kMinus0, kSignalling)},
       C64(kMinus0, 0xFF800001)},
      {"conjugate",
       conj,
       DType::kC128,
       {Bits(kS64Min, 0)},
       Bits(kS64Min, kS64Min)},
  });
}

TEST(SemanticsBitsTest, KindsOfNumbers) {
  constexpr Opcode finite = Opcode::kIsFinite;
  constexpr Opcode nan = Opcode::kIsNan;
  constexpr Opcode inf = Opcode::kIsInf;
  Check({
      {"greatest", finite, DType::kF32, {kMax}, 1},
      {"infinity", finite, DType::kF32, {kMinusInf}, 0},
      {"NaN", finite, DType::kF16, {0x7C01}, 0},
      {"integers are", finite, DType::kS32, {kS32Min}, 1},
      {"NaN", nan, DType::kF32, {kSignalling}, 1},
      {"infinity", nan, DType::kBF16, {0x7F80}, 0},
      {"integers are not", nan, DType::kU8, {kAll8}, 0},
      {"either sign", inf, DType::kF64, {0xFFF0000000000000}, 1},
      {"either sign", inf, DType::kF16, {0x7C00}, 1},
      {"NaN", inf, DType::kF32, {kNan}, 0},
      {"integers are not", inf, DType::kS64, {kAll64}, 0},
      {"positive", Opcode::kIsPosInf, DType::kF32, {kInf}, 1},
      {"positive", Opcode::kIsPosInf, DType::kF32, {kMinusInf}, 0},
      {"integers are not", Opcode::kIsPosInf, DType::kU8, {kAll8}, 0},
      {"negative", Opcode::kIsNegInf, DType::kBF16, {0xFF80}, 1},
      {"negative", Opcode::kIsNegInf, DType::kF16, {0x7C00}, 0},
  });
}

TEST(SemanticsBitsTest, BitCounts) {
  constexpr Opcode count = Opcode::kPopcnt;
  constexpr Opcode zeros = Opcode::kCountLeadingZeros;
  Check({
      {"all", count, DType::kS8, {kAll8}, 8},
      {"all", count, DType::kU64, {kAll64}, 64},
      {"none", count, DType::kS32, {0}, 0},
      {"0xF0F1", count, DType::kU16, {0xF0F1}, 9},
      {"0", zeros, DType::kU8, {0}, 8},
      {"0", zeros, DType::kS64, {0}, 64},
      {"1", zeros, DType::kS16, {1}, 15},
      {"negative", zeros, DType::kS32, {kAll32}, 0},
      {"2^32", zeros, DType::kU64, {0x100000000}, 31},
  });
}

TEST(SemanticsBitsTest, ReducePrecision) {
  constexpr Opcode op = Opcode::kReducePrecision;
  const auto to = [](int32_t exponent, int32_t mantissa) {
    return ReducePrecisionAttribute{exponent, mantissa};
  };
  Check({
      {"as bf16: a tie to even", op, DType::kF32, {0x3F808000}, k1, to(8, 7)},
      {"as bf16: a tie to even",
       op,
       DType::kF32,
       {0x3F818000},
       0x3F820000,
       to(8, 7)},
      {"rounds up to infinity", op, DType::kF32, {kMax}, kInf, to(8, 7)},
      {"as f16: overflow", op, DType::kF32, {0x477FF000}, kInf, to(5, 10)},
      {"as f16: just below",
       op,
       DType::kF32,
       {0xC77FEFFF},
       0xC77FE000,
       to(5, 10)},
      {"as f16: least normal",
       op,
       DType::kF32,
       {0x38800000},
       0x38800000,
       to(5, 10)},
      {"as f16: subnormal", op, DType::kF32, {0xB8000000}, kMinus0, to(5, 10)},
      {"NaN", op, DType::kF32, {kPayload}, kNan, to(5, 10)},
      {"NaN without mantissa", op, DType::kF32, {kPayload}, kInf, to(8, 0)},
      {"infinity", op, DType::kF32, {kMinusInf}, kMinusInf, to(2, 1)},
      {"own subnormals stay", op, DType::kF32, {3}, 3, to(8, 23)},
      {"own subnormals stay", op, DType::kF32, {3}, 3, to(100, 100)},
      {"no mantissa: 1.5", op, DType::kF32, {0x3FC00000}, k2, to(8, 0)},
      {"one exponent bit", op, DType::kF32, {0xBF800000}, kMinus0, to(1, 3)},
      {"one exponent bit", op, DType::kF32, {0x40000000}, kInf, to(1, 3)},
      {"f64 as f32",
       op,
       DType::kF64,
       {0x3FF0000010000001},
       0x3FF0000020000000,
       to(8, 23)},
      {"f16 to 2 bits", op, DType::kF16, {0x3D00}, 0x3D00, to(5, 2)},
      {"f16 to 1 bit: a tie", op, DType::kF16, {0x3D00}, 0x3C00, to(5, 1)},
      {"bf16", op, DType::kBF16, {0x3F81}, 0x3F80, to(8, 6)},
  });
}

}  // namespace
}  // namespace stridecast::kernel_tests
