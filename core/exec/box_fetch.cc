// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_fetch.h"

#include <algorithm>

#include "core/kernels/fetch_ahead.h"

namespace stridecast {
namespace {

constexpr int64_t kMaxSmallBytes = 48 << 10;
constexpr int64_t kScatteredStride = 4096;

}  // namespace

void BoxFetch::AddDimension(int64_t extent, int64_t stride) {
  if (extent == 1 || stride == 0) return;
  num_bytes_ *= extent;
  if (stride < 0) {
    first_ += (extent - 1) * stride;
    stride = -stride;
  }
  is_scattered_ =
      is_scattered_ && (stride < kLine || stride >= kScatteredStride);
  dims_.push_back({extent, stride});
  // Not a line is left out.
  const auto follows_run = [&](const Dim& dim) {
    return dim.stride < run_bytes_ + kLine;
  };
  while (true) {
    const auto next = std::find_if(dims_.begin(), dims_.end(), follows_run);
    if (next == dims_.end()) break;
    run_bytes_ += (next->extent - 1) * next->stride;
    dims_.erase(next);
  }
}

bool BoxFetch::IsLeftToCpu() const {
  return dims_.empty() || (num_bytes_ > kMaxSmallBytes && !is_scattered_);
}

void BoxFetch::Run(const std::byte* data) const {
  ForEachRun([data](int64_t first, int64_t last) {
    FetchRun(data + first, last - first + 1);
  });
}

}  // namespace stridecast
