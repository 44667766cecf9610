// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_shape.h"

#include <algorithm>
#include <utility>

#include "core/exec/walk_box.h"

namespace stridecast {
namespace {

// Lines that are asked for before any of a box is read, or somewhat more.
constexpr int64_t kFirstLines = 384;
// The least sides of a kernel's matrices, see BoxKernel.
constexpr int64_t kMinRowsBytes = 16;
constexpr int64_t kMinColsBytes = 9;

}  // namespace

int64_t StagePitch(const BoxPlan& plan) {
  const int64_t lines = (plan.run_bytes + kLine - 1) / kLine + 1;
  return (lines | 1) * kLine;
}

BoxShape::BoxShape(const BoxPlan& plan, const KernelTable& kernels,
                   DimVector extents)
    : kernels_(kernels),
      element_bytes_(plan.element_bytes),
      extents_(std::move(extents)),
      copy_(PlaceRuns(plan)),
      side_by_side_(kLine / plan.element_bytes) {
  MakeMatrices();
}

// Takes the part with that stride out of `parts`; false if there is none.
bool BoxShape::Take(Stride stride, int64_t wanted, Parts& parts, Parts& group) {
  const auto found =
      std::find_if(parts.begin(), parts.end(),
                   [&](const Part& part) { return part.*stride == wanted; });
  if (found == parts.end()) return false;
  group.push_back(*found);
  parts.erase(found);
  return true;
}

int64_t BoxShape::Elements(const Parts& parts) {
  int64_t elements = 1;
  for (const Part& part : parts) elements *= part.extent;
  return elements;
}

// Of all elements of `parts`, the first part's index running fastest.
std::vector<int64_t> BoxShape::Offsets(const Parts& parts, Stride stride) {
  std::vector<int64_t> offsets = {0};
  offsets.reserve(static_cast<size_t>(Elements(parts)));
  for (const Part& part : parts) {
    const size_t count = offsets.size();
    for (int64_t i = 1; i < part.extent; ++i) {
      for (size_t k = 0; k < count; ++k) {
        offsets.push_back(offsets[k] + i * part.*stride);
      }
    }
  }
  return offsets;
}

// In a stage runs of the result are at the plan's pitch, in the order of the
// source, so that rows of matrices are evenly apart.
BoxCopy BoxShape::PlaceRuns(const BoxPlan& plan) {
  for (size_t d = 0; d < extents_.size(); ++d) {
    if (extents_[d] == 1) continue;
    const BoxPlan::Dim& dim = plan.dims[d];
    parts_.push_back({extents_[d], dim.source_stride, dim.result_stride, 0});
  }
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.result < b.result; });
  run_bytes_ = element_bytes_;
  auto first_run = parts_.begin();
  for (; first_run != parts_.end() && first_run->result == run_bytes_;
       ++first_run) {
    first_run->destination = run_bytes_;
    run_bytes_ *= first_run->extent;
  }
  std::sort(first_run, parts_.end(),
            [](const Part& a, const Part& b) { return a.source < b.source; });
  int64_t place = StagePitch(plan);
  for (auto part = first_run; part != parts_.end(); ++part) {
    part->destination = place;
    place *= part->extent;
  }
  if (!plan.staged) {
    for (Part& part : parts_) part.destination = part.result;
  }
  run_offsets_ = Offsets(Parts(first_run, parts_.end()), &Part::result);
  BoxCopy::Dims dims;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    dims.push_back({part->extent, part->source, part->destination});
  }
  return BoxCopy(element_bytes_, std::move(dims));
}

