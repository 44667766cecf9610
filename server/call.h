// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One unary call, from its arrival until gRPC lets go of it: what every method
// needs, written once. To gRPC it is a stream of one message each way, which is
// the same on the wire: so it is admitted before its message is read.
//   Start      request id, deadline, reservation of the bytes to come, and of
//              what they are expected to need
//   Begin      message limit, reservation of at least the bytes that came
//   Complete   status, reply
//   OnDone     log line, metrics
// Rules:
//   (C1) Complete is called exactly once; the call may be gone when it returns
//   (C2) a call whose caller has left, or whose deadline has passed, never
//        sends a result
//   (C3) no log line holds data of a request

#ifndef STRIDECAST_SERVER_CALL_H_
#define STRIDECAST_SERVER_CALL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/engine/engine.h"
#include "grpcpp/alarm.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/admission.h"
#include "server/call_memory.h"
#include "server/call_record.h"
#include "server/held_endings.h"
#include "server/peer_slots.h"
#include "server/raw_service.h"

namespace stridecast {

class Call;

// Unary calls that no deadline ends soon, or that do not state their size, as
// long as they live: gRPC would wait for ever for a message that does not come,
// and for a caller who does not read the reply. Thread-safe.
class WatchedCalls {
 public:
  using Time = std::chrono::system_clock::time_point;

  // Each waits for its message until `late_at`, or while that is crowded until
  // `late_if_crowded_at`.
  void Add(Call* call, Time late_at, Time late_if_crowded_at);
  // Its message came, or never will. False if it was ended for being late.
  bool NoteMessage(Call* call);
  // It waits for its reply to be read, until `late_at`.
  void NoteReply(Call* call, Time late_at);
  // It is done. False if it is being ended, and then deleted, by EndLate.
  bool Remove(Call* call);

  // Ends those that are late: with a status while the message is waited for,
  // by cancelling while the reply is.
  void EndLate(bool is_crowded);

 private:
  enum class Waiting { kForMessage, kForNothing, kForReader };
  struct State {
    Waiting waiting = Waiting::kForMessage;
    Time late_at;
    Time late_if_crowded_at;
    bool has_ended = false;       // for being late
    bool is_being_ended = false;  // gRPC may call OnDone within
    bool is_done = false;
  };

  absl::Mutex mutex_;
  absl::flat_hash_map<Call*, State> calls_ ABSL_GUARDED_BY(mutex_);
};

// Figures that are nobody else's.
struct CallFigures {
  std::atomic<int64_t> num_queued = 0;     // tasks that no thread has yet
  std::atomic<int64_t> num_too_large = 0;  // messages that were refused
};

// What all calls of a service share.
struct CallEnvironment {
  int64_t max_message_bytes;
  std::chrono::seconds default_deadline;
  std::chrono::seconds stream_idle;
  std::shared_ptr<CallMemory> memory;
  std::shared_ptr<CallSlots> slots;
  // Of calls whose message, of a size that is not known, is on its way.
  std::shared_ptr<PeerSlots> unknown_messages;
  std::shared_ptr<WatchedCalls> watched_calls;
  std::shared_ptr<CallFigures> figures;
  std::shared_ptr<HeldEndings> endings;
  std::vector<CallObserver*> observers;  // outlive all calls
};

void TellObservers(const CallRecord& record,
                   const CallEnvironment& environment);

// Has the engine run `task`, which is counted until it begins.
void Enqueue(const CallEnvironment& environment, Engine& engine,
             std::function<void()> task);

// Errors: kResourceExhausted for a message over the limit.
absl::Status CheckMessageBytes(int64_t bytes,
                               const CallEnvironment& environment);

// What is reserved for the message of a caller that does not.
inline constexpr int64_t kUnstatedRequestBytes = kSmallCallBytes;

class Call final : public RawReactor {
 public:
  // Owns itself from here on: OnDone deletes it. `run` is called once the
  // message is there, and completes the call then or later.
  static Call* Start(Method method, const CallEnvironment& environment,
                     grpc::CallbackServerContext* context,
                     std::function<void(Call&)> run);

  // Errors: kResourceExhausted for a message over the limit, or no room.
  absl::Status Begin();

  // Before work that takes long: from here a call that came without a deadline
  // has the default one. (A deadline of the caller's own needs no alarm, gRPC
  // calls OnCancel then.)
  void WatchDefaultDeadline();

  // kCancelled or kDeadlineExceeded if nobody waits for the answer any more.
  absl::Status CheckWanted() const;

  CancelToken cancel_token() const { return CancelToken(unwanted_.get()); }
  const grpc::ByteBuffer& request() const { return request_; }
  CallRecord& record() { return record_; }
  // The bytes of the request; what else the call needs is grown from it.
  Reservation& reservation() { return reservation_; }

  void Complete(absl::StatusOr<grpc::ByteBuffer> reply);

 private:
  // WatchedCalls has it.
  bool is_watched() const { return is_patient_ || !stated_bytes_.has_value(); }
  Call(Method method, const CallEnvironment& environment,
       grpc::CallbackServerContext* context, std::function<void(Call&)> run);
  ~Call() override = default;

  friend class WatchedCalls;
  absl::Status Admit();
  // Of two patiences, that of `late_at`, or that of a crowd.
  absl::Status MessageIsLate(bool is_crowded) const;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { unwanted_->store(true); }
  void OnDone() override;

  CallRecord record_;
  const CallEnvironment& environment_;
  grpc::CallbackServerContext* const context_;
  const std::function<void(Call&)> run_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer reply_;
  grpc::Status ending_;  // of a call whose end may be held
  const bool has_own_deadline_;
  const std::chrono::system_clock::time_point deadline_;
  const std::optional<int64_t> stated_bytes_;
  const bool is_patient_;  // no deadline ends it soon
  // Shared with the alarm, whose callback may run after the call is gone.
  const std::shared_ptr<std::atomic<bool>> unwanted_;
  std::optional<grpc::Alarm> alarm_;
  CallSlot slot_;
  PeerSlot unknown_message_;
  Reservation reservation_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_H_
