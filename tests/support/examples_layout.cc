// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of where elements lie: dimension orders, padding, strides.

#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaxU64 = std::numeric_limits<uint64_t>::max();

// The operand is the result in another layout; no instructions.
Example Relayout(std::string name, DType type, const DimVector& shape,
                 const PhysicalForm& from, Numbers operand,
                 const PhysicalForm& to, Numbers result) {
  return {std::move(name),
          {{Desc(type, shape, from)}, {}, {Result(to)}},
          {std::move(operand)},
          {std::move(result)}};
}

Numbers Counting(int64_t count) {
  Numbers numbers;
  for (int64_t i = 1; i <= count; ++i) numbers.emplace_back(i);
  return numbers;
}

// [2,3] = a b c / d e f, dimension 0 fastest, in a buffer for [3,5].
void AddPadded(std::vector<Example>& rows) {
  struct Fill {
    const char* name;
    DType type;
    PaddingValue value;
    Number fill;
  };
  using enum DType;
  using enum PaddingValue;
  const Fill kFills[] = {
      {"ZeroF32", kF32, kZero, 0},
      {"OneF32", kF32, kOne, 1},
      {"LowestF32", kF32, kLowest, -kInf},
      {"HighestF32", kF32, kHighest, kInf},
      {"UnknownF32IsZero", kF32, kUnknown, 0},
      {"UnspecifiedF32IsZero", kF32, kUnspecified, 0},
      {"OneF16", kF16, kOne, 1},
      {"LowestF16", kF16, kLowest, -kInf},
      {"OneBF16", kBF16, kOne, 1},
      {"HighestBF16", kBF16, kHighest, kInf},
      {"OneF64", kF64, kOne, 1},
      {"LowestF64", kF64, kLowest, -kInf},
      {"ZeroS32", kS32, kZero, 0},
      {"OneS32", kS32, kOne, 1},
      {"LowestS32", kS32, kLowest, -2147483648},
      {"HighestS32", kS32, kHighest, 2147483647},
      {"LowestS8", kS8, kLowest, -128},
      {"HighestS16", kS16, kHighest, 32767},
      {"LowestS64", kS64, kLowest, kMin64},
      {"HighestS64", kS64, kHighest, kMax64},
      {"ZeroU8", kU8, kZero, 0},
      {"OneU8", kU8, kOne, 1},
      {"LowestU8", kU8, kLowest, 0},
      {"HighestU8", kU8, kHighest, 255},
      {"HighestU16", kU16, kHighest, 65535},
      {"HighestU32", kU32, kHighest, 4294967295},
      {"HighestU64", kU64, kHighest, kMaxU64},
  };
  for (const Fill& fill : kFills) {
    const Number p = fill.fill;
    rows.push_back(Relayout(absl::StrCat("RelayoutPaddedWith", fill.name),
                            fill.type, {2, 3}, {}, Counting(6),
                            Order({0, 1}, {3, 5}, fill.value),
                            {1, 4, p, 2, 5, p, 3, 6, p, p, p, p, p, p, p}));
  }
  const std::pair<PaddingValue, int> kPredFills[] = {
      {kZero, 0}, {kOne, 1}, {kLowest, 0}, {kHighest, 1}};
  for (const auto& [value, fill] : kPredFills) {
    const Number p = fill;
    rows.push_back(Relayout(
        absl::StrCat("RelayoutPredPaddedWith", static_cast<int>(value)), kPred,
        {2, 3}, {}, {1, 0, 1, 0, 1, 1}, Order({0, 1}, {3, 5}, value),
        {1, 0, p, 0, 1, p, 1, 1, p, p, p, p, p, p, p}));
  }
  rows.push_back(Relayout("RelayoutC64PaddedWithOne", kC64, {2}, {},
                          {1, 2, 3, 4}, Order({0}, {3}, kOne),
                          {1, 2, 3, 4, 1, 0}));
  rows.push_back(Relayout("RelayoutC128PaddedWithZero", kC128, {2}, {},
                          {1, 2, 3, 4}, Order({0}, {3}, kZero),
                          {1, 2, 3, 4, 0, 0}));
  // The padding of an operand may hold anything and is never read.
  rows.push_back(Relayout("RelayoutIgnoresOperandPadding", kF32, {2, 3},
                          Order({0, 1}, {3, 4}, kOne),
                          {1, 4, 99, 2, 5, -kInf, 3, 6, 99, 99, 99, 99}, {},
                          Counting(6)));
  rows.push_back(Relayout("PaddedDimensionsEqualToTheShapeAreNoPadding", kS32,
                          {2, 3}, Order({1, 0}, {2, 3}, kHighest), Counting(6),
                          Order({0, 1}, {2, 3}, kLowest), {1, 4, 2, 5, 3, 6}));
  rows.push_back(Relayout("PaddingValueWithoutPaddedDimensionsIsIgnored", kS32,
                          {2, 3}, {}, Counting(6), Order({0, 1}, {}, kHighest),
                          {1, 4, 2, 5, 3, 6}));
}

