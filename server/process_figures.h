// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the system says of this process, from /proc.

#ifndef STRIDECAST_SERVER_PROCESS_FIGURES_H_
#define STRIDECAST_SERVER_PROCESS_FIGURES_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace stridecast {

struct ProcessFigures {
  double cpu_seconds = 0;
  double start_time_seconds = 0;  // since 1970
  int64_t resident_bytes = 0;
  int64_t virtual_bytes = 0;
  int64_t num_threads = 0;
  int64_t num_open_files = 0;
  int64_t max_open_files = 0;
};

// What cannot be read is 0.
ProcessFigures ReadProcessFigures();

// What /proc/PID/stat says, of which `boot_time_seconds` is /proc/stat's btime.
// None if the text is none.
std::optional<ProcessFigures> ParseProcessStat(absl::string_view text,
                                               double boot_time_seconds,
                                               int64_t ticks_per_second,
                                               int64_t page_bytes);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_PROCESS_FIGURES_H_
