// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What is known of a call when it has ended: of it are made its line in the log
// and the metrics. No tensor data (C3 of call.h).

#ifndef STRIDECAST_SERVER_CALL_RECORD_H_
#define STRIDECAST_SERVER_CALL_RECORD_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"

namespace stridecast {

enum class Method {
  kCompute,
  kRelayout,
  kExplain,
  kGetServerInfo,
  kComputeStream,
};
inline constexpr Method kAllMethods[] = {
    Method::kCompute, Method::kRelayout, Method::kExplain,
    Method::kGetServerInfo, Method::kComputeStream};

// As in the proto: "Compute".
absl::string_view MethodName(Method method);

// Where the time of a call goes. Those of a stream overlap, and are sums over
// its messages and rounds.
enum class Stage {
  kReceive,  // until the message is there
  kDecode,
  kPlan,
  kQueue,  // until a thread of the engine has it
  kCompute,
  kReply,  // until the transport has taken it
};
inline constexpr int kNumStages = 6;
// Those that are told of; what the caller takes to send is no time of ours.
inline constexpr Stage kOurStages[] = {Stage::kDecode, Stage::kPlan,
                                       Stage::kQueue, Stage::kCompute,
                                       Stage::kReply};

// "decode"
absl::string_view StageName(Stage stage);

class CallRecord {
 public:
  using Clock = std::chrono::steady_clock;

  // Of a call that arrives. Its request id is the trace id of its `traceparent`
  // (W3C Trace Context) if it has one, else made, and told in a trailer.
  CallRecord(Method method, grpc::CallbackServerContext* context);

  // The status that the caller is told, of `status`. A fault of ours is told in
  // full to the log alone.
  grpc::Status End(const absl::Status& status);

  // The reply did not reach the caller, who is told nothing but `code`.
  void SetUndelivered(absl::StatusCode code) {
    code_ = code;
    reply_bytes = 0;
  }

  // From now on time is counted for `stage`; for calls whose stages follow each
  // other.
  void Enter(Stage stage);
  // For those whose stages overlap.
  void Add(Stage stage, Clock::duration duration) {
    stages_[static_cast<size_t>(stage)] += duration;
  }
  // No stage goes on.
  void StopClock();

  Method method() const { return method_; }
  const std::string& request_id() const { return request_id_; }
  absl::StatusCode code() const { return code_; }
  // From its arrival to StopClock.
  Clock::duration duration() const { return last_ - arrival_; }
  Clock::duration stage(Stage stage) const {
    return stages_[static_cast<size_t>(stage)];
  }

  int64_t request_bytes = 0;
  int64_t reply_bytes = 0;  // that the transport took, or is to take

 private:
  const Method method_;
  const std::string request_id_;
  const Clock::time_point arrival_;
  Clock::time_point last_;
  std::optional<Stage> entered_;
  std::array<Clock::duration, kNumStages> stages_{};
  absl::StatusCode code_ = absl::StatusCode::kUnknown;
};

// The trace id in the text of a `traceparent`; empty if it has none.
std::string TraceIdOf(absl::string_view traceparent);

// The trailer that names the call in the log.
inline constexpr char kRequestIdTrailer[] = "stridecast-request-id";

// Is told of each call when it has ended, by any thread.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void OnCallEnd(const CallRecord& record) = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CALL_RECORD_H_
