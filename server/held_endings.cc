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

bool HeldEndings::MayEndNow(ConnectionKeeper& keeper, bool is_small) {
  absl::MutexLock lock(&mutex_);
  if (is_holding_) return is_small && keeper.LeaveItToOthers();
  keeper.StopKeeping();
  return true;
}

bool HeldEndings::IsFree(const Ending& ending) {
  if (ending.keeper == nullptr) return true;
  return ending.is_small ? ending.keeper->LeaveItToOthers()
                         : !ending.keeper->is_keeping();
}

void HeldEndings::Add(Ending ending) {
  {
    absl::MutexLock lock(&mutex_);
    if (is_holding_ && !IsFree(ending)) {
      held_.push_back({std::move(ending), std::nullopt, std::nullopt});
      return;
    }
    if (ending.keeper != nullptr) ending.keeper->StopKeeping();
  }
  ending.end();
}

void HeldEndings::EndThose(const ArrivalAt& arrival_at) {
  const Clock::time_point now = Clock::now();
  const auto is_held = [&](Held& held) {
    if (IsFree(held.ending)) return false;
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
