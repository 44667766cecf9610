// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/scratch.h"

#include <algorithm>

namespace stridecast {
namespace {

struct Slot {
  int64_t offset;
  int64_t size_bytes;
  int last;  // step that reads it last
};

}  // namespace

ScratchPlan AssignScratch(absl::Span<const Lifetime> lifetimes) {
  ScratchPlan plan;
  absl::InlinedVector<Slot, 8> slots;
  for (const Lifetime& lifetime : lifetimes) {
    const int64_t size_bytes = (lifetime.size_bytes + 63) / 64 * 64;
    // The smallest free slot that is large enough.
    Slot* best = nullptr;
    for (Slot& slot : slots) {
      if (slot.last < lifetime.first && slot.size_bytes >= size_bytes &&
          (best == nullptr || slot.size_bytes < best->size_bytes)) {
        best = &slot;
      }
    }
    if (best == nullptr) {
      slots.push_back({plan.size_bytes, size_bytes, 0});
      plan.size_bytes += size_bytes;
      best = &slots.back();
    }
    best->last = lifetime.last;
    plan.offsets.push_back(best->offset);
  }
  return plan;
}

int64_t PeakBytes(absl::Span<const Lifetime> lifetimes) {
  int64_t peak = 0;
  for (const Lifetime& at : lifetimes) {
    int64_t alive = 0;
    for (const Lifetime& other : lifetimes) {
      if (other.first <= at.first && at.first <= other.last) {
        alive += other.size_bytes;
      }
    }
    peak = std::max(peak, alive);
  }
  return peak;
}

}  // namespace stridecast
