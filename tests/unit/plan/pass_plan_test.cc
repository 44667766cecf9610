// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a pass does with each block of its loops: which leaves are read where
// they lie, where values go, and which tile fills which gap of a result.

#include "core/plan/pass_plan.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/plan/plans_of.h"

namespace stridecast::plan_tests {
namespace {

using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Result;
using testing::ResultOf;
using testing::Strides;
using enum DType;

// Leaves by the number of what they read.
std::vector<const LeafPlan*> LeavesInOrder(const PassPlan& plan) {
  std::vector<const LeafPlan*> leaves;
  for (const LeafPlan& leaf : plan.leaves) leaves.push_back(&leaf);
  std::stable_sort(
      leaves.begin(), leaves.end(),
      [](const LeafPlan* a, const LeafPlan* b) { return a->index < b->index; });
  return leaves;
}

std::string LeafName(const LeafPlan& leaf) {
  return absl::StrCat(leaf.source == Source::kOperand    ? "x"
                      : leaf.source == Source::kConstant ? "c"
                                                         : "t",
                      leaf.index);
}

// "pack x0, compute 0, store 0; x0 packed; 0 in scratch": what is done with
// every block, then where leaves are read, then where values are computed.
std::string ToText(const PassPlan& plan) {
  std::vector<std::string> actions;
  for (const Action& action : plan.actions) {
    actions.push_back(
        action.kind == Action::Kind::kPack
            ? absl::StrCat("pack ", LeafName(plan.leaves[action.index]))
        : action.kind == Action::Kind::kCompute
            ? absl::StrCat("compute ", action.index)
            : absl::StrCat("store ", action.index));
  }
  std::vector<std::string> places;
  for (const LeafPlan* leaf : LeavesInOrder(plan)) {
    places.push_back(
        absl::StrCat(LeafName(*leaf), leaf->normalize_pred ? " normalized"
                                      : leaf->scratch_offset >= 0 ? " packed"
                                      : leaf->access.repeated     ? " repeated"
                                      : leaf->access.in_place     ? " in place"
                                                                  : " copied"));
  }
  for (size_t i = 0; i < plan.computations.size(); ++i) {
    const int store = plan.computations[i].store;
    places.push_back(absl::StrCat(
        i, store >= 0 ? absl::StrCat(" in store ", store) : " in scratch"));
  }
  return absl::StrCat(absl::StrJoin(actions, ", "), "; ",
                      absl::StrJoin(places, ", "));
}

// Dense tensors are read where they lie, and their sum is computed straight
// into the result: one action per block.
TEST(MakePassPlanTest, ADenseSumTouchesNothingBetween) {
  const PassPlan plan = PlanOf(testing::Program(
      {Desc(kF32, {2, 500}), Desc(kF32, {2, 500})}, {Add(0, 1)}));
  EXPECT_FALSE(plan.empty);
  ASSERT_EQ(plan.tiling.loops.size(), 1u);
  EXPECT_EQ(plan.tiling.loops[0].extent, 1000);
  EXPECT_EQ(plan.num_elements, 1000);
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(plan.actions[0].kind, Action::Kind::kCompute);
  EXPECT_EQ(plan.computations[0].store, 0);
  EXPECT_TRUE(plan.leaves[0].access.in_place);
  EXPECT_TRUE(plan.leaves[1].access.in_place);
  EXPECT_TRUE(plan.stores[0].gaps.empty());
  EXPECT_EQ(plan.stores[0].reach_bytes, 4000);
}

struct PassPlanCase {
  const char* name;
  Signature signature;
  const char* text;
};

void PrintTo(const PassPlanCase& row, std::ostream* out) { *out << row.name; }

const PassPlanCase kCases[] = {
    {"CopyOfDense", {{Desc(kF32, {1000})}, {}, {{}}}, "store 0; x0 in place"},
    {"Relayout",
     {{Desc(kF32, {64, 65})}, {}, {Result(Order({0, 1}))}},
     "store 0; x0 copied"},
    {"ValueBetween",
     {{Desc(kF32, {1000}), Desc(kF32, {1000})},
      {Add(0, 1), Op(Opcode::kAbs, {2})},
      {{}}},
     "compute 0, compute 1; x0 in place, x1 in place, 0 in scratch, 1 in store "
     "0"},
    {"Chain",
     {{Desc(kF32, {1000}), Desc(kF32, {1000})}, {Add(0, 1), Sqrt(2)}, {{}}},
     "compute 0; x0 in place, x1 in place, 0 in store 0"},
    {"SumWithTranspose",
     {{Desc(kF32, {64, 64})}, {Transpose(0, {1, 0}), Add(0, 1)}, {{}}},
     "pack x0, compute 0; x0 in place, x0 packed, 0 in store 0"},
    {"PackedOnce",
     {{Desc(kF32, {64, 65})},
      {Transpose(0, {1, 0}), Sqrt(1), Op(Opcode::kAbs, {1}), Add(2, 3)},
      {Result({})}},
     "compute 0, compute 1; x0 packed, 0 in scratch, 1 in store 0"},
    {"Reversed",
     {{Desc(kF32, {1000})}, {Reverse(0, {0}), Sqrt(1)}, {{}}},
     "pack x0, compute 0; x0 packed, 0 in store 0"},
    // The loops are walked as the first result lies.
    {"TransposedRoot",
     {{Desc(kF32, {64, 65})}, {Sqrt(0), Transpose(1, {1, 0})}, {{}}},
     "compute 0; x0 packed, 0 in store 0"},
    {"ResultAndTranspose",
     {{Desc(kF32, {64, 65})},
      {Sqrt(0), Transpose(1, {1, 0})},
      {ResultOf(1), ResultOf(2)}},
     "compute 0, store 0, store 1; x0 in place, 0 in scratch"},
    {"ResultUsedAgain",
     {{Desc(kF32, {1000})}, {Sqrt(0), Sqrt(1)}, {ResultOf(1), ResultOf(2)}},
     "compute 0, compute 1, store 0; x0 in place, 0 in scratch, 1 in store 1"},
    {"TwoLayoutsOfOneSpace",
     {{Desc(kF32, {64, 65})},
      {Sqrt(0), Op(Opcode::kAbs, {0})},
      {ResultOf(1), ResultOf(2, Order({0, 1}))}},
     "compute 0, compute 1, store 1; x0 in place, 0 in store 0, 1 in scratch"},
    {"SpacedResult",
     {{Desc(kF32, {1000})}, {Sqrt(0)}, {Result(Strides({2}))}},
     "compute 0, store 0; x0 in place, 0 in scratch"},
    {"PaddedRowsAreInPlace",
     {{Desc(kF32, {9, 100})}, {Sqrt(0)}, {Result(Strides({128, 1}))}},
     "compute 0; x0 in place, 0 in store 0"},
    {"ShortPaddedRowsAreNot",
     {{Desc(kF32, {9, 10})}, {Sqrt(0)}, {Result(Strides({16, 1}))}},
     "compute 0, store 0; x0 in place, 0 in scratch"},
    {"RowVector",
     {{Desc(kF32, {9, 100}), Desc(kF32, {100})}, {Add(0, 1, {1})}, {{}}},
     "compute 0; x0 in place, x1 in place, 0 in store 0"},
    {"ShortRowVector",
     {{Desc(kF32, {9, 3}), Desc(kF32, {3})}, {Add(0, 1, {1})}, {{}}},
     "pack x1, compute 0; x0 in place, x1 packed, 0 in store 0"},
    {"ColumnVector",
     {{Desc(kF32, {9, 100}), Desc(kF32, {9})}, {Add(0, 1, {0})}, {{}}},
     "compute 0; x0 in place, x1 repeated, 0 in store 0"},
    {"ScalarLeaf",
     {{Desc(kF32, {9, 100}), Desc(kF32, {})}, {Add(0, 1)}, {{}}},
     "compute 0; x0 in place, x1 repeated, 0 in store 0"},
    {"Scalars",
     {{Desc(kF32, {}), Desc(kF32, {})}, {Add(0, 1)}, {{}}},
     "compute 0; x0 in place, x1 in place, 0 in store 0"},
    // Bytes of preds that come from outside become 0 or 1 first.
    {"PredCopy",
     {{Desc(kPred, {100})}, {}, {{}}},
     "pack x0, store 0; x0 normalized"},
    {"PredOperand",
     {{Desc(kPred, {100})}, {Op(Opcode::kNot, {0})}, {{}}},
     "pack x0, compute 0; x0 normalized, 0 in store 0"},
    {"PredValue",
     {{Desc(kF32, {100})},
      {Op(Opcode::kIsNan, {0}), Op(Opcode::kNot, {1})},
      {{}}},
     "compute 0, compute 1; x0 in place, 0 in scratch, 1 in store 0"},
};

class PassPlanTest : public ::testing::TestWithParam<PassPlanCase> {};

TEST_P(PassPlanTest, PlansTheBlock) {
  EXPECT_EQ(ToText(PlanOf(GetParam().signature)), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Rows, PassPlanTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

TEST(MakePassPlanTest, TemporaryPredsAreNotNormalizedAgain) {
  const auto plans = PlansOf(
      testing::Program({Desc(kPred, {8})},
                       {Op(Opcode::kNot, {0}), Broadcast(1, {100, 8}, {1})}));
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(ToText(plans[0]),
            "pack x0, compute 0; x0 normalized, 0 in store 0");
  EXPECT_EQ(ToText(plans[1]), "store 0; t0 copied");
}

TEST(MakePassPlanTest, ASpaceWithoutElementsIsEmpty) {
  const PassPlan plan =
      PlanOf({{Desc(kF32, {0, 3}, Strides({7, -9}, int64_t{1} << 62))},
              {Sqrt(0)},
              {Result(Order({1, 0}, {4, 5}, PaddingValue::kOne))}});
  EXPECT_TRUE(plan.empty);
  EXPECT_EQ(plan.cost_ns, 0);
  ASSERT_EQ(plan.stores.size(), 1u);
  EXPECT_EQ(plan.stores[0].size_bytes, 80);
  EXPECT_FALSE(plan.stores[0].fill_is_zero);
}

TEST(MakePassPlanTest, BlocksShrinkWithWhatIsAliveTogether) {
  const std::vector<TensorDesc> operands(8, Desc(kC128, {1000000}));
  const PassPlan few =
      PlanOf({{operands[0], operands[0]}, {Add(0, 1), Add(0, 2)}, {{}}});
  const PassPlan many = PlanOf({operands,
                                {Add(0, 1), Add(2, 3), Add(4, 5), Add(6, 7),
                                 Add(8, 9), Add(10, 11), Add(12, 13)},
                                {{}}});
  EXPECT_LE(few.tiling.block_elements() * 16 * 3, DefaultBlockBytes(32 << 10));
  EXPECT_LT(many.tiling.block_elements(), few.tiling.block_elements());
  EXPECT_EQ(many.tiling.block_elements(), 128);
}

TEST(MakePassPlanTest, BlocksGrowWithL1) {
  const Signature added_twice = testing::Program(
      {Desc(kF32, {1000, 1000}), Desc(kF32, {1000, 1000}, Order({0, 1}))},
      {Add(0, 1), Add(2, 0)});
  const PassPlan small = PlanOf(added_twice, {.l1_bytes = 32 << 10});
  const PassPlan large = PlanOf(added_twice, {.l1_bytes = 64 << 10});
  EXPECT_EQ(large.tiling.block_elements(), 2 * small.tiling.block_elements());
}

TEST(MakePassPlanTest, ASingleStepInPlaceHasLongBlocks) {
  const TensorDesc dense = Desc(kF32, {1000, 1000});
  const PassPlan in_place = PlanOf({{dense, dense}, {Add(0, 1)}, {{}}});
  EXPECT_EQ(in_place.tiling.block_elements() * 4, kStreamedBlockBytes);
  const PassPlan packed = PlanOf(
      {{dense, Desc(kF32, {1000, 1000}, Order({0, 1}))}, {Add(0, 1)}, {{}}});
  EXPECT_LE(packed.tiling.block_elements() * 4 * 3,
            DefaultBlockBytes(32 << 10));
}

// Images: three planes from interleaved channels, and back.
TEST(MakePassPlanTest, WhatIsBroughtIntoOrderInABlockIsTheNarrowerSide) {
  constexpr int64_t kL1 = 32 << 10;
  const auto block_elements = [&](DType from, DType to, DimVector permutation) {
    const DimVector shape = permutation[1] == 3 ? DimVector({32, 224, 224, 3})
                                                : DimVector({32, 3, 224, 224});
    return PlanOf(testing::Program(
                      {Desc(from, shape)},
                      {Transpose(0, permutation),
                       Op(Opcode::kConvert, {1}, ConvertAttribute{to})}),
                  {.l1_bytes = kL1})
        .tiling.block_elements();
  };
  const auto fills = [](int64_t bytes) {
    return ::testing::AllOf(::testing::Le(bytes), ::testing::Ge(bytes / 8 * 7));
  };
  EXPECT_THAT(block_elements(DType::kU8, DType::kF32, {0, 3, 1, 2}),
              fills(OrderedBlockBytes(kL1)));
  EXPECT_THAT(block_elements(DType::kBF16, DType::kF32, {0, 3, 1, 2}) * 2,
              fills(OrderedBlockBytes(kL1)));
  EXPECT_THAT(block_elements(DType::kBF16, DType::kU8, {0, 2, 3, 1}),
              fills(OrderedBlockBytes(kL1)));
  // Still read from segments, where rows are near each other.
  EXPECT_THAT(block_elements(DType::kF32, DType::kU8, {0, 2, 3, 1}) * 4,
              fills(kMaxSegmentedSpanBytes));
}

TEST(MakePassPlanTest, OptionsBoundBlocksAndTiles) {
  const PassPlan plan =
      PlanOf(testing::Program({Desc(kF32, {1000})}, {Sqrt(0)}),
             {.block_bytes = 56, .tile_cost_ns = 1});
  EXPECT_EQ(plan.tiling.block_elements(), 7);
  EXPECT_LT(plan.tiling.tile_extents[0], 50);
}

// 400 bytes each: one result is computed, one only moved.
TEST(MakePassPlanTest, WhatIsOnlyMovedHasALimitOfItsOwn) {
  const auto past_cache = [](const Signature& signature, int64_t moved) {
    const PassPlan plan = PlanOf(signature, {.cache = {.computed_bytes = 400,
                                                       .moved_bytes = moved,
                                                       .stores_past = true}});
    return plan.stores[0].past_cache;
  };
  const Signature computed = testing::Program({Desc(kF32, {100})}, {Sqrt(0)});
  const Signature moved =
      testing::Program({Desc(kF32, {100})}, {Reverse(0, {0})});
  EXPECT_FALSE(past_cache(computed, 399));
  EXPECT_TRUE(past_cache(moved, 399));
  EXPECT_FALSE(past_cache(moved, 400));
}

// A sum, into f32[10000,cols], whose second operand is strided or a bias.
TEST(MakePassPlanTest, ShortRowsThatAreNotFlatStayInTheCaches) {
  const auto past_cache = [](const TensorDesc& operand, int64_t cols,
                             DimVector dimensions) {
    const PassPlan plan = PlanOf(
        testing::Program(
            {Desc(kF32, {10000, cols}), operand},
            {testing::BinaryOp(Opcode::kAdd, 0, 1, std::move(dimensions))}),
        {.cache = {.computed_bytes = 1, .stores_past = true}});
    return plan.stores[0].past_cache;
  };
  const auto strided = [&](int64_t cols) {
    return past_cache(
        Desc(kF32, {10000, cols}, testing::Strides({cols + 100, 1})), cols, {});
  };
  EXPECT_FALSE(strided(100));
  EXPECT_FALSE(strided(127));
  EXPECT_TRUE(strided(112));  // whole lines
  EXPECT_TRUE(strided(129));
  // Blocks of many rows, which are one run.
  EXPECT_TRUE(past_cache(Desc(kF32, {3}), 3, {1}));
  EXPECT_TRUE(past_cache(Desc(kF32, {50}), 50, {1}));
}

// A matrix of u8.
TEST(MakePassPlanTest, WhatBarelyFitsGoesByBoxesPastTheCaches) {
  const auto is_past_cache = [](int64_t boxed) {
    const PassPlan plan =
        PlanOf(testing::Program({Desc(DType::kU8, {900, 1000})},
                                {Transpose(0, {1, 0})}),
               {.cache = {.boxed_bytes = boxed}});
    return plan.relayout != nullptr &&
           std::get<BoxPlan>(*plan.relayout).past_cache;
  };
  EXPECT_TRUE(is_past_cache(900'000 - 1));
  EXPECT_FALSE(is_past_cache(900'000));
}

// The transpose is stored in a temporary, whose bytes are then read as u16.
TEST(MakePassPlanTest, TemporariesStayInTheCaches) {
  const std::vector<PassPlan> plans =
      PlansOf(testing::Program({Desc(DType::kU8, {1024, 2, 900})},
                               {Transpose(0, {2, 0, 1}),
                                testing::Op(Opcode::kBitcastConvert, {1},
                                            ConvertAttribute{DType::kU16})}),
              {.cache = {.moved_bytes = 1, .boxed_bytes = 1}});
  ASSERT_EQ(plans.size(), 2u);
  ASSERT_NE(plans[0].relayout, nullptr);
  EXPECT_FALSE(std::get<BoxPlan>(*plans[0].relayout).past_cache);
}

TEST(MakePassPlanTest, TilesAreMirroredWhereOneSourceIsReadBothWays) {
  const TensorDesc square = Desc(kF32, {4, 600, 600});
  const auto with_transposed = [&](const TensorDesc& a, const TensorDesc& b) {
    return PlanOf(testing::Program(
        {a, b}, {Transpose(0, {0, 2, 1}), Add(2, &a == &b ? 0 : 1)}));
  };
  EXPECT_TRUE(with_transposed(square, square).tiling.mirrored);
  const TensorDesc other = square;
  EXPECT_FALSE(with_transposed(square, other).tiling.mirrored);
}

TEST(PassPlanToStringTest, SaysLoopsLeavesAndStores) {
  const Program program =
      Program::Create(testing::Program({Desc(kF32, {64, 64})},
                                       {Transpose(0, {1, 0}), Add(0, 1)}),
                      kLimits)
          .value();
  const NormalProgram normal = Normalize(program);
  const std::string text = PassPlanToString(
      MakePassPlan(normal.passes[0], program, normal.temporaries, {}), program);
  EXPECT_EQ(
      text,
      "  loops, outermost first: 64 (block 64, tile 64) 64 (block 64, "
      "tile 64); rows x columns\n"
      "  leaf 0: operand 0 f32, byte strides [256,4], in place\n"
      "  leaf 1: operand 0 f32, byte strides [4,256], packed once per tile\n"
      "  %2 = ADD f32\n"
      "  store: result 0, byte strides [256,4], in place\n");
}

// Which results and leaves a stream can work through from front to back.

struct StreamCase {
  const char* name;
  Signature signature;
  bool results;
  std::vector<bool> leaves;
};

const TensorDesc kDense = Desc(kF32, {64, 65});

const StreamCase kStreams[] = {
    {"Dense", {{kDense}, {Sqrt(0)}, {{}}}, true, {true}},
    {"TwoLeaves", {{kDense, kDense}, {Add(0, 1)}, {{}}}, true, {true, true}},
    {"ColumnMajorBoth",
     {{Desc(kF32, {64, 65}, Order({0, 1}))}, {}, {Result(Order({0, 1}))}},
     true,
     {true}},
    {"PaddedResult",
     {{kDense}, {}, {Result(Order({1, 0}, {64, 80}))}},
     true,
     {true}},
    {"SpacedResult", {{kDense}, {}, {Result(Strides({200, 3}))}}, true, {true}},
    // Every image whole, one after another.
    {"NchwToNhwc",
     {{Desc(kF32, {8, 3, 20, 20})}, {}, {Result(Order({1, 3, 2, 0}))}},
     true,
     {true}},
    {"Transpose", {{kDense}, {}, {Result(Order({0, 1}))}}, true, {false}},
    {"Reversed", {{kDense}, {Reverse(0, {0})}, {{}}}, true, {false}},
    {"RowsReversedInside", {{kDense}, {Reverse(0, {1})}, {{}}}, true, {true}},
    {"LargeRowsOfBytesReversedInside",
     {{Desc(kU8, {20000, 100})}, {Reverse(0, {1})}, {{}}},
     true,
     {true}},
    {"RepeatedRow",
     {{kDense, Desc(kF32, {65})}, {Add(0, 1, {1})}, {{}}},
     true,
     {true, false}},
    {"ColumnVector",
     {{kDense, Desc(kF32, {64})}, {Add(0, 1, {0})}, {{}}},
     true,
     {true, true}},
    // Windows overlap: what is behind is needed again.
    {"SlidingWindow",
     {{Desc(kF32, {64, 65}, Strides({1, 1}))}, {Sqrt(0)}, {{}}},
     true,
     {false}},
    {"ConstantLeaf",
     {{kDense},
      {Op(Opcode::kConstant, {},
          ConstantAttribute{Desc(kF32, {}), std::string(4, '\0')}),
       Add(0, 1)},
      {{}}},
     true,
     {true, false}},
    {"ResultsOfDifferentOrder",
     {{kDense}, {}, {Result({}), Result(Order({0, 1}))}},
     false,
     {true}},
    // (T1) moves the outermost loop of the result inwards.
    {"AllReversed",
     {{Desc(kF32, {20, 30, 100})}, {}, {Result(Order({0, 1, 2}))}},
     false,
     {false}},
    {"Scalar", {{Desc(kF32, {})}, {Sqrt(0)}, {{}}}, false, {}},
    {"Empty", {{Desc(kF32, {0})}, {Sqrt(0)}, {{}}}, false, {}},
};

TEST(StreamsTest, ResultsAndLeavesFromFrontToBack) {
  for (const StreamCase& row : kStreams) {
    const PassPlan plan = PlanOf(row.signature);
    EXPECT_EQ(plan.StreamsResults(), row.results) << row.name;
    for (size_t i = 0; i < row.leaves.size(); ++i) {
      EXPECT_EQ(plan.StreamsLeaf(*LeavesInOrder(plan)[i]), row.leaves[i])
          << row.name << " leaf " << i;
    }
  }
}

TEST(StreamsTest, PassesThatStoreTemporariesDoNot) {
  const auto plans = PlansOf(testing::Program(
      {Desc(kF32, {64})}, {Sqrt(0), Broadcast(1, {100, 64}, {1})}));
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_FALSE(plans[0].StreamsResults());
  EXPECT_TRUE(plans[1].StreamsResults());
}

// A block of a leaf that spans more than 64 KiB is not gathered from segments.
TEST(StreamsTest, LeavesOfFarApartElementsNeedOnePiece) {
  const PassPlan plan =
      PlanOf({{Desc(kF32, {1000}, Strides({100000}))}, {Sqrt(0)}, {{}}});
  EXPECT_EQ(plan.leaves[0].span_bytes, -1);
  EXPECT_EQ(plan.leaves[0].straddle_offset, -1);
  EXPECT_FALSE(plan.StreamsLeaf(plan.leaves[0]));
}

}  // namespace
}  // namespace stridecast::plan_tests
