// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Rules of pass plans on random programs: every byte of a result has one owner,
// scratch memory is not shared, actions are in order.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/random_program.h"
#include "tests/unit/plan/plans_of.h"

namespace stridecast::plan_tests {
namespace {

using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::Random;
using testing::RandomOperandForm;
using testing::RandomResultForm;
using testing::Result;
using testing::ResultOf;
using enum DType;

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
        Desc(type, shape, RandomOperandForm(random, type, shape));
    const PhysicalForm form = RandomResultForm(random, type, shape);
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
      const bool is_whole_tile = !leaf.tile_strides.empty();
      const int64_t packed =
          is_whole_tile ? plan.tiling.tile_elements() : elements;
      const bool is_kept = leaf.packed_once || is_whole_tile;
      const int num_steps = static_cast<int>(plan.computations.size());
      regions.push_back(
          {absl::StrCat("leaf ", i), leaf.scratch_offset,
           leaf.scratch_offset + before + packed * leaf.access.element_bytes,
           is_kept ? 0 : first, is_kept ? num_steps : last});
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
    const bool in_tile = !leaf.tile_strides.empty() && leaf.scratch_offset >= 0;
    EXPECT_TRUE(packed[ref.index] || in_buffer || in_tile);
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
    const DType type = i == 0 ? kPred : kF32;
    signature.operands.push_back(
        Desc(type, shape, RandomOperandForm(random, type, shape)));
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
                 RandomResultForm(random, kF32, shape)));
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
}  // namespace stridecast::plan_tests
