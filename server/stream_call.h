// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One ComputeStream, from its arrival until gRPC lets go of it: when to read,
// to compute and to write. What chunks and rounds mean is StreamJob's.
// Rules:
//   (E1) at most one read, one round and one write at a time; a round of
//        results that is not written yet stops computing, a round that is ready
//        but cannot run stops reading
//   (E2) the first fault decides the status; nothing is sent after it
//   (E3) whoever stalls for stream_idle ends the call: kAborted
//   (E4) cancelled, it frees everything as soon as the running round notices

#ifndef STRIDECAST_SERVER_STREAM_CALL_H_
#define STRIDECAST_SERVER_STREAM_CALL_H_

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/engine/engine.h"
#include "grpcpp/alarm.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "proto/wire/stream_codec.h"
#include "server/call.h"
#include "server/raw_service.h"
#include "server/stream_job.h"

namespace stridecast {

class StreamCall final : public RawReactor, public AwaitingCall {
 public:
  // Owns itself from here on. `engine` and `environment` outlive it.
  static StreamCall* Start(const CallEnvironment& environment, Engine& engine,
                           grpc::CallbackServerContext* context);

 private:
  using TimePoint = CallRecord::Clock::time_point;

  StreamCall(const CallEnvironment& environment, Engine& engine,
             grpc::CallbackServerContext* context);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  bool GiveUp(GivingUp why) override;

  absl::Status Admit() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status HandleMessage() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Begin(const DecodedRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fail(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts whatever can be started now.
  void Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool WantsInput() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunRound(const StreamJob::Round& round, TimePoint queued_at);
  void End(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void NoteProgress() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WatchIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckIdle();
  // Of a client that does not read.
  void CutOff() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const CallEnvironment& environment_;
  Engine& engine_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<StreamCall> self_;  // until OnDone
  std::atomic<bool> unwanted_ = false;

  absl::Mutex mutex_;
  CallRecord record_ ABSL_GUARDED_BY(mutex_);
  TimePoint write_began_ ABSL_GUARDED_BY(mutex_);
  CallerWait wait_ ABSL_GUARDED_BY(mutex_);
  grpc::ByteBuffer incoming_;  // of the read that is outstanding
  grpc::ByteBuffer outgoing_;  // of the write
  CallSlot slot_ ABSL_GUARDED_BY(mutex_);
  Reservation before_begin_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<StreamJob> job_ ABSL_GUARDED_BY(mutex_);
  std::deque<grpc::ByteBuffer> unsent_ ABSL_GUARDED_BY(mutex_);
  absl::Status fault_ ABSL_GUARDED_BY(mutex_);  // the first fault
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_computing_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_half_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  TimePoint last_progress_ ABSL_GUARDED_BY(mutex_);
  // A new one each time: its callback may not set itself again.
  std::unique_ptr<grpc::Alarm> idle_alarm_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_STREAM_CALL_H_
