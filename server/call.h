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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "grpcpp/alarm.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/admission.h"
#include "server/call_memory.h"
#include "server/call_record.h"
#include "server/caller_waits.h"
#include "server/held_endings.h"
#include "server/peer_slots.h"
#include "server/raw_service.h"

namespace stridecast {

// Figures that are nobody else's.
struct CallFigures {
  std::atomic<int64_t> num_queued = 0;     // tasks that no thread has yet
  std::atomic<int64_t> num_too_large = 0;  // messages that were refused
  std::atomic<int64_t> num_excess = 0;     // calls of connections with too many
};

// What all calls of a service share.
struct CallEnvironment {
  int64_t max_message_bytes;
  int64_t max_connection_calls;
  std::chrono::seconds default_deadline;
  std::chrono::seconds stream_idle;
  std::shared_ptr<CallMemory> memory;
  std::shared_ptr<CallSlots> slots;
  // Of calls whose message, of a size that is not known, is on its way.
  std::shared_ptr<PeerSlots> unknown_messages;
  std::shared_ptr<CallerWaits> waits;
  std::shared_ptr<CallFigures> figures;
  std::shared_ptr<HeldEndings> endings;
  std::vector<CallObserver*> observers;  // outlive all calls
};

void TellObservers(const CallRecord& record,
                   const CallEnvironment& environment);

// Of a call that is done: whether its result came too late, or nobody was there
// for it.
bool IsUndelivered(const CallRecord& record,
                   const grpc::CallbackServerContext& context,
                   const CallerWait& wait);

// Has the engine run `task`, which is counted until it begins.
void Enqueue(const CallEnvironment& environment, Engine& engine,
             std::function<void()> task);

// Errors: kResourceExhausted for a message over the limit.
absl::Status CheckMessageBytes(int64_t bytes,
                               const CallEnvironment& environment);

// Errors: kResourceExhausted, with RetryInfo, if the call that waits is one too
// many for its connection.
absl::Status CheckConnection(const CallerWait& wait,
                             const CallEnvironment& environment);

// What is reserved for the message of a caller that does not.
inline constexpr int64_t kUnstatedRequestBytes = kSmallCallBytes;

class Call final : public RawReactor, public AwaitingCall {
 public:
  // Owns itself from here on, until OnDone. `run` is called once the message is
  // there, and completes the call then or later.
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
  Call(Method method, const CallEnvironment& environment,
       grpc::CallbackServerContext* context, std::function<void(Call&)> run);

  // No deadline ends it soon, or the size of its message is not known: so its
  // waits are limited.
  bool is_watched() const { return is_patient_ || !stated_bytes_.has_value(); }
  absl::Status Admit();
  CallerWait::Limits WaitLimits() const;
  std::chrono::seconds PatienceIfCrowded() const;
  absl::Status StatusOf(GivingUp why) const;
  void FinishOrHold();
  bool GiveUp(GivingUp why) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override {
    unwanted_->store(true);
    wait_.Leave();
  }
  void OnDone() override;
  // OnDone takes no lock that whoever ends a call might hold, and OnCancel
  // none: a thread of their own would cost as much as they do.
  bool InternalInlineable() override { return true; }

  std::shared_ptr<Call> self_;  // until OnDone
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
  CallerWait wait_;
  // And neither has it nor was told to give up.
  std::atomic<bool> is_awaiting_message_ = false;
  Reservation reservation_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_H_
