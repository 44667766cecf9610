// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A service whose calls arrive as raw streams, whatever the method's kind: on
// the wire that is the same, and nothing of a message is read before the call
// is admitted.

#ifndef STRIDECAST_SERVER_RAW_SERVICE_H_
#define STRIDECAST_SERVER_RAW_SERVICE_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "grpc/grpc.h"
#include "grpcpp/impl/service_type.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/server_callback.h"

namespace stridecast {

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// One of those that are open. (Of all that gRPC knows of a connection, only
// this is its alone: it names all peers of Unix sockets alike.)
using ConnectionId = const void*;
ConnectionId ConnectionOf(grpc::CallbackServerContext& context);
// While that is held, the id is of no other connection.
std::shared_ptr<const void> HoldConnection(
    grpc::CallbackServerContext& context);

// gRPC's side of a call that is not done yet, which lives at least as long as
// what is returned: to cancel it (grpc_call_cancel) when it may be done.
std::shared_ptr<grpc_call> HoldCall(grpc::CallbackServerContext& context);

// What a caller is told who ends the call before its message.
absl::Status NoMessageError();

class RawService : public grpc::Service {
 protected:
  // `path` is a literal. The reactor owns itself.
  void AddRawMethod(
      const char* path,
      std::function<RawReactor*(grpc::CallbackServerContext*)> start);

 private:
  int num_methods_ = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_RAW_SERVICE_H_
