// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_EXEC_CPUS_H_
#define STRIDECAST_CORE_EXEC_CPUS_H_

#include <cstdint>

namespace stridecast {

// CPUs that this process may keep busy: those of its affinity mask, but no more
// than its cgroup's quota (cpu.max, rounded up). At least 1. oneTBB respects
// the mask and knows no quota.
int UsableCpus();

// Of the cache next to memory, as one CPU sees it; 32 MiB if the system does
// not say.
int64_t LastLevelCacheBytes();

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_CPUS_H_
