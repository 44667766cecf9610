// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/caller_waits.h"

#include <algorithm>
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
  State(std::shared_ptr<AwaitingCall> its_call,
        grpc::CallbackServerContext* its_context, HeldBytes* of,
        const Limits& its_limits)
      : call(std::move(its_call)),
        context(its_context),
        held(of, *its_context),
        limits(its_limits) {}

  const std::shared_ptr<AwaitingCall> call;
  grpc::CallbackServerContext* const context;
  HeldBytes::Call held;
  std::list<State>* list = nullptr;  // that has it
  Limits limits;
  Time told_at = kNever;
  Time stuck_since = kNever;
  int64_t leaving_bytes = 0;  // that it held then
};

// What is done without the lock, which the calls' reactions take.
struct CallerWaits::Endings {
  struct Told {
    std::shared_ptr<AwaitingCall> call;
    // Cancelled if it does not give up; none if that is all right.
    std::shared_ptr<grpc_call> otherwise_cancelled;
  };
  std::vector<Told> told;
  std::vector<std::shared_ptr<grpc_call>> cancelled;

  // How many of those that were told had to.
  int64_t Run(GivingUp why) {
    int64_t num_ended = 0;
    for (const auto& [call, otherwise_cancelled] : told) {
      if (call->GiveUp(why)) {
        ++num_ended;
      } else if (otherwise_cancelled != nullptr) {
        cancelled.push_back(otherwise_cancelled);
        ++num_ended;
      }
    }
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
  if (waits_ != nullptr) waits_->End(place_);
}

void CallerWait::ForMessage(const Limits& limits) {
  if (waits_ == nullptr) return;
  place_->held.SetReceiving(!limits.is_between_messages);
  absl::MutexLock lock(&waits_->mutex_);
  place_->limits = limits;
  waits_->Move(place_, waits_->for_messages_);
}

void CallerWait::Deliver(int64_t message_bytes, Time late_at) {
  if (waits_ == nullptr) return;
  place_->held.Deliver(message_bytes);
  absl::MutexLock lock(&waits_->mutex_);
  place_->limits = {.late_at = late_at};
  waits_->Move(place_, waits_->for_readers_);
}

void CallerWait::SetEnded() {
  if (waits_ != nullptr) place_->held.SetEnded();
}

void CallerWait::SetLate(Time late_at) {
  if (waits_ == nullptr) return;
  absl::MutexLock lock(&waits_->mutex_);
  place_->limits = {.late_at = late_at};
  if (place_->list == &waits_->for_messages_) {
    waits_->Move(place_, waits_->for_readers_);
  }
}

bool CallerWait::was_stuck() const {
  if (waits_ == nullptr) return false;
  absl::MutexLock lock(&waits_->mutex_);
  return place_->stuck_since != kNever;
}

void CallerWait::Leave() {
  if (waits_ != nullptr) place_->held.Leave();
}

HeldBytes::Call* CallerWait::held() const {
  return waits_ == nullptr ? nullptr : &place_->held;
}

bool CallerWait::is_excess() const {
  return waits_ != nullptr && place_->held.is_excess();
}

CallerWaits::CallerWaits(HeldBytes* held) : held_(held) {}

CallerWaits::~CallerWaits() = default;

void CallerWaits::Begin(CallerWait& wait, std::shared_ptr<AwaitingCall> call,
                        grpc::CallbackServerContext* context,
                        const std::optional<CallerWait::Limits>& for_message) {
  States state;  // made without the lock
  state.emplace_back(std::move(call), context, held_,
                     for_message.value_or(CallerWait::Limits()));
  const CallerWait::Place place = state.begin();
  place->held.SetReceiving(for_message.has_value() &&
                           !for_message->is_between_messages);
  absl::MutexLock lock(&mutex_);
  States& list = for_message.has_value() ? for_messages_ : for_readers_;
  place->list = &list;
  wait = CallerWait(this, place);  // before anybody may tell the call to end
  list.splice(list.end(), state);
}

std::vector<std::string> CallerWaits::EndLate(
    absl::FunctionRef<bool(Crowd)> is_large, Time now) {
  std::vector<std::string> stuck;
  Endings late;
  Endings crowded;
  {
    absl::MutexLock lock(&mutex_);
    CutOffDeaf(late);
    const auto note = [&](CallerWait::State& state) {
      if (!state.held.has_ended()) return;  // not for want of a reader
      state.stuck_since = std::min(state.stuck_since, now);
      if (now - state.stuck_since >= kTimeToEnd) {
        stuck.push_back(state.held.peer());
      }
    };
    for (CallerWait::State& state : for_readers_) {
      if (now < state.limits.late_at) continue;
      late.cancelled.push_back(HoldCall(*state.context));
      note(state);
    }
    for (CallerWait::State& state : told_) note(state);
    for (auto next = for_messages_.begin(); next != for_messages_.end();) {
      const CallerWait::Place place = next++;
      if (now >= place->limits.late_at) {
        TellToGiveUp(place, 0, late);
      } else if (now >= place->limits.late_if_crowded_at &&
                 is_large(place->limits.crowd)) {
        TellToGiveUp(place, 0, crowded);
      }
    }
  }
  late.Run(GivingUp::kLate);
  crowded.Run(GivingUp::kCrowded);
  return stuck;
}

int64_t CallerWaits::EndLongest(int64_t count, GivingUp why) {
  Endings endings;
  {
    absl::MutexLock lock(&mutex_);
    CutOffDeaf(endings);
    for (const bool is_between_messages : {false, true}) {
      for (auto next = for_messages_.begin();
           next != for_messages_.end() && count > 0;) {
        const CallerWait::Place place = next++;
        if (place->limits.is_between_messages != is_between_messages) continue;
        TellToGiveUp(place, 0, endings);
        --count;
      }
    }
  }
  return endings.Run(why);
}

int64_t CallerWaits::EndOf(Quotas& quotas, GivingUp why) {
  Endings endings;
  const auto end_if =
      [&](States& list, auto is_asked_for)
          ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
            for (auto next = list.begin(); next != list.end();) {
              const CallerWait::Place place = next++;
              if (!is_asked_for(*place)) continue;
              const auto quota = quotas.find(place->held.connection());
              if (quota == quotas.end() || quota->second.num_calls == 0)
                continue;
              --quota->second.num_calls;
              TellToGiveUp(place, quota->second.bytes_each, endings);
            }
          };
  {
    absl::MutexLock lock(&mutex_);
    CutOffDeaf(endings);
    end_if(for_messages_, [](const CallerWait::State& state) {
      return !state.limits.is_between_messages;
    });
    end_if(for_messages_, [](const CallerWait::State&) { return true; });
    end_if(for_readers_, [](const CallerWait::State&) { return true; });
  }
  return endings.Run(why);
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

void CallerWaits::End(CallerWait::Place place) {
  States ended;  // destroyed after the lock: it may hold the call
  absl::MutexLock lock(&mutex_);
  ended.splice(ended.end(), *place->list, place);
}

void CallerWaits::Move(CallerWait::Place place, States& list) {
  list.splice(list.end(), *place->list, place);
  place->list = &list;
}

void CallerWaits::TellToGiveUp(CallerWait::Place place, int64_t held_bytes,
                               Endings& endings) {
  const bool has_message = place->list == &for_readers_;
  endings.told.push_back(
      {place->call, has_message ? HoldCall(*place->context) : nullptr});
  place->held.GiveUp(held_bytes);
  Move(place, told_);
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
