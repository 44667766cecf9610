// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The seam between the client and the network: one unary call of serialised
// messages. Tests put a fake here; programs normally need nothing of this file.

#ifndef STRIDECAST_TRANSPORT_H_
#define STRIDECAST_TRANSPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/support/byte_buffer.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stridecast {

// What a call says besides its message.
struct CallHeader {
  std::string method;  // "/stridecast.v1.TensorCompute/Compute"
  absl::Time deadline;
  // Whether an unreachable server is waited for, until the deadline, instead
  // of failing the call at once.
  bool wait_for_ready = false;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Sends `request` and waits for the reply. Thread-safe.
  // The request may view memory of the caller's. The client does not return
  // from a call before every reference to the request's slices is dropped: an
  // implementation that keeps one for good makes its caller wait for good.
  virtual absl::StatusOr<grpc::ByteBuffer> Call(
      const CallHeader& header, const grpc::ByteBuffer& request) = 0;
};

// Calls over a gRPC channel. Code, text and details of errors are the server's,
// or gRPC's own where no server was reached (kUnavailable, kDeadlineExceeded).
std::shared_ptr<Transport> MakeChannelTransport(
    std::shared_ptr<grpc::Channel> channel);

}  // namespace stridecast

#endif  // STRIDECAST_TRANSPORT_H_
