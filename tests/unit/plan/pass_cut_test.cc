// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// From how long rows on blocks take them where they lie, and what that leaves
// of reading operands from segments.

#include "core/plan/pass_cut.h"

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/plan/plans_of.h"

namespace stridecast::plan_tests {
namespace {

using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::Strides;
using enum DType;

using Instructions = std::vector<Instruction>;

// Rows of an operand with gaps between them.
struct RowsCase {
  const char* name;
  DType type;
  Instructions instructions;
  int64_t least;  // elements of a row that is taken where it lies
};

void PrintTo(const RowsCase& row, std::ostream* out) { *out << row.name; }

const RowsCase kRows[] = {
    {"BytesSimple", kU8, {Op(Opcode::kNot, {0})}, 64},
    {"Simple", kF32, {Op(Opcode::kAbs, {0})}, 16},
    {"DoublesSimple", kF64, {Op(Opcode::kAbs, {0})}, 8},
    // Of the widest element, which is the result's.
    {"Widened", kU8, {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32})}, 16},
    {"SimpleSteps", kU8, {Op(Opcode::kNot, {0}), Op(Opcode::kPopcnt, {1})}, 64},
    {"Function", kF32, {Op(Opcode::kExp, {0})}, 64},
    {"DoublesFunction", kF64, {Op(Opcode::kExp, {0})}, 32},
    {"FunctionOfSimple",
     kF64,
     {Op(Opcode::kAbs, {0}), Op(Opcode::kExp, {1})},
     32},
    {"Division", kF64, {BinaryOp(Opcode::kDivide, 0, 0)}, 32},
    {"Chain", kF32, {Add(0, 0), Sqrt(1)}, 128},
    {"DoublesChain", kF64, {Add(0, 0), Sqrt(1)}, 64},
    {"FunctionOfChain", kF64, {Add(0, 0), Sqrt(1), Op(Opcode::kExp, {2})}, 64},
};

class RowsTest : public ::testing::TestWithParam<RowsCase> {};

TEST_P(RowsTest, OfTheLeastLengthAreTakenWhereTheyLie) {
  for (const int64_t cols : {GetParam().least - 1, GetParam().least}) {
    const PassPlan plan =
        PlanOf({{Desc(GetParam().type, {9, cols}, Strides({cols + 7, 1}))},
                GetParam().instructions,
                {{}}});
    EXPECT_EQ(plan.leaves[0].access.in_place, cols == GetParam().least) << cols;
    EXPECT_EQ(plan.tiling.flat, cols < GetParam().least) << cols;
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, RowsTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

// Dense rows, and a vector along them that all blocks read alike.
struct BiasCase {
  const char* name;
  Instructions instructions;
  int64_t least;  // elements of a row, so that the vector is not packed
};

void PrintTo(const BiasCase& row, std::ostream* out) { *out << row.name; }

const BiasCase kBiases[] = {
    {"Simple", {Add(0, 1, {1})}, 256},
    {"Function", {BinaryOp(Opcode::kAtan2, 0, 1, {1})}, 256},
    {"Chain", {BinaryOp(Opcode::kMultiply, 0, 1, {1}), Sqrt(2)}, 512},
};

class BiasTest : public ::testing::TestWithParam<BiasCase> {};

TEST_P(BiasTest, IsPackedOnceForShorterRowsOfManyBlocks) {
  const auto is_packed = [](int64_t rows, int64_t cols) {
    const PassPlan plan =
        PlanOf({{Desc(kF32, {rows, cols}), Desc(kF32, {cols})},
                GetParam().instructions,
                {{}}});
    const LeafPlan& bias = plan.leaves[plan.leaves[0].index == 1 ? 0 : 1];
    EXPECT_EQ(plan.tiling.flat, bias.packed_once);
    return bias.packed_once;
  };
  const int64_t least = GetParam().least;
  EXPECT_TRUE(is_packed(100000, least - 1));
  EXPECT_FALSE(is_packed(100000, least));
  EXPECT_FALSE(is_packed(100, least - 1));
}

INSTANTIATE_TEST_SUITE_P(Steps, BiasTest, ::testing::ValuesIn(kBiases),
                         [](const auto& row) { return row.param.name; });

struct GapsCase {
  int64_t cols;
  int64_t pitch;
  bool is_segmented;
};

// x + y, every so many elements of y.
PassPlan PlanOfSteps(int64_t step, int64_t cache_bytes) {
  constexpr int64_t kElements = 1 << 20;
  return PlanOf(
      {{Desc(kF32, {kElements}), Desc(kF32, {kElements}, Strides({step}))},
       {Add(0, 1)},
       {{}}},
      {.cache = {.computed_bytes = cache_bytes}});
}

TEST(CutPassTest, WhatIsPackedFromMemoryHasLargerBlocks) {
  constexpr int64_t kResultBytes = 4 << 20;
  const int64_t in_l1 = PlanOfSteps(2, kResultBytes).tiling.block_elements();
  EXPECT_LE(in_l1, 2048);
  EXPECT_EQ(PlanOfSteps(2, kResultBytes - 1).tiling.block_elements(), 8192);
  // As far as they are read from segments, of 64 KiB.
  EXPECT_EQ(PlanOfSteps(3, kResultBytes - 1).tiling.block_elements(), 4096);
  EXPECT_EQ(PlanOfSteps(99, kResultBytes - 1).tiling.block_elements(),
            PlanOfSteps(99, kResultBytes).tiling.block_elements());
  // In place: nothing is packed.
  EXPECT_EQ(PlanOfSteps(1, kResultBytes - 1).tiling.block_elements(),
            PlanOfSteps(1, kResultBytes).tiling.block_elements());
}

// Blocks have fewer rows where they would span too much; not so few, though,
// that what a block costs is no longer spread.
TEST(CutPassTest, RowsFarApartAreReadFromSegments) {
  for (const auto& [cols, pitch, is_segmented] :
       {GapsCase{8, 9, true}, GapsCase{8, 64, true}, GapsCase{8, 100, true},
        GapsCase{8, 1000, false}, GapsCase{100, 200, true},
        GapsCase{100, 600, true}, GapsCase{100, 5000, false}}) {
    const TensorDesc dense = Desc(kF64, {100000, cols});
    const TensorDesc spaced = Desc(kF64, {100000, cols}, Strides({pitch, 1}));
    const PassPlan plan = PlanOf({{spaced, dense}, {Add(0, 1)}, {{}}});
    EXPECT_FALSE(plan.tiling.flat);
    for (const LeafPlan& leaf : plan.leaves) {
      EXPECT_EQ(plan.StreamsLeaf(leaf), leaf.index == 1 || is_segmented)
          << cols << " of " << pitch << ", leaf " << leaf.index;
    }
  }
}

}  // namespace
}  // namespace stridecast::plan_tests
