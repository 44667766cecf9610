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

bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

CallRecord NewCallRecord(const char* method, grpc::ServerContextBase* context) {
  static const uint32_t process_id = std::random_device()();
  static std::atomic<uint32_t> next = 0;
  CallRecord record{method,
                    absl::StrFormat("%08x%08x", process_id, next.fetch_add(1)),
                    std::chrono::steady_clock::now()};
  context->AddTrailingMetadata(kRequestIdTrailer, record.request_id);
  return record;
}

grpc::Status EndCall(const CallRecord& record, const absl::Status& status) {
  const int64_t micros = absl::ToInt64Microseconds(
      absl::FromChrono(std::chrono::steady_clock::now() - record.arrival));
  spdlog::info("{} {} in={}B out={}B {}us id={}", record.method,
               absl::StatusCodeToString(status.code()), record.request_bytes,
               record.reply_bytes, micros, record.request_id);
  if (!IsOurFault(status.code())) return ToGrpcStatus(status);
  spdlog::error("id={}: {}", record.request_id, std::string(status.message()));
  return ToGrpcStatus(absl::Status(
      status.code(),
      absl::StrCat("a fault of the server; its log has more under ",
                   kRequestIdTrailer, " ", record.request_id)));
}

Call::Call(const char* method, const CallEnvironment& environment,
           grpc::CallbackServerContext* context,
           const grpc::ByteBuffer* request, grpc::ByteBuffer* reply)
    : record_(NewCallRecord(method, context)),
      environment_(environment),
      request_(request),
      reply_(reply),
      has_own_deadline_(context->deadline() != kNoDeadline),
      deadline_(DeadlineOf(*context, environment.default_deadline)),
      unwanted_(std::make_shared<std::atomic<bool>>(false)) {
  record_.request_bytes = static_cast<int64_t>(request_->Length());
}

absl::Status Call::Begin() {
  const int64_t request_bytes = record_.request_bytes;
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
  if (status.ok()) {
    reply_->Swap(&*reply);
    record_.reply_bytes = static_cast<int64_t>(reply_->Length());
  }
  Finish(EndCall(record_, status));
}

}  // namespace stridecast
