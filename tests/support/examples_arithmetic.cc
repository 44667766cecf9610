// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of element-wise arithmetic: each operation on the values where
// systems differ, SEMANTICS.md 4.

#include <cmath>

#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;
using Direction = CompareAttribute::Direction;

void AddSums(std::vector<Example>& rows) {
  rows.push_back(Binary("AddF32", Opcode::kAdd, kF32,
                        {1.5, kInf, -0.0, -0.0, kMaxF32, kLeastF32},
                        {2.25, -kInf, -0.0, 0.0, kMaxF32, kLeastF32},
                        {3.75, kNan, -0.0, 0.0, kInf, 2 * kLeastF32}));
  rows.push_back(Binary("AddF64", Opcode::kAdd, kF64, {0.1, 1e308, 1},
                        {0.2, 1e308, 0x1p-53}, {0.30000000000000004, kInf, 1}));
  rows.push_back(Binary("AddF16RoundsOnce", Opcode::kAdd, kF16,
                        {2048, 2048, 65504, 65504}, {1, 3, 15, 16},
                        {2048, 2052, 65504, kInf}));
  rows.push_back(Binary("AddBF16RoundsOnce", Opcode::kAdd, kBF16, {256, 256, 1},
                        {1, 3, 0.00390625}, {256, 260, 1}));
  rows.push_back(Binary("AddS8Wraps", Opcode::kAdd, kS8, {127, -128, 1},
                        {1, -1, 2}, {-128, 127, 3}));
  rows.push_back(Binary("AddS32Wraps", Opcode::kAdd, kS32, {kMax32, kMin32},
                        {1, -1}, {kMin32, kMax32}));
  rows.push_back(
      Binary("AddU8Wraps", Opcode::kAdd, kU8, {255, 200}, {1, 100}, {0, 44}));
  rows.push_back(
      Binary("AddU64Wraps", Opcode::kAdd, kU64, {kMaxU64}, {2}, {1}));
  rows.push_back(Binary("AddPredIsOr", Opcode::kAdd, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 1, 1, 1}));
  rows.push_back(Binary("AddC64", Opcode::kAdd, kC64, {1, 2, -0.0, kInf},
                        {3, 4, -0.0, -kInf}, {4, 6, -0.0, kNan}));
  rows.push_back(Binary("SubtractF32", Opcode::kSubtract, kF32,
                        {1, kInf, 0.0, -0.0}, {0.5, kInf, 0.0, 0.0},
                        {0.5, kNan, 0.0, -0.0}));
  rows.push_back(Binary("SubtractU16Wraps", Opcode::kSubtract, kU16, {0, 5},
                        {1, 3}, {65535, 2}));
  rows.push_back(Binary("SubtractS64Wraps", Opcode::kSubtract, kS64, {kMin64},
                        {1}, {kMax64}));
  rows.push_back(Binary("SubtractC128", Opcode::kSubtract, kC128, {5, 1},
                        {2, 3}, {3, -2}));
}

