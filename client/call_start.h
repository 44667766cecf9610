// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How calls of all kinds begin: what the options of a client and of one call
// make together.

#ifndef STRIDECAST_CLIENT_CALL_START_H_
#define STRIDECAST_CLIENT_CALL_START_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "client/rpc.h"
#include "stridecast/client.h"
#include "stridecast/transport.h"

namespace stridecast {

// The header of a call of "/stridecast.v1.TensorCompute/" + method, without a
// deadline. Errors: kInvalidArgument for metadata that HTTP/2 does not carry.
absl::StatusOr<CallHeader> MakeHeader(const char* method,
                                      const ClientOptions& client,
                                      const CallOptions& options);

// The same of a ComputeStream, with the deadline of its own options, if any.
absl::StatusOr<CallHeader> MakeStreamHeader(const ClientOptions& client,
                                            const CallOptions& options);

// Errors: kInvalidArgument for what could not be encoded, kResourceExhausted
// for what gRPC does not carry.
absl::Status CheckMessage(const grpc::ByteBuffer& message);

// Errors: kInvalidArgument for none.
absl::Status CheckTransport(const Transport* transport);

// Calls `done` once, on any thread, perhaps before this returns.
void StartCall(std::shared_ptr<Transport> transport,
               const ClientOptions& client, const CallOptions& options,
               const char* method, const grpc::ByteBuffer& request,
               std::function<void(Transport::Reply)> done);

template <typename T>
void StartRpc(std::shared_ptr<Transport> transport, const ClientOptions& client,
              const CallOptions& options, absl::StatusOr<Rpc<T>> rpc,
              std::function<void(absl::StatusOr<T>)> done) {
  if (!done) done = [](const absl::StatusOr<T>&) {};
  if (!rpc.ok()) return done(rpc.status());
  StartCall(std::move(transport), client, options, rpc->method, rpc->request,
            [decode = std::move(rpc->decode),
             done = std::move(done)](Transport::Reply reply) {
              if (reply.ok()) {
                done(decode(*reply));
              } else {
                done(reply.status());
              }
            });
}

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_CALL_START_H_
