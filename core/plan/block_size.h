// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How many elements a block of a pass has: as many as make what stays in L1 fit
// there.

#ifndef STRIDECAST_CORE_PLAN_BLOCK_SIZE_H_
#define STRIDECAST_CORE_PLAN_BLOCK_SIZE_H_

#include <cstdint>
#include <vector>

#include "core/plan/loop_plan.h"
#include "core/plan/pass_plan.h"

namespace stridecast {

// Of these loops. The leaves, computations and stores of `plan` are there.
int64_t BlockElements(const PassPlan& plan, const std::vector<Loop>& loops,
                      const PassPlanOptions& options);

// Where a leaf is packed from memory, block by block: as BlockElements, but
// blocks stay in L2 where several tensors are read and written by turns, for
// each part of one is waited for.
int64_t BlockElementsFromMemory(const PassPlan& plan,
                                const std::vector<Loop>& loops,
                                const PassPlanOptions& options);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_BLOCK_SIZE_H_
