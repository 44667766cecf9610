// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of the binary operations that floating-point numbers have, exactly
// defined ones: SEMANTICS.md 4.

#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;
using Direction = CompareAttribute::Direction;

Instruction BinaryOf(Opcode opcode) { return BinaryOp(opcode, 0, 1); }

void AddFloorMod(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "FloorMod", BinaryOf(Opcode::kFloorMod),
              {7, -7, 7, -7, 5.5, -0.0, 0.0, 6, -6},
              {2, 2, -2, -2, 2.25, 3, -3, -3, 3},
              {1, 1, -1, -1, 1, 0.0, -0.0, -0.0, 0.0}, rows);
  AddForTypes(kFloatTypes, "FloorModOfSpecial", BinaryOf(Opcode::kFloorMod),
              {5, 0, kInf, kNan, 1, 5, -5, -5, 0.0, -0.0},
              {0.0, -0.0, 2, 1, kNan, kInf, kInf, -kInf, -kInf, kInf},
              {kNan, kNan, kNan, kNan, kNan, 5, kInf, -5, -0.0, 0.0}, rows);
  // The divisor added is rounded: not the divisor's remainder, but near it.
  rows.push_back(Binary("FloorModF32RoundsTheSum", Opcode::kFloorMod, kF32,
                        {-kLeastF32, -1e-10}, {1, 1}, {1, 1}));
  AddForTypes(kSignedTypes, "FloorMod", BinaryOf(Opcode::kFloorMod),
              {7, -7, 7, -7, 5, -5, 0, 6, -6}, {2, 2, -2, -2, 0, 0, 0, -3, 3},
              {1, 1, -1, -1, 5, -5, 0, 0, 0}, rows);
  rows.push_back(Binary("FloorModS8OfMinimum", Opcode::kFloorMod, kS8,
                        {-128, -128, 127, -128, 1}, {-1, 127, -128, 0, -128},
                        {0, 126, -1, -128, -127}));
  rows.push_back(Binary("FloorModS32OfMinimum", Opcode::kFloorMod, kS32,
                        {kMin32, kMin32, kMin32}, {-1, 0, kMax32},
                        {0, kMin32, kMax32 - 1}));
  rows.push_back(Binary("FloorModS64OfMinimum", Opcode::kFloorMod, kS64,
                        {kMin64, kMin64, kMax64}, {-1, 0, kMin64},
                        {0, kMin64, -1}));
  AddForTypes(kUnsignedTypes, "FloorMod", BinaryOf(Opcode::kFloorMod),
              {7, 7, 255, 0}, {4, 0, 16, 5}, {3, 7, 15, 0}, rows);
  rows.push_back(Binary("FloorModU64OfGreatest", Opcode::kFloorMod, kU64,
                        {kMaxU64, kMaxU64}, {10, 0}, {5, kMaxU64}));
}

void AddFloorDivide(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "FloorDivide", BinaryOf(Opcode::kFloorDivide),
              {7, -7, 7, -7, 0.0, -0.0, 0.0, 1, -1, 6},
              {2, 2, -2, -2, 3, 3, -3, 2, 2, 3},
              {3, -4, -4, 3, 0.0, -0.0, -0.0, 0.0, -1, 2}, rows);
  AddForTypes(
      kFloatTypes, "FloorDivideOfSpecial", BinaryOf(Opcode::kFloorDivide),
      {5, -5, 5, 0, kInf, kInf, 1, -1, -1, 1, kNan, 1},
      {0.0, 0.0, -0.0, 0.0, 2, 0.0, kInf, kInf, -kInf, -kInf, 1, kNan},
      {kInf, -kInf, -kInf, kNan, kNan, kInf, 0.0, -1, 0.0, -1, kNan, kNan},
      rows);
  // 1/0.1 is 10 when rounded, but 9 tenths are what goes into 1.
  rows.push_back(Binary("FloorDivideF64IsOfTheExactQuotient",
                        Opcode::kFloorDivide, kF64, {1, 0.3}, {0.1, 0.1},
                        {9, 2}));
  rows.push_back(Binary("FloorDivideF32IsOfTheExactQuotient",
                        Opcode::kFloorDivide, kF32, {1}, {F32(0.1)}, {9}));
  AddForTypes(kSignedTypes, "FloorDivide", BinaryOf(Opcode::kFloorDivide),
              {7, -7, 7, -7, 5, -5, 0, 6, -6, 1},
              {2, 2, -2, -2, 0, 0, 0, -3, 3, -100},
              {3, -4, -4, 3, -1, -1, -1, -2, -2, -1}, rows);
  rows.push_back(Binary("FloorDivideS8OfMinimum", Opcode::kFloorDivide, kS8,
                        {kMin8, kMin8, 127, kMin8}, {-1, 127, kMin8, 0},
                        {kMin8, -2, -1, -1}));
  rows.push_back(Binary("FloorDivideS64OfMinimum", Opcode::kFloorDivide, kS64,
                        {kMin64, kMax64}, {-1, kMin64}, {kMin64, -1}));
  rows.push_back(Binary("FloorDivideU8", Opcode::kFloorDivide, kU8, {200, 5, 0},
                        {7, 0, 0}, {28, 255, 255}));
  rows.push_back(Binary("FloorDivideU64", Opcode::kFloorDivide, kU64,
                        {kMaxU64, 5}, {2, 0}, {kMax64, kMaxU64}));
}