void AddProducts(std::vector<Example>& rows) {
  rows.push_back(Binary("MultiplyF32", Opcode::kMultiply, kF32,
                        {0, -2, kMaxF32, kLeastF32}, {kInf, 0.0, 2, 0.5},
                        {kNan, -0.0, kInf, 0.0}));
  rows.push_back(Binary("MultiplyS16Wraps", Opcode::kMultiply, kS16,
                        {256, -32768, 3}, {256, -1, -4}, {0, -32768, -12}));
  rows.push_back(Binary("MultiplyU64Wraps", Opcode::kMultiply, kU64, {kMaxU64},
                        {kMaxU64}, {1}));
  rows.push_back(Binary("MultiplyPredIsAnd", Opcode::kMultiply, kPred,
                        {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1}));
  // (1+2i)(3+4i), and inf*(1+1i) without recovery of the infinity.
  rows.push_back(Binary("MultiplyC64", Opcode::kMultiply, kC64, {1, 2, kInf, 0},
                        {3, 4, 1, 1}, {-5, 10, kInf, kInf}));
  rows.push_back(Binary("MultiplyC64IsTheNaiveFormula", Opcode::kMultiply, kC64,
                        {kInf, kInf}, {1, 1}, {kNan, kInf}));
  rows.push_back(Binary("DivideF32", Opcode::kDivide, kF32,
                        {1, -1, 0, 1, kInf, 1}, {0.0, 0.0, 0, -0.0, kInf, 3},
                        {kInf, -kInf, kNan, -kInf, kNan, F32(1.0 / 3)}));
  rows.push_back(Binary("DivideF16", Opcode::kDivide, kF16, {1, 1}, {3, 0},
                        {0.333251953125, kInf}));
  rows.push_back(Binary("DivideS32", Opcode::kDivide, kS32,
                        {7, -7, 7, 5, kMin32, 0}, {2, 2, -2, 0, -1, 0},
                        {3, -3, -3, -1, kMin32, -1}));
  rows.push_back(Binary("DivideS64", Opcode::kDivide, kS64, {kMin64, kMin64, 9},
                        {-1, 0, -4}, {kMin64, -1, -2}));
  rows.push_back(Binary("DivideU8", Opcode::kDivide, kU8, {200, 5, 0},
                        {7, 0, 0}, {28, 255, 255}));
  rows.push_back(Binary("DivideU64", Opcode::kDivide, kU64, {kMaxU64, 5},
                        {2, 0}, {uint64_t{0x7FFFFFFFFFFFFFFF}, kMaxU64}));
  rows.push_back(Binary("DivideC64", Opcode::kDivide, kC64, {-5, 10, 1, 0},
                        {3, 4, 0, 2}, {1, 2, 0, -0.5}));
  rows.push_back(Binary("DivideC64ByZeroIsNan", Opcode::kDivide, kC64, {1, 1},
                        {0, 0}, {kNan, kNan}));
  rows.push_back(Binary("RemainderF32", Opcode::kRemainder, kF32,
                        {7, -7, 7, -0.0, 5, 5, kInf, 5.5},
                        {2, 2, -2, 3, 0, kInf, 2, 2.25},
                        {1, -1, 1, -0.0, kNan, 5, kNan, 1}));
  rows.push_back(Binary("RemainderF32OfGreatQuotient", Opcode::kRemainder, kF32,
                        {0x1p127}, {3}, {2}));
  rows.push_back(Binary("RemainderS32", Opcode::kRemainder, kS32,
                        {7, -7, 7, 5, kMin32}, {2, 2, -2, 0, -1},
                        {1, -1, 1, 5, 0}));
  rows.push_back(Binary("RemainderU32", Opcode::kRemainder, kU32,
                        {7, 4294967295, 9}, {4, 10, 0}, {3, 5, 9}));
}

