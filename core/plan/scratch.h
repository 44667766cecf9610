// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which values of a block share scratch memory: a linear scan over the steps
// of a pass in order.
// Rules:
//   (R1) a slot is taken again only after the last step that reads it
//   (R2) no step writes a slot that it reads: kernels may store the last vector
//        of a row twice
// Tested by tests/unit/plan/scratch_test.cc.

#ifndef STRIDECAST_CORE_PLAN_SCRATCH_H_
#define STRIDECAST_CORE_PLAN_SCRATCH_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace stridecast {

// A value that needs scratch memory from its first step to its last, both
// included.
struct Lifetime {
  int first;
  int last;
  int64_t size_bytes;
};

struct ScratchPlan {
  absl::InlinedVector<int64_t, 8> offsets;  // by lifetime; multiples of 64
  int64_t size_bytes = 0;
};

// `lifetimes` are ordered by their first step.
ScratchPlan AssignScratch(absl::Span<const Lifetime> lifetimes);

// The greatest sum of sizes alive in one step.
int64_t PeakBytes(absl::Span<const Lifetime> lifetimes);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_SCRATCH_H_
