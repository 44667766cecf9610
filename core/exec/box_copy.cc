// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_copy.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "core/exec/gaps.h"
#include "core/exec/walk_box.h"
#include "core/kernels/fetch_ahead.h"

namespace stridecast {
namespace {

// Of the source.
constexpr int64_t kMaxFetchedBytes = 4096;
// Of larger planes of the destination few lines are written in parts.
constexpr int64_t kMaxStagedPlaneBytes = kStageBytes / 8;

}  // namespace

BoxCopy::BoxCopy(int64_t element_bytes, Dims dims)
    : element_bytes_(element_bytes),
      dims_(std::move(dims)),
      destination_run_bytes_(DestinationRun()),
      col_(Take(ChooseCol())),
      row_(Take(ChooseRow())),
      ahead_(ChooseAhead()) {}

void BoxCopy::Run(const KernelTable& kernels, const std::byte* source,
                  std::byte* destination, Route route) const {
  const CopyKernel copy = route == Route::kFromMemory
                              ? kernels.CopyFromMemory(element_bytes_)
                              : kernels.Copy(element_bytes_);
  if (route != Route::kPastCache) {
    return RunPlanes(dims_, copy, source, destination);
  }
  alignas(64) std::byte stage[kStageBytes];
  const auto stream = [&](int64_t num_bytes, std::byte* to) {
    kernels.CopyPastCache(1)(1, num_bytes, stage, 0, 1, to, 0, 1);
  };
  const bool is_run = !dims_.empty() && destination_run_bytes_ > 0;
  if (is_run && destination_run_bytes_ <= kStageBytes) {
    RunPlanes(dims_, copy, source, stage);
    return stream(destination_run_bytes_, destination);
  }
  const auto outer = std::max_element(
      dims_.begin(), dims_.end(),
      [](const Dim& a, const Dim& b) { return a.destination < b.destination; });
  if (!is_run || outer->destination > kMaxStagedPlaneBytes ||
      outer->extent * outer->destination < destination_run_bytes_) {
    return RunPlanes(dims_, kernels.CopyPastCache(element_bytes_), source,
                     destination);
  }
  // As many steps along the outermost dimension as fit.
  const int64_t most = kStageBytes / outer->destination;
  Dims dims = dims_;
  Dim& part = dims[static_cast<size_t>(outer - dims_.begin())];
  for (int64_t i = 0; i < outer->extent; i += most) {
    part.extent = std::min(most, outer->extent - i);
    RunPlanes(dims, copy, source + i * part.source, stage);
    stream(part.extent * part.destination, destination + i * part.destination);
  }
}

void BoxCopy::RunWithRowGaps(const KernelTable& kernels,
                             const std::byte* source, const StorePlan& store,
                             bool is_after_last, std::byte* destination) const {
  const int64_t gap_bytes = store.gaps[0].bytes;
  const int64_t pitch = row_.destination;
  const int64_t row_bytes = pitch - gap_bytes;
  assert(row_bytes == col_.extent * element_bytes_ &&
         col_.source == element_bytes_ && pitch <= kStageBytes);
  const int64_t most_rows = std::min(kStageBytes / pitch, row_.extent);
  alignas(64) std::byte stage[kStageBytes];
  for (int64_t r = 0; r < most_rows; ++r) {
    FillBytes(store, stage + r * pitch + row_bytes, gap_bytes);
  }
  const CopyKernel copy = kernels.Copy(element_bytes_);
  const CopyKernel stream = kernels.CopyPastCache(1);
  ForEachPlane(dims_, source, destination, [&] {
    for (int64_t r = 0; r < row_.extent; r += most_rows) {
      const int64_t rows = std::min(most_rows, row_.extent - r);
      const bool ends_with_gap = r + rows < row_.extent || is_after_last;
      copy(rows, col_.extent, source + r * row_.source, row_.source,
           col_.source, stage, pitch, element_bytes_);
      stream(1, rows * pitch - (ends_with_gap ? 0 : gap_bytes), stage, 0, 1,
             destination + r * pitch, 0, 1);
    }
  });
}

void BoxCopy::RunPlanes(const Dims& dims, CopyKernel copy,
                        const std::byte* source, std::byte* destination) const {
  ForEachPlane(dims, source, destination, [&] {
    FetchAhead(source);
    copy(row_.extent, col_.extent, source, row_.source, col_.source,
         destination, row_.destination, col_.destination);
  });
}

template <class Visit>
void BoxCopy::ForEachPlane(const Dims& dims, const std::byte*& source,
                           std::byte*& destination, Visit visit) const {
  WalkBox(
      dims,
      [&](const Dim& dim, int64_t steps) {
        source += steps * dim.source;
        destination += steps * dim.destination;
      },
      visit);
}

// Reach of a plane of the source, to either side of its first element.
int64_t BoxCopy::PlaneBelow() const {
  return std::min<int64_t>((row_.extent - 1) * row_.source, 0) +
         std::min<int64_t>((col_.extent - 1) * col_.source, 0);
}

int64_t BoxCopy::PlaneAbove() const {
  return std::max<int64_t>((row_.extent - 1) * row_.source, 0) +
         std::max<int64_t>((col_.extent - 1) * col_.source, 0) + element_bytes_;
}

int64_t BoxCopy::ChooseAhead() const {
  if (dims_.empty() || dims_.back().source == 0 ||
      (row_.source >= 0 && col_.source >= 0) ||
      PlaneAbove() - PlaneBelow() > kMaxFetchedBytes) {
    return 0;
  }
  return RowsAhead(dims_.back().source);
}

void BoxCopy::FetchAhead(const std::byte* source) const {
  if (ahead_ == 0) return;
  const int64_t below = PlaneBelow();
  FetchRun(source + ahead_ + below, PlaneAbove() - below);
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
