// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/segments.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace stridecast {

SegmentedBytes SegmentedBytes::View(int64_t begin, int64_t count) const {
  assert(begin >= 0 && count >= 0 && begin + count <= size_bytes_);
  SegmentedBytes view;
  auto segment = std::upper_bound(
      segments_.begin(), segments_.end(), begin,
      [](int64_t position, const Segment& s) { return position < s.begin; });
  while (count > 0) {
    const Segment& source = *(segment - 1);
    const int64_t skipped = begin - source.begin;
    const int64_t piece = std::min(count, source.size_bytes - skipped);
    view.Append(source.data + skipped, piece);
    begin += piece;
    count -= piece;
    ++segment;
  }
  return view;
}

void SegmentedBytes::CopyTo(int64_t begin, int64_t count,
                            std::byte* destination) const {
  assert(begin >= 0 && count >= 0 && begin + count <= size_bytes_);
  if (count == 0) return;
  auto segment = std::upper_bound(
      segments_.begin(), segments_.end(), begin,
      [](int64_t position, const Segment& s) { return position < s.begin; });
  --segment;
  while (count > 0) {
    const int64_t skipped = begin - segment->begin;
    const int64_t piece = std::min(count, segment->size_bytes - skipped);
    std::memcpy(destination, segment->data + skipped,
                static_cast<size_t>(piece));
    destination += piece;
    begin += piece;
    count -= piece;
    ++segment;
  }
}

}  // namespace stridecast
