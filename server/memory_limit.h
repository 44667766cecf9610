// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How much memory this process may use: the machine's, or less in a container.

#ifndef STRIDECAST_SERVER_MEMORY_LIMIT_H_
#define STRIDECAST_SERVER_MEMORY_LIMIT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stridecast {

// The least of the machine's memory and the limits of the control groups that
// this process is in.
int64_t UsableMemoryBytes();

// Of this process, in RAM.
int64_t ResidentBytes();
// What that is at most without any call: 21 MiB, and some.
inline constexpr int64_t kEmptyProcessBytes = int64_t{32} << 20;

// Buffers of sockets, as far as a control group of version 2 charges them; else
// 0: then they count against no limit.
class SocketMemory {
 public:
  SocketMemory();
  // As of at most 50 ms ago. By one thread at a time.
  int64_t Bytes();

 private:
  std::string stat_file_;  // memory.stat; empty if there is none
  int64_t bytes_ = 0;
  std::chrono::steady_clock::time_point read_at_;
};

// The socket buffers that the text of a memory.stat of version 2 states; 0 if
// it states none.
int64_t ParseSocketBytes(absl::string_view memory_stat);

// The limit that the text of a memory.max or memory.limit_in_bytes states;
// none if it is "max" or no number.
std::optional<int64_t> ParseMemoryLimit(absl::string_view text);

// The files that may state a limit for a process whose /proc/self/cgroup has
// that text: its group's and those of all groups above, version 2 and
// version 1. In a container the first ones do not exist, the topmost does.
std::vector<std::string> MemoryLimitFiles(absl::string_view proc_cgroup);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_MEMORY_LIMIT_H_
