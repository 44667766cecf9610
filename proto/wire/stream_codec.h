// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The events of ComputeStream: the server decodes requests and encodes replies,
// the client the reverse. Rules as in request_codec.h.

#ifndef STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_
#define STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
#include "stridecast/request.h"
#include "stridecast/segments.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {

// Of what a client sends; what the server sends is half of it.
inline constexpr int64_t kMaxChunkBytes = int64_t{2} << 20;

struct StreamChunk {
  uint32_t index;
  int64_t offset;
  SegmentedBytes data;
  std::shared_ptr<const void> storage;  // holds what `data` views
};

// `begin`, without payloads, or `operand`.
using StreamEvent = std::variant<DecodedRequest, StreamChunk>;

// Errors: kInvalidArgument with the field's path in ComputeStreamRequest;
// kUnimplemented for an opcode without a meaning; kResourceExhausted for a
// chunk over kMaxChunkBytes, or if all but its data is over 1 MiB.
absl::StatusOr<StreamEvent> DecodeStreamRequest(
    const grpc::ByteBuffer& message);

grpc::ByteBuffer EncodeStreamReady(v1::Plan plan);
// `data` is sent as it is, uncopied.
grpc::ByteBuffer EncodeStreamResult(uint32_t index, int64_t offset,
                                    const grpc::Slice& data);

// The client's half.
// Not valid if the constants take more than 2 GiB.
grpc::ByteBuffer EncodeStreamBegin(const Signature& signature);
// All of `data` in a row, uncopied.
grpc::ByteBuffer EncodeStreamOperand(uint32_t index, int64_t offset,
                                     absl::Span<const grpc::Slice> data);

// `ready` or `result`.
using StreamReply = std::variant<v1::Plan, StreamChunk>;

// Unknown fields are ignored. Errors: kInternal if the reply is not a valid
// message.
absl::StatusOr<StreamReply> DecodeStreamResponse(
    const grpc::ByteBuffer& message);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_
