// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How elements are moved between two layouts that are dense along different
// dimensions. The loops of the pass fall into three groups:
//   rows   follow each other without gaps in the source
//   cols   follow each other without gaps in the result
//   outer  the rest
// so that of each outer index a matrix is transposed, whatever the rank: row r
// and column c are element r of what lies together in the source and element c
// of what lies together in the result. A tile is a part of one such matrix, or
// several small ones.
// Tested by tests/unit/plan/strip_plan_test.cc.

#ifndef STRIDECAST_CORE_PLAN_STRIP_PLAN_H_
#define STRIDECAST_CORE_PLAN_STRIP_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/plan/loop_plan.h"
#include "stridecast/shape.h"

namespace stridecast {

// Several loops as one; the index of the last runs fastest.
struct LoopGroup {
  struct Part {
    int64_t extent;
    int64_t source_stride;  // in bytes, as all strides here
    int64_t result_stride;
  };
  absl::InlinedVector<Part, kInlineRank> parts;

  int64_t extent() const;
};

struct StripPlan {
  int64_t element_bytes = 0;
  LoopGroup outer;
  LoopGroup rows;
  LoopGroup cols;
  int64_t tile_rows = 1;
  int64_t tile_cols = 1;
  int64_t tile_matrices = 1;
  // The result is too large for the caches: its lines are written past them.
  bool past_cache = false;

  int64_t num_tiles() const;
};

// Tensor 0 of `loops` is the source, tensor 1 the result. For elements of 4 and
// 8 bytes; none where both are dense along the same loop, a side of the
// matrices is short, or others are faster: boxes if lines of the result do not
// begin with those of the matrices or rows are aliases far apart; within the
// caches blocks, unless they do not like its rows, and boxes for all but small
// results.
std::optional<StripPlan> MakeStripPlan(const std::vector<Loop>& loops,
                                       int64_t element_bytes, bool past_cache);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_STRIP_PLAN_H_
