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
#include "core/plan/pass_plan.h"
#include "stridecast/shape.h"

namespace stridecast {

class BoxCopy {
 public:
  struct Dim {
    int64_t extent;
    int64_t source;       // stride in bytes
    int64_t destination;  // stride in bytes
  };
  using Dims = absl::InlinedVector<Dim, kInlineRank>;

  enum class Route {
    kCached,
    kFromMemory,  // the source is in no cache
    kPastCache,   // the destination is written past them
  };

  // Innermost dimension last.
  BoxCopy(int64_t element_bytes, Dims dims);

  void Run(const KernelTable& kernels, const std::byte* source,
           std::byte* destination, Route route = Route::kCached) const;

  // Past the caches, with the first gap of `store` after each row but the last,
  // or also after that: where the last two dimensions are rows and what is
  // dense in them on both sides, and StorePlan::streams_row_gaps.
  void RunWithRowGaps(const KernelTable& kernels, const std::byte* source,
                      const StorePlan& store, bool is_after_last,
                      std::byte* destination) const;

 private:
  int64_t PlaneBelow() const;
  int64_t PlaneAbove() const;
  int64_t ChooseAhead() const;
  void FetchAhead(const std::byte* source) const;
  int64_t DestinationRun() const;
  int ChooseCol() const;
  int ChooseRow() const;
  Dim Take(int d);
  void RunPlanes(const Dims& dims, CopyKernel copy, const std::byte* source,
                 std::byte* destination) const;
  // Calls visit() at each plane, where `source` and `destination` are then.
  template <class Visit>
  void ForEachPlane(const Dims& dims, const std::byte*& source,
                    std::byte*& destination, Visit visit) const;

  const int64_t element_bytes_;
  Dims dims_;                            // but for col_ and row_
  const int64_t destination_run_bytes_;  // 0: it is not one run
  const Dim col_;
  const Dim row_;
  // From a plane to the one that is asked for with it, in bytes; 0: none is.
  const int64_t ahead_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_BOX_COPY_H_
