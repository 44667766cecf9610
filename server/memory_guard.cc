// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_guard.h"

#include <algorithm>
#include <utility>

#include "server/periodic_thread.h"

namespace stridecast {
namespace {

// Two CPUs receive some 20 MB meanwhile. (A look takes 2 us.)
constexpr std::chrono::milliseconds kInterval(10);
// Giving back goes through all of the heap: 10 to 40 ms for 100 MB.
constexpr std::chrono::milliseconds kGiveBackInterval(50);
// Where less than that part comes of it, it takes no more than 1/20 of the
// time.
constexpr int64_t kWorthShare = 32;
constexpr int kLeastPause = 20;
// Of those who wait, at a time; but a few always.
constexpr int64_t kShare = 4;
constexpr int64_t kFew = 8;

}  // namespace

MemoryGuard::MemoryGuard(int64_t max_bytes, std::vector<CallerWaits*> waits,
                         std::function<int64_t()> used_bytes,
                         std::function<void()> give_back)
    : max_bytes_(max_bytes),
      waits_(std::move(waits)),
      used_bytes_(std::move(used_bytes)),
      give_back_(std::move(give_back)),
      thread_(RunEvery(kInterval, [this] { Look(); })) {}

void MemoryGuard::Look() {
  const int64_t used = used_bytes_();
  if (used <= max_bytes_) return;
  if (const Clock::time_point start = Clock::now(); start >= give_back_at_) {
    give_back_();
    const int64_t left = used_bytes_();
    const Clock::time_point end = Clock::now();
    const bool was_worth_it = used - left >= max_bytes_ / kWorthShare;
    give_back_at_ =
        end + (was_worth_it ? kGiveBackInterval : kLeastPause * (end - start));
    if (left <= max_bytes_) return;
  }
  for (CallerWaits* const waits : waits_) {
    const int64_t count = std::max(waits->num_for_messages() / kShare, kFew);
    num_ended_ += waits->EndLongest(count, GivingUp::kShortMemory);
  }
}

}  // namespace stridecast
