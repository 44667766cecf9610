// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What calls wait for: that a message of their caller comes, that a caller
// reads a reply. gRPC would let them wait for ever, and tells nobody how much
// of a message it has before all of it is there; so waits are ended here, when
// they are late or when memory is short. Thread-safe but for the single
// CallerWait.

#ifndef STRIDECAST_SERVER_CALLER_WAITS_H_
#define STRIDECAST_SERVER_CALLER_WAITS_H_

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/server_context.h"
#include "server/raw_service.h"
#include "server/undelivered_bytes.h"

namespace stridecast {

// Why a message is no longer waited for.
enum class GivingUp {
  kLate,
  kCrowded,      // not late, but others wait for the place
  kShortMemory,  // of the process
};

// What the caller is told of kShortMemory: kResourceExhausted, with RetryInfo.
absl::Status ShortMemoryError();

class AwaitingCall {
 public:
  virtual ~AwaitingCall() = default;
  // Ends the call, unless its message has come meanwhile: whether it did. From
  // any thread.
  virtual bool GiveUp(GivingUp why) = 0;
};

class CallerWaits;

// From its beginning to its destruction; within its CallerWaits' life.
class CallerWait {
 public:
  CallerWait() = default;
  CallerWait(CallerWait&& other) noexcept;
  CallerWait& operator=(CallerWait&& other) noexcept;
  ~CallerWait();

  // Ends it, if it has begun, with the message that came.
  void Deliver(int64_t message_bytes);

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
  using Time = std::chrono::system_clock::time_point;
  static constexpr Time kNever = Time::max();

  struct Limits {
    Time late_at = kNever;
    Time late_if_crowded_at = kNever;  // while there is a crowd
    // May be at rest: nothing was begun.
    bool is_between_messages = false;
  };
  // How many of a connection's waits are to end, each of which holds so much.
  struct Quota {
    int64_t num_waits;
    int64_t bytes_each;
  };
  using Quotas = absl::flat_hash_map<ConnectionId, Quota>;

  // `undelivered` outlives them.
  explicit CallerWaits(UndeliveredBytes* undelivered);
  ~CallerWaits();
  CallerWaits(const CallerWaits&) = delete;
  CallerWaits& operator=(const CallerWaits&) = delete;

  // `context` is the call's, and outlives the wait.
  CallerWait ForMessage(std::shared_ptr<AwaitingCall> call,
                        grpc::CallbackServerContext* context,
                        const Limits& limits);
  // Who is late is cancelled: nothing reaches a caller that does not read.
  CallerWait ForReader(grpc::CallbackServerContext* context, Time late_at);

  void EndLate(bool is_crowded);
  // Of those that wait for messages, first the longest; how many were ended.
  int64_t EndLongest(int64_t count, GivingUp why);
  // Likewise, those of some connections, whose quotas become less by them; last
  // those that are between messages.
  int64_t EndOf(Quotas& quotas, GivingUp why);

  int64_t num_for_messages() const;
  // What is to be freed soon of what those held that were told to end.
  int64_t leaving_bytes() const;

 private:
  friend class CallerWait;
  using States = std::list<CallerWait::State>;
  struct Endings;

  CallerWait Begin(CallerWait::State state)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(CallerWait::Place place, int64_t message_bytes);
  void TellToGiveUp(CallerWait::Place place, GivingUp why, int64_t held_bytes,
                    Endings& endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CutOffDeaf(Endings& endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  UndeliveredBytes* const undelivered_;
  mutable absl::Mutex mutex_;
  States for_messages_ ABSL_GUARDED_BY(mutex_);  // the longest first
  States for_readers_ ABSL_GUARDED_BY(mutex_);   // likewise
  States told_ ABSL_GUARDED_BY(mutex_);          // to give up
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALLER_WAITS_H_