void AddOrder(std::vector<Example>& rows) {
  const Numbers x = {1, 0.0, -0.0, kNan, 1, -kInf, kNan, kNan};
  const Numbers y = {2, -0.0, 0.0, 1, kNan, kInf, kNan, -kInf};
  AddForTypes(kFloatTypes, "Fmax", BinaryOf(Opcode::kFmax), x, y,
              {2, 0.0, 0.0, 1, 1, kInf, kNan, -kInf}, rows);
  AddForTypes(kFloatTypes, "Fmin", BinaryOf(Opcode::kFmin), x, y,
              {1, -0.0, -0.0, 1, 1, -kInf, kNan, -kInf}, rows);
  AddForTypes(kSignedTypes, "Fmax", BinaryOf(Opcode::kFmax), {-1, 127, 0},
              {1, -128, 0}, {1, 127, 0}, rows);
  AddForTypes(kUnsignedTypes, "Fmin", BinaryOf(Opcode::kFmin), {255, 0}, {1, 7},
              {1, 0}, rows);
  rows.push_back(Binary("FmaxPredIsOr", Opcode::kFmax, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 1, 1, 1}));
  rows.push_back(Binary("FminPredIsAnd", Opcode::kFmin, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 0, 0, 1}));

  const Numbers a = {-kInf, -0.0, 0.0, kInf, kNan, kNan, 1, -2};
  const Numbers b = {-1, 0.0, -0.0, kNan, kNan, kInf, 2, -1};
  for (DType type : kFloatTypes) {
    const std::string suffix =
        absl::StrCat("TotalOrder", absl::AsciiStrToUpper(DTypeName(type)));
    rows.push_back(Compare("CompareAllLt" + suffix, Direction::kLt, true, type,
                           a, b, {1, 1, 0, 1, 0, 0, 1, 1}));
    rows.push_back(Compare("CompareAllLe" + suffix, Direction::kLe, true, type,
                           a, b, {1, 1, 0, 1, 1, 0, 1, 1}));
    rows.push_back(Compare("CompareAllGt" + suffix, Direction::kGt, true, type,
                           a, b, {0, 0, 1, 0, 0, 1, 0, 0}));
    rows.push_back(Compare("CompareAllGe" + suffix, Direction::kGe, true, type,
                           a, b, {0, 0, 1, 0, 1, 1, 0, 0}));
    rows.push_back(Compare("CompareAllEq" + suffix, Direction::kEq, true, type,
                           a, b, {0, 0, 0, 0, 1, 0, 0, 0}));
    rows.push_back(Compare("CompareAllNe" + suffix, Direction::kNe, true, type,
                           a, b, {1, 1, 1, 1, 0, 1, 1, 1}));
  }
}

void AddSteps(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "Copysign", BinaryOf(Opcode::kCopysign),
              {1, 1, -2, 0.0, -0.0, kInf, kNan, 3},
              {2, -0.0, 0.0, -1, 1, -kInf, 1, kNan},
              {1, -1, 2, -0.0, 0.0, -kInf, kNan, 3}, rows);
  AddForTypes(kFloatTypes, "NextafterOfSpecial", BinaryOf(Opcode::kNextafter),
              {0.0, -0.0, 1, kInf, -kInf, kNan, 1, -3},
              {-0.0, 0.0, 1, kInf, -kInf, 1, kNan, -3},
              {-0.0, 0.0, 1, kInf, -kInf, kNan, kNan, -3}, rows);
  rows.push_back(
      Binary("NextafterF32", Opcode::kNextafter, kF32,
             {1, 1, -1, 0.0, -0.0, kMaxF32, kInf, kLeastF32, 0x1p-126},
             {2, 0, -kInf, -1, kInf, kInf, 0, -1, 0},
             {1 + 0x1p-23, 1 - 0x1p-24, -1 - 0x1p-23, -kLeastF32, kLeastF32,
              kInf, kMaxF32, 0.0, 0x1.fffffcp-127}));
  rows.push_back(Binary("NextafterF64", Opcode::kNextafter, kF64,
                        {1, -0.0, kMaxF64, -kInf, -kLeastF64},
                        {kInf, 1, kInf, 0, 1},
                        {1 + 0x1p-52, kLeastF64, kInf, -kMaxF64, -0.0}));
  rows.push_back(Binary("NextafterF16StepsInF16", Opcode::kNextafter, kF16,
                        {1, 1, 65504, 0.0, 0x1p-24}, {2, 0, kInf, 1, 0},
                        {1 + 0x1p-10, 1 - 0x1p-11, kInf, 0x1p-24, 0.0}));
  rows.push_back(Binary("NextafterBF16StepsInBF16", Opcode::kNextafter, kBF16,
                        {1, 1, 0.0, kInf}, {2, 0, -1, 0},
                        {1 + 0x1p-7, 1 - 0x1p-8, -0x1p-133, 0x1.fep127}));
  AddForTypes(kFloatTypes, "Heaviside", BinaryOf(Opcode::kHeaviside),
              {-2, 2, 0.0, -0.0, kNan, kInf, -kInf, 0.0, 1},
              {0.5, 0.5, 0.5, -0.0, 1, 0.5, 0.5, kNan, kNan},
              {0.0, 1, 0.5, -0.0, kNan, 1, 0.0, kNan, 1}, rows);
}

