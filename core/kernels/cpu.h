// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_KERNELS_CPU_H_
#define STRIDECAST_CORE_KERNELS_CPU_H_

#include "core/kernels/parts.h"

namespace stridecast {

// True if the CPU and the operating system can run the kernels of `target`.
bool CpuRuns(SimdTarget target);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_CPU_H_
