// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The edge cases of operations that compare, bound, select and round, bit by
// bit.

#include <gtest/gtest.h>

#include "tests/unit/kernels/semantics_rows.h"

namespace stridecast::kernel_tests {
namespace {

TEST(SemanticsOrderTest, MaximumAndMinimum) {
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

TEST(SemanticsOrderTest, Clamp) {
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

TEST(SemanticsOrderTest, SelectKeepsBits) {
  Check({
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

TEST(SemanticsOrderTest, Compare) {
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

TEST(SemanticsOrderTest, FmaxAndFmin) {
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

TEST(SemanticsOrderTest, SignAndRounding) {
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

TEST(SemanticsOrderTest, IsClose) {
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
