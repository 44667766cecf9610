// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/call_record.h"

#include <algorithm>
#include <atomic>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/wire/status_codec.h"
#include "server/log.h"
#include "spdlog/spdlog.h"

namespace stridecast {
namespace {

bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

void LogFault(const std::string& request_id, const absl::Status& status) {
  static RateLimiter limit(CallLog::kMaxFailuresPerSecond);
  int64_t num_held_back = 0;
  if (!limit.Pass(RateLimiter::Clock::now(), num_held_back)) return;
  if (num_held_back > 0) {
    spdlog::error("{} lines of faults are left out", num_held_back);
  }
  spdlog::error("id={}: {}", request_id, std::string(status.message()));
}

bool IsLowerHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

std::string MakeRequestId() {
  static const uint32_t process_id = std::random_device()();
  static std::atomic<uint32_t> next = 0;
  return absl::StrFormat("%08x%08x", process_id, next.fetch_add(1));
}

std::string RequestIdOf(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find("traceparent");
  std::string id;
  if (found != context.client_metadata().end()) {
    id = TraceIdOf({found->second.data(), found->second.size()});
  }
  return id.empty() ? MakeRequestId() : id;
}

}  // namespace

absl::string_view MethodName(Method method) {
  switch (method) {
    case Method::kCompute:
      return "Compute";
    case Method::kRelayout:
      return "Relayout";
    case Method::kExplain:
      return "Explain";
    case Method::kGetServerInfo:
      return "GetServerInfo";
    case Method::kComputeStream:
      return "ComputeStream";
  }
  return "";
}

absl::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kReceive:
      return "receive";
    case Stage::kDecode:
      return "decode";
    case Stage::kPlan:
      return "plan";
    case Stage::kQueue:
      return "queue";
    case Stage::kCompute:
      return "compute";
    case Stage::kReply:
      return "reply";
  }
  return "";
}

// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; later versions may
// add to the end.
std::string TraceIdOf(absl::string_view traceparent) {
  constexpr size_t kSize = 55;
  if (traceparent.size() < kSize ||
      (traceparent.size() > kSize &&
       (traceparent.substr(0, 2) == "00" || traceparent[kSize] != '-')) ||
      traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-') {
    return "";
  }
  const absl::string_view version = traceparent.substr(0, 2);
  const absl::string_view trace_id = traceparent.substr(3, 32);
  const absl::string_view parent_id = traceparent.substr(36, 16);
  for (absl::string_view part :
       {version, trace_id, parent_id, traceparent.substr(53, 2)}) {
    if (!IsLowerHex(part)) return "";
  }
  const bool has_ids =
      trace_id.find_first_not_of('0') != absl::string_view::npos &&
      parent_id.find_first_not_of('0') != absl::string_view::npos;
  return version != "ff" && has_ids ? std::string(trace_id) : "";
}

CallRecord::CallRecord(Method method, grpc::CallbackServerContext* context)
    : method_(method),
      request_id_(RequestIdOf(*context)),
      arrival_(Clock::now()),
      last_(arrival_) {
  context->AddTrailingMetadata(kRequestIdTrailer, request_id_);
}

grpc::Status CallRecord::End(const absl::Status& status) {
  code_ = status.code();
  if (!IsOurFault(code_)) return ToGrpcStatus(status);
  LogFault(request_id_, status);
  return ToGrpcStatus(absl::Status(
      code_, absl::StrCat("a fault of the server; its log has more under ",
                          kRequestIdTrailer, " ", request_id_)));
}

void CallRecord::Enter(Stage stage) {
  StopClock();
  entered_ = stage;
}

void CallRecord::StopClock() {
  const Clock::time_point now = Clock::now();
  if (entered_.has_value()) Add(*entered_, now - last_);
  entered_.reset();
  last_ = now;
}

}  // namespace stridecast