void AddMeans(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "DifferenceSquare",
              BinaryOf(Opcode::kDifferenceSquare),
              {3, 1, 0.0, kInf, kInf, kNan, 1}, {1, 3, -0.0, 1, kInf, 1, 1},
              {4, 4, 0.0, kInf, kNan, kNan, 0.0}, rows);
  // The difference is rounded before it is squared.
  rows.push_back(Binary("DifferenceSquareF32RoundsTwice",
                        Opcode::kDifferenceSquare, kF32, {0x1p24, 1e20},
                        {-1, -1e20}, {0x1p48, kInf}));
  rows.push_back(Binary("DifferenceSquareF16RoundsOnce",
                        Opcode::kDifferenceSquare, kF16, {2048, 300}, {2050, 0},
                        {4, kInf}));
  rows.push_back(Binary("DifferenceSquareS8Wraps", Opcode::kDifferenceSquare,
                        kS8, {-128, 20, -1}, {127, 4, 2}, {1, 0, 9}));
  rows.push_back(Binary("DifferenceSquareU8Wraps", Opcode::kDifferenceSquare,
                        kU8, {1, 17, 255}, {3, 0, 0}, {4, 33, 1}));
  rows.push_back(Binary("DifferenceSquareS64Wraps", Opcode::kDifferenceSquare,
                        kS64, {kMin64, 5}, {1, 2}, {1, 9}));
  AddForTypes(kFloatTypes, "Mean", BinaryOf(Opcode::kMean),
              {1, -1, -0.0, kInf, kInf, kNan}, {2, 2, -0.0, 1, -kInf, 1},
              {1.5, 0.5, -0.0, kInf, kNan, kNan}, rows);
  // The sum overflows, and half of the least number is rounded, to even.
  rows.push_back(Binary("MeanF32RoundsTheSum", Opcode::kMean, kF32,
                        {kMaxF32, kLeastF32, kLeastF32},
                        {kMaxF32, 0, 2 * kLeastF32},
                        {kInf, 0.0, 2 * kLeastF32}));
  rows.push_back(Binary("MeanF16RoundsOnce", Opcode::kMean, kF16,
                        {65504, -65504}, {65504, -32768}, {65504, -49152}));
  AddForTypes(kSignedTypes, "MeanGoesTowardZero", BinaryOf(Opcode::kMean),
              {1, -1, -1, -3, 127, -128}, {2, -2, 2, 2, 127, -128},
              {1, -1, 0, 0, 127, -128}, rows);
  rows.push_back(Binary("MeanS32IsWide", Opcode::kMean, kS32,
                        {kMax32, kMin32, kMin32}, {kMax32, kMin32, kMax32},
                        {kMax32, kMin32, 0}));
  rows.push_back(Binary(
      "MeanS64IsWide", Opcode::kMean, kS64, {kMax64, kMin64, kMin64, kMin64},
      {kMax64, kMin64, kMax64, -1}, {kMax64, kMin64, 0, -4611686018427387904}));
  rows.push_back(Binary("MeanU64IsWide", Opcode::kMean, kU64,
                        {kMaxU64, kMaxU64, 3}, {kMaxU64, 0, 4},
                        {kMaxU64, kMax64, 3}));
}

}  // namespace

std::vector<Example> BinaryExamples() {
  std::vector<Example> rows;
  AddFloorMod(rows);
  AddFloorDivide(rows);
  AddOrder(rows);
  AddSteps(rows);
  AddMeans(rows);
  return rows;
}

}  // namespace stridecast::testing
