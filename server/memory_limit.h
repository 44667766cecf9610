// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How much memory this process may use: the machine's, or less in a container.

#ifndef STRIDECAST_SERVER_MEMORY_LIMIT_H_
#define STRIDECAST_SERVER_MEMORY_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stridecast {

// The least of the machine's memory and the limits of the control groups that
// this process is in.
int64_t UsableMemoryBytes();

// What this process has of it.
int64_t ResidentBytes();

// The limit that the text of a memory.max or memory.limit_in_bytes states;
// none if it is "max" or no number.
std::optional<int64_t> ParseMemoryLimit(absl::string_view text);

// The files that may state a limit for a process whose /proc/self/cgroup has
// that text: its group's and those of all groups above, version 2 and
// version 1. In a container the first ones do not exist, the topmost does.
std::vector<std::string> MemoryLimitFiles(absl::string_view proc_cgroup);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_MEMORY_LIMIT_H_
