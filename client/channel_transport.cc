// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages are sent and received as ByteBuffers through a generic stub:
// protobuf never copies a payload.

#include <cassert>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/grpc_runtime.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

// A call's context, cancelled when its header's token is stopped.
class CallContext {
 public:
  explicit CallContext(const CallHeader& header) {
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

 private:
  struct Cancel {
    grpc::ClientContext* context;
    void operator()() const { context->TryCancel(); }
  };
  grpc::ClientContext context_;
  std::optional<std::stop_callback<Cancel>> cancel_;
};

struct UnaryState {
  explicit UnaryState(const CallHeader& header) : context(header) {}
  grpc::ByteBuffer reply;
  CallContext context;
};

// One write and one read are on their way at most.
class ChannelStream final : public TransportStream {
 public:
  ChannelStream(grpc::GenericStub& stub, const CallHeader& header)
      : context_(header),
        call_(stub.PrepareCall(context_.get(), header.method, &queue_)) {
    call_->StartCall(TagOf(Operation::kStart));
    context_.CancelWhenStopped(header.stop);
  }

  ~ChannelStream() override {
    if (!has_ended_) {
      context_.get()->TryCancel();
      grpc::ByteBuffer ignored;
      while (Next(ignored) != Event::kEnded) {
      }
    }
    queue_.Shutdown();
    void* tag;
    bool ok;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  void Write(grpc::ByteBuffer message) override {
    assert(!is_writing_);
    is_writing_ = true;
    outgoing_ = std::move(message);
    if (!is_starting_) Send();
  }

  void HalfClose() override {
    assert(!is_writing_);
    is_writing_ = true;
    is_closing_ = true;
    if (!is_starting_) Send();
  }

  Event Next(grpc::ByteBuffer& message) override {
    for (;;) {
      void* tag;
      bool ok;
      ReadOn();
      // The queue is not shut down before the end.
      queue_.Next(&tag, &ok);
      switch (static_cast<Operation>(reinterpret_cast<intptr_t>(tag))) {
        case Operation::kStart:
          is_starting_ = false;
          if (is_writing_) Send();
          break;
        case Operation::kWrite:
          is_writing_ = false;
          outgoing_.Clear();
          // Why it failed, the status tells, which the next read brings about.
          if (ok) return Event::kWritten;
          break;
        case Operation::kRead:
          is_reading_ = false;
          if (!ok) {
            is_read_to_end_ = true;
            break;
          }
          message.Swap(&incoming_);
          incoming_.Clear();
          return Event::kRead;
        case Operation::kFinish:
          has_ended_ = true;
          return Event::kEnded;
      }
    }
  }

  absl::Status status() const override { return FromGrpcStatus(status_); }

 private:
  enum class Operation : intptr_t { kStart, kWrite, kRead, kFinish };
  static void* TagOf(Operation operation) {
    return reinterpret_cast<void*>(operation);
  }

  void Send() {
    if (is_closing_) {
      call_->WritesDone(TagOf(Operation::kWrite));
    } else {
      call_->Write(outgoing_, TagOf(Operation::kWrite));
    }
  }

  void ReadOn() {
    if (is_starting_ || is_reading_ || is_finishing_) return;
    if (is_read_to_end_) {
      is_finishing_ = true;
      call_->Finish(&status_, TagOf(Operation::kFinish));
    } else {
      is_reading_ = true;
      call_->Read(&incoming_, TagOf(Operation::kRead));
    }
  }

  grpc::CompletionQueue queue_;
  CallContext context_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  grpc::Status status_;
  bool is_starting_ = true;
  bool is_writing_ = false;
  bool is_closing_ = false;
  bool is_reading_ = false;
  bool is_read_to_end_ = false;
  bool is_finishing_ = false;
  bool has_ended_ = false;
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
                    [state, done = std::move(done)](grpc::Status ended) {
                      if (ended.ok()) {
                        done(std::move(state->reply));
                      } else {
                        done(FromGrpcStatus(ended));
                      }
                    });
    state->context.CancelWhenStopped(header.stop);
  }

  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader& header) override {
    return std::make_unique<ChannelStream>(stub_, header);
  }

 private:
  grpc::GenericStub stub_;
};

}  // namespace

std::shared_ptr<Transport> MakeChannelTransport(
    std::shared_ptr<grpc::Channel> channel) {
  KeepGrpcRunning();
  return std::make_shared<ChannelTransport>(std::move(channel));
}

}  // namespace stridecast
