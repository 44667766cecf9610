// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_KERNELS_CPU_H_
#define STRIDECAST_CORE_KERNELS_CPU_H_

#include "core/kernels/parts.h"

namespace stridecast {

// True if the kernels of `target` were built and the CPU and the operating
// system can run them.
bool CpuRuns(SimdTarget target);

// True if stores past the caches take less time than stores through them, which
// read the lines that they overwrite: AMD's CPUs (Zen 5: up to 1.4 times) and
// Intel's since Sapphire Rapids (Granite Rapids: 1.6 times). A core of those
// before (Cascade Lake) has too few buffers for them.
bool StoresPastCachesPay();

// True if that holds for what is only moved, and does not fit the second-level
// caches, even where it fits the last one: Intel's CPUs since Sapphire Rapids,
// whose last level is far from a core (Granite Rapids: 2.1 times).
bool MovesPastSharedCachePay();

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_CPU_H_
