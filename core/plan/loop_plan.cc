// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/loop_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stridecast {
namespace {

std::vector<Loop> LoopsOf(absl::Span<const int64_t> extents,
                          absl::Span<const DimVector> byte_strides) {
  std::vector<Loop> loops;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    Loop loop{extents[d], {}};
    for (const DimVector& strides : byte_strides) {
      loop.byte_strides.push_back(strides[d]);
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

// Stable, so that ties keep the logical order.
void SortByStride(std::vector<Loop>& loops, int lead) {
  std::stable_sort(
      loops.begin(), loops.end(), [lead](const Loop& a, const Loop& b) {
        return std::abs(a.byte_strides[lead]) > std::abs(b.byte_strides[lead]);
      });
}

bool CanMerge(const Loop& outer, const Loop& inner) {
  for (size_t t = 0; t < outer.byte_strides.size(); ++t) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(inner.byte_strides[t], inner.extent, &reach) ||
        outer.byte_strides[t] != reach) {
      return false;
    }
  }
  return true;
}

std::vector<Loop> Merge(std::vector<Loop> loops) {
  std::vector<Loop> merged;
  for (Loop& loop : loops) {
    if (!merged.empty() && CanMerge(merged.back(), loop)) {
      loop.extent *= merged.back().extent;
      merged.back() = std::move(loop);
    } else {
      merged.push_back(std::move(loop));
    }
  }
  return merged;
}

}  // namespace

std::vector<Loop> MakeLoops(absl::Span<const int64_t> extents,
                            absl::Span<const DimVector> byte_strides,
                            int lead) {
  std::vector<Loop> loops = LoopsOf(extents, byte_strides);
  SortByStride(loops, lead);
  return Merge(std::move(loops));
}

}  // namespace stridecast