void AddStrided(std::vector<Example>& rows) {
  using enum DType;
  // DirectML's examples: letters A, B, C ... are 1, 2, 3 ...
  rows.push_back(Relayout("StridesOfDhw", kF32, {2, 2, 3}, Strides({6, 3, 1}),
                          Counting(12), {}, Counting(12)));
  rows.push_back({"StridesOfDhwElement101IsH",
                  Program({Desc(kF32, {2, 2, 3}, Strides({6, 3, 1}))},
                          {Op(Opcode::kSlice, {0},
                              SliceAttribute{{1, 0, 1}, {2, 1, 2}, {}})}),
                  {Counting(12)},
                  {{8}}});
  rows.push_back({"StridesOfDhwSixApartAreAAndG",
                  Program({Desc(kF32, {2, 2, 3}, Strides({6, 3, 1}))},
                          {Op(Opcode::kSlice, {0},
                              SliceAttribute{{0, 0, 0}, {2, 1, 1}, {}})}),
                  {Counting(12)},
                  {{1, 7}}});
  rows.push_back(Relayout("StridesColumnMajorRead", kU8, {2, 3},
                          Strides({1, 2}), {1, 4, 2, 5, 3, 6}, {},
                          Counting(6)));
  rows.push_back(Relayout("StridesColumnMajorWritten", kU8, {2, 3}, {},
                          Counting(6), Strides({1, 2}), {1, 4, 2, 5, 3, 6}));
  rows.push_back(Relayout("StrideZeroRepeatsTheChannel", kF16, {1, 3, 2, 2},
                          Strides({4, 0, 2, 1}), Counting(4), {},
                          {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
  rows.push_back(Relayout("StridesOverlapAndGapsOfTheSizeOfADenseTensor", kS16,
                          {2, 2, 2}, Strides({2, 2, 3}), Counting(8), {},
                          {1, 4, 3, 6, 3, 6, 5, 8}));
  rows.push_back(Relayout("StrideZeroRepeatsTheRow", kF32, {2, 3},
                          Strides({0, 1}), {1, 2, 3}, {}, {1, 2, 3, 1, 2, 3}));
  rows.push_back(Relayout("StridesOfOneElementRepeated", kF64, {2, 3},
                          Strides({0, 0}), {7}, {}, {7, 7, 7, 7, 7, 7}));
  rows.push_back(Relayout("StridesWithTenSlots", kF32, {2, 3},
                          Strides({5, 1}, 0, 10), Counting(10), {},
                          {1, 2, 3, 6, 7, 8}));
  rows.push_back(Relayout("StridesWithoutTotalEndAtTheLastElement", kF32,
                          {2, 3}, Strides({5, 1}), Counting(8), {},
                          {1, 2, 3, 6, 7, 8}));
  rows.push_back(Relayout("ResultStridesFillGapsWithZeros", kF32, {2, 3}, {},
                          Counting(6), Strides({5, 1}),
                          {1, 2, 3, 0, 0, 4, 5, 6}));
  rows.push_back(Relayout("ResultStridesWithTenSlots", kF32, {2, 3}, {},
                          Counting(6), Strides({5, 1}, 0, 10),
                          {1, 2, 3, 0, 0, 4, 5, 6, 0, 0}));
  rows.push_back(Relayout("ResultStridesWithOffset", kS64, {2, 2}, {},
                          Counting(4), Strides({1, 4}, 2, 9),
                          {0, 0, 1, 3, 0, 0, 2, 4, 0}));
  // The stride of an extent of 1 is never used: any number will do.
  rows.push_back(Relayout("StrideOfExtentOneIsIgnored", kU16, {2, 1, 2},
                          Strides({2, -1000, 1}), Counting(4),
                          Strides({1, 0, 2}), {1, 3, 2, 4}));
  rows.push_back(Relayout("StridesReversed", kS32, {4}, Strides({-1}, 3),
                          Counting(4), {}, {4, 3, 2, 1}));
  rows.push_back(Relayout("StridesReversedRows", kS8, {2, 3},
                          Strides({-3, 1}, 3), Counting(6), {},
                          {4, 5, 6, 1, 2, 3}));
  rows.push_back(Relayout("StridesReversedBothWithGaps", kBF16, {2, 2},
                          Strides({-3, -2}, 6), Counting(7), {}, {7, 5, 4, 2}));
  rows.push_back(Relayout("StridesSlidingWindow", kU32, {3, 2}, Strides({1, 1}),
                          Counting(4), {}, {1, 2, 2, 3, 3, 4}));
}

// One channel: NCHW and NHWC are the same bytes.
void AddOneChannel(std::vector<Example>& rows) {
  const std::pair<const char*, PhysicalForm> kForms[] = {
      {"Implicit", {}},
      {"Nchw", Strides({15, 15, 5, 1})},
      {"Nhwc", Strides({15, 1, 5, 1})},
      {"NchwOrder", Order({3, 2, 1, 0})},
      {"NhwcOrder", Order({1, 3, 2, 0})},
  };
  for (const auto& [name, form] : kForms) {
    rows.push_back(Relayout(absl::StrCat("OneChannelRead", name), DType::kF16,
                            {1, 1, 3, 5}, form, Counting(15), {},
                            Counting(15)));
    rows.push_back(Relayout(absl::StrCat("OneChannelWritten", name),
                            DType::kF16, {1, 1, 3, 5}, {}, Counting(15), form,
                            Counting(15)));
  }
  rows.push_back({"Rank2AsOneChannelImage",
                  Program({Desc(DType::kF32, {2, 3})},
                          {Op(Opcode::kBroadcastInDim, {0},
                              BroadcastInDimAttribute{{1, 1, 2, 3}, {2, 3}})}),
                  {Counting(6)},
                  {Counting(6)}});
}

void AddEmptyAndScalar(std::vector<Example>& rows) {
  using enum DType;
  using enum PaddingValue;
  rows.push_back(Relayout("EmptyTensor", kF32, {0, 3}, {}, {}, {}, {}));
  rows.push_back(Relayout("EmptyTensorColumnMajor", kS64, {2, 0, 3},
                          Order({0, 2, 1}), {}, Order({1, 0, 2}), {}));
  rows.push_back(Relayout("EmptyTensorPaddedResultIsAllPadding", kF32, {0, 3},
                          {}, {}, Order({1, 0}, {2, 3}, kOne),
                          {1, 1, 1, 1, 1, 1}));
  rows.push_back(Relayout("EmptyTensorPaddedOperandIsNotRead", kU8, {0, 3},
                          Order({1, 0}, {2, 3}, kOne), {9, 9, 9, 9, 9, 9},
                          Order({0, 1}, {1, 4}, kHighest),
                          {255, 255, 255, 255}));
  rows.push_back(Relayout("EmptyTensorWithTotalElements", kF32, {0, 3},
                          Strides({3, 1}, 0, 2), {9, 9}, Strides({3, 1}, 1, 3),
                          {0, 0, 0}));
  rows.push_back(Relayout("EmptyTensorWithStridesHasNoBytes", kF32, {0, 3},
                          Strides({3, 1}), {}, Strides({3, 1}), {}));
  rows.push_back(Relayout("Scalar", kF32, {}, {}, {7}, {}, {7}));
  rows.push_back(Relayout("ScalarWithAnEmptyOrder", kF32, {}, Order({}), {7},
                          Strides({}), {7}));
  rows.push_back(Relayout("ScalarAmongGaps", kF32, {}, Strides({}, 1, 3),
                          {5, 6, 7}, Strides({}, 2, 4), {0, 0, 6, 0}));
  rows.push_back({"ScalarPlusScalar",
                  Program({Desc(kF32, {}), Desc(kF32, {})},
                          {BinaryOp(Opcode::kAdd, 0, 1)}),
                  {{3}, {4}},
                  {{7}}});
}

}  // namespace

std::vector<Example> LayoutExamples() {
  using enum DType;
  std::vector<Example> rows;
  rows.push_back(Relayout("RelayoutToDimension0Fastest", kF32, {2, 3}, {},
                          Counting(6), Order({0, 1}), {1, 4, 2, 5, 3, 6}));
  rows.push_back(Relayout("RelayoutToRowMajorIsACopy", kF32, {2, 3}, {},
                          Counting(6), Order({1, 0}), Counting(6)));
  rows.push_back(Relayout("RelayoutFromDimension0Fastest", kF32, {2, 3},
                          Order({0, 1}), {1, 4, 2, 5, 3, 6}, {}, Counting(6)));
  // N=1, H=2, W=2, C=3 pixels; logical dimensions are [N,C,H,W].
  rows.push_back(Relayout("RelayoutNhwcToNchw", kU8, {1, 3, 2, 2},
                          Order({1, 3, 2, 0}),
                          {11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42, 43}, {},
                          {11, 21, 31, 41, 12, 22, 32, 42, 13, 23, 33, 43}));
  rows.push_back(Relayout("RelayoutNchwToNhwc", kU8, {1, 3, 2, 2}, {},
                          {11, 21, 31, 41, 12, 22, 32, 42, 13, 23, 33, 43},
                          Order({1, 3, 2, 0}),
                          {11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42, 43}));
  rows.push_back(Relayout("RelayoutC64KeepsPartsTogether", kC64, {2, 2}, {},
                          {1, 2, 3, 4, 5, 6, 7, 8}, Order({0, 1}),
                          {1, 2, 5, 6, 3, 4, 7, 8}));
  AddPadded(rows);
  AddStrided(rows);
  AddOneChannel(rows);
  AddEmptyAndScalar(rows);
  return rows;
}

}  // namespace stridecast::testing
