// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/goaway.h"

#include "grpc/byte_buffer.h"
#include "grpc/grpc.h"
#include "grpc/slice.h"

// gRPC has the function for its own tests: it is exported, and declared in a
// header that is not installed. A grpc_server is a grpc_core::Server
// (src/core/lib/surface/server.h, unchanged from 1.40 to 1.51).
namespace grpc_core {

class Server {
 public:
  void SendGoaways();
};

}  // namespace grpc_core

namespace stridecast {

void SendGoaways(grpc::Server& server) {
  // It needs gRPC's execution context on the thread, which the public interface
  // has where gRPC calls back: as it lets go of a slice in a byte buffer.
  const auto send = [](void* c_server) {
    static_cast<grpc_core::Server*>(c_server)->SendGoaways();
  };
  grpc_slice slice =
      grpc_slice_new_with_user_data(&server, 0, send, server.c_server());
  grpc_byte_buffer* const buffer = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  grpc_byte_buffer_destroy(buffer);
}

}  // namespace stridecast
