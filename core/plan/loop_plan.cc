// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/loop_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stridecast {
namespace {

// The dimensions that need loops, outermost first. Ties keep the logical order.
DimVector OrderByStride(absl::Span<const int64_t> extents,
                        const DimVector& strides) {
  DimVector order;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] > 1) order.push_back(static_cast<int64_t>(d));
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t stride_a = std::abs(strides[a]);
    const int64_t stride_b = std::abs(strides[b]);
    return stride_a != stride_b ? stride_a > stride_b : a < b;
  });
  return order;
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

}  // namespace

std::vector<Loop> MakeLoops(absl::Span<const int64_t> extents,
                            absl::Span<const DimVector> byte_strides,
                            int lead) {
  const DimVector order = OrderByStride(extents, byte_strides[lead]);
  std::vector<Loop> loops;
  loops.reserve(order.size());
  for (const int64_t d : order) {
    Loop loop{extents[d], {}};
    for (const DimVector& strides : byte_strides) {
      loop.byte_strides.push_back(strides[d]);
    }
    if (!loops.empty() && CanMerge(loops.back(), loop)) {
      loop.extent *= loops.back().extent;
      loops.back() = std::move(loop);
    } else {
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

bool Repeats(const std::vector<Loop>& loops, int tensor) {
  return std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
    return loop.byte_strides[tensor] == 0;
  });
}

}  // namespace stridecast
