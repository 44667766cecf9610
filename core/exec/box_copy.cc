// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_copy.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/exec/walk_box.h"

namespace stridecast {
namespace {

constexpr int64_t kStageBytes = 16 << 10;

}  // namespace

BoxCopy::BoxCopy(int64_t element_bytes, Dims dims)
    : element_bytes_(element_bytes),
      dims_(std::move(dims)),
      destination_run_bytes_(DestinationRun()),
      col_(Take(ChooseCol())),
      row_(Take(ChooseRow())) {}

void BoxCopy::Run(const KernelTable& kernels, const std::byte* source,
                  std::byte* destination, bool past_cache) const {
  if (!past_cache) {
    return RunPlanes(kernels.Copy(element_bytes_), source, destination);
  }
  if (dims_.empty() || destination_run_bytes_ == 0 ||
      destination_run_bytes_ > kStageBytes) {
    return RunPlanes(kernels.CopyPastCache(element_bytes_), source,
                     destination);
  }
  alignas(64) std::byte stage[kStageBytes];
  RunPlanes(kernels.Copy(element_bytes_), source, stage);
  kernels.CopyPastCache(1)(1, destination_run_bytes_, stage, 0, 1, destination,
                           0, 1);
}

void BoxCopy::RunPlanes(CopyKernel copy, const std::byte* source,
                        std::byte* destination) const {
  WalkBox(
      dims_,
      [&](const Dim& dim, int64_t steps) {
        source += steps * dim.source;
        destination += steps * dim.destination;
      },
      [&] {
        copy(row_.extent, col_.extent, source, row_.source, col_.source,
             destination, row_.destination, col_.destination);
      });
}

int64_t BoxCopy::DestinationRun() const {
  int64_t num_bytes = element_bytes_;
  for (size_t found = 0; found < dims_.size(); ++found) {
    const auto next = std::find_if(
        dims_.begin(), dims_.end(),
        [&](const Dim& dim) { return dim.destination == num_bytes; });
    if (next == dims_.end()) return 0;
    num_bytes *= next->extent;
  }
  return num_bytes;
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
int BoxCopy::ChooseRow() const {
  int row = static_cast<int>(dims_.size()) - 1;
  if (col_.source == element_bytes_) return row;
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
