// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The events of ComputeStream, both of the server's directions. Rules as in
// request_codec.h.

#ifndef STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_
#define STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "absl/status/statusor.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/request_codec.h"
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

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_STREAM_CODEC_H_
