// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Copies of boxes of any rank between strided places: the planes that the copy
// kernels take, one after the other.

#ifndef STRIDECAST_CORE_EXEC_BOX_COPY_H_
#define STRIDECAST_CORE_EXEC_BOX_COPY_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/kernels/kernel.h"
#include "stridecast/shape.h"

namespace stridecast {

class BoxCopy {
 public:
  explicit BoxCopy(int64_t element_bytes) : element_bytes_(element_bytes) {}

  // Innermost dimension last; strides in bytes.
  void AddDimension(int64_t extent, int64_t source_stride,
                    int64_t destination_stride) {
    if (extent == 1) return;
    dims_.push_back({extent, source_stride, destination_stride});
  }

  // Once.
  void Run(const KernelTable& kernels, const std::byte* source,
           std::byte* destination, bool past_cache = false);

 private:
  struct Dim {
    int64_t extent;
    int64_t source;
    int64_t destination;
  };

  bool RunByStage(const KernelTable& kernels, const std::byte* source,
                  std::byte* destination) const;
  int ChooseCol() const;
  int ChooseRow(const Dim& col) const;
  Dim Take(int d);

  const int64_t element_bytes_;
  absl::InlinedVector<Dim, kInlineRank> dims_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BOX_COPY_H_
