// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/pass_scratch.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "core/plan/scratch.h"

namespace stridecast {
namespace {

using Lifetimes = absl::InlinedVector<Lifetime, 8>;

int NumLeaves(const PassPlan& plan) {
  return static_cast<int>(plan.leaves.size());
}

int NumSteps(const PassPlan& plan) {
  return static_cast<int>(plan.computations.size());
}

int FirstUse(const PassPlan& plan, const ValueRef& ref) {
  for (int i = 0; i < NumSteps(plan); ++i) {
    const auto& inputs = plan.computations[i].inputs;
    if (std::find(inputs.begin(), inputs.end(), ref) != inputs.end()) {
      return i;
    }
  }
  return NumSteps(plan);
}

int LastUse(const PassPlan& plan, const ValueRef& ref) {
  for (const StorePlan& store : plan.stores) {
    if (store.source == ref) return NumSteps(plan);
  }
  for (int i = NumSteps(plan) - 1; i >= 0; --i) {
    const auto& inputs = plan.computations[i].inputs;
    if (std::find(inputs.begin(), inputs.end(), ref) != inputs.end()) {
      return i;
    }
  }
  return NumSteps(plan);
}

// From the step that packs it to the last that reads it; all, if it is packed
// for all blocks together.
Lifetime LeafLifetime(const PassPlan& plan, int leaf, int64_t bytes) {
  if (plan.leaves[leaf].packed_once) return {0, NumSteps(plan), bytes};
  const ValueRef ref{true, leaf};
  return {FirstUse(plan, ref), LastUse(plan, ref), bytes};
}

}  // namespace

int64_t PeakElementBytes(const PassPlan& plan, const std::vector<Loop>& loops) {
  Lifetimes lifetimes;
  for (int i = 0; i < NumLeaves(plan); ++i) {
    const bool repeats = !loops.empty() && loops.back().byte_strides[i] == 0;
    lifetimes.push_back({FirstUse(plan, {true, i}), LastUse(plan, {true, i}),
                         repeats ? 0 : plan.leaves[i].access.element_bytes});
  }
  for (int i = 0; i < NumSteps(plan); ++i) {
    lifetimes.push_back(
        {i, LastUse(plan, {false, i}), plan.computations[i].element_bytes});
  }
  for (const StorePlan& store : plan.stores) {
    lifetimes.push_back(
        {NumSteps(plan), NumSteps(plan), store.access.element_bytes});
  }
  return PeakBytes(lifetimes);
}

// A store copies its leaf straight from the buffer, unless the bytes change.
bool IsPacked(const PassPlan& plan, int leaf) {
  const LeafPlan& of = plan.leaves[leaf];
  return of.normalize_pred || of.source == Source::kIota ||
         (FirstUse(plan, {true, leaf}) < NumSteps(plan) &&
          !of.access.in_place && of.tile_strides.empty());
}

void PlaceScratch(PassPlan& plan) {
  Lifetimes lifetimes;
  absl::InlinedVector<int64_t*, 8> offsets;
  const auto add = [&](const Lifetime& lifetime, int64_t* offset) {
    lifetimes.push_back(lifetime);
    offsets.push_back(offset);
  };
  const int64_t elements = plan.tiling.block_elements();
  for (int i = 0; i < NumLeaves(plan); ++i) {
    LeafPlan& leaf = plan.leaves[i];
    const ValueRef ref{true, i};
    if (IsPacked(plan, i)) {
      // The raw bytes of a pred begin at a multiple of 64 behind the result.
      const int64_t result_bytes =
          leaf.normalize_pred ? (elements + 63) / 64 * 64 : 0;
      add(LeafLifetime(plan, i,
                       result_bytes + elements * leaf.access.element_bytes),
          &leaf.scratch_offset);
    }
    if (!leaf.tile_strides.empty()) {
      add({0, NumSteps(plan),
           plan.tiling.tile_elements() * leaf.access.element_bytes},
          &leaf.scratch_offset);
    }
    if (leaf.source == Source::kOperand && leaf.span_bytes > 0) {
      add({FirstUse(plan, ref), LastUse(plan, ref), leaf.span_bytes},
          &leaf.straddle_offset);
    }
  }
  for (int i = 0; i < NumSteps(plan); ++i) {
    ComputationPlan& computation = plan.computations[i];
    if (computation.store >= 0) continue;
    add({i, LastUse(plan, {false, i}), elements * computation.element_bytes},
        &computation.scratch_offset);
  }
  absl::InlinedVector<size_t, 8> order(lifetimes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return lifetimes[a].first != lifetimes[b].first
               ? lifetimes[a].first < lifetimes[b].first
               : a < b;
  });
  Lifetimes ordered;
  for (size_t i : order) ordered.push_back(lifetimes[i]);
  const ScratchPlan scratch = AssignScratch(ordered);
  for (size_t i = 0; i < order.size(); ++i) {
    *offsets[order[i]] = scratch.offsets[i];
  }
  plan.scratch_bytes = scratch.size_bytes;
}

}  // namespace stridecast
