// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The edge cases of arithmetic and comparison, bit by bit.

#include <gtest/gtest.h>

#include "tests/unit/kernels/semantics_rows.h"

namespace stridecast::kernel_tests {
namespace {

TEST(SemanticsTest, Add) {
  constexpr Opcode op = Opcode::kAdd;
  Check({
      {"1 + 2", op, DType::kF32, {k1, k2}, k3},
      {"inf - inf is the positive NaN",
       op,
       DType::kF32,
       {kInf, kMinusInf},
       kNan},
      {"payloads do not survive", op, DType::kF32, {kPayload, k1}, kNan},
      {"nor of the second", op, DType::kF32, {k1, kPayload}, kNan},
      {"a signalling one", op, DType::kF32, {kSignalling, k1}, kNan},
      {"subnormals are kept", op, DType::kF32, {1, 1}, 2},
      {"overflow", op, DType::kF32, {kMax, kMax}, kInf},
      {"+0 + -0", op, DType::kF32, {k0, kMinus0}, k0},
      {"-0 + -0", op, DType::kF32, {kMinus0, kMinus0}, kMinus0},
      {"inf - inf",
       op,
       DType::kF64,
       {0x7FF0000000000000, 0xFFF0000000000000},
       kNan64},
      {"subnormals", op, DType::kF64, {1, 1}, 2},
      {"2048 + 1 is a tie, down to even",
       op,
       DType::kF16,
       {0x6800, 0x3C00},
       0x6800},
      {"2050 + 1 is a tie, up to even",
       op,
       DType::kF16,
       {0x6801, 0x3C00},
       0x6802},
      {"65504 + 16 overflows", op, DType::kF16, {0x7BFF, 0x4C00}, 0x7C00},
      {"65504 + 15.99 does not", op, DType::kF16, {0x7BFF, 0x4BFF}, 0x7BFF},
      {"NaN", op, DType::kF16, {0xFE01, 0x3C00}, 0x7E00},
      {"subnormals", op, DType::kF16, {1, 1}, 2},
      {"256 + 1 is a tie, down to even",
       op,
       DType::kBF16,
       {0x4380, 0x3F80},
       0x4380},
      {"258 + 1 is a tie, up to even",
       op,
       DType::kBF16,
       {0x4381, 0x3F80},
       0x4382},
      {"NaN", op, DType::kBF16, {0xFF81, 0x3F80}, 0x7FC0},
      {"subnormals", op, DType::kBF16, {1, 1}, 2},
      {"127 + 1 wraps", op, DType::kS8, {0x7F, 1}, kS8Min},
      {"255 + 1 wraps", op, DType::kU8, {kAll8, 1}, 0},
      {"wraps", op, DType::kS64, {0x7FFFFFFFFFFFFFFF, 1}, kS64Min},
      {"pred: or", op, DType::kPred, {1, 1}, 1},
      {"pred: or", op, DType::kPred, {0, 1}, 1},
      {"pred: or", op, DType::kPred, {0, 0}, 0},
      {"by parts",
       op,
       DType::kC64,
       {C64(k1, kInf), C64(k2, kMinusInf)},
       C64(k3, kNan)},
      {"by parts",
       op,
       DType::kC128,
       {Bits(0x3FF0000000000000, 0), Bits(0x3FF0000000000000, 1)},
       Bits(0x4000000000000000, 1)},
  });
}

TEST(SemanticsTest, SubtractAndMultiply) {
  constexpr Opcode sub = Opcode::kSubtract;
  constexpr Opcode mul = Opcode::kMultiply;
  Check({
      {"inf - inf", sub, DType::kF32, {kInf, kInf}, kNan},
      {"0 - 1", sub, DType::kU8, {0, 1}, kAll8},
      {"wraps", sub, DType::kS64, {kS64Min, 1}, 0x7FFFFFFFFFFFFFFF},
      {"by parts",
       sub,
       DType::kC64,
       {C64(k3, k0), C64(k1, k1)},
       C64(k2, kMinus1)},
      {"0 * inf is the positive NaN", mul, DType::kF32, {k0, kInf}, kNan},
      {"subnormal times half: a tie to 0",
       mul,
       DType::kF32,
       {1, 0x3F000000},
       0},
      {"1.5 units: a tie to 2", mul, DType::kF16, {3, 0x3800}, 2},
      {"1.5 units: a tie to 2", mul, DType::kBF16, {3, 0x3F00}, 2},
      {"wraps", mul, DType::kS32, {65536, 65536}, 0},
      {"wraps", mul, DType::kS8, {16, 16}, 0},
      {"-128 * -1", mul, DType::kS8, {kS8Min, kAll8}, kS8Min},
      {"255 * 255", mul, DType::kU8, {kAll8, kAll8}, 1},
      {"wraps", mul, DType::kU64, {kAll64, kAll64}, 1},
      {"wraps", mul, DType::kS64, {0x100000001, 0x100000001}, 0x200000001},
      {"pred: and", mul, DType::kPred, {1, 1}, 1},
      {"pred: and", mul, DType::kPred, {1, 0}, 0},
      {"i * i", mul, DType::kC64, {C64(k0, k1), C64(k0, k1)}, C64(kMinus1, k0)},
      {"infinities are not recovered",
       mul,
       DType::kC64,
       {C64(kInf, kInf), C64(k1, k0)},
       C64(kNan, kNan)},
      {"no fused step: (1+2^-12)^2 - 1",
       mul,
       DType::kC64,
       {C64(0x3F800800, k1), C64(0x3F800800, k1)},
       C64(0x3A000000, 0x40000800)},
  });
}

TEST(SemanticsTest, Divide) {
  constexpr Opcode op = Opcode::kDivide;
  Check({
      {"1/0", op, DType::kF32, {k1, k0}, kInf},
      {"-1/0", op, DType::kF32, {kMinus1, k0}, kMinusInf},
      {"1/-0", op, DType::kF32, {k1, kMinus0}, kMinusInf},
      {"0/0 is the positive NaN", op, DType::kF32, {k0, k0}, kNan},
      {"0/0", op, DType::kF16, {0, 0}, 0x7E00},
      {"0/0", op, DType::kBF16, {0, 0}, 0x7FC0},
      {"1/3", op, DType::kF16, {0x3C00, 0x4200}, 0x3555},
      {"1/3", op, DType::kBF16, {0x3F80, 0x4040}, 0x3EAB},
      {"7/-2 toward zero", op, DType::kS32, {7, kAll32 - 1}, kAll32 - 2},
      {"-7/2 toward zero", op, DType::kS32, {kAll32 - 6, 2}, kAll32 - 2},
      {"5/0", op, DType::kS8, {5, 0}, kAll8},
      {"5/0", op, DType::kS16, {5, 0}, kAll16},
      {"5/0", op, DType::kS32, {5, 0}, kAll32},
      {"5/0", op, DType::kS64, {5, 0}, kAll64},
      {"0/0", op, DType::kS32, {0, 0}, kAll32},
      {"least / 0", op, DType::kS64, {kS64Min, 0}, kAll64},
      {"5/0", op, DType::kU8, {5, 0}, kAll8},
      {"5/0", op, DType::kU16, {5, 0}, kAll16},
      {"5/0", op, DType::kU32, {5, 0}, kAll32},
      {"5/0", op, DType::kU64, {5, 0}, kAll64},
      {"least / -1", op, DType::kS8, {kS8Min, kAll8}, kS8Min},
      {"least / -1", op, DType::kS16, {kS16Min, kAll16}, kS16Min},
      {"least / -1", op, DType::kS32, {kS32Min, kAll32}, kS32Min},
      {"least / -1", op, DType::kS64, {kS64Min, kAll64}, kS64Min},
      {"least / 1", op, DType::kS32, {kS32Min, 1}, kS32Min},
      {"200/7", op, DType::kU8, {200, 7}, 28},
      {"just below 1", op, DType::kS32, {0x7FFFFFFE, 0x7FFFFFFF}, 0},
      {"just above 1", op, DType::kS32, {0x7FFFFFFF, 0x7FFFFFFE}, 1},
      {"just below 1", op, DType::kU16, {0xFFFE, 0xFFFF}, 0},
      {"just below 2", op, DType::kU32, {0xFFFFFFFD, 0x7FFFFFFF}, 1},
      {"just below 2",
       op,
       DType::kU64,
       {0xFFFFFFFFFFFFFFFD, 0x7FFFFFFFFFFFFFFF},
       1},
      {"1/i", op, DType::kC64, {C64(k1, k0), C64(k0, k1)}, C64(k0, kMinus1)},
      {"(1+i)/0", op, DType::kC64, {C64(k1, k1), C64(k0, k0)}, C64(kNan, kNan)},
      {"overflow as the formula has it",
       op,
       DType::kC64,
       {C64(kMax, kMax), C64(kMax, kMax)},
       C64(kNan, k0)},
      {"(4+4i)/(2+2i)",
       op,
       DType::kC64,
       {C64(k4, k4), C64(k2, k2)},
       C64(k2, k0)},
  });
}

TEST(SemanticsTest, Remainder) {
  constexpr Opcode op = Opcode::kRemainder;
  Check({
      {"5.5 % 2", op, DType::kF32, {0x40B00000, k2}, 0x3FC00000},
      {"-5.5 % 2 has the dividend's sign",
       op,
       DType::kF32,
       {0xC0B00000, k2},
       0xBFC00000},
      {"5.5 % -2", op, DType::kF32, {0x40B00000, 0xC0000000}, 0x3FC00000},
      {"x % 0", op, DType::kF32, {k1, k0}, kNan},
      {"x % -0", op, DType::kF32, {k1, kMinus0}, kNan},
      {"x % inf", op, DType::kF32, {k5, kInf}, k5},
      {"x % -inf", op, DType::kF32, {k5, kMinusInf}, k5},
      {"inf % x", op, DType::kF32, {kInf, k1}, kNan},
      {"NaN % x", op, DType::kF32, {kPayload, k1}, kNan},
      {"x % NaN", op, DType::kF32, {k1, kPayload}, kNan},
      {"-0 % 1", op, DType::kF32, {kMinus0, k1}, kMinus0},
      {"-4 % 2", op, DType::kF32, {kMinus4, k2}, kMinus0},
      {"2^127 % 3", op, DType::kF32, {0x7F000000, k3}, k2},
      {"subnormals", op, DType::kF32, {5, 3}, 2},
      {"normal % subnormal", op, DType::kF32, {0x00800000, 3}, 2},
      {"2^1023 % 3",
       op,
       DType::kF64,
       {0x7FE0000000000000, 0x4008000000000000},
       0x4000000000000000},
      {"65504 % 3", op, DType::kF16, {0x7BFF, 0x4200}, 0x4000},
      {"2^127 % 3", op, DType::kBF16, {0x7F00, 0x4040}, 0x4000},
      {"-7 % 2", op, DType::kS32, {kAll32 - 6, 2}, kAll32},
      {"7 % -2", op, DType::kS32, {7, kAll32 - 1}, 1},
      {"x % 0", op, DType::kS8, {5, 0}, 5},
      {"x % 0", op, DType::kS16, {kS16Min, 0}, kS16Min},
      {"x % 0", op, DType::kS32, {kS32Min, 0}, kS32Min},
      {"x % 0", op, DType::kU64, {kAll64, 0}, kAll64},
      {"least % -1", op, DType::kS8, {kS8Min, kAll8}, 0},
      {"least % -1", op, DType::kS32, {kS32Min, kAll32}, 0},
      {"least % -1", op, DType::kS64, {kS64Min, kAll64}, 0},
      {"200 % 7", op, DType::kU8, {200, 7}, 4},
  });
}

TEST(SemanticsTest, MaximumAndMinimum) {
  constexpr Opcode max = Opcode::kMaximum;
  constexpr Opcode min = Opcode::kMinimum;
  Check({
      {"max(+0, -0)", max, DType::kF32, {k0, kMinus0}, k0},
      {"max(-0, +0)", max, DType::kF32, {kMinus0, k0}, k0},
      {"max(-0, -0)", max, DType::kF32, {kMinus0, kMinus0}, kMinus0},
      {"min(+0, -0)", min, DType::kF32, {k0, kMinus0}, kMinus0},
      {"min(-0, +0)", min, DType::kF32, {kMinus0, k0}, kMinus0},
      {"min(+0, +0)", min, DType::kF32, {k0, k0}, k0},
      {"max(+0, -0)", max, DType::kF16, {0, 0x8000}, 0},
      {"min(+0, -0)", min, DType::kBF16, {0, 0x8000}, 0x8000},
      {"min(+0, -0)", min, DType::kF64, {0, kS64Min}, kS64Min},
      {"NaN wins", max, DType::kF32, {kPayload, kInf}, kNan},
      {"NaN wins", max, DType::kF32, {kInf, kPayload}, kNan},
      {"NaN wins", min, DType::kF32, {kPayload, kMinusInf}, kNan},
      {"NaN wins", min, DType::kF32, {kMinusInf, kSignalling}, kNan},
      {"NaN wins", max, DType::kF16, {0x7C01, 0x3C00}, 0x7E00},
      {"NaN wins", min, DType::kBF16, {0x3F80, 0xFFFF}, 0x7FC0},
      {"max(-1, 1)", max, DType::kF32, {kMinus1, k1}, k1},
      {"unsigned", max, DType::kU64, {kS64Min, 1}, kS64Min},
      {"signed", max, DType::kS64, {kS64Min, 1}, 1},
      {"unsigned", min, DType::kU8, {kAll8, 1}, 1},
      {"signed", min, DType::kS8, {kAll8, 1}, kAll8},
      {"pred: or", max, DType::kPred, {0, 1}, 1},
      {"pred: and", min, DType::kPred, {0, 1}, 0},
  });
}

TEST(SemanticsTest, Clamp) {
  constexpr Opcode op = Opcode::kClamp;
  Check({
      {"inside", op, DType::kF32, {k1, k2, k3}, k2},
      {"below", op, DType::kF32, {k1, k0, k3}, k1},
      {"above", op, DType::kF32, {k1, k5, k3}, k3},
      {"high wins", op, DType::kF32, {k3, k2, k1}, k1},
      {"NaN low", op, DType::kF32, {kPayload, k2, k1}, kNan},
      {"NaN x", op, DType::kF32, {k1, kPayload, k2}, kNan},
      {"NaN high", op, DType::kF32, {k1, k2, kPayload}, kNan},
      {"-0 in [+0, 1]", op, DType::kF32, {k0, kMinus0, k1}, k0},
      {"above", op, DType::kF16, {0, 0x4400, 0x3C00}, 0x3C00},
      {"above", op, DType::kS8, {kAll8, 100, 10}, 10},
      {"below", op, DType::kU32, {10, 1, 20}, 10},
      {"high wins", op, DType::kS64, {10, 5, 3}, 3},
      {"pred", op, DType::kPred, {1, 0, 1}, 1},
  });
}

TEST(SemanticsTest, SignsAndRoots) {
  constexpr Opcode neg = Opcode::kNegate;
  constexpr Opcode abs = Opcode::kAbs;
  constexpr Opcode sqrt = Opcode::kSqrt;
  Check({
      {"-(+0)", neg, DType::kF32, {k0}, kMinus0},
      {"flips a NaN's sign, keeps it signalling",
       neg,
       DType::kF32,
       {kSignalling},
       0xFF800001},
      {"keeps a signalling NaN", neg, DType::kF16, {0x7C01}, 0xFC01},
      {"keeps a signalling NaN", neg, DType::kBF16, {0xFF81}, 0x7F81},
      {"least", neg, DType::kS8, {kS8Min}, kS8Min},
      {"unsigned", neg, DType::kU32, {1}, kAll32},
      {"both parts",
       neg,
       DType::kC64,
       {C64(kPayload, k0)},
       C64(0x7FC12345, kMinus0)},
      {"both parts",
       neg,
       DType::kC128,
       {Bits(0, 1)},
       Bits(kS64Min, kS64Min + 1)},
      {"keeps a NaN", abs, DType::kF32, {0xFF812345}, 0x7F812345},
      {"-0", abs, DType::kF64, {kS64Min}, 0},
      {"keeps a NaN", abs, DType::kF16, {0xFC01}, 0x7C01},
      {"least", abs, DType::kS8, {kS8Min}, kS8Min},
      {"least", abs, DType::kS32, {kS32Min}, kS32Min},
      {"least", abs, DType::kS64, {kS64Min}, kS64Min},
      {"-5", abs, DType::kS16, {0xFFFB}, 5},
      {"unsigned", abs, DType::kU8, {200}, 200},
      {"|3+4i|", abs, DType::kC64, {C64(k3, k4)}, k5},
      {"no overflow",
       abs,
       DType::kC64,
       {C64(0x7F167699, 0x7F167699)},
       0x7F54C986},
      {"no underflow", abs, DType::kC64, {C64(3, 4)}, 5},
      {"|inf + NaN i|", abs, DType::kC64, {C64(kMinusInf, kPayload)}, kInf},
      {"|1 + NaN i|", abs, DType::kC64, {C64(k1, kPayload)}, kNan},
      {"|-0 - 0i|", abs, DType::kC64, {C64(kMinus0, kMinus0)}, 0},
      {"no overflow",
       abs,
       DType::kC128,
       {Bits(0x7E37E43C8800759C, 0x7E37E43C8800759C)},
       0x7E40E4D50F99B211},
      {"subnormal",
       abs,
       DType::kC128,
       {Bits(0x12688B70E62B, 0x12688B70E62B)},
       0x1A088B6BF34F},
      {"|0|", abs, DType::kC128, {Bits(0, kS64Min)}, 0},
      {"|3+4i|",
       abs,
       DType::kC128,
       {Bits(0x4008000000000000, 0xC010000000000000)},
       0x4014000000000000},
      {"|inf + NaN i|",
       abs,
       DType::kC128,
       {Bits(kNan64 + 1, 0xFFF0000000000000)},
       0x7FF0000000000000},
      {"-0", sqrt, DType::kF32, {kMinus0}, kMinus0},
      {"of -1 is the positive NaN", sqrt, DType::kF32, {kMinus1}, kNan},
      {"of -1", sqrt, DType::kF16, {0xBC00}, 0x7E00},
      {"of -inf", sqrt, DType::kBF16, {0xFF80}, 0x7FC0},
      {"of 2", sqrt, DType::kF32, {k2}, 0x3FB504F3},
      {"of 2", sqrt, DType::kF64, {0x4000000000000000}, 0x3FF6A09E667F3BCD},
      {"of 2", sqrt, DType::kF16, {0x4000}, 0x3DA8},
      {"of 2", sqrt, DType::kBF16, {0x4000}, 0x3FB5},
      {"of inf", sqrt, DType::kF32, {kInf}, kInf},
      {"of the least subnormal", sqrt, DType::kF32, {1}, 0x1A3504F3},
  });
}

TEST(SemanticsTest, IdentityAndSelectKeepBits) {
  Check({
      {"signalling",
       Opcode::kIdentity,
       DType::kF32,
       {kSignalling},
       kSignalling},
      {"signalling", Opcode::kIdentity, DType::kF16, {0xFC01}, 0xFC01},
      {"signalling",
       Opcode::kIdentity,
       DType::kC64,
       {C64(kSignalling, kPayload)},
       C64(kSignalling, kPayload)},
      {"c128",
       Opcode::kIdentity,
       DType::kC128,
       {Bits(1, kNan64 + 1)},
       Bits(1, kNan64 + 1)},
      {"true", Opcode::kSelect, DType::kF32, {1, kSignalling, k1}, kSignalling},
      {"false", Opcode::kSelect, DType::kF32, {0, k1, kPayload}, kPayload},
      {"true", Opcode::kSelect, DType::kBF16, {1, 0xFF81, 0}, 0xFF81},
      {"true", Opcode::kSelect, DType::kU8, {1, 7, 8}, 7},
      {"false", Opcode::kSelect, DType::kS64, {0, 7, kS64Min}, kS64Min},
      {"false",
       Opcode::kSelect,
       DType::kC64,
       {0, 7, C64(kSignalling, 1)},
       C64(kSignalling, 1)},
      {"true",
       Opcode::kSelect,
       DType::kC128,
       {1, Bits(3, 4), Bits(5, 6)},
       Bits(3, 4)},
      {"pred", Opcode::kSelect, DType::kPred, {1, 0, 1}, 0},
  });
}

TEST(SemanticsTest, Compare) {
  using Direction = CompareAttribute::Direction;
  constexpr Opcode op = Opcode::kCompare;
  const CompareAttribute eq{Direction::kEq};
  const CompareAttribute ne{Direction::kNe};
  const CompareAttribute ge{Direction::kGe};
  const CompareAttribute gt{Direction::kGt};
  const CompareAttribute le{Direction::kLe};
  const CompareAttribute lt{Direction::kLt};
  const CompareAttribute total_eq{Direction::kEq, true};
  const CompareAttribute total_lt{Direction::kLt, true};
  const CompareAttribute total_ge{Direction::kGe, true};
  Check({
      {"NaN = NaN", op, DType::kF32, {kNan, kNan}, 0, eq},
      {"NaN != NaN", op, DType::kF32, {kNan, kNan}, 1, ne},
      {"NaN >= 1", op, DType::kF32, {kNan, k1}, 0, ge},
      {"1 > NaN", op, DType::kF32, {k1, kNan}, 0, gt},
      {"1 <= NaN", op, DType::kF32, {k1, kNan}, 0, le},
      {"NaN < 1", op, DType::kF32, {kNan, k1}, 0, lt},
      {"-0 = +0", op, DType::kF32, {kMinus0, k0}, 1, eq},
      {"-0 < +0", op, DType::kF32, {kMinus0, k0}, 0, lt},
      {"-0 >= +0", op, DType::kF32, {kMinus0, k0}, 1, ge},
      {"NaN = NaN", op, DType::kF16, {0x7C01, 0x7C01}, 0, eq},
      {"subnormals", op, DType::kBF16, {1, 2}, 1, lt},
      {"-0 < +0 in total order", op, DType::kF32, {kMinus0, k0}, 1, total_lt},
      {"-0 = +0 in total order", op, DType::kF32, {kMinus0, k0}, 0, total_eq},
      {"-NaN < -inf", op, DType::kF32, {kPayload, kMinusInf}, 1, total_lt},
      {"inf < NaN", op, DType::kF32, {kInf, kSignalling}, 1, total_lt},
      {"by payload", op, DType::kF32, {kSignalling, kNan}, 1, total_lt},
      {"negative by payload", op, DType::kF16, {0xFE00, 0xFC01}, 1, total_lt},
      {"NaN = NaN", op, DType::kF64, {kNan64, kNan64}, 1, total_eq},
      {"-1 >= -2",
       op,
       DType::kF64,
       {0xBFF0000000000000, 0xC000000000000000},
       1,
       total_ge},
      {"unsigned", op, DType::kU8, {200, 100}, 1, gt},
      {"signed", op, DType::kS8, {200, 100}, 0, gt},
      {"unsigned", op, DType::kU64, {kS64Min, 1}, 1, ge},
      {"signed", op, DType::kS64, {kS64Min, 1}, 1, le},
      {"false < true", op, DType::kPred, {0, 1}, 1, lt},
      {"parts", op, DType::kC64, {C64(k1, kMinus0), C64(k1, k0)}, 1, eq},
      {"parts", op, DType::kC64, {C64(k1, k2), C64(k1, k0)}, 0, eq},
      {"parts", op, DType::kC64, {C64(k1, kNan), C64(k1, kNan)}, 1, ne},
      {"parts", op, DType::kC128, {Bits(1, 2), Bits(1, 3)}, 1, ne},
  });
}

TEST(SemanticsTest, FloorModAndFloorDivide) {
  constexpr Opcode mod = Opcode::kFloorMod;
  constexpr Opcode div = Opcode::kFloorDivide;
  constexpr uint32_t kMinus3 = 0xC0400000;
  constexpr uint32_t kMinus2 = 0xC0000000;
  constexpr uint32_t k7 = 0x40E00000;
  constexpr uint32_t kMinus7 = 0xC0E00000;
  Check({
      {"-7 mod 2", mod, DType::kS32, {kAll32 - 6, 2}, 1},
      {"7 mod -2", mod, DType::kS32, {7, kAll32 - 1}, kAll32},
      {"by 0", mod, DType::kS32, {kS32Min, 0}, kS32Min},
      {"by 0", mod, DType::kU8, {200, 0}, 200},
      {"least by -1", mod, DType::kS64, {kS64Min, kAll64}, 0},
      {"200 mod 7", mod, DType::kU8, {200, 7}, 4},
      {"-7 mod 2", mod, DType::kF32, {kMinus7, k2}, k1},
      {"7 mod -2", mod, DType::kF32, {k7, 0xC0000000}, kMinus1},
      {"0 has the divisor's sign", mod, DType::kF32, {k4, kMinus2}, kMinus0},
      {"0 has the divisor's sign", mod, DType::kF32, {kMinus4, k2}, k0},
      {"by 0", mod, DType::kF32, {k1, k0}, kNan},
      {"-1 mod inf", mod, DType::kF32, {kMinus1, kInf}, kInf},
      {"1 mod inf", mod, DType::kF32, {k1, kInf}, k1},
      {"NaN", mod, DType::kF16, {0x7C01, 0x3C00}, 0x7E00},
      {"-7 / 2", div, DType::kS32, {kAll32 - 6, 2}, kAll32 - 3},
      {"7 / 2", div, DType::kS32, {7, 2}, 3},
      {"by 0", div, DType::kS8, {5, 0}, kAll8},
      {"by 0", div, DType::kU64, {5, 0}, kAll64},
      {"least by -1", div, DType::kS16, {kS16Min, kAll16}, kS16Min},
      {"-7 / 2", div, DType::kF32, {kMinus7, k2}, kMinus4},
      {"-5 / 2", div, DType::kF32, {0xC0A00000, k2}, kMinus3},
      {"by 0", div, DType::kF32, {k1, k0}, kInf},
      {"by -0", div, DType::kF32, {k1, kMinus0}, kMinusInf},
      {"0 / 0", div, DType::kF32, {k0, k0}, kNan},
      {"0 has the sign of the quotient",
       div,
       DType::kF32,
       {kMinus0, k1},
       kMinus0},
      {"-1 / inf", div, DType::kF32, {kMinus1, kInf}, kMinus1},
      {"inf / 1", div, DType::kF32, {kInf, k1}, kNan},
      {"7 / 2", div, DType::kBF16, {0x40E0, 0x4000}, 0x4040},
  });
}

TEST(SemanticsTest, FmaxAndFmin) {
  constexpr Opcode max = Opcode::kFmax;
  constexpr Opcode min = Opcode::kFmin;
  Check({
      {"of one NaN the number", max, DType::kF32, {kPayload, k1}, k1},
      {"of one NaN the number", max, DType::kF32, {k1, kSignalling}, k1},
      {"of one NaN the number", min, DType::kF64, {kNan64, kTwo63}, kTwo63},
      {"two NaNs", max, DType::kF32, {kPayload, kSignalling}, kNan},
      {"two NaNs", min, DType::kF16, {0x7C01, 0xFE01}, 0x7E00},
      {"NaN and infinity", min, DType::kBF16, {0x7F81, 0x7F80}, 0x7F80},
      {"max(-0, +0)", max, DType::kF32, {kMinus0, k0}, k0},
      {"min(+0, -0)", min, DType::kF32, {k0, kMinus0}, kMinus0},
      {"signed", max, DType::kS8, {kAll8, 1}, 1},
      {"pred: or", max, DType::kPred, {0, 1}, 1},
  });
}

TEST(SemanticsTest, IntegerPower) {
  constexpr Opcode op = Opcode::kPower;
  Check({
      {"3^5", op, DType::kS32, {3, 5}, 243},
      {"0^0", op, DType::kS32, {0, 0}, 1},
      {"wraps", op, DType::kU8, {3, 6}, 729 % 256},
      {"wraps", op, DType::kU16, {kAll16, 2}, 1},
      {"wraps", op, DType::kS64, {2, 64}, 0},
      {"(-2)^3", op, DType::kS8, {0xFE, 3}, 0xF8},
      {"0^-1", op, DType::kS32, {0, kAll32}, 0},
      {"1^-1", op, DType::kS32, {1, kAll32}, 1},
      {"2^-1", op, DType::kS32, {2, kAll32}, 0},
      {"(-1)^-1", op, DType::kS16, {kAll16, kAll16}, kAll16},
      {"(-1)^-2", op, DType::kS16, {kAll16, kAll16 - 1}, 1},
      {"(-1)^least", op, DType::kS64, {kAll64, kS64Min}, 1},
      {"unsigned exponents are great", op, DType::kU8, {2, kAll8}, 0},
      {"unsigned exponents are great",
       op,
       DType::kU64,
       {kAll64, kAll64},
       kAll64},
  });
}

TEST(SemanticsTest, DivisorsAndMultiples) {
  constexpr Opcode gcd = Opcode::kGcd;
  constexpr Opcode lcm = Opcode::kLcm;
  Check({
      {"gcd(12, -18)", gcd, DType::kS32, {12, kAll32 - 17}, 6},
      {"gcd(0, 0)", gcd, DType::kS32, {0, 0}, 0},
      {"gcd(0, -5)", gcd, DType::kS8, {0, 0xFB}, 5},
      {"gcd(least, 0) wraps", gcd, DType::kS8, {kS8Min, 0}, kS8Min},
      {"gcd(least, least)", gcd, DType::kS64, {kS64Min, kS64Min}, kS64Min},
      {"gcd(least, 48)", gcd, DType::kS64, {kS64Min, 48}, 16},
      {"gcd(2^63, 2^64-1)", gcd, DType::kU64, {kS64Min, kAll64}, 1},
      {"lcm(4, -6)", lcm, DType::kS32, {4, kAll32 - 5}, 12},
      {"lcm(0, 5)", lcm, DType::kS32, {0, 5}, 0},
      {"lcm(0, 0)", lcm, DType::kU64, {0, 0}, 0},
      {"wraps", lcm, DType::kU8, {16, 27}, 432 % 256},
      {"lcm(least, 1)", lcm, DType::kS8, {kS8Min, 1}, kS8Min},
  });
}

TEST(SemanticsTest, SquaresMeansAndSteps) {
  constexpr Opcode difference = Opcode::kDifferenceSquare;
  constexpr Opcode mean = Opcode::kMean;
  constexpr Opcode step = Opcode::kHeaviside;
  constexpr Opcode square = Opcode::kSquare;
  Check({
      {"(1-3)^2", difference, DType::kF32, {k1, k3}, k4},
      {"(3-5)^2", difference, DType::kU8, {3, 5}, 4},
      {"wraps", difference, DType::kS8, {0x80, 0x7F}, 1},
      {"inf - inf", difference, DType::kF32, {kInf, kInf}, kNan},
      {"not fused: (1+2^-12)^2", square, DType::kF32, {0x3F800800}, 0x3F801000},
      {"wraps", square, DType::kS8, {0x10}, 0},
      {"-inf", square, DType::kF32, {kMinusInf}, kInf},
      {"1 and 3", mean, DType::kF32, {k1, k3}, k2},
      {"the sum overflows", mean, DType::kF32, {kMax, kMax}, kInf},
      {"f16 in f32: no overflow", mean, DType::kF16, {0x7BFF, 0x7BFF}, 0x7BFF},
      {"255 and 255", mean, DType::kU8, {255, 255}, 255},
      {"255 and 254", mean, DType::kU8, {255, 254}, 254},
      {"-1 and 0 toward zero", mean, DType::kS8, {kAll8, 0}, 0},
      {"-2 and -1 toward zero", mean, DType::kS8, {0xFE, kAll8}, kAll8},
      {"least and least", mean, DType::kS64, {kS64Min, kS64Min}, kS64Min},
      {"least and greatest", mean, DType::kS32, {kS32Min, 0x7FFFFFFF}, 0},
      {"greatest", mean, DType::kU64, {kAll64, kAll64 - 2}, kAll64 - 1},
      {"below", step, DType::kF32, {kMinus1, k2}, k0},
      {"above", step, DType::kF32, {1, k2}, k1},
      {"at 0", step, DType::kF32, {kMinus0, k2}, k2},
      {"at 0", step, DType::kF32, {k0, kPayload}, kNan},
      {"NaN", step, DType::kF32, {kPayload, k2}, kNan},
      {"at 0", step, DType::kF16, {0, 0xBC00}, 0xBC00},
      {"-inf", step, DType::kF64, {0xFFF0000000000000, kNan64}, 0},
  });
}

TEST(SemanticsTest, Fma) {
  constexpr Opcode op = Opcode::kFma;
  Check({
      {"rounded once: (1+2^-12)^2 - (1+2^-11)",
       op,
       DType::kF32,
       {0x3F800800, 0x3F800800, 0xBF801000},
       0x33800000},
      {"0 * inf + NaN", op, DType::kF32, {k0, kInf, kPayload}, kNan},
      {"inf - inf", op, DType::kF32, {kInf, k1, kMinusInf}, kNan},
      {"no overflow on the way", op, DType::kF32, {kMax, k2, 0xFF7FFFFF}, kMax},
      {"f64 once",
       op,
       DType::kF64,
       {0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002},
       0x3970000000000000},
      {"f16: of f32, so no overflow",
       op,
       DType::kF16,
       {0x7BFF, 0x4000, 0xFBFF},
       0x7BFF},
      {"f16: rounded to f32, then to f16",
       op,
       DType::kF16,
       {0x3C01, 0x3C01, 0x0001},
       0x3C02},
      {"subnormals", op, DType::kF32, {1, k1, 1}, 2},
  });
}

TEST(SemanticsTest, SignAndRounding) {
  constexpr Opcode sign = Opcode::kSign;
  constexpr Opcode even = Opcode::kRoundNearestEven;
  constexpr Opcode away = Opcode::kRoundNearestAfz;
  constexpr uint32_t kHalf = 0x3F000000;
  constexpr uint32_t kMinusHalf = 0xBF000000;
  Check({
      {"-0", sign, DType::kF32, {kMinus0}, kMinus0},
      {"+0", sign, DType::kF32, {k0}, k0},
      {"subnormal", sign, DType::kF32, {kMinus0 | 1}, kMinus1},
      {"NaN", sign, DType::kF32, {kPayload}, kNan},
      {"inf", sign, DType::kF16, {0x7C00}, 0x3C00},
      {"least", sign, DType::kS8, {kS8Min}, kAll8},
      {"0", sign, DType::kS64, {0}, 0},
      {"5", sign, DType::kS64, {5}, 1},
      {"unsigned", sign, DType::kU64, {kAll64}, 1},
      {"ceil(-0.5)", Opcode::kCeil, DType::kF32, {kMinusHalf}, kMinus0},
      {"ceil(0.5)", Opcode::kCeil, DType::kF32, {kHalf}, k1},
      {"ceil(NaN)", Opcode::kCeil, DType::kF32, {kPayload}, kNan},
      {"ceil of an integer", Opcode::kCeil, DType::kS8, {0x85}, 0x85},
      {"floor(-0.5)", Opcode::kFloor, DType::kF32, {kMinusHalf}, kMinus1},
      {"floor(-0)", Opcode::kFloor, DType::kF32, {kMinus0}, kMinus0},
      {"floor(-inf)", Opcode::kFloor, DType::kF32, {kMinusInf}, kMinusInf},
      {"trunc(-0.5)", Opcode::kTrunc, DType::kF16, {0xB800}, 0x8000},
      {"trunc(1.5)",
       Opcode::kTrunc,
       DType::kF64,
       {0x3FF8000000000000},
       0x3FF0000000000000},
      {"2^52 + 1/2 is none",
       Opcode::kTrunc,
       DType::kF64,
       {0x4330000000000001},
       0x4330000000000001},
      {"0.5", even, DType::kF32, {kHalf}, k0},
      {"1.5", even, DType::kF32, {0x3FC00000}, k2},
      {"2.5", even, DType::kF32, {0x40200000}, k2},
      {"-0.5", even, DType::kF32, {kMinusHalf}, kMinus0},
      {"0.5", away, DType::kF32, {kHalf}, k1},
      {"-0.5", away, DType::kF32, {kMinusHalf}, kMinus1},
      {"2.5", away, DType::kF32, {0x40200000}, k3},
      {"0.49999997", away, DType::kF32, {0x3EFFFFFF}, k0},
      {"-0.49999997", away, DType::kF32, {0xBEFFFFFF}, kMinus0},
      {"8388609", away, DType::kF32, {0x4B000001}, 0x4B000001},
      {"inf", away, DType::kF32, {kMinusInf}, kMinusInf},
      {"NaN", away, DType::kBF16, {0x7F81}, 0x7FC0},
      {"-0", away, DType::kF64, {kS64Min}, kS64Min},
      {"1/0", Opcode::kReciprocal, DType::kF32, {k0}, kInf},
      {"1/-0", Opcode::kReciprocal, DType::kF32, {kMinus0}, kMinusInf},
      {"1/3", Opcode::kReciprocal, DType::kF16, {0x4200}, 0x3555},
      {"1/-inf", Opcode::kReciprocal, DType::kF32, {kMinusInf}, kMinus0},
      {"1/subnormal", Opcode::kReciprocal, DType::kF32, {1}, kInf},
  });
}

TEST(SemanticsTest, IsClose) {
  constexpr Opcode op = Opcode::kIsClose;
  Check({
      {"within a|y|", op, DType::kF32, {0x42C80000, 0x42C80080}, 1},
      {"beyond", op, DType::kF32, {0x42C80000, 0x42C80100}, 0},
      {"within b", op, DType::kF32, {k0, 0x322BCC76}, 1},
      {"infinities are equal", op, DType::kF32, {kInf, kInf}, 1},
      {"or not", op, DType::kF32, {kInf, kMinusInf}, 0},
      {"nor close to numbers", op, DType::kF32, {kMax, kInf}, 0},
      {"nor close to numbers", op, DType::kF32, {kInf, kMax}, 0},
      {"NaN", op, DType::kF32, {kNan, kNan}, 0},
      {"NaN", op, DType::kF16, {0x7C00, 0x7E00}, 0},
      {"nothing is allowed",
       op,
       DType::kF32,
       {k1, k1},
       0,
       ScalarsAttribute{0, -1}},
  });
}

}  // namespace
}  // namespace stridecast::kernel_tests
