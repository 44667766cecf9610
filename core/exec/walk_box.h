// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_EXEC_WALK_BOX_H_
#define STRIDECAST_CORE_EXEC_WALK_BOX_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "stridecast/shape.h"

namespace stridecast {

// Calls visit() at each place of a box, the last dimension fastest. `dims` have
// extents of at least 1; move(dim, steps) goes that many steps along one of
// them, also back.
template <class Dims, class Move, class Visit>
void WalkBox(const Dims& dims, Move move, Visit visit) {
  absl::InlinedVector<int64_t, kInlineRank> index(dims.size(), 0);
  for (;;) {
    visit();
    size_t d = dims.size();
    for (; d > 0; --d) {
      const auto& dim = dims[d - 1];
      move(dim, int64_t{1});
      if (++index[d - 1] < dim.extent) break;
      move(dim, -dim.extent);
      index[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_WALK_BOX_H_
