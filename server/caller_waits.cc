// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/caller_waits.h"

#include <algorithm>
#include <optional>
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
  CallerWaits::Limits limits;
  // Of a wait for a message that was not told to give up.
  std::optional<UndeliveredBytes::Wait> undelivered = std::nullopt;
  CallerWaits::Time told_at = CallerWaits::kNever;
  int64_t leaving_bytes = 0;  // that it held then
};

// What is done without the lock, which the calls' reactions take.
struct CallerWaits::Endings {
  struct Told {
    std::shared_ptr<AwaitingCall> call;
    GivingUp why;
  };
  std::vector<Told> told;
  std::vector<std::shared_ptr<grpc_call>> cancelled;

  // How many of those that were told had to.
  int64_t Run() {
    const int64_t num_ended = std::count_if(
        told.begin(), told.end(),
        [](const Told& each) { return each.call->GiveUp(each.why); });
    for (const auto& call : cancelled) grpc_call_cancel(call.get(), nullptr);
    return num_ended;
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
  if (waits_ != nullptr) waits_->End(place_, 0);
}

void CallerWait::Deliver(int64_t message_bytes) {
  if (waits_ == nullptr) return;
  std::exchange(waits_, nullptr)->End(place_, message_bytes);
}

CallerWaits::CallerWaits(UndeliveredBytes* undelivered)
    : undelivered_(undelivered) {}

CallerWaits::~CallerWaits() = default;

CallerWait CallerWaits::ForMessage(std::shared_ptr<AwaitingCall> call,
                                   grpc::CallbackServerContext* context,
                                   const Limits& limits) {
  absl::MutexLock lock(&mutex_);
  return Begin({.list = &for_messages_,
                .call = std::move(call),
                .context = context,
                .limits = limits,
                .undelivered = undelivered_->BeginWait(*context)});
}

CallerWait CallerWaits::ForReader(grpc::CallbackServerContext* context,
                                  Time late_at) {
  absl::MutexLock lock(&mutex_);
  return Begin({.list = &for_readers_,
                .call = nullptr,
                .context = context,
                .limits = {.late_at = late_at}});
}

void CallerWaits::EndLate(bool is_crowded) {
  Endings endings;
  {
    absl::MutexLock lock(&mutex_);
    const Time now = Time::clock::now();
    CutOffDeaf(endings);
    for (const CallerWait::State& state : for_readers_) {
      if (now < state.limits.late_at) continue;
      endings.cancelled.push_back(HoldCall(*state.context));
    }
    for (auto next = for_messages_.begin(); next != for_messages_.end();) {
      const CallerWait::Place place = next++;
      if (now >= place->limits.late_at) {
        TellToGiveUp(place, GivingUp::kLate, 0, endings);
      } else if (is_crowded && now >= place->limits.late_if_crowded_at) {
        TellToGiveUp(place, GivingUp::kCrowded, 0, endings);
      }
    }
  }
  endings.Run();
}

int64_t CallerWaits::EndLongest(int64_t count, GivingUp why) {
  Endings endings;
  {
    absl::MutexLock lock(&mutex_);
    CutOffDeaf(endings);
    while (count-- > 0 && !for_messages_.empty()) {
      TellToGiveUp(for_messages_.begin(), why, 0, endings);
    }
  }
  return endings.Run();
}

int64_t CallerWaits::EndOf(Quotas& quotas, GivingUp why) {
  Endings endings;
  {
    absl::MutexLock lock(&mutex_);
    CutOffDeaf(endings);
    for (const bool is_between_messages : {false, true}) {
      for (auto next = for_messages_.begin(); next != for_messages_.end();) {
        const CallerWait::Place place = next++;
        if (place->limits.is_between_messages != is_between_messages) continue;
        const auto quota = quotas.find(place->undelivered->connection);
        if (quota == quotas.end() || quota->second.num_waits == 0) continue;
        --quota->second.num_waits;
        TellToGiveUp(place, why, quota->second.bytes_each, endings);
      }
    }
  }
  return endings.Run();
}

int64_t CallerWaits::num_for_messages() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(for_messages_.size());
}

int64_t CallerWaits::leaving_bytes() const {
  absl::MutexLock lock(&mutex_);
  const Time since = Time::clock::now() - kTimeToLeave;
  int64_t bytes = 0;
  for (auto state = told_.rbegin();
       state != told_.rend() && state->told_at > since; ++state) {
    bytes += state->leaving_bytes;
  }
  return bytes;
}

CallerWait CallerWaits::Begin(CallerWait::State state) {
  States& list = *state.list;
  return CallerWait(this, list.insert(list.end(), std::move(state)));
}

void CallerWaits::End(CallerWait::Place place, int64_t message_bytes) {
  States ended;  // destroyed after the lock: it may hold the call
  absl::MutexLock lock(&mutex_);
  if (place->undelivered.has_value()) {
    undelivered_->EndWait(*place->undelivered, message_bytes);
  }
  ended.splice(ended.end(), *place->list, place);
}

void CallerWaits::TellToGiveUp(CallerWait::Place place, GivingUp why,
                               int64_t held_bytes, Endings& endings) {
  endings.told.push_back({place->call, why});
  undelivered_->GiveUpWait(*place->undelivered, held_bytes);
  place->undelivered.reset();
  told_.splice(told_.end(), *place->list, place);
  place->list = &told_;
  place->told_at = Time::clock::now();
  place->leaving_bytes = held_bytes;
}

void CallerWaits::CutOffDeaf(Endings& endings) {
  const Time since = Time::clock::now() - kTimeToLeave;
  for (const CallerWait::State& state : told_) {
    if (state.told_at > since) break;
    endings.cancelled.push_back(HoldCall(*state.context));
  }
}

}  // namespace stridecast