// Rows follow each other in the source, columns in the result; what both could
// take is the shorter side's.
void BoxShape::MakeMatrices() {
  Parts left = parts_;
  Parts rows;
  Parts cols;
  const auto next = [&](const Parts& group) {
    return Elements(group) * element_bytes_;
  };
  const auto is_both =
      std::any_of(left.begin(), left.end(), [&](const Part& part) {
        return part.source == element_bytes_ && part.result == element_bytes_;
      });
  const bool are_matrices = !is_both &&
                            Take(&Part::source, element_bytes_, left, rows) &&
                            Take(&Part::result, element_bytes_, left, cols);
  for (bool found = are_matrices; found;) {
    if (Elements(rows) < Elements(cols)) {
      found = Take(&Part::source, next(rows), left, rows) ||
              Take(&Part::result, next(cols), left, cols);
    } else {
      found = Take(&Part::result, next(cols), left, cols) ||
              Take(&Part::source, next(rows), left, rows);
    }
  }
  if (are_matrices && next(rows) >= kMinRowsBytes &&
      next(cols) >= kMinColsBytes) {
    kernel_ = kernels_.Box(element_bytes_);
  }
  if (kernel_ == nullptr) {
    ListWholeRuns();
    return;
  }
  rows_ = Offsets(rows, &Part::destination);
  cols_ = Offsets(cols, &Part::source);
  matrices_ = left;
  if (cols.front().source == next(rows)) {
    ListWholeRuns();
  } else {
    ListColumns(cols);
  }
}

// What the kernel reads: a line each of as many columns as fill a line of the
// destination, then the next line of each.
void BoxShape::ListColumns(const Parts& columns) {
  Parts others = columns;
  others.insert(others.end(), matrices_.rbegin(), matrices_.rend());
  reads_ = Offsets(others, &Part::source);
  read_bytes_ = static_cast<int64_t>(rows_.size()) * element_bytes_;
  matrix_reads_ = static_cast<int64_t>(cols_.size());
  const int64_t lines = LinesOfRun(read_bytes_) * side_by_side_;
  first_reads_ = std::min((kFirstLines + lines - 1) / lines * side_by_side_,
                          static_cast<int64_t>(reads_.size()));
}

// What lies together, all of it first: where columns follow each other memory
// is faster in its own order, parts of several matrices by turns; and copies
// ask for nothing of this.
void BoxShape::ListWholeRuns() {
  Parts left = parts_;
  Parts run;
  read_bytes_ = element_bytes_;
  while (Take(&Part::source, read_bytes_, left, run)) {
    read_bytes_ *= run.back().extent;
  }
  left.erase(std::remove_if(left.begin(), left.end(),
                            [](const Part& part) { return part.source == 0; }),
             left.end());
  reads_ = Offsets(left, &Part::source);
  first_reads_ = static_cast<int64_t>(reads_.size());
  matrix_reads_ = first_reads_;
}

FetchAhead::Runs BoxShape::FirstReads(const std::byte* source) const {
  FetchAhead::Runs runs = Reads(source);
  runs.end = first_reads_;
  return runs;
}

FetchAhead::Runs BoxShape::OtherReads(const std::byte* source) const {
  FetchAhead::Runs runs = Reads(source);
  runs.begin = first_reads_;
  return runs;
}

FetchAhead::Runs BoxShape::Reads(const std::byte* source) const {
  FetchAhead::Runs runs;
  runs.base = source;
  runs.offsets = reads_.data();
  runs.end = static_cast<int64_t>(reads_.size());
  runs.run_bytes = read_bytes_;
  runs.matrix_runs = matrix_reads_;
  runs.side_by_side = side_by_side_;
  return runs;
}

void BoxShape::BringIntoOrder(const std::byte* source, std::byte* destination,
                              FetchAhead* ahead) const {
  if (kernel_ == nullptr) {
    copy_.Run(kernels_, source, destination);
    return;
  }
  BoxArgs args;
  args.rows = static_cast<int64_t>(rows_.size());
  args.cols = static_cast<int64_t>(cols_.size());
  args.source = source;
  args.col_offsets = cols_.data();
  args.destination = destination;
  args.row_offsets = rows_.data();
  args.ahead = ahead;
  WalkBox(
      matrices_,
      [&](const Part& part, int64_t steps) {
        args.source += steps * part.source;
        args.destination += steps * part.destination;
      },
      [&] { kernel_(args); });
}

RunsArgs BoxShape::RunsTo(std::byte* result) const {
  RunsArgs args{};
  args.num_runs = static_cast<int64_t>(run_offsets_.size());
  args.run_bytes = run_bytes_;
  args.result = result;
  args.offsets = run_offsets_.data();
  return args;
}

}  // namespace stridecast
