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

void HeldEndings::Add(std::string peer, std::function<void()> end) {
  {
    absl::MutexLock lock(&mutex_);
    if (is_holding_) {
      held_.push_back({std::move(peer), std::move(end), std::nullopt});
      return;
    }
  }
  end();
}

void HeldEndings::EndThose(
    const std::function<Arrival(const std::string&)>& arrival_at) {
  const Clock::time_point now = Clock::now();
  const auto is_held = [&](Ending& ending) {
    const Arrival arrival = arrival_at(ending.peer);
    if (arrival != Arrival::kAcknowledged) {
      return arrival == Arrival::kUnsent;
    }
    if (!ending.acknowledged) ending.acknowledged = now;
    return now - *ending.acknowledged < kMaxReadTime;
  };
  std::vector<Ending> ended;
  {
    absl::MutexLock lock(&mutex_);
    const auto first =
        std::stable_partition(held_.begin(), held_.end(), is_held);
    ended.assign(std::make_move_iterator(first),
                 std::make_move_iterator(held_.end()));
    held_.erase(first, held_.end());
  }
  for (const Ending& ending : ended) ending.end();
}

}  // namespace stridecast
