// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stridecast {
namespace {

std::optional<double> QuotaOf(const std::string& cgroup_path) {
  std::ifstream file("/sys/fs/cgroup" + cgroup_path + "/cpu.max");
  double quota_us = 0;
  double period_us = 0;
  // An unlimited group says "max" and fails to parse here.
  if (!(file >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) {
    return std::nullopt;
  }
  return quota_us / period_us;
}

// The tightest quota from this process' group (cgroup v2) up to the root.
std::optional<double> CgroupQuota() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  std::string path;
  while (std::getline(groups, line)) {
    if (line.rfind("0::", 0) == 0) path = line.substr(3);
  }
  if (path == "/") path.clear();
  std::optional<double> tightest;
  for (;;) {
    const std::optional<double> quota = QuotaOf(path);
    if (quota && (!tightest || *quota < *tightest)) tightest = quota;
    if (path.empty()) return tightest;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
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

}  // namespace

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
  int64_t bytes = int64_t{32} << 10;
  int level = 0;
  std::string type;
  for (const std::string& cache : Caches()) {
    if (std::ifstream(cache + "/level") >> level && level == 1 &&
        std::ifstream(cache + "/type") >> type && type == "Data") {
      bytes = SizeOfCache(cache).value_or(bytes);
    }
  }
  return bytes;
}

int64_t LastLevelCacheBytes() {
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
  return bytes;
}

bool StoresPastCachesPay() {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0;
}

}  // namespace stridecast
