// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace stridecast {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int64_t MachineMemoryBytes() {
  return int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
}

}  // namespace

std::optional<int64_t> ParseMemoryLimit(absl::string_view text) {
  int64_t bytes;
  if (!absl::SimpleAtoi(text, &bytes) || bytes <= 0) return std::nullopt;
  return bytes;
}

std::vector<std::string> MemoryLimitFiles(absl::string_view proc_cgroup) {
  std::vector<std::string> files;
  for (absl::string_view line : absl::StrSplit(proc_cgroup, '\n')) {
    // "hierarchy:controllers:/path"; version 2 is hierarchy 0.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    absl::string_view mount = "/sys/fs/cgroup";
    absl::string_view name = "memory.max";
    if (parts[1] == "memory") {
      mount = "/sys/fs/cgroup/memory";
      name = "memory.limit_in_bytes";
    } else if (parts[0] != "0") {
      continue;
    }
    absl::string_view group = parts[2] == "/" ? "" : parts[2];
    for (;;) {
      files.push_back(absl::StrCat(mount, group, "/", name));
      const size_t slash = group.rfind('/');
      if (slash == absl::string_view::npos) break;
      group = group.substr(0, slash);
    }
  }
  return files;
}

int64_t UsableMemoryBytes() {
  int64_t bytes = MachineMemoryBytes();
  for (const std::string& path :
       MemoryLimitFiles(ReadFile("/proc/self/cgroup"))) {
    bytes = std::min(bytes, ParseMemoryLimit(ReadFile(path)).value_or(bytes));
  }
  return bytes;
}

int64_t ParseSocketBytes(absl::string_view memory_stat) {
  for (absl::string_view line : absl::StrSplit(memory_stat, '\n')) {
    int64_t bytes;
    if (absl::ConsumePrefix(&line, "sock ") && absl::SimpleAtoi(line, &bytes)) {
      return bytes;
    }
  }
  return 0;
}

int64_t ResidentBytes() {
  // "TOTAL RESIDENT ...", in pages; proc(5). The file is made at each reading.
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t size = pread(file, text, sizeof(text), 0);
  if (size <= 0) return 0;
  const std::vector<absl::string_view> pages =
      absl::StrSplit(absl::string_view(text, static_cast<size_t>(size)), ' ');
  int64_t resident;
  if (pages.size() < 2 || !absl::SimpleAtoi(pages[1], &resident)) return 0;
  return resident * int64_t{sysconf(_SC_PAGESIZE)};
}

SocketMemory::SocketMemory() {
  constexpr absl::string_view kLimit = "memory.max";
  for (absl::string_view path :
       MemoryLimitFiles(ReadFile("/proc/self/cgroup"))) {
    if (!absl::ConsumeSuffix(&path, kLimit)) continue;
    std::string file = absl::StrCat(path, "memory.stat");
    if (access(file.c_str(), R_OK) != 0) continue;
    stat_file_ = std::move(file);
    return;
  }
}

int64_t SocketMemory::Bytes() {
  // The kernel adds up all CPUs' figures for it: 20 to 100 us.
  constexpr std::chrono::milliseconds kInterval(50);
  if (stat_file_.empty()) return 0;
  const auto now = std::chrono::steady_clock::now();
  if (now >= read_at_ + kInterval) {
    bytes_ = ParseSocketBytes(ReadFile(stat_file_));
    read_at_ = now;
  }
  return bytes_;
}

}  // namespace stridecast
