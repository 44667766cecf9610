// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The client's half of request_codec.h: requests out, replies in.

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/instruction_codec.h"
#include "proto/wire/message_join.h"
#include "proto/wire/message_split.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/payload_list.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/spec_codec.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/status_macros.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

void AddRawOperand(const SegmentedBytes& payload, MessageJoiner& joiner) {
  absl::InlinedVector<grpc::Slice, 1> pieces;
  for (const Segment& segment : payload.segments()) {
    pieces.emplace_back(segment.data, static_cast<size_t>(segment.size_bytes),
                        grpc::Slice::STATIC_SLICE);
  }
  joiner.AddRaw(pieces);
}

void AddOperand(const TensorDesc& desc, const SegmentedBytes& payload,
                bool typed, MessageJoiner& joiner) {
  if (typed && payload.size_bytes() == desc.size_bytes() &&
      FitsTypedList(desc)) {
    AddTypedPayload(desc, payload, joiner);
    return;
  }
  AddRawOperand(payload, joiner);
}

absl::Status BadReply(const absl::Status& status) {
  return absl::InternalError(
      absl::StrCat("the reply is not valid: ", status.message()));
}

template <typename Descs>
absl::StatusOr<DecodedResponse> MakeResponse(const Descs& results,
                                             const PayloadField& field,
                                             SplitMessage parts) {
  DecodedResponse response;
  for (const v1::TensorDesc& result : results) {
    ASSIGN_OR_RETURN(TensorDesc desc, TensorDescFromProto(result));
    response.results.push_back(std::move(desc));
  }
  ASSIGN_OR_RETURN(
      DecodedPayloads payloads,
      DecodePayloads(response.results, field, UnknownFields::kIgnore,
                     kMaxTypedElements, parts));
  response.payloads = std::move(payloads.views);
  response.storage = std::move(parts.storage);
  return response;
}

}  // namespace

grpc::ByteBuffer EncodeComputeRequest(const Signature& signature,
                                      absl::Span<const SegmentedBytes> payloads,
                                      absl::Span<const Encoding> encodings,
                                      bool typed_payloads) {
  std::string head = EncodeComputeHead(signature, encodings);
  if (head.empty()) return grpc::ByteBuffer();
  MessageJoiner joiner(std::move(head));
  for (size_t i = 0; i < payloads.size(); ++i) {
    AddOperand(signature.operands[i], payloads[i], typed_payloads, joiner);
  }
  return joiner.Join();
}

std::string EncodeComputeHead(const Signature& signature,
                              absl::Span<const Encoding> encodings) {
  v1::ComputeRequest message;
  *message.mutable_spec() = SpecToProto(signature, encodings);
  std::string head;
  if (!message.SerializeToString(&head)) return "";
  return head;
}

grpc::ByteBuffer EncodeComputeRequest(
    std::string head, absl::Span<const SegmentedBytes> payloads) {
  if (head.empty()) return grpc::ByteBuffer();
  MessageJoiner joiner(std::move(head));
  for (const SegmentedBytes& payload : payloads) {
    AddRawOperand(payload, joiner);
  }
  return joiner.Join();
}

grpc::ByteBuffer EncodeExplainRequest(const Signature& signature) {
  v1::ExplainRequest message;
  const std::vector<Encoding> encodings(signature.results.size(),
                                        Encoding::kAuto);
  *message.mutable_compute() = SpecToProto(signature, encodings);
  std::string head;
  if (!message.SerializeToString(&head)) return grpc::ByteBuffer();
  return MessageJoiner(std::move(head)).Join();
}

grpc::ByteBuffer EncodeRelayoutRequest(const Signature& signature,
                                       const SegmentedBytes& payload,
                                       Encoding encoding) {
  assert(signature.operands.size() == 1 && signature.results.size() == 1);
  v1::RelayoutRequest message;
  *message.mutable_operand() = TensorDescToProto(signature.operands[0]);
  ResultSpec result = signature.results[0];
  result.value.reset();  // there is no choice
  *message.mutable_result() = ResultSpecToProto(result, encoding);
  if (!signature.instructions.empty()) {
    assert(signature.instructions.size() == 1 &&
           signature.instructions[0].opcode == Opcode::kConvert);
    *message.mutable_convert() = ConvertToProto(
        std::get<ConvertAttribute>(signature.instructions[0].attribute));
  }
  MessageJoiner joiner(message.SerializeAsString());
  AddOperand(signature.operands[0], payload, /*typed=*/false, joiner);
  return joiner.Join();
}

absl::StatusOr<DecodedResponse> DecodeComputeResponse(
    const grpc::ByteBuffer& message) {
  auto parts = Split(message, PayloadField::kRepeated);
  if (!parts.ok()) return BadReply(parts.status());
  v1::ComputeResponse head;
  if (!head.ParseFromString(parts->head)) {
    return absl::InternalError("the reply is no ComputeResponse");
  }
  auto response =
      MakeResponse(head.results(), PayloadField::kRepeated, *std::move(parts));
  if (!response.ok()) return BadReply(response.status());
  return response;
}

absl::StatusOr<DecodedResponse> DecodeRelayoutResponse(
    const grpc::ByteBuffer& message) {
  auto parts = Split(message, PayloadField::kSingular);
  if (!parts.ok()) return BadReply(parts.status());
  v1::RelayoutResponse head;
  if (!head.ParseFromString(parts->head)) {
    return absl::InternalError("the reply is no RelayoutResponse");
  }
  auto response = MakeResponse(absl::MakeConstSpan(&head.result(), 1),
                               PayloadField::kSingular, *std::move(parts));
  if (!response.ok()) return BadReply(response.status());
  return response;
}

}  // namespace stridecast
