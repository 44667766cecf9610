// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One call of the small services, health and reflection. What it may hold is
// bounded: one slot, requests of kMaxSmallRequestBytes, and time to send a
// request or to read a reply.
//   Start → OnRequest → Reply → OnReplied → ReadRequest → … → End
// A call may be gone when what goes on with it returns, unless a shared_ptr
// holds it: every reaction does.

#ifndef STRIDECAST_SERVER_SMALL_STREAM_H_
#define STRIDECAST_SERVER_SMALL_STREAM_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/alarm.h"
#include "server/caller_waits.h"
#include "server/peer_slots.h"
#include "server/raw_service.h"

namespace stridecast {

inline constexpr size_t kMaxSmallRequestBytes = 4096;

// The calls of a small service: how many there may be, and who of them waits
// for a request. Outlives them.
class SmallCalls {
 public:
  // As PeerSlots and CallerWaits.
  SmallCalls(int64_t capacity, int64_t share, std::string what, HeldBytes* held)
      : slots_(capacity, share, std::move(what)), waits_(held) {}

  // Where all are taken, who has waited longest for a request makes room.
  // Errors: those of PeerSlots::Take.
  absl::StatusOr<PeerSlot> Take(ConnectionId connection);

  CallerWaits& waits() { return waits_; }
  int64_t num_refused() const { return slots_.num_refused(); }

 private:
  PeerSlots slots_;
  CallerWaits waits_;
};

class SmallStream : public RawReactor, public AwaitingCall {
 public:
  // Of a call that has just come; it owns itself from here on. Waits for its
  // request, if it may be one of `calls`.
  static RawReactor* Start(std::shared_ptr<SmallStream> stream,
                           SmallCalls& calls);

 protected:
  // A caller who takes longer than `patience` for a request, and for reading
  // the reply to it, is cut off.
  SmallStream(grpc::CallbackServerContext* context,
              std::chrono::seconds patience);

  virtual void OnRequest(const std::string& request) = 0;
  virtual void OnReplied() {}
  // What a caller who sends no more requests gets.
  virtual absl::Status OnLastRequest() = 0;

  void ReadRequest();
  // Not before OnReplied of the reply before.
  void Reply(const google::protobuf::MessageLite& reply);
  // The last; OnReplied does not follow.
  void ReplyAndEnd(const google::protobuf::MessageLite& reply);
  // Has no effect on a call that has ended.
  void End(const absl::Status& status) { EndOnce(status); }
  // From now on the caller may take for ever.
  void WaitForEver();

 private:
  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;
  bool GiveUp(GivingUp why) final;
  // Whether it had not ended.
  bool EndOnce(const absl::Status& status);
  void StartReading() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetAlarm() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::CallbackServerContext* const context_;
  const std::chrono::seconds patience_;
  std::shared_ptr<SmallStream> self_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer reply_;
  absl::Mutex mutex_;
  PeerSlot slot_ ABSL_GUARDED_BY(mutex_);
  CallerWait wait_ ABSL_GUARDED_BY(mutex_);
  std::optional<grpc::Alarm> alarm_ ABSL_GUARDED_BY(mutex_);
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_SMALL_STREAM_H_
