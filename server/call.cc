// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/call.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "proto/wire/status_codec.h"
#include "spdlog/spdlog.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using SystemClock = std::chrono::system_clock;

// What gRPC gives for a call without a deadline.
constexpr SystemClock::time_point kNoDeadline = SystemClock::time_point::max();

SystemClock::time_point DeadlineOf(const grpc::CallbackServerContext& context,
                                   std::chrono::seconds default_deadline) {
  const SystemClock::time_point deadline = context.deadline();
  return deadline != kNoDeadline ? deadline
                                 : SystemClock::now() + default_deadline;
}

// A fault of ours is told in full to our log alone.
bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

std::string NewRequestId() {
  static const uint32_t process_id = std::random_device()();
  static std::atomic<uint32_t> next = 0;
  return absl::StrFormat("%08x%08x", process_id, next.fetch_add(1));
}

Call::Call(const char* method, const CallEnvironment& environment,
           grpc::CallbackServerContext* context,
           const grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
    : method_(method),
      environment_(environment),
      context_(context),
      request_(request),
      reply_(reply),
      request_id_(NewRequestId()),
      arrival_(std::chrono::steady_clock::now()),
      has_own_deadline_(context->deadline() != kNoDeadline),
      deadline_(DeadlineOf(*context, environment.default_deadline)),
      unwanted_(std::make_shared<std::atomic<bool>>(false)) {
  context_->AddTrailingMetadata(kRequestIdTrailer, request_id_);
}

absl::Status Call::Begin() {
  const auto request_bytes = static_cast<int64_t>(request_->Length());
  if (request_bytes > environment_.max_message_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the message has ", request_bytes, " bytes, more than ",
                     "--max-message-bytes ", environment_.max_message_bytes));
  }
  ASSIGN_OR_RETURN(reservation_,
                   environment_.memory->budget.Reserve(request_bytes));
  return CheckWanted();
}

void Call::WatchDefaultDeadline() {
  if (has_own_deadline_) return;
  alarm_.emplace();
  alarm_->Set(deadline_, [unwanted = unwanted_](bool expired) {
    if (expired) unwanted->store(true);
  });
}

absl::Status Call::CheckWanted() const {
  if (SystemClock::now() >= deadline_) {
    return absl::DeadlineExceededError(
        has_own_deadline_ ? "the deadline passed before the result was ready"
                          : absl::StrCat("a call without a deadline may take ",
                                         environment_.default_deadline.count(),
                                         " s (--default-deadline-seconds)"));
  }
  if (unwanted_->load()) return absl::CancelledError("the caller cancelled");
  return absl::OkStatus();
}

void Call::Complete(absl::StatusOr<grpc::ByteBuffer> reply) {
  absl::Status status = reply.status();
  if (status.ok() || absl::IsCancelled(status)) {
    // Also tells a passed deadline from a caller who left.
    if (absl::Status wanted = CheckWanted(); !wanted.ok()) status = wanted;
  }
  size_t reply_bytes = 0;
  if (status.ok()) {
    reply_->Swap(&*reply);
    reply_bytes = reply_->Length();
  }
  Log(status, reply_bytes);
  if (IsOurFault(status.code())) {
    status = absl::Status(
        status.code(),
        absl::StrCat("a fault of the server; its log has more under ",
                     kRequestIdTrailer, " ", request_id_));
  }
  Finish(ToGrpcStatus(status));
}

void Call::Log(const absl::Status& status, size_t reply_bytes) const {
  const int64_t micros = absl::ToInt64Microseconds(
      absl::FromChrono(std::chrono::steady_clock::now() - arrival_));
  spdlog::info("{} {} in={}B out={}B {}us id={}", method_,
               absl::StatusCodeToString(status.code()), request_->Length(),
               reply_bytes, micros, request_id_);
  if (IsOurFault(status.code())) {
    spdlog::error("id={}: {}", request_id_, std::string(status.message()));
  }
}

}  // namespace stridecast
