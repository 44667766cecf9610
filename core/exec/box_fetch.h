// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Asks for the cache lines of a strided box that is read soon, where the CPU's
// prefetchers would not: they follow a run, which is left to them if it is all
// of the box, but do not find their way from one small or scattered box to the
// next. Tested by tests/unit/exec/box_fetch_test.cc.

#ifndef STRIDECAST_CORE_EXEC_BOX_FETCH_H_
#define STRIDECAST_CORE_EXEC_BOX_FETCH_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/exec/walk_box.h"
#include "stridecast/shape.h"

namespace stridecast {

class BoxFetch {
 public:
  explicit BoxFetch(int64_t element_bytes)
      : num_bytes_(element_bytes), run_bytes_(element_bytes) {}

  // Strides in bytes.
  void AddDimension(int64_t extent, int64_t stride);

  // `data` is where the element of index 0 along all dimensions is.
  void Run(const std::byte* data) const;

  // What Run asks for: calls fetch(first, last) with the first and the last
  // byte of each run, relative to `data`.
  template <class Fetch>
  void ForEachRun(const Fetch& fetch) const {
    if (IsLeftToCpu()) return;
    int64_t first = first_;
    WalkBox(
        dims_,
        [&](const Dim& dim, int64_t steps) { first += steps * dim.stride; },
        [&] { fetch(first, first + run_bytes_ - 1); });
  }

 private:
  struct Dim {
    int64_t extent;
    int64_t stride;  // > 0
  };

  bool IsLeftToCpu() const;

  int64_t num_bytes_;  // of all elements
  int64_t run_bytes_;  // along the dimensions without gaps of a line
  int64_t first_ = 0;  // where memory of the box begins, relative to `data`
  bool is_scattered_ = true;
  absl::InlinedVector<Dim, kInlineRank> dims_;  // the others
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BOX_FETCH_H_
