// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/small_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"
#include "server/introspection.h"

namespace stridecast {

absl::StatusOr<PeerSlot> SmallCalls::Take(ConnectionId connection) {
  return slots_.Take(connection, [this] {
    return waits_.EndLongest(1, GivingUp::kCrowded) == 1;
  });
}

RawReactor* SmallStream::Start(std::shared_ptr<SmallStream> stream,
                               SmallCalls& calls) {
  SmallStream* const call = stream.get();
  call->self_ = stream;
  absl::StatusOr<PeerSlot> slot = calls.Take(ConnectionOf(*call->context_));
  CallerWait wait;
  calls.waits().Begin(
      wait, std::move(stream), call->context_,
      slot.ok() ? std::optional(CallerWait::Limits()) : std::nullopt);
  {
    absl::MutexLock lock(&call->mutex_);
    call->wait_ = std::move(wait);
    if (slot.ok() && !call->has_ended_) {
      call->slot_ = *std::move(slot);
      call->StartReading();
    }
  }
  if (!slot.ok()) call->End(slot.status());
  return call;
}

SmallStream::SmallStream(grpc::CallbackServerContext* context,
                         std::chrono::seconds patience)
    : context_(context), patience_(patience) {}

void SmallStream::ReadRequest() {
  absl::MutexLock lock(&mutex_);
  if (has_ended_) return;
  wait_.ForMessage({});
  StartReading();
}

void SmallStream::StartReading() {
  SetAlarm();
  request_.Clear();
  StartRead(&request_);
}

void SmallStream::Reply(const google::protobuf::MessageLite& reply) {
  absl::MutexLock lock(&mutex_);
  if (has_ended_) return;
  reply_ = SerializeMessage(reply);
  StartWrite(&reply_);
}

void SmallStream::ReplyAndEnd(const google::protobuf::MessageLite& reply) {
  absl::MutexLock lock(&mutex_);
  if (std::exchange(has_ended_, true)) return;
  reply_ = SerializeMessage(reply);
  wait_.SetEnded();
  StartWriteAndFinish(&reply_, grpc::WriteOptions(), grpc::Status::OK);
}

bool SmallStream::EndOnce(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (std::exchange(has_ended_, true)) return false;
  slot_ = PeerSlot();
  wait_.SetEnded();
  Finish(ToGrpcStatus(status));
  return true;
}

void SmallStream::WaitForEver() {
  absl::MutexLock lock(&mutex_);
  alarm_.reset();
}

void SmallStream::OnReadDone(bool ok) {
  const std::shared_ptr<SmallStream> self = self_;
  {
    absl::MutexLock lock(&mutex_);
    if (has_ended_) return;
    wait_.Deliver(ok ? static_cast<int64_t>(request_.Length()) : 0);
  }
  if (!ok) return End(OnLastRequest());
  if (const size_t bytes = request_.Length(); bytes > kMaxSmallRequestBytes) {
    return End(absl::ResourceExhaustedError(
        absl::StrCat("request: it has ", bytes, " bytes, more than ",
                     kMaxSmallRequestBytes, " of this service")));
  }
  grpc::Slice bytes;
  if (!request_.DumpToSingleSlice(&bytes).ok()) {
    return End(absl::InternalError("request: its bytes cannot be read"));
  }
  OnRequest(
      std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size()));
}

void SmallStream::OnWriteDone(bool ok) {
  const std::shared_ptr<SmallStream> self = self_;
  if (!ok) return End(absl::CancelledError("the caller left"));
  OnReplied();
}

void SmallStream::OnCancel() {
  const std::shared_ptr<SmallStream> self = self_;
  End(absl::CancelledError("the caller cancelled"));
}

void SmallStream::OnDone() {
  std::shared_ptr<SmallStream> self;
  absl::MutexLock lock(&mutex_);
  wait_ = CallerWait();
  alarm_.reset();
  self = std::move(self_);  // destroyed after the lock: declared before it
}

bool SmallStream::GiveUp(GivingUp why) {
  return EndOnce(
      why == GivingUp::kShortMemory
          ? ShortMemoryError()
          : WithRetryDelay(absl::ResourceExhaustedError(
                               "request: it did not come, and others wait"),
                           kRetryDelay));
}

void SmallStream::SetAlarm() {
  alarm_.emplace();
  alarm_->Set(std::chrono::system_clock::now() + patience_,
              [call = HoldCall(*context_)](bool is_late) {
                if (is_late) grpc_call_cancel(call.get(), nullptr);
              });
}

}  // namespace stridecast
