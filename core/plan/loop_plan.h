// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A LoopPlan is the shortest nest of strided loops that visits an iteration
// space once, for several tensors together.
//   in   extents, and per tensor a byte stride for each; tensor `lead` decides
//        the order
//   out  loops, outermost first
// Invariants:
//   (L1) no loop has extent 1; a space of a single element has no loops
//   (L2) no two neighbours can merge: for some tensor
//        outer stride != inner stride * inner extent
//   (L3) |stride| of the lead tensor does not grow from outer to inner
// A space of no elements has no plan: callers leave such passes out.
// Tested by tests/unit/plan/loop_plan_test.cc.

#ifndef STRIDECAST_CORE_PLAN_LOOP_PLAN_H_
#define STRIDECAST_CORE_PLAN_LOOP_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "stridecast/shape.h"

namespace stridecast {

struct Loop {
  int64_t extent;
  absl::InlinedVector<int64_t, 4> byte_strides;  // by tensor
};

// `byte_strides[t][d]`: of tensor t along dimension d.
std::vector<Loop> MakeLoops(absl::Span<const int64_t> extents,
                            absl::Span<const DimVector> byte_strides, int lead);

// Whether a tensor is the same along one of the loops.
bool Repeats(const std::vector<Loop>& loops, int tensor);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_LOOP_PLAN_H_
