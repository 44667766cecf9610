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
  if (!is_holding) EndThose([](const std::string&) { return Arrival::kRead; });
}

bool HeldEndings::is_holding() const {
  absl::MutexLock lock(&mutex_);
  return is_holding_;
}

void HeldEndings::Add(Ending ending) {
  {
    absl::MutexLock lock(&mutex_);
    if (is_holding_ && !ending.leave_to_others()) {
      held_.push_back({std::move(ending), std::nullopt});
      return;
    }
  }
  ending.end();
}

void HeldEndings::EndThose(
    const std::function<Arrival(const std::string&)>& arrival_at) {
  const Clock::time_point now = Clock::now();
  const auto is_held = [&](Held& held) {
    if (held.ending.leave_to_others()) return false;
    const Arrival arrival = arrival_at(held.ending.peer);
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
  }
  for (const Held& held : ended) held.ending.end();
}

}  // namespace stridecast
