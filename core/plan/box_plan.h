// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How elements are moved between two layouts, box by box: a box is so large
// that it is read in long runs and written in long runs, and so small that it
// stays in L2 while it is brought into order. What stays in the caches is
// written straight into the result, unless its rows drive out each other. A
// tile is the work of one task: boxes that read on where those before them have
// read, as far as the pages of both tensors are remembered (the TLB), then go
// on along the result, and where that is short, along the source again.
// Tested by tests/unit/plan/box_plan_test.cc.

#ifndef STRIDECAST_CORE_PLAN_BOX_PLAN_H_
#define STRIDECAST_CORE_PLAN_BOX_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/plan/cache_limits.h"
#include "core/plan/loop_plan.h"
#include "stridecast/shape.h"

namespace stridecast {

struct BoxPlan {
  struct Dim {
    int64_t extent;
    int64_t source_stride;  // in bytes, as all strides here
    int64_t result_stride;
    int64_t box = 1;   // elements of a box, fewer at the end
    int64_t tile = 1;  // a multiple of `box`, or all
  };
  using Dims = absl::InlinedVector<Dim, kInlineRank>;

  int64_t element_bytes = 0;
  // Largest source stride first: boxes of a tile follow each other along the
  // last one first.
  Dims dims;
  // Of a whole box: the elements that follow each other in the result, and how
  // many such runs there are.
  int64_t run_bytes = 0;
  int64_t num_runs = 1;
  // The dimension along which the runs of a box begin where those of the box
  // before it end; -1: none.
  int joined = -1;
  bool past_cache = false;  // lines of the result are written past the caches
  bool staged = true;       // a box is put together first; always if past_cache

  int64_t num_tiles() const;
  // Boxes of a tile before the one that is joined to the first.
  int64_t num_boxes_between() const;
};

// Tensor 0 of `loops` is the source, tensor 1 the result, which has no gaps.
// None where both are dense along the same loop of more than 16 bytes, or where
// blocks are faster: where planes are interleaved, or where the result fits and
// blocks would transpose much of it at once. What barely fits is written past
// the caches, and goes by boxes where its rows are long, too.
std::optional<BoxPlan> MakeBoxPlan(const std::vector<Loop>& loops,
                                   int64_t element_bytes, CacheFit fit);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_BOX_PLAN_H_
