// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/single_block.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace stridecast {

namespace {

// What lies in scratch bounds a block. Of a single computation nothing does,
// and its kernel takes any number of rows and columns, if a block has more than
// one column: else nothing is known of how the columns lie.
bool IsInOneBlock(const PassPlan& plan) {
  const Tiling& tiling = plan.tiling;
  size_t num_bounded = tiling.loops.size();
  if (plan.computations.size() == 1 && num_bounded > 0 &&
      tiling.block_extents.back() > 1) {
    num_bounded -= std::min<size_t>(num_bounded, 2);
  }
  for (size_t k = 0; k < num_bounded; ++k) {
    if (tiling.loops[k].extent > tiling.block_extents[k]) return false;
  }
  return true;
}

// Blocks of one row are flat, but such rows may lie anywhere.
bool IsFlat(const Tiling& tiling) {
  const size_t num_loops = tiling.loops.size();
  return tiling.flat &&
         (num_loops < 2 || tiling.block_extents[num_loops - 2] > 1);
}

}  // namespace

bool IsSingleBlock(const PassPlan& plan) {
  return !plan.empty && IsInOneBlock(plan) &&
         std::all_of(plan.actions.begin(), plan.actions.end(),
                     [](const Action& action) {
                       return action.kind == Action::Kind::kCompute;
                     }) &&
         std::all_of(plan.leaves.begin(), plan.leaves.end(),
                     [](const LeafPlan& leaf) {
                       return leaf.access.in_place && leaf.tile_strides.empty();
                     }) &&
         std::none_of(plan.stores.begin(), plan.stores.end(),
                      [](const StorePlan& store) {
                        return store.has_gaps || store.past_cache;
                      });
}

void RunSingleBlock(const BoundPass& pass, std::byte* scratch) {
  const PassPlan& plan = *pass.plan;
  const PassKernels& kernels = *pass.kernels;
  const Tiling& tiling = plan.tiling;
  int64_t rows = 1;
  int64_t cols = 1;
  for (const Loop& loop : tiling.loops) {
    rows *= cols;
    cols = loop.extent;
  }
  if (IsFlat(tiling)) {
    cols *= rows;
    rows = 1;
  }
  absl::InlinedVector<BlockOperand, 8> operands(kernels.operands().begin(),
                                                kernels.operands().end());
  for (const PassKernels::ScratchOperand& operand : kernels.scratch()) {
    operands[operand.operand].data = scratch + operand.offset;
  }
  for (const PassKernels::MovingOperand& operand : kernels.moving()) {
    operands[operand.operand].data = pass.leaves[operand.leaf]->At(
        plan.leaves[operand.leaf].access.base_bytes);
  }
  for (size_t i = 0; i < plan.computations.size(); ++i) {
    const ComputationPlan& computation = plan.computations[i];
    const auto run = [&](std::byte* data, int64_t row_stride) {
      kernels.Run(static_cast<int>(i), rows, cols, operands.data(),
                  {data, row_stride});
    };
    if (computation.store < 0) {
      run(scratch + computation.scratch_offset,
          tiling.RowPitch() * computation.element_bytes);
    } else {
      const TensorAccess& access = plan.stores[computation.store].access;
      run(pass.stores[computation.store].At(access.base_bytes),
          tiling.RowStride(access.byte_strides));
    }
  }
}

}  // namespace stridecast
