// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What calls wait for, from their beginning to their end: that a message of
// their caller comes, or that the caller reads. gRPC would let them wait for
// ever, holds what the caller sends meanwhile, and tells nobody how much that
// is; so waits are ended here, when they are late or when memory is short.
// Thread-safe but for the single CallerWait.

#ifndef STRIDECAST_SERVER_CALLER_WAITS_H_
#define STRIDECAST_SERVER_CALLER_WAITS_H_

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/server_context.h"
#include "server/held_bytes.h"
#include "server/raw_service.h"

namespace stridecast {

// Why a message is no longer waited for.
enum class GivingUp {
  kLate,
  kCrowded,      // not late, but others want what it holds
  kShortMemory,  // of the process
};

// Of whom a call that waits for its message is one.
enum class Crowd {
  kUnknownMessages,  // that do not state their size
  kStatedBytes,      // for which the budget has made room
};

// What the caller is told of kShortMemory: kResourceExhausted, with RetryInfo.
absl::Status ShortMemoryError();

class AwaitingCall {
 public:
  virtual ~AwaitingCall() = default;
  // Ends the call, unless it has its message meanwhile, or has ended: whether
  // it did. From any thread.
  virtual bool GiveUp(GivingUp why) = 0;
};

class CallerWaits;

// One call's, within its CallerWaits' life. Those that were moved from, or made
// without arguments, do nothing.
class CallerWait {
 public:
  using Time = std::chrono::system_clock::time_point;
  static constexpr Time kNever = Time::max();
  struct Limits {
    Time late_at = kNever;
    Time late_if_crowded_at = kNever;  // while its crowd is large
    Crowd crowd = Crowd::kUnknownMessages;
    // May be at rest: nothing was begun.
    bool is_between_messages = false;
  };

  CallerWait() = default;
  CallerWait(CallerWait&& other) noexcept;
  CallerWait& operator=(CallerWait&& other) noexcept;
  ~CallerWait();

  // From now on for another message.
  void ForMessage(const Limits& limits);
  // It has come: from now on for the caller to read.
  void Deliver(int64_t message_bytes, Time late_at = kNever);
  // The call has ended, and only waits for the caller to read how.
  void SetEnded();
  // From now on for the caller to read, who is cancelled if he has not by then:
  // nothing else reaches who does not.
  void SetLate(Time late_at);
  // Whether that, or being told to give up, was of no use at first: the call
  // had ended, and was still there.
  bool was_stuck() const;
  // The caller has left. Takes no lock.
  void Leave();
  // Of a call that has begun, until it is done; null before. What it does takes
  // no locks.
  HeldBytes::Call* held() const;
  // Its connection has more calls than it may.
  bool is_excess() const;

 private:
  friend class CallerWaits;
  struct State;
  using Place = std::list<State>::iterator;
  CallerWait(CallerWaits* waits, Place place) : waits_(waits), place_(place) {}

  CallerWaits* waits_ = nullptr;
  Place place_;
};

class CallerWaits {
 public:
  using Time = CallerWait::Time;
  static constexpr Time kNever = CallerWait::kNever;
  // For what is on its way to the caller of a call that was ended.
  static constexpr std::chrono::seconds kTimeToEnd{20};

  // How many of a connection's calls are to end, each of which holds so much.
  struct Quota {
    int64_t num_calls;
    int64_t bytes_each;
  };
  using Quotas = absl::flat_hash_map<ConnectionId, Quota>;

  // `held` outlives them.
  explicit CallerWaits(HeldBytes* held);
  ~CallerWaits();
  CallerWaits(const CallerWaits&) = delete;
  CallerWaits& operator=(const CallerWaits&) = delete;

  // Begins `wait`, of a call that has come: for its message; without limits, as
  // one that is refused before that, for its reader. `context` is the call's,
  // and outlives the wait.
  void Begin(CallerWait& wait, std::shared_ptr<AwaitingCall> call,
             grpc::CallbackServerContext* context,
             const std::optional<CallerWait::Limits>& for_message);

  // Returns the peers of calls that have been stuck for kTimeToEnd: gRPC sends
  // what it has begun to, however long that takes, but if their connections are
  // closed.
  std::vector<std::string> EndLate(absl::FunctionRef<bool(Crowd)> is_large,
                                   Time now = Time::clock::now());
  // Of those that wait for messages, first the longest, last those that are
  // between messages; how many were ended.
  int64_t EndLongest(int64_t count, GivingUp why);
  // Likewise, all those of some connections, whose quotas become less by them;
  // those that wait for their reader after all others.
  int64_t EndOf(Quotas& quotas, GivingUp why);

  int64_t num_for_messages() const;
  // What is to be freed soon of what those held that were told to end.
  int64_t leaving_bytes() const;

 private:
  friend class CallerWait;
  using States = std::list<CallerWait::State>;
  struct Endings;

  void End(CallerWait::Place place);
  // To the end of another list.
  void Move(CallerWait::Place place, States& list)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellToGiveUp(CallerWait::Place place, int64_t held_bytes,
                    Endings& endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CutOffDeaf(Endings& endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  HeldBytes* const held_;
  mutable absl::Mutex mutex_;
  States for_messages_ ABSL_GUARDED_BY(mutex_);  // the longest first
  States for_readers_ ABSL_GUARDED_BY(mutex_);
  States told_ ABSL_GUARDED_BY(mutex_);  // to give up
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALLER_WAITS_H_
