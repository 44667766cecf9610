// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/raw_service.h"

#include <utility>

#include "grpc/grpc_security.h"
#include "grpcpp/impl/codegen/server_callback_handlers.h"
#include "grpcpp/impl/rpc_service_method.h"

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
  using Handler =
      grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
  AddMethod(new grpc::internal::RpcServiceMethod(
      path, grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRawCallback(num_methods_++, new Handler(std::move(start)));
}

}  // namespace stridecast
