// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs one tile of a StripPlan on the calling thread.

#ifndef STRIDECAST_CORE_EXEC_STRIP_RUNNER_H_
#define STRIDECAST_CORE_EXEC_STRIP_RUNNER_H_

#include <cstddef>
#include <cstdint>

#include "core/kernels/kernel.h"
#include "core/plan/strip_plan.h"

namespace stridecast {

// Of one thread.
int64_t RelayoutScratchBytes(const StripPlan& plan);

// `number` < plan.num_tiles(); `source` and `result` are the tensors' first
// elements, `scratch` has RelayoutScratchBytes(plan) bytes, 64-byte aligned.
void RunRelayoutTile(const StripPlan& plan, const KernelTable& kernels,
                     int64_t number, const std::byte* source, std::byte* result,
                     std::byte* scratch);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_STRIP_RUNNER_H_
