// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/stream_codec.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "proto/wire/message_join.h"
#include "proto/wire/message_split.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/spec_codec.h"
#include "proto/wire/unknown_fields.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::StatusOr<StreamEvent> BeginFromProto(const v1::ComputeSpec& message) {
  int64_t typed_elements_left = kMaxTypedElements;
  auto spec = SpecFromProto(message, typed_elements_left);
  if (!spec.ok()) {
    return WithFieldPathsOf(SpecSource::kComputeStream, spec.status());
  }
  return DecodedRequest{SpecSource::kComputeStream,
                        std::move(spec->signature),
                        {},
                        std::move(spec->encodings),
                        {}};
}

absl::StatusOr<StreamEvent> ChunkFromProto(
    const v1::Chunk& message, SegmentedBytes data,
    std::shared_ptr<const void> storage) {
  if (data.size_bytes() > kMaxChunkBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("operand.data: ", data.size_bytes(),
                     " bytes; a chunk has at most ", kMaxChunkBytes));
  }
  return StreamChunk{message.index(), message.offset(), std::move(data),
                     std::move(storage)};
}

// Of a message that sets both events, where the last one counts.
absl::StatusOr<StreamEvent> DecodeWhole(const grpc::ByteBuffer& message) {
  grpc::ByteBuffer bytes = message;  // shares the slices
  grpc::ProtoBufferReader reader(&bytes);
  auto request = std::make_shared<v1::ComputeStreamRequest>();
  if (!reader.status().ok() || !request->ParseFromZeroCopyStream(&reader)) {
    return FieldError("request", "the bytes are no ",
                      request->GetDescriptor()->full_name());
  }
  RETURN_IF_ERROR(CheckNoUnknownFields(*request));
  if (request->has_begin()) return BeginFromProto(request->begin());
  const std::string& data = request->operand().data();
  const SegmentedBytes view(reinterpret_cast<const std::byte*>(data.data()),
                            static_cast<int64_t>(data.size()));
  return ChunkFromProto(request->operand(), view, request);
}

// Requests and replies have their chunks in fields of the same number.
static_assert(v1::ComputeStreamRequest::kOperandFieldNumber ==
                  PayloadField::kChunk.number &&
              v1::ComputeStreamResponse::kResultFieldNumber ==
                  PayloadField::kChunk.number &&
              v1::Chunk::kDataFieldNumber == PayloadField::kChunk.raw_number);

grpc::ByteBuffer EncodeChunk(uint32_t index, int64_t offset,
                             absl::Span<const grpc::Slice> data) {
  v1::Chunk chunk;
  chunk.set_index(index);
  chunk.set_offset(offset);
  MessageJoiner joiner("");
  joiner.Add(PayloadField::kChunk.number, chunk.SerializeAsString(),
             PayloadField::kChunk.raw_number, data);
  return joiner.Join();
}

}  // namespace

absl::StatusOr<StreamEvent> DecodeStreamRequest(
    const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(SplitMessage parts, Split(message, PayloadField::kChunk));
  if (parts.payloads.empty()) {
    v1::ComputeStreamRequest request;
    if (!request.ParseFromString(parts.head)) {
      return FieldError("request", "the bytes are no ",
                        request.GetDescriptor()->full_name());
    }
    RETURN_IF_ERROR(CheckNoUnknownFields(request));
    if (!request.has_begin()) {
      return FieldError("event", "not set; begin or operand is required");
    }
    return BeginFromProto(request.begin());
  }
  if (!parts.head.empty()) {
    if (static_cast<int64_t>(message.Length()) > kMaxChunkBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("request: begin and operand in ", message.Length(),
                       " bytes; both together have at most ", kMaxChunkBytes));
    }
    return DecodeWhole(message);
  }
  v1::Chunk chunk;
  if (!chunk.ParseFromString(parts.payloads[0].rest)) {
    return FieldError("operand", "the bytes are no ",
                      chunk.GetDescriptor()->full_name());
  }
  const absl::Status known = CheckNoUnknownFields(chunk);
  if (!known.ok()) return PrefixField("operand.", known);
  return ChunkFromProto(chunk, std::move(parts.payloads[0].raw),
                        std::move(parts.storage));
}

grpc::ByteBuffer EncodeStreamReady(v1::Plan plan) {
  v1::ComputeStreamResponse response;
  *response.mutable_ready() = std::move(plan);
  return MessageJoiner(response.SerializeAsString()).Join();
}

grpc::ByteBuffer EncodeStreamResult(uint32_t index, int64_t offset,
                                    const grpc::Slice& data) {
  return EncodeChunk(index, offset, {&data, 1});
}

grpc::ByteBuffer EncodeStreamBegin(const Signature& signature) {
  const std::vector<Encoding> encodings(signature.results.size(),
                                        Encoding::kAuto);
  v1::ComputeStreamRequest request;
  *request.mutable_begin() = SpecToProto(signature, encodings);
  std::string head;
  if (!request.SerializeToString(&head)) return grpc::ByteBuffer();
  return MessageJoiner(std::move(head)).Join();
}

grpc::ByteBuffer EncodeStreamOperand(uint32_t index, int64_t offset,
                                     absl::Span<const grpc::Slice> data) {
  return EncodeChunk(index, offset, data);
}

absl::StatusOr<StreamReply> DecodeStreamResponse(
    const grpc::ByteBuffer& message) {
  constexpr char kNoReply[] = "the reply is no ComputeStreamResponse";
  absl::StatusOr<SplitMessage> parts = Split(message, PayloadField::kChunk);
  if (!parts.ok()) return absl::InternalError(kNoReply);
  if (parts->payloads.empty()) {
    v1::ComputeStreamResponse response;
    if (!response.ParseFromString(parts->head) || !response.has_ready()) {
      return absl::InternalError(kNoReply);
    }
    return std::move(*response.mutable_ready());
  }
  v1::Chunk chunk;
  if (!chunk.ParseFromString(parts->payloads[0].rest)) {
    return absl::InternalError(kNoReply);
  }
  return StreamChunk{chunk.index(), chunk.offset(),
                     std::move(parts->payloads[0].raw),
                     std::move(parts->storage)};
}

}  // namespace stridecast
