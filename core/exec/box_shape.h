// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// All that boxes of a BoxPlan of the same extents have in common: where their
// elements are in the source, in the stage or in the result, and what is read
// when. Tested by tests/unit/exec/box_shape_test.cc.

#ifndef STRIDECAST_CORE_EXEC_BOX_SHAPE_H_
#define STRIDECAST_CORE_EXEC_BOX_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/exec/box_copy.h"
#include "core/kernels/fetch_ahead.h"
#include "core/kernels/kernel.h"
#include "core/plan/box_plan.h"
#include "stridecast/shape.h"

namespace stridecast {

// From run to run of the stage: with the line before it, and an odd number of
// lines, lest runs share the sets of a cache.
int64_t StagePitch(const BoxPlan& plan);

class BoxShape {
 public:
  // `kernels` outlives the shape.
  BoxShape(const BoxPlan& plan, const KernelTable& kernels, DimVector extents);

  const DimVector& extents() const { return extents_; }

  // What is read of a box at `source`, in that order: the part that is asked
  // for before any of the box is read, and the other, while it is read.
  FetchAhead::Runs FirstReads(const std::byte* source) const;
  FetchAhead::Runs OtherReads(const std::byte* source) const;

  // To the first run of the stage, or of the result where there is no stage.
  void BringIntoOrder(const std::byte* source, std::byte* destination,
                      FetchAhead* ahead) const;

  RunsArgs RunsTo(std::byte* result) const;

 private:
  // A dimension.
  struct Part {
    int64_t extent;
    int64_t source;  // strides in bytes
    int64_t result;
    int64_t destination;
  };
  using Parts = absl::InlinedVector<Part, kInlineRank>;
  using Stride = int64_t Part::*;

  static bool Take(Stride stride, int64_t wanted, Parts& parts, Parts& group);
  static int64_t Elements(const Parts& parts);
  static std::vector<int64_t> Offsets(const Parts& parts, Stride stride);

  BoxCopy PlaceRuns(const BoxPlan& plan);
  void MakeMatrices();
  void ListColumns(const Parts& columns);
  void ListWholeRuns();
  FetchAhead::Runs Reads(const std::byte* source) const;

  const KernelTable& kernels_;
  const int64_t element_bytes_;
  const DimVector extents_;
  // Of more than one element: those of a run, innermost first, then others.
  Parts parts_;
  int64_t run_bytes_ = 0;
  std::vector<int64_t> run_offsets_;  // in the result
  const BoxCopy copy_;                // where there is no kernel
  // Null: no matrix, or one that is too narrow.
  BoxKernel kernel_ = nullptr;
  std::vector<int64_t> rows_;  // offsets in the destination
  std::vector<int64_t> cols_;  // offsets in the source
  Parts matrices_;             // the other dimensions
  // Runs of the source, as FetchAhead has them, and how many of them are first.
  std::vector<int64_t> reads_;
  int64_t read_bytes_ = 0;
  int64_t matrix_reads_ = 1;
  const int64_t side_by_side_;
  int64_t first_reads_ = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BOX_SHAPE_H_
