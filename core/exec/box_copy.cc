// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_copy.h"

#include <algorithm>
#include <cstdlib>

namespace stridecast {
namespace {

constexpr int64_t kStageBytes = 16 << 10;

}  // namespace

// True if all of the destination is one run.
bool BoxCopy::RunByStage(const KernelTable& kernels, const std::byte* source,
                         std::byte* destination) const {
  int64_t num_bytes = element_bytes_;
  for (size_t found = 0; found < dims_.size(); ++found) {
    const auto next = std::find_if(
        dims_.begin(), dims_.end(),
        [&](const Dim& dim) { return dim.destination == num_bytes; });
    if (next == dims_.end()) return false;
    num_bytes *= next->extent;
  }
  if (num_bytes > kStageBytes) return false;
  alignas(64) std::byte stage[kStageBytes];
  BoxCopy(*this).Run(kernels, source, stage);
  kernels.CopyPastCache(1)(1, num_bytes, stage, 0, 1, destination, 0, 1);
  return true;
}

void BoxCopy::Run(const KernelTable& kernels, const std::byte* source,
                  std::byte* destination, bool past_cache) {
  if (past_cache && dims_.size() > 2 &&
      RunByStage(kernels, source, destination)) {
    return;
  }
  const CopyKernel copy = past_cache ? kernels.CopyPastCache(element_bytes_)
                                     : kernels.Copy(element_bytes_);
  const Dim col = Take(ChooseCol());
  const Dim row = Take(ChooseRow(col));
  absl::InlinedVector<int64_t, kInlineRank> index(dims_.size(), 0);
  for (;;) {
    copy(row.extent, col.extent, source, row.source, col.source, destination,
         row.destination, col.destination);
    size_t d = dims_.size();
    for (; d > 0; --d) {
      const Dim& dim = dims_[d - 1];
      source += dim.source;
      destination += dim.destination;
      if (++index[d - 1] < dim.extent) break;
      source -= dim.extent * dim.source;
      destination -= dim.extent * dim.destination;
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

// Along the destination's dense dimension if it has one.
int BoxCopy::ChooseCol() const {
  int col = static_cast<int>(dims_.size()) - 1;
  for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
    if (dims_[d].destination == element_bytes_) col = d;
  }
  return col;
}

// The source's dense dimension if it is another, else the innermost left.
int BoxCopy::ChooseRow(const Dim& col) const {
  int row = static_cast<int>(dims_.size()) - 1;
  if (col.source == element_bytes_) return row;
  for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
    if (std::abs(dims_[d].source) == element_bytes_) row = d;
  }
  return row;
}

BoxCopy::Dim BoxCopy::Take(int d) {
  if (d < 0) return {1, 0, 0};
  const Dim dim = dims_[d];
  dims_.erase(dims_.begin() + d);
  return dim;
}

}  // namespace stridecast
