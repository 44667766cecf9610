// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/raw_service.h"

#include <atomic>
#include <new>
#include <utility>

#include "grpc/grpc_security.h"
#include "grpcpp/impl/codegen/server_callback_handlers.h"
#include "grpcpp/impl/rpc_service_method.h"

namespace stridecast {
namespace {

// Chooses our handler among those that contexts show themselves to.
struct RawMessage {};

}  // namespace
}  // namespace stridecast

// As gRPC's for streams of bytes, but that it asks reactors whether their ends
// need a thread of their own.
template <>
class grpc::internal::CallbackBidiHandler<stridecast::RawMessage,
                                          stridecast::RawMessage>
    final : public MethodHandler {
 public:
  using Start =
      std::function<stridecast::RawReactor*(grpc::CallbackServerContext*)>;

  explicit CallbackBidiHandler(Start start) : start_(std::move(start)) {}

  void RunHandler(const HandlerParameter& parameter) override {
    auto* const context =
        static_cast<grpc::CallbackServerContext*>(parameter.server_context);
    grpc_call* const call = parameter.call->call();
    grpc_call_ref(call);
    auto* const stream = new (grpc_call_arena_alloc(call, sizeof(Stream)))
        Stream(context, *parameter.call, std::move(parameter.call_requester));
    context->BeginCompletionOp(
        parameter.call, [stream](bool) { stream->MaybeDone(); }, stream);
    stream->Bind(start_(context));
  }

 private:
  // Lives in its call's memory, until CallOnDone.
  class Stream final
      : public grpc::ServerCallbackReaderWriter<grpc::ByteBuffer,
                                                grpc::ByteBuffer> {
   public:
    Stream(grpc::CallbackServerContext* context, const Call& call,
           std::function<void()> request_next_call)
        : context_(context),
          call_(call),
          request_next_call_(std::move(request_next_call)) {}

    void Bind(stridecast::RawReactor* reactor) {
      reactor_.store(reactor, std::memory_order_relaxed);
      // Reactions take a thread of gRPC's; in it, the end needs no other.
      read_tag_.Set(
          call_.call(),
          [this, reactor](bool ok) {
            if (!ok) context_->MaybeMarkCancelledOnRead();
            reactor->OnReadDone(ok);
            MaybeDone(/*inline_ondone=*/true);
          },
          &read_ops_, /*can_inline=*/false);
      read_ops_.set_core_cq_tag(&read_tag_);
      write_tag_.Set(
          call_.call(),
          [this, reactor](bool ok) {
            reactor->OnWriteDone(ok);
            MaybeDone(/*inline_ondone=*/true);
          },
          &write_ops_, /*can_inline=*/false);
      write_ops_.set_core_cq_tag(&write_tag_);
      BindReactor(reactor);
      MaybeCallOnCancel(reactor);
      MaybeDone();
    }

    void SendInitialMetadata() override {
      Ref();
      metadata_tag_.Set(
          call_.call(),
          [this](bool ok) {
            reactor_.load(std::memory_order_relaxed)
                ->OnSendInitialMetadataDone(ok);
            MaybeDone(/*inline_ondone=*/true);
          },
          &metadata_ops_, /*can_inline=*/false);
      metadata_ops_.set_core_cq_tag(&metadata_tag_);
      AddInitialMetadata(metadata_ops_);
      call_.PerformOps(&metadata_ops_);
    }

    void Read(grpc::ByteBuffer* message) override {
      Ref();
      read_ops_.RecvMessage(message);
      call_.PerformOps(&read_ops_);
    }

    void Write(const grpc::ByteBuffer* message,
               grpc::WriteOptions options) override {
      Ref();
      AddInitialMetadata(write_ops_);
      AddMessage(message, options, write_ops_);
      call_.PerformOps(&write_ops_);
    }

    void WriteAndFinish(const grpc::ByteBuffer* message,
                        grpc::WriteOptions options,
                        grpc::Status status) override {
      AddMessage(message, options, finish_ops_);
      Finish(std::move(status));
    }

    void Finish(grpc::Status status) override {
      finish_tag_.Set(
          call_.call(), [this](bool) { MaybeDone(); }, &finish_ops_,
          /*can_inline=*/true);
      finish_ops_.set_core_cq_tag(&finish_tag_);
      AddInitialMetadata(finish_ops_);
      finish_ops_.ServerSendStatus(&context_->trailing_metadata_, status);
      call_.PerformOps(&finish_ops_);
    }

   private:
    // With the first of the operations that send.
    template <class Ops>
    void AddInitialMetadata(Ops& ops) {
      if (std::exchange(context_->sent_initial_metadata_, true)) return;
      ops.SendInitialMetadata(&context_->initial_metadata_,
                              context_->initial_metadata_flags());
    }
    template <class Ops>
    static void AddMessage(const grpc::ByteBuffer* message,
                           grpc::WriteOptions options, Ops& ops) {
      const grpc::Status added = ops.SendMessagePtr(message, options);
      GPR_ASSERT(added.ok());
    }

    ServerReactor* reactor() override {
      return reactor_.load(std::memory_order_relaxed);
    }

    void CallOnDone() override {
      reactor()->OnDone();
      grpc_call* const call = call_.call();
      const std::function<void()> request_next_call =
          std::move(request_next_call_);
      if (context_->context_allocator() != nullptr) {
        context_->context_allocator()->Release(context_);
      }
      this->~Stream();
      grpc_call_unref(call);
      request_next_call();
    }

    grpc::CallbackServerContext* const context_;
    Call call_;
    std::function<void()> request_next_call_;
    std::atomic<stridecast::RawReactor*> reactor_ = nullptr;
    CallOpSet<CallOpSendInitialMetadata> metadata_ops_;
    CallbackWithSuccessTag metadata_tag_;
    CallOpSet<CallOpRecvMessage<grpc::ByteBuffer>> read_ops_;
    CallbackWithSuccessTag read_tag_;
    CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage> write_ops_;
    CallbackWithSuccessTag write_tag_;
    CallOpSet<CallOpSendInitialMetadata, CallOpSendMessage,
              CallOpServerSendStatus>
        finish_ops_;
    CallbackWithSuccessTag finish_tag_;
  };

  const Start start_;
};

namespace stridecast {

ConnectionId ConnectionOf(grpc::CallbackServerContext& context) {
  grpc_auth_context* const identity = grpc_call_auth_context(context.c_call());
  grpc_auth_context_release(identity);
  return identity;
}

std::shared_ptr<const void> HoldConnection(
    grpc::CallbackServerContext& context) {
  return std::shared_ptr<grpc_auth_context>(
      grpc_call_auth_context(context.c_call()), &grpc_auth_context_release);
}

std::shared_ptr<grpc_call> HoldCall(grpc::CallbackServerContext& context) {
  grpc_call_ref(context.c_call());
  return std::shared_ptr<grpc_call>(context.c_call(), &grpc_call_unref);
}

absl::Status NoMessageError() {
  return absl::InvalidArgumentError(
      "request: the call ended before its message");
}

void RawService::AddRawMethod(
    const char* path,
    std::function<RawReactor*(grpc::CallbackServerContext*)> start) {
  using Handler = grpc::internal::CallbackBidiHandler<RawMessage, RawMessage>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      path, grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRawCallback(num_methods_++, new Handler(std::move(start)));
}

}  // namespace stridecast
