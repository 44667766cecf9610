// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/held_endings.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stridecast {
namespace {

constexpr std::chrono::seconds kMaxReadTime(1);

}  // namespace

void HeldEndings::SetHolding(bool is_holding) {
  {
    absl::MutexLock lock(&mutex_);
    is_holding_ = is_holding;
  }
  if (is_holding) return;
  EndThose([](const std::string&, std::optional<int64_t>&) {
    return Arrival::kRead;
  });
}

bool HeldEndings::IsFree(ConnectionKeeper* keeper, bool is_small) const {
  if (keeper == nullptr) return true;
  if (!is_holding_) keeper->StopKeeping();
  return is_small ? keeper->LeaveItToOthers() : !keeper->is_keeping();
}

bool HeldEndings::MayEndNow(ConnectionKeeper& keeper, bool is_small) const {
  absl::MutexLock lock(&mutex_);
  return IsFree(&keeper, is_small);
}

void HeldEndings::Add(Ending ending) {
  {
    absl::MutexLock lock(&mutex_);
    if (!IsFree(ending.keeper, ending.is_small)) {
      held_.push_back({std::move(ending), std::nullopt, std::nullopt});
      return;
    }
  }
  ending.end();
}

void HeldEndings::EndThose(const ArrivalAt& arrival_at) {
  const Clock::time_point now = Clock::now();
  const auto is_held = [&](Held& held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (IsFree(held.ending.keeper, held.ending.is_small)) return false;
    const Arrival arrival = arrival_at(held.ending.peer, held.written);
    if (arrival != Arrival::kAcknowledged) {
      return arrival == Arrival::kUnsent;
    }
    if (!held.acknowledged) held.acknowledged = now;
    return now - *held.acknowledged < kMaxReadTime;
  };
  std::vector<Held> ended;
  {
    absl::MutexLock lock(&mutex_);
    const auto first =
        std::stable_partition(held_.begin(), held_.end(), is_held);
    ended.assign(std::make_move_iterator(first),
                 std::make_move_iterator(held_.end()));
    held_.erase(first, held_.end());
    for (const Held& held : ended) held.ending.keeper->StopKeeping();
  }
  for (const Held& held : ended) held.ending.end();
}

int64_t HeldEndings::num_held() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(held_.size());
}

}  // namespace stridecast
