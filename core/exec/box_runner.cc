// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_runner.h"

#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/exec/box_copy.h"
#include "core/exec/walk_box.h"
#include "core/kernels/fetch_ahead.h"

namespace stridecast {
namespace {

// Lines of the source that are asked for before they are read, at least: fewer
// come late, more drive out what is in L2.
constexpr int64_t kLinesAhead = 256;

// From run to run of the stage: with the line before it, and an odd number of
// lines, lest runs share the sets of a cache.
int64_t PitchOf(const BoxPlan& plan) {
  const int64_t lines = (plan.run_bytes + kLine - 1) / kLine + 1;
  return (lines | 1) * kLine;
}

int64_t StageBytes(const BoxPlan& plan) {
  return plan.num_runs * PitchOf(plan);
}

int64_t UnfinishedBytes(const BoxPlan& plan) {
  return plan.num_boxes_between() * plan.num_runs * kLine;
}

// A dimension of a box.
struct Part {
  int64_t extent;
  int64_t source;  // strides in bytes
  int64_t result;
  int64_t stage;
};
using Parts = absl::InlinedVector<Part, kInlineRank>;
using Stride = int64_t Part::*;

// Takes the part with that stride out of `parts`; false if there is none.
bool Take(Stride stride, int64_t wanted, Parts& parts, Parts& group) {
  const auto found =
      std::find_if(parts.begin(), parts.end(),
                   [&](const Part& part) { return part.*stride == wanted; });
  if (found == parts.end()) return false;
  group.push_back(*found);
  parts.erase(found);
  return true;
}

int64_t Elements(const Parts& parts) {
  int64_t elements = 1;
  for (const Part& part : parts) elements *= part.extent;
  return elements;
}

// Of all elements of `parts`, the first part's index running fastest.
std::vector<int64_t> Offsets(const Parts& parts, Stride stride) {
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

// All that boxes of the same extents have in common.
class BoxShape {
 public:
  BoxShape(const BoxPlan& plan, DimVector extents)
      : extents_(std::move(extents)), copy_(PlaceInStage(plan)) {
    MakeMatrices(plan.element_bytes);
    DescribeSource(plan.element_bytes);
  }

  const DimVector& extents() const { return extents_; }

  // What is read of a box at `source` before anything has been asked for.
  FetchAhead FirstFetches(const std::byte* source) const {
    return FetchAhead({source, source_rows_.data(), rows_ahead_}, {},
                      source_row_bytes_, source_group_);
  }

  // While that box is read: what is left of it, and the first of the box at
  // `next`, which is null if there is none.
  FetchAhead FetchesOf(const std::byte* source, const std::byte* next) const {
    const int64_t* const rows = source_rows_.data();
    const auto count = static_cast<int64_t>(source_rows_.size());
    return FetchAhead({source, rows + rows_ahead_, count - rows_ahead_},
                      {next, rows, next == nullptr ? 0 : rows_ahead_},
                      source_row_bytes_, source_group_);
  }

  // To the stage, of which `stage` is the first run.
  void BringIntoOrder(const KernelTable& kernels, int64_t element_bytes,
                      const std::byte* source, std::byte* stage,
                      FetchAhead* ahead) const {
    const BoxKernel kernel =
        rows_.empty() ? nullptr : kernels.Box(element_bytes);
    BoxArgs args;
    args.rows = static_cast<int64_t>(rows_.size());
    args.cols = static_cast<int64_t>(cols_.size());
    args.source = source;
    args.col_offsets = cols_.data();
    args.stage = stage;
    args.row_offsets = rows_.data();
    args.ahead = ahead;
    bool done = kernel != nullptr;
    WalkBox(
        matrices_,
        [&](const Part& part, int64_t steps) {
          args.source += steps * part.source;
          args.stage += steps * part.stage;
        },
        [&] { done = done && kernel(args); });
    if (!done) copy_.Run(kernels, source, stage);
  }

  RunsArgs RunsTo(std::byte* result) const {
    RunsArgs args{};
    args.num_runs = static_cast<int64_t>(run_offsets_.size());
    args.run_bytes = run_bytes_;
    args.result = result;
    args.offsets = run_offsets_.data();
    return args;
  }

 private:
  // Runs of the result at the plan's pitch, in the order of the source, so that
  // rows of matrices are evenly apart.
  BoxCopy PlaceInStage(const BoxPlan& plan) {
    for (size_t d = 0; d < extents_.size(); ++d) {
      if (extents_[d] == 1) continue;
      const BoxPlan::Dim& dim = plan.dims[d];
      parts_.push_back({extents_[d], dim.source_stride, dim.result_stride, 0});
    }
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.result < b.result; });
    run_bytes_ = plan.element_bytes;
    auto first_run = parts_.begin();
    for (; first_run != parts_.end() && first_run->result == run_bytes_;
         ++first_run) {
      first_run->stage = run_bytes_;
      run_bytes_ *= first_run->extent;
    }
    std::sort(first_run, parts_.end(),
              [](const Part& a, const Part& b) { return a.source < b.source; });
    int64_t place = PitchOf(plan);
    for (auto part = first_run; part != parts_.end(); ++part) {
      part->stage = place;
      place *= part->extent;
    }
    run_offsets_ = Offsets(Parts(first_run, parts_.end()), &Part::result);
    BoxCopy::Dims dims;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      dims.push_back({part->extent, part->source, part->stage});
    }
    return BoxCopy(plan.element_bytes, std::move(dims));
  }

