// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Asks for the cache lines of a strided box that is read soon, where the CPU's
// prefetchers would not: they follow a run, which is left to them if it is all
// of the box, but do not find their way from one small or scattered box to the
// next.

#ifndef STRIDECAST_CORE_EXEC_BOX_FETCH_H_
#define STRIDECAST_CORE_EXEC_BOX_FETCH_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "stridecast/shape.h"

namespace stridecast {

class BoxFetch {
 public:
  explicit BoxFetch(int64_t element_bytes)
      : element_bytes_(element_bytes),
        num_bytes_(element_bytes),
        run_bytes_(element_bytes) {}

  // Strides in bytes.
  void AddDimension(int64_t extent, int64_t stride);

  void Run(const std::byte* data) const;

 private:
  struct Dim {
    int64_t extent;
    int64_t stride;
  };

  const int64_t element_bytes_;
  int64_t num_bytes_;  // of all elements
  int64_t run_bytes_;  // along the dimensions without gaps
  bool is_scattered_ = true;
  absl::InlinedVector<Dim, kInlineRank> dims_;  // the others
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BOX_FETCH_H_
