// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages are sent and received as ByteBuffers through a generic stub:
// protobuf never copies a payload.

#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "client/grpc_runtime.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/client_callback.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/error_details.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

// A call's context, cancelled when its header's token is stopped.
class CallContext {
 public:
  explicit CallContext(const CallHeader& header)
      : on_trailers_(header.on_trailers) {
    if (header.deadline != absl::InfiniteFuture()) {
      context_.set_deadline(absl::ToChronoTime(header.deadline));
    }
    context_.set_wait_for_ready(header.wait_for_ready);
    for (const auto& [key, value] : header.metadata) {
      context_.AddMetadata(key, value);
    }
  }

  grpc::ClientContext* get() { return &context_; }

  // After the call has begun: gRPC cancels nothing before.
  void CancelWhenStopped(const std::stop_token& stop) {
    if (!stop.stop_possible()) return;
    cancel_.emplace(stop, Cancel{&context_});
  }

  // What has become of the call, as the caller learns it.
  absl::Status End(const grpc::Status& ended) {
    CallMetadata trailers;
    for (const auto& [key, value] : context_.GetServerTrailingMetadata()) {
      trailers.emplace_back(std::string(key.data(), key.size()),
                            std::string(value.data(), value.size()));
    }
    if (on_trailers_) on_trailers_(trailers);
    absl::Status status = FromGrpcStatus(ended);
    const std::string request_id = RequestIdOf(trailers);
    if (status.ok() || request_id.empty()) return status;
    return WithRequestId(std::move(status), request_id);
  }

 private:
  struct Cancel {
    grpc::ClientContext* context;
    void operator()() const { context->TryCancel(); }
  };
  const std::function<void(const CallMetadata&)> on_trailers_;
  grpc::ClientContext context_;
  std::optional<std::stop_callback<Cancel>> cancel_;
};

struct UnaryState {
  explicit UnaryState(const CallHeader& header) : context(header) {}
  grpc::ByteBuffer reply;
  CallContext context;
};

// gRPC counts what is on its way, and ends a stream when nothing is. Since
// methods are called by other threads than its own, a hold counts for them,
// until the stream is over: nothing can be begun from then on.
class ChannelStream final
    : public TransportStream,
      private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ChannelStream(grpc::GenericStub& stub, const CallHeader& header,
                OnEvent on_event)
      : context_(header), on_event_(std::move(on_event)) {
    stub.PrepareBidiStreamingCall(context_.get(), header.method, {}, this);
    AddHold();
    StartCall();
    context_.CancelWhenStopped(header.stop);
  }

  void Write(grpc::ByteBuffer message) override {
    outgoing_ = std::move(message);
    absl::MutexLock lock(&mutex_);
    if (!is_over_) StartWrite(&outgoing_);
  }

  void HalfClose() override {
    absl::MutexLock lock(&mutex_);
    if (!is_over_) StartWritesDone();
  }

  void Read() override {
    absl::MutexLock lock(&mutex_);
    if (is_over_) return;
    is_reading_ = true;
    StartRead(&incoming_);
  }

  void Cancel() override {
    context_.get()->TryCancel();
    absl::MutexLock lock(&mutex_);
    is_cancelled_ = true;
    if (!is_reading_) NoteOver();
  }

  absl::Status status() const override { return status_; }

 private:
  void OnReadDone(bool ok) override {
    grpc::ByteBuffer message;
    message.Swap(&incoming_);
    {
      absl::MutexLock lock(&mutex_);
      is_reading_ = false;
      if (!ok || is_cancelled_) return NoteOver();
    }
    on_event_(Event::kRead, std::move(message));
  }

  void OnWriteDone(bool ok) override {
    outgoing_.Clear();
    // Why it failed, the status tells, which a read brings about.
    if (ok) on_event_(Event::kWritten, {});
  }

  void OnWritesDoneDone(bool ok) override {
    if (ok) on_event_(Event::kWritten, {});
  }

  void OnDone(const grpc::Status& status) override {
    status_ = context_.End(status);
    // May be the end of this object.
    const OnEvent on_event = std::move(on_event_);
    on_event(Event::kEnded, {});
  }

  void NoteOver() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!std::exchange(is_over_, true)) RemoveHold();
  }

  CallContext context_;
  OnEvent on_event_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  absl::Status status_;
  absl::Mutex mutex_;
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
};

class ChannelTransport final : public Transport {
 public:
  explicit ChannelTransport(std::shared_ptr<grpc::Channel> channel)
      : stub_(std::move(channel)) {}

  void Call(const CallHeader& header, const grpc::ByteBuffer& request,
            std::function<void(Reply)> done) override {
    auto state = std::make_shared<UnaryState>(header);
    // So that a server without room says so before the message is sent.
    state->context.get()->AddMetadata(kRequestBytesKey,
                                      absl::StrCat(request.Length()));
    stub_.UnaryCall(state->context.get(), header.method, {}, &request,
                    &state->reply,
                    [state, done = std::move(done)](const grpc::Status& ended) {
                      const absl::Status status = state->context.End(ended);
                      if (status.ok()) {
                        done(std::move(state->reply));
                      } else {
                        done(status);
                      }
                    });
    state->context.CancelWhenStopped(header.stop);
  }

  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader& header, TransportStream::OnEvent on_event) override {
    return std::make_unique<ChannelStream>(stub_, header, std::move(on_event));
  }

 private:
  grpc::GenericStub stub_;
};

}  // namespace

std::shared_ptr<Transport> MakeChannelTransport(
    std::shared_ptr<grpc::Channel> channel) {
  if (channel == nullptr) return nullptr;
  KeepGrpcRunning();
  return std::make_shared<ChannelTransport>(std::move(channel));
}

}  // namespace stridecast
