// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_EXEC_CPUS_H_
#define STRIDECAST_CORE_EXEC_CPUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stridecast {

// CPUs that this process may keep busy: those of its affinity mask, but no more
// than its control group's quota, rounded up. At least 1. oneTBB respects the
// mask and knows no quota.
int UsableCpus();

// The directories that may state a quota for a process whose /proc/self/cgroup
// has that text: its group's and those of all groups above, version 2 and
// version 1. In a container the first ones do not exist, the topmost does.
std::vector<std::string> CpuGroups(absl::string_view proc_cgroup);

// Of data, of one CPU; 32 KiB if the system does not say.
int64_t FirstLevelCacheBytes();

// Of one CPU, or of those that share it; 1 MiB if the system does not say.
int64_t SecondLevelCacheBytes();

// What `cpus` CPUs may count on of the cache next to memory: all that the
// system says there is, 32 MiB if it does not say, but no more than 24 MiB
// each. Guests and containers see a socket's whole cache, which all its CPUs
// share.
int64_t SharedCacheBytes(int cpus);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_CPUS_H_
