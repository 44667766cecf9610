// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the server says of plans and of itself: the replies of Explain and
// GetServerInfo.

#ifndef STRIDECAST_SERVER_INTROSPECTION_H_
#define STRIDECAST_SERVER_INTROSPECTION_H_

#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "grpcpp/support/byte_buffer.h"
#include "server/options.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {

v1::Plan DescribePlan(const Plan& plan);

// `options` with detected values. Lists what works, nothing else.
v1::GetServerInfoResponse DescribeServer(const ServerOptions& options,
                                         const Engine& engine);

// The request of GetServerInfo has no field. Errors: kInvalidArgument for
// bytes that are no message, and for any field.
absl::Status CheckServerInfoRequest(const grpc::ByteBuffer& message);

// For the small messages that this folder makes.
grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_INTROSPECTION_H_
