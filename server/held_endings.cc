// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/held_endings.h"

#include <algorithm>
#include <iterator>

namespace stridecast {

void HeldEndings::SetHolding(bool is_holding) {
  {
    absl::MutexLock lock(&mutex_);
    is_holding_ = is_holding;
  }
  if (!is_holding) EndThose([](const std::string&) { return true; });
}

bool HeldEndings::is_holding() const {
  absl::MutexLock lock(&mutex_);
  return is_holding_;
}

void HeldEndings::Add(std::string peer, std::function<void()> end) {
  {
    absl::MutexLock lock(&mutex_);
    if (is_holding_) {
      held_.emplace_back(std::move(peer), std::move(end));
      return;
    }
  }
  end();
}

void HeldEndings::EndThose(
    const std::function<bool(const std::string&)>& is_sent) {
  std::vector<Ending> ended;
  {
    absl::MutexLock lock(&mutex_);
    const auto first = std::stable_partition(
        held_.begin(), held_.end(),
        [&](const Ending& ending) { return !is_sent(ending.first); });
    ended.assign(std::make_move_iterator(first),
                 std::make_move_iterator(held_.end()));
    held_.erase(first, held_.end());
  }
  for (const Ending& ending : ended) ending.second();
}

}  // namespace stridecast
