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

// A part of a payload on its way to its place in the buffer.
struct Part {
  const SegmentedBytes& bytes;
  int64_t begin;
  std::byte* buffer;
  int64_t end() const { return begin + bytes.size_bytes(); }
};

void CopyRun(const Part& part, int64_t begin, int64_t end) {
  begin = std::max(begin, part.begin);
  end = std::min(end, part.end());
  if (begin >= end) return;
  part.bytes.CopyTo(begin - part.begin, end - begin, part.buffer + begin);
}

// `reach`: from the first byte of what the inner loops walk to behind the last.
void CopyLoops(absl::Span<const Loop> loops, int64_t begin, int64_t reach,
               const Part& part) {
  if (loops.empty()) return CopyRun(part, begin, begin + reach);
  const auto [extent, byte_stride] = loops[0];
  const int64_t inner_reach = reach - (extent - 1) * byte_stride;
  // A stride of 0 has no index to begin with.
  const int64_t first =
      byte_stride == 0
          ? 0
          : std::max<int64_t>(0,
                              (part.begin - begin - inner_reach) / byte_stride);
  for (int64_t i = first; i < extent; ++i) {
    const int64_t at = begin + i * byte_stride;
    if (at >= part.end()) return;
    CopyLoops(loops.subspan(1), at, inner_reach, part);
  }
}

}  // namespace

void CopyElements(const TensorDesc& desc, const SegmentedBytes& payload,
                  int64_t begin, std::byte* buffer) {
  if (std::holds_alternative<DimensionOrder>(desc.layout().form())) {
    payload.CopyTo(0, payload.size_bytes(), buffer + begin);
    return;
  }
  if (desc.num_elements() == 0) return;
  const Runs runs = RunsOf(desc);
  int64_t reach = runs.size_bytes;
  for (const Loop& loop : runs.loops) {
    reach += (loop.extent - 1) * loop.byte_stride;
  }
  CopyLoops(runs.loops, runs.begin, reach, {payload, begin, buffer});
}

}  // namespace stridecast
