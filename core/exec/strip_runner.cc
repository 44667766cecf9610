// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/strip_runner.h"

#include <algorithm>

namespace stridecast {
namespace {

using Stride = int64_t LoopGroup::Part::*;

// Writes the offsets of indices [begin, begin + count) of a group.
void WriteOffsets(const LoopGroup& group, Stride stride, int64_t begin,
                  int64_t count, int64_t* offsets) {
  DimVector index(group.parts.size(), 0);
  int64_t offset = 0;
  for (size_t p = group.parts.size(); p-- > 0;) {
    const LoopGroup::Part& part = group.parts[p];
    index[p] = begin % part.extent;
    offset += index[p] * part.*stride;
    begin /= part.extent;
  }
  if (group.parts.empty()) {
    offsets[0] = 0;
    return;
  }
  const size_t last = group.parts.size() - 1;
  const int64_t step = group.parts[last].*stride;
  while (count > 0) {
    const int64_t left = group.parts[last].extent - index[last];
    const int64_t run = std::min(left, count);
    for (int64_t i = 0; i < run; ++i) offsets[i] = offset + i * step;
    offsets += run;
    count -= run;
    offset -= index[last] * step;
    index[last] = 0;
    for (size_t p = last; p-- > 0;) {
      const LoopGroup::Part& part = group.parts[p];
      offset += part.*stride;
      if (++index[p] < part.extent) break;
      offset -= part.extent * part.*stride;
      index[p] = 0;
    }
  }
}

// The kernels' `unfinished`.
int64_t UnfinishedBytes(const StripPlan& plan) { return plan.tile_rows * 64; }

}  // namespace

int64_t RelayoutScratchBytes(const StripPlan& plan) {
  // What the kernel wants, and the offsets of rows, columns and matrices.
  const int64_t offsets =
      (plan.tile_rows + plan.tile_cols + 2 * plan.tile_matrices) *
      static_cast<int64_t>(sizeof(int64_t));
  return UnfinishedBytes(plan) + (offsets + 63) / 64 * 64;
}

void RunRelayoutTile(const StripPlan& plan, const KernelTable& kernels,
                     int64_t number, const std::byte* source, std::byte* result,
                     std::byte* scratch) {
  const int64_t num_rows = plan.rows.extent();
  const int64_t num_cols = plan.cols.extent();
  const int64_t down = (num_rows + plan.tile_rows - 1) / plan.tile_rows;
  const int64_t across = (num_cols + plan.tile_cols - 1) / plan.tile_cols;
  const int64_t col = number % across * plan.tile_cols;
  const int64_t row = number / across % down * plan.tile_rows;
  const int64_t first = number / across / down * plan.tile_matrices;

  StripArgs args;
  args.rows = std::min(plan.tile_rows, num_rows - row);
  args.cols = std::min(plan.tile_cols, num_cols - col);
  args.past_cache = plan.past_cache;
  args.unfinished = scratch;
  auto* row_offsets =
      reinterpret_cast<int64_t*>(args.unfinished + UnfinishedBytes(plan));
  auto* col_offsets = row_offsets + plan.tile_rows;
  WriteOffsets(plan.rows, &LoopGroup::Part::result_stride, row, args.rows,
               row_offsets);
  WriteOffsets(plan.cols, &LoopGroup::Part::source_stride, col, args.cols,
               col_offsets);
  args.row_offsets = row_offsets;
  args.col_offsets = col_offsets;
  args.matrices = std::min(plan.tile_matrices, plan.outer.extent() - first);
  auto* source_offsets = col_offsets + plan.tile_cols;
  auto* result_offsets = source_offsets + plan.tile_matrices;
  WriteOffsets(plan.outer, &LoopGroup::Part::source_stride, first,
               args.matrices, source_offsets);
  WriteOffsets(plan.outer, &LoopGroup::Part::result_stride, first,
               args.matrices, result_offsets);
  args.source_offsets = source_offsets;
  args.result_offsets = result_offsets;
  args.source = source + row * plan.element_bytes;
  args.result = result + col * plan.element_bytes;
  kernels.Strip(plan.element_bytes)(args);
}

}  // namespace stridecast
