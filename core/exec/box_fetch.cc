// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_fetch.h"

#include <xmmintrin.h>

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
  if (stride == element_bytes_) {
    run_bytes_ *= extent;
    return;
  }
  is_scattered_ = is_scattered_ && std::abs(stride) >= kScatteredStride;
  dims_.push_back({extent, stride});
}

void BoxFetch::Run(const std::byte* data) const {
  if (num_bytes_ > kMaxSmallBytes && !is_scattered_) return;
  WalkBox(
      dims_, [&](const Dim& dim, int64_t steps) { data += steps * dim.stride; },
      [&] {
        for (int64_t at = 0; at < run_bytes_; at += 64) {
          _mm_prefetch(data + at, _MM_HINT_T1);
        }
      });
}

}  // namespace stridecast
