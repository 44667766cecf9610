// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/unary_call.h"

#include <algorithm>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "client/grpc_runtime.h"
#include "client/retry_delay.h"
#include "proto/wire/status_codec.h"

namespace stridecast {
namespace {

// Only a call that failed in its upload has memory still out.
constexpr absl::Duration kLeaseCheck = absl::Milliseconds(2);

absl::Status Cancelled() {
  return absl::CancelledError("the caller cancelled");
}

// By a proxy whose server died while it replied: INTERNAL_ERROR of HTTP/2,
// which gRPC makes kInternal. Our server's own have a reason (status_codec.h).
bool IsReset(const absl::Status& status) {
  return absl::IsInternal(status) &&
         absl::StrContains(status.message(), "RST_STREAM with error code 2") &&
         !HasErrorReason(status);
}

}  // namespace

void UnaryCall::Start(std::shared_ptr<Transport> transport, CallHeader header,
                      const Attempts& attempts, const grpc::ByteBuffer& request,
                      std::function<void(Reply)> done) {
  const std::shared_ptr<UnaryCall> call(
      new UnaryCall(std::move(transport), std::move(header), attempts, request,
                    std::move(done)));
  call->Try();
}

UnaryCall::UnaryCall(std::shared_ptr<Transport> transport, CallHeader header,
                     const Attempts& attempts, const grpc::ByteBuffer& request,
                     std::function<void(Reply)> done)
    : transport_(std::move(transport)),
      deadline_(header.deadline),
      attempts_(attempts),
      header_(std::move(header)),
      done_(std::move(done)),
      lease_(request) {
  KeepGrpcRunning();
}

void UnaryCall::Try() {
  if (header_.stop.stop_requested()) return End(Cancelled());
  ++num_attempts_;
  header_.deadline =
      std::min(deadline_,
               absl::Now() + std::max(attempts_.timeout, absl::ZeroDuration()));
  transport_->Call(header_, lease_.message(),
                   [self = shared_from_this()](Reply reply) {
                     self->OnReply(std::move(reply));
                   });
}

bool UnaryCall::MayRepeat(const absl::Status& status) const {
  if (num_attempts_ >= attempts_.max) return false;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return true;
    case absl::StatusCode::kCancelled:
      // By a server that closed the connection just when the call came.
      return !header_.stop.stop_requested();
    case absl::StatusCode::kDeadlineExceeded:
      return header_.deadline < deadline_;
    default:
      return IsReset(status) || RetryDelay(status).has_value();
  }
}

void UnaryCall::OnReply(Reply reply) {
  if (reply.ok() || !MayRepeat(reply.status())) return End(std::move(reply));
  absl::BitGen random;
  const absl::Duration delay =
      DelayBeforeRepeat(reply.status(), num_attempts_, random);
  if (absl::Now() + delay >= deadline_) return End(std::move(reply));
  Wait(delay, header_.stop, [this] { Try(); });
}

void UnaryCall::End(Reply reply) {
  if (!lease_.TryEnd()) {
    reply_ = std::move(reply);
    return Wait(kLeaseCheck, {}, [this] { End(*std::move(reply_)); });
  }
  // What `done` holds is to go with the call.
  const auto done = std::move(done_);
  done(std::move(reply));
}

void UnaryCall::Wait(absl::Duration delay, const std::stop_token& stop,
                     std::function<void()> then) {
  const auto alarm = std::make_shared<grpc::Alarm>();
  alarm_ = alarm;
  on_stop_.emplace(stop, CancelAlarm{alarm.get()});
  alarm->Set(absl::ToChronoTime(absl::Now() + delay),
             [self = shared_from_this(), then = std::move(then)](bool) {
               self->on_stop_.reset();
               self->alarm_.reset();  // it holds this function
               then();
             });
  // Cancelled before it was set it would not have noticed.
  if (stop.stop_requested()) alarm->Cancel();
}

}  // namespace stridecast