void AddOrder(std::vector<Example>& rows) {
  const Numbers x = {1, 0.0, -0.0, kNan, 1, -kInf};
  const Numbers y = {2, -0.0, 0.0, 1, kNan, kInf};
  rows.push_back(Binary("MaximumF32", Opcode::kMaximum, kF32, x, y,
                        {2, 0.0, 0.0, kNan, kNan, kInf}));
  rows.push_back(Binary("MinimumF32", Opcode::kMinimum, kF32, x, y,
                        {1, -0.0, -0.0, kNan, kNan, -kInf}));
  rows.push_back(Binary("MaximumF64", Opcode::kMaximum, kF64, x, y,
                        {2, 0.0, 0.0, kNan, kNan, kInf}));
  rows.push_back(Binary("MinimumBF16", Opcode::kMinimum, kBF16, x, y,
                        {1, -0.0, -0.0, kNan, kNan, -kInf}));
  rows.push_back(Binary("MaximumS8", Opcode::kMaximum, kS8, {-1, 127},
                        {1, -128}, {1, 127}));
  rows.push_back(Binary("MinimumU32", Opcode::kMinimum, kU32, {4294967295, 0},
                        {1, 7}, {1, 0}));
  rows.push_back(Binary("MaximumPredIsOr", Opcode::kMaximum, kPred,
                        {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 1}));
  rows.push_back(Binary("MinimumPredIsAnd", Opcode::kMinimum, kPred,
                        {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1}));

  const Numbers a = {1, 2, 3, 0.0, kNan, kNan, kInf};
  const Numbers b = {2, 2, 2, -0.0, kNan, 1, kNan};
  rows.push_back(Compare("CompareEqF32", Direction::kEq, false, kF32, a, b,
                         {0, 1, 0, 1, 0, 0, 0}));
  rows.push_back(Compare("CompareNeF32", Direction::kNe, false, kF32, a, b,
                         {1, 0, 1, 0, 1, 1, 1}));
  rows.push_back(Compare("CompareGeF32", Direction::kGe, false, kF32, a, b,
                         {0, 1, 1, 1, 0, 0, 0}));
  rows.push_back(Compare("CompareGtF16", Direction::kGt, false, kF16, a, b,
                         {0, 0, 1, 0, 0, 0, 0}));
  rows.push_back(Compare("CompareLeF64", Direction::kLe, false, kF64, a, b,
                         {1, 1, 0, 1, 0, 0, 0}));
  rows.push_back(Compare("CompareLtBF16", Direction::kLt, false, kBF16, a, b,
                         {1, 0, 0, 0, 0, 0, 0}));
  rows.push_back(Compare("CompareLtTotalOrderF32", Direction::kLt, true, kF32,
                         {-kInf, -0.0, 0.0, kInf, kNan, kNan, 1},
                         {-1, 0.0, -0.0, kNan, kNan, kInf, 2},
                         {1, 1, 0, 1, 0, 0, 1}));
  rows.push_back(Compare("CompareEqTotalOrderF64", Direction::kEq, true, kF64,
                         {0.0, kNan, -0.0}, {-0.0, kNan, -0.0}, {0, 1, 1}));
  rows.push_back(Compare("CompareGtS32", Direction::kGt, false, kS32,
                         {-1, kMax32, 3}, {1, kMin32, 3}, {0, 1, 0}));
  rows.push_back(Compare("CompareGtU8", Direction::kGt, false, kU8, {255, 1},
                         {1, 128}, {1, 0}));
  rows.push_back(Compare("CompareLtPred", Direction::kLt, false, kPred,
                         {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 0, 0}));
  rows.push_back(Compare("CompareEqC64", Direction::kEq, false, kC64,
                         {1, 2, 1, 2, 0, kNan}, {1, 2, 1, 3, 0, kNan},
                         {1, 0, 0}));
  rows.push_back(Compare("CompareNeC128", Direction::kNe, false, kC128,
                         {1, 2, -0.0, 0}, {1, 3, 0.0, 0}, {1, 0}));
}

void AddTernary(std::vector<Example>& rows) {
  const Signature select =
      Program({Desc(kPred, {4}), Desc(kF32, {4}), Desc(kF32, {4})},
              {Op(Opcode::kSelect, {0, 1, 2})});
  rows.push_back({"SelectF32",
                  select,
                  {{1, 0, 1, 0}, {1, 2, -0.0, kInf}, {5, 6, 7, kNan}},
                  {{1, 6, -0.0, kNan}}});
  rows.push_back({"SelectWithScalarPredicate",
                  Program({Desc(kPred, {}), Desc(kC64, {2}), Desc(kC64, {2})},
                          {Op(Opcode::kSelect, {0, 1, 2})}),
                  {{0}, {1, 2, 3, 4}, {5, 6, 7, 8}},
                  {{5, 6, 7, 8}}});
  rows.push_back(
      {"SelectPred",
       Program({Desc(kPred, {3}), Desc(kPred, {3}), Desc(kPred, {3})},
               {Op(Opcode::kSelect, {0, 1, 2})}),
       {{1, 0, 1}, {1, 1, 0}, {0, 0, 1}},
       {{1, 0, 0}}});
  const Signature clamp =
      Program({Desc(kF32, {}), Desc(kF32, {6}), Desc(kF32, {})},
              {Op(Opcode::kClamp, {0, 1, 2})});
  rows.push_back({"ClampF32WithScalarBounds",
                  clamp,
                  {{0.0}, {-1, 0.5, 7, -0.0, kNan, kInf}, {6}},
                  {{0.0, 0.5, 6, 0.0, kNan, 6}}});
  rows.push_back({"ClampF32HighWinsOverLow",
                  clamp,
                  {{4}, {1, 2, 3, 4, 5, -kInf}, {2}},
                  {{2, 2, 2, 2, 2, 2}}});
  rows.push_back({"ClampF32WithNanBoundIsNan",
                  clamp,
                  {{kNan}, {1, 2, 3, 4, 5, 6}, {2}},
                  {{kNan, kNan, kNan, kNan, kNan, kNan}}});
  rows.push_back({"ClampS32WithBoundsForEach",
                  Program({Desc(kS32, {3}), Desc(kS32, {3}), Desc(kS32, {})},
                          {Op(Opcode::kClamp, {0, 1, 2})}),
                  {{-5, 0, 5}, {-9, 9, 4}, {6}},
                  {{-5, 6, 5}}});
}

