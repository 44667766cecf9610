// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/copy_elements.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <variant>

#include "absl/container/inlined_vector.h"

namespace stridecast {
namespace {

struct Loop {
  int64_t extent;
  int64_t byte_stride;  // not negative
};

// The bytes of elements as runs without gaps, at the front and behind it.
struct Runs {
  int64_t begin;
  int64_t size_bytes;
  absl::InlinedVector<Loop, kInlineRank> loops;  // outermost first
};

// Where elements lie does not depend on the direction in which a dimension
// runs, nor on the order of dimensions: the strides are taken as positive, and
// the greatest first, so that memory is walked forwards.
Runs RunsOf(const TensorDesc& desc) {
  const DimVector byte_strides = desc.byte_strides();
  Runs runs{desc.byte_offset(), desc.element_bytes(), {}};
  for (int d = 0; d < desc.rank(); ++d) {
    const int64_t extent = desc.shape().extent(d);
    if (extent == 1) continue;
    if (byte_strides[d] < 0) runs.begin += (extent - 1) * byte_strides[d];
    runs.loops.push_back({extent, std::abs(byte_strides[d])});
  }
  std::sort(runs.loops.begin(), runs.loops.end(),
            [](const Loop& a, const Loop& b) {
              return a.byte_stride > b.byte_stride;
            });
  while (!runs.loops.empty() &&
         runs.loops.back().byte_stride == runs.size_bytes) {
    runs.size_bytes *= runs.loops.back().extent;
    runs.loops.pop_back();
  }
  return runs;
}

void CopyLoops(absl::Span<const Loop> loops, int64_t begin, int64_t size_bytes,
               const SegmentedBytes& payload, std::byte* buffer) {
  if (loops.empty()) {
    payload.CopyTo(begin, size_bytes, buffer + begin);
    return;
  }
  for (int64_t i = 0; i < loops[0].extent; ++i) {
    CopyLoops(loops.subspan(1), begin + i * loops[0].byte_stride, size_bytes,
              payload, buffer);
  }
}

}  // namespace

void CopyElements(const TensorDesc& desc, const SegmentedBytes& payload,
                  std::byte* buffer) {
  if (std::holds_alternative<DimensionOrder>(desc.layout().form())) {
    payload.CopyTo(0, payload.size_bytes(), buffer);
    return;
  }
  const Runs runs = RunsOf(desc);
  CopyLoops(runs.loops, runs.begin, runs.size_bytes, payload, buffer);
}

}  // namespace stridecast
