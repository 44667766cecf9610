// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/held_endings.h"

#include <iterator>
#include <utility>

namespace stridecast {
namespace {

constexpr std::chrono::seconds kMaxReadTime(5);

}  // namespace

void HeldEndings::SetHolding(bool is_holding) {
  {
    absl::MutexLock lock(&mutex_);
    is_holding_ = is_holding;
  }
  if (is_holding) return;
  EndThose([](absl::Span<Written* const> written) {
    return std::vector<Arrival>(written.size(), Arrival::kRead);
  });
}

bool HeldEndings::IsFree(ConnectionKeeper* keeper) const {
  if (keeper == nullptr) return true;
  if (!is_holding_) keeper->StopKeeping();
  return !keeper->is_keeping();
}

bool HeldEndings::MayEndNow(ConnectionKeeper& keeper) const {
  absl::MutexLock lock(&mutex_);
  return IsFree(&keeper);
}

void HeldEndings::Add(Ending ending) {
  {
    absl::MutexLock lock(&mutex_);
    if (!IsFree(ending.keeper)) {
      Written written{.peer = std::move(ending.peer)};
      held_.push_back({std::move(ending), std::move(written), std::nullopt});
      ++num_held_;
      return;
    }
  }
  ending.end();
}

bool HeldEndings::MayEnd(Held& held, Arrival arrival, Clock::time_point now) {
  ConnectionKeeper& keeper = *held.ending.keeper;
  if (!keeper.is_keeping()) return true;
  if (arrival == Arrival::kUnsent) return false;
  if (keeper.LeaveItToOthers()) return true;
  if (!held.acknowledged) held.acknowledged = now;
  if (arrival != Arrival::kRead && now - *held.acknowledged < kMaxReadTime) {
    return false;
  }
  keeper.StopKeeping();
  return true;
}

// Without the lock, which every call takes as it ends: looking takes system
// calls.
void HeldEndings::EndThose(const ArrivalsOf& arrivals_of) {
  std::vector<Held> held;
  {
    absl::MutexLock lock(&mutex_);
    held.swap(held_);
  }
  std::vector<Written*> written;
  for (Held& each : held) written.push_back(&each.written);
  const std::vector<Arrival> arrivals = arrivals_of(written);
  const Clock::time_point now = Clock::now();
  std::vector<Held> kept;
  for (size_t i = 0; i < held.size(); ++i) {
    if (!MayEnd(held[i], arrivals[i], now)) {
      kept.push_back(std::move(held[i]));
      continue;
    }
    --num_held_;
    held[i].ending.end();
  }
  absl::MutexLock lock(&mutex_);
  held_.insert(held_.begin(), std::make_move_iterator(kept.begin()),
               std::make_move_iterator(kept.end()));
}

}  // namespace stridecast
