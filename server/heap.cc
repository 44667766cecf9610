// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace stridecast {
namespace {

constexpr int kKeptBytes = 1 << 30;
// Grows in steps of this size.
constexpr int kStepBytes = 16 << 20;
// Resident without any call: 21 MiB.
constexpr int64_t kAlwaysBytes = int64_t{32} << 20;

int64_t ResidentBytes() {
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

void KeepFreedMemory() {
  mallopt(M_ARENA_MAX, 1);  // of others malloc_trim leaves the ends
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_TOP_PAD, kStepBytes);
}

void TrimHeap(int64_t used_bytes) {
  if (ResidentBytes() / 2 > kAlwaysBytes / 2 + used_bytes) malloc_trim(0);
}

}  // namespace stridecast