void AddBits(std::vector<Example>& rows) {
  rows.push_back(Binary("AndPred", Opcode::kAnd, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 0, 0, 1}));
  rows.push_back(Binary("OrPred", Opcode::kOr, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 1, 1, 1}));
  rows.push_back(Binary("XorPred", Opcode::kXor, kPred, {0, 0, 1, 1},
                        {0, 1, 0, 1}, {0, 1, 1, 0}));
  rows.push_back(Unary("NotPred", Opcode::kNot, kPred, {0, 1}, {1, 0}));
  rows.push_back(
      Binary("AndS8", Opcode::kAnd, kS8, {12, -1}, {10, 127}, {8, 127}));
  rows.push_back(
      Binary("OrU16", Opcode::kOr, kU16, {12, 0x8000}, {10, 1}, {14, 0x8001}));
  rows.push_back(Binary("XorS64", Opcode::kXor, kS64, {12, -1}, {10, kMin64},
                        {6, kMax64}));
  rows.push_back(Unary("NotU8", Opcode::kNot, kU8, {0, 1, 255}, {255, 254, 0}));
  rows.push_back(
      Unary("NotS32", Opcode::kNot, kS32, {0, -1, kMin32}, {-1, 0, kMax32}));
}

void AddUnary(std::vector<Example>& rows) {
  rows.push_back(Unary("IdentityF32", Opcode::kIdentity, kF32,
                       {-0.0, kInf, kNan, kLeastF32, 1.5},
                       {-0.0, kInf, kNan, kLeastF32, 1.5}));
  rows.push_back(
      Unary("IdentityPred", Opcode::kIdentity, kPred, {0, 1}, {0, 1}));
  rows.push_back(Unary("NegateF32", Opcode::kNegate, kF32,
                       {0.0, -0.0, 1, -kInf}, {-0.0, 0.0, -1, kInf}));
  rows.push_back(
      Unary("NegateS8", Opcode::kNegate, kS8, {-128, 127, 0}, {-128, -127, 0}));
  rows.push_back(
      Unary("NegateU8", Opcode::kNegate, kU8, {0, 1, 255}, {0, 255, 1}));
  rows.push_back(Unary("NegateC64", Opcode::kNegate, kC64, {1, -2, 0.0, -0.0},
                       {-1, 2, -0.0, 0.0}));
  rows.push_back(Unary("AbsF32", Opcode::kAbs, kF32, {-0.0, -1.5, -kInf, kNan},
                       {0.0, 1.5, kInf, kNan}));
  rows.push_back(Unary("AbsS32OfMinimumIsMinimum", Opcode::kAbs, kS32,
                       {kMin32, -5, 5}, {kMin32, 5, 5}));
  rows.push_back(Unary("AbsU64IsIdentity", Opcode::kAbs, kU64, {kMaxU64, 0},
                       {kMaxU64, 0}));
  rows.push_back(Unary("SqrtF32", Opcode::kSqrt, kF32,
                       {4, 2, 0.0, -0.0, -1, kInf, kNan, kLeastF32},
                       {2, F32(std::sqrt(2.0)), 0.0, -0.0, kNan, kInf, kNan,
                        F32(std::sqrt(kLeastF32))}));
  rows.push_back(Unary("SqrtF64", Opcode::kSqrt, kF64, {9, 2, -kInf},
                       {3, 1.4142135623730951, kNan}));
  rows.push_back(
      Unary("SqrtF16", Opcode::kSqrt, kF16, {2, 65504}, {1.4140625, 255.875}));
  rows.push_back(Unary("SqrtBF16", Opcode::kSqrt, kBF16, {2}, {1.4140625}));
}

}  // namespace

std::vector<Example> ArithmeticExamples() {
  std::vector<Example> rows;
  AddSums(rows);
  AddProducts(rows);
  AddOrder(rows);
  AddTernary(rows);
  AddBits(rows);
  AddUnary(rows);
  return rows;
}

}  // namespace stridecast::testing
