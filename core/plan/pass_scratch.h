// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a block of a pass needs scratch memory for, and when: step i is the
// computation i, and the stores come after the last.

#ifndef STRIDECAST_CORE_PLAN_PASS_SCRATCH_H_
#define STRIDECAST_CORE_PLAN_PASS_SCRATCH_H_

#include <cstdint>
#include <vector>

#include "core/plan/loop_plan.h"
#include "core/plan/pass_plan.h"

namespace stridecast {

// Bytes alive together, per element of a block of these loops; what repeats
// along its rows takes no room, as in a block that is not flat.
int64_t PeakElementBytes(const PassPlan& plan, const std::vector<Loop>& loops);

// Whether the leaf is brought into scratch, block by block, before it is read.
bool IsPacked(const PassPlan& plan, int leaf);

// Sets the offsets of leaves and computations, and scratch_bytes; the rest of
// the plan is there.
void PlaceScratch(PassPlan& plan);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_PASS_SCRATCH_H_
