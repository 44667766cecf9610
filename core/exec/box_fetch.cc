// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_fetch.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstdlib>

#include "core/exec/walk_box.h"

namespace stridecast {
namespace {

constexpr int64_t kMaxSmallBytes = 48 << 10;
constexpr int64_t kScatteredStride = 4096;

}  // namespace

void BoxFetch::AddDimension(int64_t extent, int64_t stride) {
  if (extent == 1 || stride == 0) return;
  num_bytes_ *= extent;
  is_scattered_ = is_scattered_ && (stride == element_bytes_ ||
                                    std::abs(stride) >= kScatteredStride);
  dims_.push_back({extent, stride});
  const auto follows_run = [&](const Dim& dim) {
    return dim.stride == run_bytes_;
  };
  while (true) {
    const auto next = std::find_if(dims_.begin(), dims_.end(), follows_run);
    if (next == dims_.end()) break;
    run_bytes_ *= next->extent;
    dims_.erase(next);
  }
}

void BoxFetch::Run(const std::byte* data) const {
  if (dims_.empty()) return;
  if (num_bytes_ > kMaxSmallBytes && !is_scattered_) return;
  WalkBox(
      dims_, [&](const Dim& dim, int64_t steps) { data += steps * dim.stride; },
      [&] {
        for (int64_t at = 0; at < run_bytes_; at += 64) {
          _mm_prefetch(data + at, _MM_HINT_T1);
        }
        // A run that does not begin with a line ends in one more.
        _mm_prefetch(data + run_bytes_ - 1, _MM_HINT_T1);
      });
}

}  // namespace stridecast