  // What lies together in the source is a row for the fetches. They take rows
  // in the order of the matrices' columns, of which kernels read those side by
  // side that fill a line of the stage.
  void DescribeSource(int64_t element_bytes) {
    Parts left = matrix_parts_;
    left.insert(left.end(), matrices_.rbegin(), matrices_.rend());
    Parts row;
    source_row_bytes_ = element_bytes;
    while (Take(&Part::source, source_row_bytes_, left, row)) {
      source_row_bytes_ *= row.back().extent;
    }
    left.erase(std::remove_if(left.begin(), left.end(),
                              [](const Part& p) { return p.source == 0; }),
               left.end());
    source_rows_ = Offsets(left, &Part::source);
    source_group_ = std::max(kLine / element_bytes, int64_t{1});
    const int64_t group_lines = (source_row_bytes_ / kLine + 1) * source_group_;
    rows_ahead_ =
        std::min((kLinesAhead + group_lines - 1) / group_lines * source_group_,
                 static_cast<int64_t>(source_rows_.size()));
  }

  // Rows follow each other in the source, columns in the result; what both
  // could take is the shorter side's.
  void MakeMatrices(int64_t element_bytes) {
    Parts left = parts_;
    matrix_parts_ = parts_;
    Parts rows;
    Parts cols;
    const auto next = [&](const Parts& group) {
      return Elements(group) * element_bytes;
    };
    const auto is_both =
        std::any_of(left.begin(), left.end(), [&](const Part& part) {
          return part.source == element_bytes && part.result == element_bytes;
        });
    if (is_both || !Take(&Part::source, element_bytes, left, rows) ||
        !Take(&Part::result, element_bytes, left, cols)) {
      return;
    }
    for (bool found = true; found;) {
      if (Elements(rows) < Elements(cols)) {
        found = Take(&Part::source, next(rows), left, rows) ||
                Take(&Part::result, next(cols), left, cols);
      } else {
        found = Take(&Part::result, next(cols), left, cols) ||
                Take(&Part::source, next(rows), left, rows);
      }
    }
    rows_ = Offsets(rows, &Part::stage);
    cols_ = Offsets(cols, &Part::source);
    matrices_ = left;
    matrix_parts_ = rows;
    matrix_parts_.insert(matrix_parts_.end(), cols.begin(), cols.end());
  }

  DimVector extents_;
  // Of more than one element: those of a run, innermost first, then others.
  Parts parts_;
  int64_t run_bytes_ = 0;
  std::vector<int64_t> run_offsets_;  // in the result
  BoxCopy copy_;                      // to the stage, where no matrix helps
  std::vector<int64_t> rows_;         // offsets in the stage
  std::vector<int64_t> cols_;         // offsets in the source
  Parts matrix_parts_;  // of rows, then of columns; all if none helps
  Parts matrices_;      // the others
  std::vector<int64_t> source_rows_;  // offsets
  int64_t source_row_bytes_ = 0;
  int64_t source_group_ = 1;
  int64_t rows_ahead_ = 0;
};

