// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/caller_waits.h"

#include <utility>
#include <vector>

#include "proto/wire/status_codec.h"
#include "server/admission.h"
#include "server/raw_service.h"

namespace stridecast {
namespace {

// For the status of a call that was told to give up to leave this process:
// behind what a caller does not read it never does.
constexpr std::chrono::milliseconds kTimeToLeave(100);

}  // namespace

absl::Status ShortMemoryError() {
  return WithRetryDelay(
      absl::ResourceExhaustedError("request: memory ran short while it was on "
                                   "its way (--max-memory-bytes)"),
      kRetryDelay);
}

struct CallerWait::State {
  std::list<State>* list;              // that has it
  std::shared_ptr<AwaitingCall> call;  // none: it waits for its reader
  grpc::CallbackServerContext* context;
  CallerWaits::Time late_at;
  CallerWaits::Time late_if_crowded_at = CallerWaits::kNever;
  CallerWaits::Time told_at = CallerWaits::kNever;
};

// What is done without the lock, which the calls' reactions take.
struct CallerWaits::Endings {
  struct Told {
    std::shared_ptr<AwaitingCall> call;
    GivingUp why;
  };
  std::vector<Told> told;
  std::vector<std::shared_ptr<grpc_call>> cancelled;

  ~Endings() {
    for (const auto& [call, why] : told) call->GiveUp(why);
    for (const auto& call : cancelled) grpc_call_cancel(call.get(), nullptr);
  }
};

CallerWait::CallerWait(CallerWait&& other) noexcept
    : waits_(std::exchange(other.waits_, nullptr)), place_(other.place_) {}

CallerWait& CallerWait::operator=(CallerWait&& other) noexcept {
  std::swap(waits_, other.waits_);
  std::swap(place_, other.place_);
  return *this;
}

CallerWait::~CallerWait() {
  if (waits_ != nullptr) waits_->End(place_);
}

CallerWaits::CallerWaits() = default;
CallerWaits::~CallerWaits() = default;

CallerWait CallerWaits::ForMessage(std::shared_ptr<AwaitingCall> call,
                                   grpc::CallbackServerContext* context,
                                   Time late_at, Time late_if_crowded_at) {
  absl::MutexLock lock(&mutex_);
  return Begin({.list = &for_messages_,
                .call = std::move(call),
                .context = context,
                .late_at = late_at,
                .late_if_crowded_at = late_if_crowded_at});
}

CallerWait CallerWaits::ForReader(grpc::CallbackServerContext* context,
                                  Time late_at) {
  absl::MutexLock lock(&mutex_);
  return Begin({.list = &for_readers_,
                .call = nullptr,
                .context = context,
                .late_at = late_at});
}

void CallerWaits::EndLate(bool is_crowded) {
  Endings endings;
  absl::MutexLock lock(&mutex_);
  const Time now = Time::clock::now();
  CutOffDeaf(endings);
  for (const CallerWait::State& state : for_readers_) {
    if (now < state.late_at) continue;
    endings.cancelled.push_back(HoldCall(*state.context));
  }
  for (auto next = for_messages_.begin(); next != for_messages_.end();) {
    const CallerWait::Place place = next++;
    if (now >= place->late_at) {
      TellToGiveUp(place, GivingUp::kLate, endings);
    } else if (is_crowded && now >= place->late_if_crowded_at) {
      TellToGiveUp(place, GivingUp::kCrowded, endings);
    }
  }
}

int64_t CallerWaits::EndLongest(int64_t count, GivingUp why) {
  Endings endings;
  absl::MutexLock lock(&mutex_);
  CutOffDeaf(endings);
  while (count-- > 0 && !for_messages_.empty()) {
    TellToGiveUp(for_messages_.begin(), why, endings);
  }
  return static_cast<int64_t>(endings.told.size());
}

int64_t CallerWaits::num_for_messages() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(for_messages_.size());
}

CallerWait CallerWaits::Begin(CallerWait::State state) {
  States& list = *state.list;
  return CallerWait(this, list.insert(list.end(), std::move(state)));
}

void CallerWaits::End(CallerWait::Place place) {
  States ended;  // destroyed after the lock: it may hold the call
  absl::MutexLock lock(&mutex_);
  ended.splice(ended.end(), *place->list, place);
}

void CallerWaits::TellToGiveUp(CallerWait::Place place, GivingUp why,
                               Endings& endings) {
  endings.told.push_back({place->call, why});
  told_.splice(told_.end(), *place->list, place);
  place->list = &told_;
  place->told_at = Time::clock::now();
}

void CallerWaits::CutOffDeaf(Endings& endings) {
  const Time since = Time::clock::now() - kTimeToLeave;
  for (const CallerWait::State& state : told_) {
    if (state.told_at > since) break;
    endings.cancelled.push_back(HoldCall(*state.context));
  }
}

}  // namespace stridecast
