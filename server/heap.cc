// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/heap.h"

#include <malloc.h>

#include "server/memory_limit.h"

namespace stridecast {
namespace {

constexpr int kKeptBytes = 1 << 30;
// Grows in steps of this size.
constexpr int kStepBytes = 16 << 20;

}  // namespace

void KeepFreedMemory() {
  mallopt(M_ARENA_MAX, 1);  // of others malloc_trim leaves the ends
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_TOP_PAD, kStepBytes);
}

int64_t HeapBytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

void TrimHeap() { malloc_trim(0); }

void TrimGreatHeap(int64_t used_bytes) {
  if (ResidentBytes() / 2 > kEmptyProcessBytes / 2 + used_bytes) TrimHeap();
}

}  // namespace stridecast