class BoxRunner {
 public:
  BoxRunner(const BoxPlan& plan, const KernelTable& kernels, int64_t number,
            const std::byte* source, std::byte* result, std::byte* scratch)
      : plan_(plan),
        kernels_(kernels),
        pitch_(PitchOf(plan)),
        stage_(scratch),
        unfinished_(scratch + StageBytes(plan)),
        source_(source),
        result_(result) {
    for (size_t d = plan.dims.size(); d-- > 0;) {
      const BoxPlan::Dim& dim = plan.dims[d];
      const int64_t tiles = (dim.extent + dim.tile - 1) / dim.tile;
      const int64_t begin = number % tiles * dim.tile;
      number /= tiles;
      begin_.insert(begin_.begin(), begin);
      end_.insert(end_.begin(), std::min(begin + dim.tile, dim.extent));
      Move(dim, begin);
    }
    at_ = begin_;
  }

  void Run() {
    const bool joins = plan_.joined >= 0;
    const auto joined = static_cast<size_t>(joins ? plan_.joined : 0);
    ShapeHere().FirstFetches(source_).Fetch(
        std::numeric_limits<int64_t>::max());
    for (bool more = true; more;) {
      const BoxShape& shape = ShapeHere();
      const std::byte* const source = source_;
      std::byte* const slots = unfinished_ + SlotHere() * kLine;
      RunsArgs runs = shape.RunsTo(result_);
      runs.stage = stage_;
      runs.pitch = pitch_;
      runs.past_cache = plan_.past_cache;
      runs.continues = joins && at_[joined] > begin_[joined];
      runs.unfinished =
          joins && at_[joined] + plan_.dims[joined].box < end_[joined]
              ? slots
              : nullptr;
      // Long before they are read: what is loaded just after it was stored
      // waits for all stores before, and those past the caches take long.
      if (runs.continues) {
        for (int64_t r = 0; r < runs.num_runs; ++r) {
          std::memcpy(stage_ + r * pitch_, slots + r * kLine, kLine);
        }
      }
      more = Advance();
      FetchAhead ahead = shape.FetchesOf(source, more ? source_ : nullptr);
      shape.BringIntoOrder(kernels_, plan_.element_bytes, source,
                           stage_ + kLine, &ahead);
      runs.ahead = &ahead;
      kernels_.Runs()(runs);
    }
    // Others will read what is written past the caches.
    if (plan_.past_cache) _mm_sfence();
  }

 private:
  void Move(const BoxPlan::Dim& dim, int64_t steps) {
    source_ += steps * dim.source_stride;
    result_ += steps * dim.result_stride;
  }

  // To the next box; false if it was the last.
  bool Advance() {
    for (size_t d = plan_.dims.size(); d-- > 0;) {
      const BoxPlan::Dim& dim = plan_.dims[d];
      if (at_[d] + dim.box < end_[d]) {
        at_[d] += dim.box;
        Move(dim, dim.box);
        return true;
      }
      Move(dim, begin_[d] - at_[d]);
      at_[d] = begin_[d];
    }
    return false;
  }

  const BoxShape& ShapeHere() {
    DimVector extents;
    for (size_t d = 0; d < at_.size(); ++d) {
      extents.push_back(std::min(plan_.dims[d].box, end_[d] - at_[d]));
    }
    for (const auto& shape : shapes_) {
      if (shape->extents() == extents) return *shape;
    }
    shapes_.push_back(std::make_unique<BoxShape>(plan_, std::move(extents)));
    return *shapes_.back();
  }

  // The first run's place among what is unfinished.
  int64_t SlotHere() const {
    int64_t box = 0;
    for (auto d = static_cast<size_t>(plan_.joined + 1); d < at_.size(); ++d) {
      const BoxPlan::Dim& dim = plan_.dims[d];
      box = box * ((dim.tile + dim.box - 1) / dim.box) +
            (at_[d] - begin_[d]) / dim.box;
    }
    return plan_.joined < 0 ? 0 : box * plan_.num_runs;
  }

  const BoxPlan& plan_;
  const KernelTable& kernels_;
  const int64_t pitch_;
  std::byte* const stage_;
  std::byte* const unfinished_;
  const std::byte* source_;  // of the box
  std::byte* result_;
  DimVector begin_;  // of the tile
  DimVector end_;
  DimVector at_;  // of the box
  // A few: boxes are cut along few dimensions.
  std::vector<std::unique_ptr<BoxShape>> shapes_;
};

}  // namespace

int64_t RelayoutScratchBytes(const BoxPlan& plan) {
  return StageBytes(plan) + UnfinishedBytes(plan);
}

void RunRelayoutTile(const BoxPlan& plan, const KernelTable& kernels,
                     int64_t number, const std::byte* source, std::byte* result,
                     std::byte* scratch) {
  BoxRunner(plan, kernels, number, source, result, scratch).Run();
}

}  // namespace stridecast
