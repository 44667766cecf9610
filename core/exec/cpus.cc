// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace stridecast {
namespace {

constexpr int64_t kMostCacheBytesOfCpu = int64_t{24} << 20;

// In CPUs. Version 2 states both numbers in one file, "max" if there is no
// limit; version 1 has two files, with -1.
std::optional<double> QuotaOf(const std::string& group) {
  double quota_us = 0;
  double period_us = 0;
  const bool is_stated =
      (std::ifstream(group + "/cpu.max") >> quota_us >> period_us) ||
      (std::ifstream(group + "/cpu.cfs_quota_us") >> quota_us &&
       std::ifstream(group + "/cpu.cfs_period_us") >> period_us);
  if (!is_stated || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

// The tightest quota from this process' group up to the root.
std::optional<double> CgroupQuota() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  std::optional<double> tightest;
  for (const std::string& group : CpuGroups(groups)) {
    const std::optional<double> quota = QuotaOf(group);
    if (quota && (!tightest || *quota < *tightest)) tightest = quota;
  }
  return tightest;
}

// Those of the first CPU, as directories that say what they are. Not sysconf:
// glibc 2.36 adds up the caches of an AMD socket.
std::vector<std::string> Caches() {
  std::vector<std::string> caches;
  for (;;) {
    std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" +
                        std::to_string(caches.size());
    if (!std::ifstream(cache + "/level")) return caches;
    caches.push_back(std::move(cache));
  }
}

std::optional<int64_t> SizeOfCache(const std::string& cache) {
  int64_t kibibytes = 0;  // "32768K"
  if (!(std::ifstream(cache + "/size") >> kibibytes) || kibibytes <= 0) {
    return std::nullopt;
  }
  return kibibytes << 10;
}

std::optional<int64_t> DataCacheBytes(int wanted_level) {
  for (const std::string& cache : Caches()) {
    int level = 0;
    std::string type;
    if (std::ifstream(cache + "/level") >> level && level == wanted_level &&
        std::ifstream(cache + "/type") >> type && type != "Instruction") {
      return SizeOfCache(cache);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> CpuGroups(absl::string_view proc_cgroup) {
  std::vector<std::string> groups;
  for (absl::string_view line : absl::StrSplit(proc_cgroup, '\n')) {
    // "hierarchy:controllers:/path"; version 2 is hierarchy 0.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<absl::string_view> controllers =
        absl::StrSplit(parts[1], ',');
    const bool has_cpu = absl::c_linear_search(controllers, "cpu");
    if (!has_cpu && parts[0] != "0") continue;
    const absl::string_view mount =
        has_cpu ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup";
    absl::string_view group = parts[2] == "/" ? "" : parts[2];
    for (;;) {
      groups.push_back(absl::StrCat(mount, group));
      const size_t slash = group.rfind('/');
      if (slash == absl::string_view::npos) break;
      group = group.substr(0, slash);
    }
  }
  return groups;
}

int UsableCpus() {
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) cpus = CPU_COUNT(&mask);
  if (const std::optional<double> quota = CgroupQuota()) {
    cpus = std::min(cpus, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(cpus, 1);
}

int64_t FirstLevelCacheBytes() {
  return DataCacheBytes(1).value_or(int64_t{32} << 10);
}

int64_t SecondLevelCacheBytes() {
  return DataCacheBytes(2).value_or(int64_t{1} << 20);
}

int64_t SharedCacheBytes(int cpus) {
  int64_t bytes = int64_t{32} << 20;
  int last_level = 0;
  int level = 0;
  for (const std::string& cache : Caches()) {
    const std::optional<int64_t> size = SizeOfCache(cache);
    if (std::ifstream(cache + "/level") >> level && level > last_level &&
        size) {
      last_level = level;
      bytes = *size;
    }
  }
  return std::min(bytes, cpus * kMostCacheBytesOfCpu);
}

}  // namespace stridecast
