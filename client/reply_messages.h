// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The replies without payloads, read with the generated classes.

#ifndef STRIDECAST_CLIENT_REPLY_MESSAGES_H_
#define STRIDECAST_CLIENT_REPLY_MESSAGES_H_

#include "absl/status/statusor.h"
#include "grpcpp/support/byte_buffer.h"
#include "stridecast/client.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {

// Errors: kInternal if the reply is not a valid message.
absl::StatusOr<Explanation> DecodePlan(const grpc::ByteBuffer& message);
absl::StatusOr<Explanation> ExplanationOf(const v1::Plan& plan);
absl::StatusOr<ServerInfo> DecodeServerInfo(const grpc::ByteBuffer& message);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_REPLY_MESSAGES_H_
