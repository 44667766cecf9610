// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/unary_call.h"

#include <utility>

#include "absl/random/random.h"
#include "absl/time/clock.h"
#include "client/grpc_runtime.h"
#include "client/retry_delay.h"

namespace stridecast {
namespace {

// Only a call that failed in its upload has memory still out.
constexpr absl::Duration kLeaseCheck = absl::Milliseconds(2);

absl::Status Cancelled() {
  return absl::CancelledError("the caller cancelled");
}

}  // namespace

void UnaryCall::Start(std::shared_ptr<Transport> transport, CallHeader header,
                      int max_attempts, const grpc::ByteBuffer& request,
                      std::function<void(Reply)> done) {
  const std::shared_ptr<UnaryCall> call(
      new UnaryCall(std::move(transport), std::move(header), max_attempts,
                    request, std::move(done)));
  call->Try();
}

UnaryCall::UnaryCall(std::shared_ptr<Transport> transport, CallHeader header,
                     int max_attempts, const grpc::ByteBuffer& request,
                     std::function<void(Reply)> done)
    : transport_(std::move(transport)),
      header_(std::move(header)),
      max_attempts_(max_attempts),
      done_(std::move(done)),
      lease_(request) {
  KeepGrpcRunning();
}

void UnaryCall::Try() {
  if (header_.stop.stop_requested()) return End(Cancelled());
  ++attempts_;
  transport_->Call(header_, lease_.message(),
                   [self = shared_from_this()](Reply reply) {
                     self->OnReply(std::move(reply));
                   });
}

void UnaryCall::OnReply(Reply reply) {
  if (reply.ok() || attempts_ >= max_attempts_) return End(std::move(reply));
  absl::BitGen random;
  const auto delay = DelayBeforeRepeat(reply.status(), attempts_, random);
  if (!delay || absl::Now() + *delay >= header_.deadline) {
    return End(std::move(reply));
  }
  Wait(*delay, header_.stop, [this] { Try(); });
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
