// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs one tile of a pass on the calling thread: block by block, the pass'
// actions on scratch memory and buffers, then the gaps that the tile owns.

#ifndef STRIDECAST_CORE_EXEC_TILE_RUNNER_H_
#define STRIDECAST_CORE_EXEC_TILE_RUNNER_H_

#include <cstddef>

#include "absl/types/span.h"
#include "core/exec/pass_kernels.h"
#include "core/plan/pass_plan.h"
#include "stridecast/segments.h"

namespace stridecast {

// A result or temporary, or the part of it that one run writes, whose first
// byte is byte `begin` of the whole.
struct StoreBuffer {
  std::byte* data;
  int64_t begin;

  std::byte* At(int64_t position) const { return data + (position - begin); }
};

// A pass with its buffers: what all tiles of one run share.
struct BoundPass {
  const PassPlan* plan;
  const PassKernels* kernels;
  absl::Span<const SegmentedBytes* const> leaves;  // by leaf: its source
  absl::Span<const StoreBuffer> stores;            // by store
};

// `scratch` has plan->scratch_bytes, 64-byte aligned, used by no other thread.
void RunTile(const BoundPass& pass, const Tile& tile, std::byte* scratch);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_TILE_RUNNER_H_
