// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a pass does with each block of its loops: which leaves are read where
// they lie, where values go, and which tile fills which gap of a result.

#include "core/plan/pass_plan.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/program/random_signature.h"

namespace stridecast {
namespace {

using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Random;
using testing::RandomOperandForm;
using testing::RandomResultForm;
using testing::Result;
using testing::ResultOf;
using testing::Strides;
using enum DType;

constexpr ProgramLimits kLimits = {.max_instructions = 256,
                                   .max_operands = 64,
                                   .max_results = 64,
                                   .max_operand_references = 4096,
                                   .max_constant_bytes = 1024};

std::vector<PassPlan> PlansOf(const Signature& signature,
                              const PassPlanOptions& options = {}) {
  const Program program = Program::Create(signature, kLimits).value();
  const NormalProgram normal = Normalize(program);
  std::vector<PassPlan> plans;
  for (const Pass& pass : normal.passes) {
    plans.push_back(MakePassPlan(pass, program, normal.temporaries, options));
  }
  return plans;
}

// Of a program of one pass.
PassPlan PlanOf(const Signature& signature,
                const PassPlanOptions& options = {}) {
  std::vector<PassPlan> plans = PlansOf(signature, options);
  EXPECT_EQ(plans.size(), 1u);
  return plans[0];
}

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

Instruction Transpose(uint32_t x, DimVector permutation) {
  return Op(Opcode::kTranspose, {x}, DimensionsAttribute{permutation});
}
Instruction Reverse(uint32_t x, DimVector dimensions) {
  return Op(Opcode::kReverse, {x}, DimensionsAttribute{dimensions});
}
Instruction Broadcast(uint32_t x, DimVector shape, DimVector dimensions) {
  return Op(Opcode::kBroadcastInDim, {x},
            BroadcastInDimAttribute{shape, dimensions});
}
Instruction Sqrt(uint32_t x) { return Op(Opcode::kSqrt, {x}); }
Instruction Add(uint32_t x, uint32_t y, DimVector dimensions = {}) {
  return BinaryOp(Opcode::kAdd, x, y, dimensions);
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
     {{Desc(kF32, {1000}), Desc(kF32, {1000})}, {Add(0, 1), Sqrt(2)}, {{}}},
     "compute 0, compute 1; x0 in place, x1 in place, 0 in scratch, 1 in store "
     "0"},
    {"SumWithTranspose",
     {{Desc(kF32, {64, 64})}, {Transpose(0, {1, 0}), Add(0, 1)}, {{}}},
     "pack x0, compute 0; x0 in place, x0 packed, 0 in store 0"},
    {"PackedOnce",
     {{Desc(kF32, {64, 65})},
      {Transpose(0, {1, 0}), Sqrt(1), Op(Opcode::kAbs, {1}), Add(2, 3)},
      {Result({})}},
     "pack x0, compute 0, compute 1, compute 2; x0 packed, 0 in scratch, 1 in "
     "scratch, 2 in store 0"},
    {"Reversed",
     {{Desc(kF32, {1000})}, {Reverse(0, {0}), Sqrt(1)}, {{}}},
     "pack x0, compute 0; x0 packed, 0 in store 0"},
    // The loops are walked as the first result lies.
    {"TransposedRoot",
     {{Desc(kF32, {64, 65})}, {Sqrt(0), Transpose(1, {1, 0})}, {{}}},
     "pack x0, compute 0; x0 packed, 0 in store 0"},
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
  EXPECT_LE(few.tiling.block_elements() * 16 * 3, kDefaultBlockBytes);
  EXPECT_LT(many.tiling.block_elements(), few.tiling.block_elements());
  EXPECT_EQ(many.tiling.block_elements(), 64);
}

TEST(MakePassPlanTest, ASingleStepInPlaceHasLongBlocks) {
  const TensorDesc dense = Desc(kF32, {1000, 1000});
  const PassPlan in_place = PlanOf({{dense, dense}, {Add(0, 1)}, {{}}});
  EXPECT_EQ(in_place.tiling.block_elements() * 4, kStreamedBlockBytes);
  const PassPlan packed = PlanOf(
      {{dense, Desc(kF32, {1000, 1000}, Order({0, 1}))}, {Add(0, 1)}, {{}}});
  EXPECT_LE(packed.tiling.block_elements() * 4 * 3, kDefaultBlockBytes);
}

TEST(MakePassPlanTest, OptionsBoundBlocksAndTiles) {
  const PassPlan plan =
      PlanOf(testing::Program({Desc(kF32, {1000})}, {Sqrt(0)}),
             {.block_bytes = 56, .tile_cost_ns = 1});
  EXPECT_EQ(plan.tiling.block_elements(), 7);
  EXPECT_LT(plan.tiling.tile_extents[0], 50);
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

// (P3) Every byte of a result's buffer has exactly one owner.

// Calls `visit` with the sum of indices times strides of the loops at
// positions [position, end), the first of them without its last index if
// `but_last`.
void ForEachOffset(const PassPlan& plan, const StorePlan& store,
                   size_t position, bool but_last, int64_t offset,
                   const std::function<void(int64_t)>& visit) {
  if (position == store.loops_by_stride.size()) return visit(offset);
  const int k = store.loops_by_stride[position];
  const int64_t extent = plan.tiling.loops[k].extent - (but_last ? 1 : 0);
  for (int64_t i = 0; i < extent; ++i) {
    ForEachOffset(plan, store, position + 1, false,
                  offset + i * store.access.byte_strides[k], visit);
  }
}

TEST(GapsPropertyTest, ElementsGapsHeadAndTailCoverTheBufferOnce) {
  constexpr uint64_t kSeed = 5;
  for (uint64_t run = 0; run < 2000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    DimVector shape(random.Below(5));
    for (int64_t& extent : shape) extent = random.Below(4) + 1;
    const DType type =
        kAllDTypes[random.Below(static_cast<int64_t>(std::size(kAllDTypes)))];
    const TensorDesc operand =
        Desc(type, shape, RandomOperandForm(random, shape));
    const PhysicalForm form = RandomResultForm(random, shape);
    const PassPlan plan = PlanOf({{operand}, {}, {Result(form)}});
    const StorePlan& store = plan.stores[0];
    std::vector<int> owners(static_cast<size_t>(store.size_bytes), 0);
    ASSERT_EQ(store.size_bytes, Desc(type, shape, form).size_bytes());
    const auto own = [&](int64_t begin, int64_t end) {
      ASSERT_GE(begin, 0);
      ASSERT_LE(end, store.size_bytes);
      for (int64_t at = begin; at < end; ++at) ++owners[at];
    };
    const int64_t base = store.access.base_bytes;
    own(0, base);
    own(base + store.reach_bytes, store.size_bytes);
    ForEachOffset(plan, store, 0, false, base, [&](int64_t offset) {
      own(offset, offset + store.access.element_bytes);
    });
    for (const Gap& gap : store.gaps) {
      EXPECT_GT(gap.bytes, 0);
      EXPECT_EQ(gap.bytes % store.access.element_bytes, 0);
      ForEachOffset(plan, store, gap.position, true, base, [&](int64_t offset) {
        own(offset + gap.offset_bytes, offset + gap.offset_bytes + gap.bytes);
      });
    }
    EXPECT_THAT(owners, ::testing::Each(1));
    if (HasFailure()) FAIL();
  }
}

// (P1), (P2), and scratch memory that nobody else uses meanwhile.

struct Region {
  std::string name;
  int64_t begin;
  int64_t end;
  int first;
  int last;
};

// From the first to the last step that reads `ref`; stores are the step after
// the last computation.
std::pair<int, int> UsesOf(const PassPlan& plan, const ValueRef& ref) {
  const int num_steps = static_cast<int>(plan.computations.size());
  int first = num_steps;
  int last = -1;
  for (int i = 0; i < num_steps; ++i) {
    const auto& inputs = plan.computations[i].inputs;
    if (std::find(inputs.begin(), inputs.end(), ref) == inputs.end()) continue;
    first = std::min(first, i);
    last = i;
  }
  for (const StorePlan& store : plan.stores) {
    if (store.source == ref) last = num_steps;
  }
  return {first, last};
}

void CheckScratch(const PassPlan& plan) {
  const int64_t elements = plan.tiling.block_elements();
  std::vector<Region> regions;
  for (size_t i = 0; i < plan.leaves.size(); ++i) {
    const LeafPlan& leaf = plan.leaves[i];
    const auto [first, last] = UsesOf(plan, {true, static_cast<int>(i)});
    if (leaf.scratch_offset >= 0) {
      // Of a pred the raw bytes follow at a multiple of 64.
      const int64_t before =
          leaf.normalize_pred ? (elements + 63) / 64 * 64 : 0;
      regions.push_back(
          {absl::StrCat("leaf ", i), leaf.scratch_offset,
           leaf.scratch_offset + before + elements * leaf.access.element_bytes,
           first, last});
    }
    if (leaf.straddle_offset >= 0) {
      regions.push_back({absl::StrCat("straddle ", i), leaf.straddle_offset,
                         leaf.straddle_offset + leaf.span_bytes, first, last});
    }
  }
  for (size_t i = 0; i < plan.computations.size(); ++i) {
    const ComputationPlan& computation = plan.computations[i];
    const int step = static_cast<int>(i);
    if (computation.scratch_offset < 0) continue;
    regions.push_back(
        {absl::StrCat("value ", i), computation.scratch_offset,
         computation.scratch_offset + elements * computation.element_bytes,
         step, UsesOf(plan, {false, step}).second});
  }
  for (size_t a = 0; a < regions.size(); ++a) {
    EXPECT_EQ(regions[a].begin % 64, 0) << regions[a].name;
    EXPECT_LE(regions[a].end, plan.scratch_bytes) << regions[a].name;
    for (size_t b = 0; b < a; ++b) {
      const bool apart = regions[a].end <= regions[b].begin ||
                         regions[b].end <= regions[a].begin;
      const bool together = regions[a].first <= regions[b].last &&
                            regions[b].first <= regions[a].last;
      EXPECT_TRUE(apart || !together)
          << regions[a].name << " and " << regions[b].name;
    }
  }
}

void CheckActions(const PassPlan& plan) {
  std::vector<bool> packed(plan.leaves.size(), false);
  std::vector<bool> computed(plan.computations.size(), false);
  std::vector<bool> stored(plan.stores.size(), false);
  const auto expect_ready = [&](const ValueRef& ref, bool is_store) {
    if (!ref.is_leaf) {
      EXPECT_TRUE(computed[ref.index]);
      return;
    }
    const LeafPlan& leaf = plan.leaves[ref.index];
    const bool in_buffer = is_store
                               ? !leaf.normalize_pred
                               : leaf.access.in_place && !leaf.normalize_pred;
    EXPECT_TRUE(packed[ref.index] || in_buffer);
  };
  for (const Action& action : plan.actions) {
    switch (action.kind) {
      case Action::Kind::kPack:
        EXPECT_FALSE(packed[action.index]);
        EXPECT_GE(plan.leaves[action.index].scratch_offset, 0);
        packed[action.index] = true;
        break;
      case Action::Kind::kCompute: {
        const ComputationPlan& computation = plan.computations[action.index];
        for (const ValueRef& input : computation.inputs) {
          expect_ready(input, false);
        }
        EXPECT_FALSE(computed[action.index]);
        computed[action.index] = true;
        if (computation.store < 0) {
          EXPECT_GE(computation.scratch_offset, 0);
          break;
        }
        // (P2)
        const StorePlan& store = plan.stores[computation.store];
        EXPECT_TRUE(store.access.in_place);
        EXPECT_FALSE(stored[computation.store]);
        stored[computation.store] = true;
        int readers = 0;
        for (const StorePlan& other : plan.stores) {
          readers += other.source == ValueRef{false, action.index} ? 1 : 0;
        }
        EXPECT_EQ(readers, 1);
        EXPECT_EQ(UsesOf(plan, {false, action.index}).first,
                  static_cast<int>(plan.computations.size()));
        break;
      }
      case Action::Kind::kStore:
        expect_ready(plan.stores[action.index].source, true);
        EXPECT_FALSE(stored[action.index]);
        stored[action.index] = true;
        break;
    }
  }
  EXPECT_THAT(computed, ::testing::Each(true));
  EXPECT_THAT(stored, ::testing::Each(true));
}

// An element-wise program on operands of any type, layout and direction.
Signature RandomElementwise(Random& random) {
  DimVector shape(random.Below(3) + 1);
  for (int64_t& extent : shape) {
    extent = random.Below(4) == 0 ? random.Below(150) + 1 : random.Below(9) + 1;
  }
  const auto rank = static_cast<int64_t>(shape.size());
  Signature signature;
  for (int i = 0; i < 3; ++i) {
    signature.operands.push_back(
        Desc(i == 0 ? kPred : kF32, shape, RandomOperandForm(random, shape)));
  }
  std::vector<uint32_t> preds = {0};
  std::vector<uint32_t> numbers = {1, 2};
  const auto any = [&](const std::vector<uint32_t>& ids) {
    return ids[random.Below(static_cast<int64_t>(ids.size()))];
  };
  const int64_t num_instructions = random.Below(12) + 1;
  for (int64_t i = 0; i < num_instructions; ++i) {
    const auto id = static_cast<uint32_t>(3 + i);
    auto& instructions = signature.instructions;
    switch (random.Below(6)) {
      case 0:
        instructions.push_back(Reverse(any(numbers), {random.Below(rank)}));
        numbers.push_back(id);
        break;
      case 1:
        instructions.push_back(Reverse(any(preds), {random.Below(rank)}));
        preds.push_back(id);
        break;
      case 2:
        instructions.push_back(Op(Opcode::kNot, {any(preds)}));
        preds.push_back(id);
        break;
      case 3:
        instructions.push_back(
            Op(Opcode::kSelect, {any(preds), any(numbers), any(numbers)}));
        numbers.push_back(id);
        break;
      case 4:
        instructions.push_back(
            BinaryOp(Opcode::kCompare, any(numbers), any(numbers), {},
                     CompareAttribute{CompareAttribute::Direction::kLt}));
        preds.push_back(id);
        break;
      default:
        instructions.push_back(Add(any(numbers), any(numbers)));
        numbers.push_back(id);
    }
  }
  const int64_t num_results = random.Below(3) + 1;
  const int64_t num_values = 3 + num_instructions;
  for (int64_t i = 0; i < num_results; ++i) {
    signature.results.push_back(
        ResultOf(static_cast<uint32_t>(random.Below(num_values)),
                 RandomResultForm(random, shape)));
  }
  return signature;
}

TEST(PassPlanPropertyTest, ScratchAndActionsKeepTheRules) {
  constexpr uint64_t kSeed = 9;
  for (uint64_t run = 0; run < 2000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    const Signature signature = RandomElementwise(random);
    PassPlanOptions options;
    if (random.Below(2) == 0) options.block_bytes = random.Below(900) + 1;
    if (random.Below(2) == 0) options.tile_cost_ns = 1;
    for (const PassPlan& plan : PlansOf(signature, options)) {
      for (const LeafPlan& leaf : plan.leaves) {  // (P1)
        EXPECT_EQ(leaf.access.byte_strides.size(), plan.tiling.loops.size());
      }
      for (const StorePlan& store : plan.stores) {
        EXPECT_EQ(store.access.byte_strides.size(), plan.tiling.loops.size());
      }
      CheckActions(plan);
      CheckScratch(plan);
    }
    if (HasFailure()) FAIL();
  }
}

// The slot of a pred was once too short where 65 elements take 128 bytes.
TEST(PassPlanPropertyTest, RawAndNormalizedPredsFitTheirSlot) {
  for (int64_t n = 1; n <= 200; ++n) {
    SCOPED_TRACE(n);
    CheckScratch(
        PlanOf(testing::Program({Desc(kPred, {n})}, {Op(Opcode::kNot, {0})})));
  }
}

}  // namespace
}  // namespace stridecast
