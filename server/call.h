// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One unary call, from its arrival until gRPC lets go of it: what every method
// needs, written once. To gRPC it is a stream of one message each way, which is
// the same on the wire: so it is admitted before its message is read.
//   Start      request id, deadline, reservation of the bytes to come
//   Begin      message limit, reservation of the bytes that came
//   Complete   status, log line, reply
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
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/engine/engine.h"
#include "grpcpp/alarm.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/server_callback.h"
#include "server/admission.h"
#include "server/call_memory.h"

namespace stridecast {

class Call;

// Unary calls without a deadline whose message has not come: gRPC waits for
// ever. Thread-safe.
class SilentCalls {
 public:
  void Add(Call* call);
  void Remove(Call* call);
  // Ends those that have waited longer than the default deadline.
  void EndLate();

 private:
  absl::Mutex mutex_;
  absl::flat_hash_set<Call*> calls_ ABSL_GUARDED_BY(mutex_);
};

// What all calls of a service share.
struct CallEnvironment {
  int64_t max_message_bytes;
  std::chrono::seconds default_deadline;
  std::chrono::seconds stream_idle;
  std::shared_ptr<CallMemory> memory;
  std::shared_ptr<SilentCalls> silent_calls;
};

// Errors: kResourceExhausted for a message over the limit.
absl::Status CheckMessageBytes(int64_t bytes,
                               const CallEnvironment& environment);

// The trailer that names the call in the log.
inline constexpr char kRequestIdTrailer[] = "stridecast-request-id";
// What is reserved for the message of a caller that does not.
inline constexpr int64_t kUnstatedRequestBytes = int64_t{64} << 10;

// What is written of a call that has ended, and what its caller is told: those
// of calls that are no Call do the same.
struct CallRecord {
  const char* method;
  std::string request_id;
  std::chrono::steady_clock::time_point arrival;
  int64_t request_bytes = 0;
  int64_t reply_bytes = 0;
};

// Names the call in a trailer.
CallRecord NewCallRecord(const char* method, grpc::ServerContextBase* context);
// Writes the log line. A fault of ours is told in full to the log alone.
grpc::Status EndCall(const CallRecord& record, const absl::Status& status);

class Call final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Owns itself from here on: OnDone deletes it. `run` is called once the
  // message is there, and completes the call then or later.
  static Call* Start(const char* method, const CallEnvironment& environment,
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
  // The bytes of the request; what else the call needs is grown from it.
  Reservation& reservation() { return reservation_; }

  void Complete(absl::StatusOr<grpc::ByteBuffer> reply);

 private:
  Call(const char* method, const CallEnvironment& environment,
       grpc::CallbackServerContext* context, std::function<void(Call&)> run);
  ~Call() override = default;

  friend class SilentCalls;
  absl::Status Admit(std::optional<int64_t> stated_bytes);
  void EndSilent();
  void OnReadDone(bool ok) override;
  void OnCancel() override { unwanted_->store(true); }
  void OnDone() override { delete this; }

  CallRecord record_;
  const CallEnvironment& environment_;
  grpc::CallbackServerContext* const context_;
  const std::function<void(Call&)> run_;
  bool has_ended_silent_ = false;  // under the lock of SilentCalls
  grpc::ByteBuffer request_;
  grpc::ByteBuffer reply_;
  const bool has_own_deadline_;
  const std::chrono::system_clock::time_point deadline_;
  // Shared with the alarm, whose callback may run after the call is gone.
  const std::shared_ptr<std::atomic<bool>> unwanted_;
  std::optional<grpc::Alarm> alarm_;
  Reservation reservation_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_H_
