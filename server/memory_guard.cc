// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_guard.h"

#include <algorithm>
#include <utility>

#include "server/periodic_thread.h"

namespace stridecast {
namespace {

// Two CPUs receive some 10 MB meanwhile. (A look takes 2 us.)
constexpr std::chrono::milliseconds kInterval(5);
constexpr std::chrono::seconds kEpoch(1);
// Ended are so many that this part of the limit is free.
constexpr int64_t kFreeShare = 16;
// Who holds less is held for one who holds nothing.
constexpr int64_t kLeastHeldBytes = 1 << 10;
// Looking at all connections takes 1 ms for 1000.
constexpr std::chrono::milliseconds kCloseDeafInterval(100);
// Looks that find nobody who is known to hold anything, until who may is ended,
// and until a part of all is.
constexpr int kMaxUnknown = 4;
constexpr int kMaxHelpless = 20;
constexpr int64_t kLastResortShare = 4;
// Giving back goes through all of the heap, which nobody may use meanwhile: 10
// to 40 ms for 100 MB. It takes no more than 1/9 of the time, or 1/21 where
// less than that part comes of it.
constexpr int64_t kWorthShare = 32;
constexpr int kPauseIfWorth = 8;
constexpr int kPauseIfNot = 20;

}  // namespace

MemoryGuard::MemoryGuard(int64_t max_bytes, Memory memory,
                         std::vector<CallerWaits*> waits,
                         UndeliveredBytes* undelivered)
    : max_bytes_(max_bytes),
      memory_(std::move(memory)),
      waits_(std::move(waits)),
      undelivered_(undelivered),
      other_bytes_(OtherBytes()),
      epoch_at_(Clock::now() + kEpoch),
      thread_(RunEvery(kInterval, [this] { Look(); })) {}

void MemoryGuard::Look() {
  if (const Clock::time_point now = Clock::now(); now >= epoch_at_) {
    undelivered_->BeginEpoch();
    epoch_at_ = now + kEpoch;
  }
  const int64_t system_bytes = memory_.system_bytes();
  const int64_t resident_bytes = memory_.resident_bytes();
  if (resident_bytes + system_bytes <= max_bytes_) {
    num_helpless_ = 0;
    return;
  }
  // What giving back would leave, and those who are about to end. Of what is
  // allocated some may never have been touched.
  int64_t needed =
      std::min(memory_.allocated_bytes() + other_bytes_, resident_bytes) +
      system_bytes;
  for (const CallerWaits* const waits : waits_) {
    needed -= waits->leaving_bytes();
  }
  if (needed > max_bytes_) CloseDeaf();
  if (needed <= max_bytes_ ||
      EndThoseWhoHold(needed - (max_bytes_ - max_bytes_ / kFreeShare))) {
    num_helpless_ = 0;
  } else if (++num_helpless_ >= kMaxHelpless) {
    num_helpless_ = 0;
    EndLongest();
  }
  if (Clock::now() >= give_back_at_) GiveBack();
}

void MemoryGuard::CloseDeaf() {
  const Clock::time_point now = Clock::now();
  if (now < close_deaf_at_) return;
  num_ended_ += memory_.close_deaf();
  close_deaf_at_ = now + kCloseDeafInterval;
}

bool MemoryGuard::EndThoseWhoHold(int64_t excess_bytes) {
  CallerWaits::Quotas quotas;
  for (const UndeliveredBytes::Holding& holding :
       undelivered_->Holdings(num_helpless_ < kMaxUnknown
                                  ? UndeliveredBytes::Estimate::kKnown
                                  : UndeliveredBytes::Estimate::kPossible)) {
    if (excess_bytes <= 0 || holding.bytes < kLeastHeldBytes) break;
    const int64_t each = holding.bytes / holding.num_calls + 1;
    const int64_t num_calls =
        std::min(holding.num_calls, (excess_bytes + each - 1) / each);
    quotas[holding.connection] = {.num_calls = num_calls, .bytes_each = each};
    excess_bytes -= num_calls * each;
  }
  int64_t num_ended = 0;
  for (CallerWaits* const waits : waits_) {
    num_ended += waits->EndOf(quotas, GivingUp::kShortMemory);
  }
  num_ended_ += num_ended;
  return num_ended > 0;
}

void MemoryGuard::EndLongest() {
  for (CallerWaits* const waits : waits_) {
    const int64_t count =
        (waits->num_for_messages() + kLastResortShare - 1) / kLastResortShare;
    num_ended_ += waits->EndLongest(count, GivingUp::kShortMemory);
  }
}

void MemoryGuard::GiveBack() {
  const int64_t before = memory_.resident_bytes();
  const Clock::time_point start = Clock::now();
  memory_.give_back();
  const Clock::time_point end = Clock::now();
  other_bytes_ = OtherBytes();
  const bool was_worth_it =
      before - memory_.resident_bytes() >= max_bytes_ / kWorthShare;
  give_back_at_ =
      end + (was_worth_it ? kPauseIfWorth : kPauseIfNot) * (end - start);
}

// As long as nothing was allocated since allocators gave back.
int64_t MemoryGuard::OtherBytes() const {
  return std::max<int64_t>(memory_.resident_bytes() - memory_.allocated_bytes(),
                           0);
}

}  // namespace stridecast
