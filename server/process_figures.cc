// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace stridecast {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double ReadBootTime() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
    double seconds;
    if (parts.size() == 2 && parts[0] == "btime" &&
        absl::SimpleAtod(parts[1], &seconds)) {
      return seconds;
    }
  }
  return 0;
}

int64_t CountOpenFiles() {
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return 0;
  return std::distance(begin(files), end(files)) - 1;  // one is this listing's
}

}  // namespace

std::optional<ProcessFigures> ParseProcessStat(absl::string_view text,
                                               double boot_time_seconds,
                                               int64_t ticks_per_second,
                                               int64_t page_bytes) {
  // "PID (NAME) S ..." where the name may hold anything; proc(5) counts from 1.
  constexpr int kFirst = 3, kUserTime = 14, kSystemTime = 15, kThreads = 20,
                kStartTime = 22, kVirtualBytes = 23, kResidentPages = 24;
  const size_t name_end = text.rfind(')');
  if (name_end == absl::string_view::npos || name_end + 2 > text.size()) {
    return std::nullopt;
  }
  const std::vector<absl::string_view> fields =
      absl::StrSplit(text.substr(name_end + 2), ' ');
  if (fields.size() <= kResidentPages - kFirst) return std::nullopt;
  const auto number = [&](int field) {
    int64_t value = 0;
    return absl::SimpleAtoi(fields[static_cast<size_t>(field - kFirst)], &value)
               ? value
               : 0;
  };
  const auto ticks = static_cast<double>(ticks_per_second);
  ProcessFigures figures;
  figures.cpu_seconds =
      static_cast<double>(number(kUserTime) + number(kSystemTime)) / ticks;
  figures.start_time_seconds =
      boot_time_seconds + static_cast<double>(number(kStartTime)) / ticks;
  figures.num_threads = number(kThreads);
  figures.virtual_bytes = number(kVirtualBytes);
  figures.resident_bytes = number(kResidentPages) * page_bytes;
  return figures;
}

ProcessFigures ReadProcessFigures() {
  static const double boot_time = ReadBootTime();
  ProcessFigures figures =
      ParseProcessStat(ReadFile("/proc/self/stat"), boot_time,
                       sysconf(_SC_CLK_TCK), sysconf(_SC_PAGESIZE))
          .value_or(ProcessFigures());
  figures.num_open_files = CountOpenFiles();
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    figures.max_open_files = static_cast<int64_t>(limit.rlim_cur);
  }
  return figures;
}

}  // namespace stridecast
