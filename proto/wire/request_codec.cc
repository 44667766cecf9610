// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The server's half: requests in, replies out. request_codec_client.cc has the
// other one.

#include "proto/wire/request_codec.h"

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/instruction_codec.h"
#include "proto/wire/message_join.h"
#include "proto/wire/message_split.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/payload_list.h"
#include "proto/wire/spec_codec.h"
#include "proto/wire/tensor_codec.h"
#include "proto/wire/unknown_fields.h"
#include "stridecast/status_macros.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

// `text` begins with the path `root` or one below it.
bool StartsWithPath(absl::string_view text, absl::string_view root) {
  if (!absl::StartsWith(text, root)) return false;
  if (text.size() == root.size()) return true;
  const char next = text[root.size()];
  return next == '[' || next == '.' || next == ':' || next == ' ';
}

// Of a message that holds the whole specification.
absl::Status WithSpecAt(absl::string_view prefix, const absl::Status& status) {
  for (const char* root : {"operands", "instructions", "results"}) {
    if (StartsWithPath(status.message(), root)) {
      return PrefixField(prefix, status);
    }
  }
  return status;
}

// A request's message from the bytes of all its fields but payloads.
absl::Status ParseRequest(const std::string& bytes,
                          google::protobuf::Message& message) {
  if (!message.ParseFromString(bytes)) {
    return FieldError("request", "the bytes are no ",
                      message.GetDescriptor()->full_name());
  }
  return CheckNoUnknownFields(message);
}

// A Relayout is a program of at most one instruction. Errors: the field
// relative to RelayoutRequest.
absl::StatusOr<DecodedSpec> RelayoutFromProto(
    const v1::RelayoutRequest& message) {
  if (!message.has_operand()) return FieldError("operand", "not set; required");
  if (message.result().has_value()) {
    return FieldError("result.value", message.result().value(),
                      " is set; a Relayout has one result and names none");
  }
  auto operand = TensorDescFromProto(message.operand());
  if (!operand.ok()) return PrefixField("operand.", operand.status());
  auto result = ResultSpecFromProto(message.result());
  if (!result.ok()) return PrefixField("result.", result.status());
  const auto encoding = EncodingFromProto(message.result());
  if (!encoding.ok()) return PrefixField("result.", encoding.status());

  DecodedSpec spec;
  spec.signature.operands.push_back(*std::move(operand));
  spec.signature.results.push_back(*std::move(result));
  spec.encodings.push_back(*encoding);
  if (message.has_convert()) {
    const auto convert = ConvertFromProto(message.convert());
    if (!convert.ok()) return PrefixField("convert.", convert.status());
    spec.signature.instructions.push_back(
        Instruction{Opcode::kConvert, {0}, {}, *convert});
  }
  return spec;
}

PayloadField PayloadFieldOf(SpecSource source) {
  return source == SpecSource::kRelayout ? PayloadField::kSingular
                                         : PayloadField::kRepeated;
}

absl::StatusOr<DecodedRequest> DecodeWhole(SpecSource source,
                                           const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(SplitMessage parts, SplitRequest(source, message));
  ASSIGN_OR_RETURN(RequestSpec spec, DecodeSpec(source, parts.head));
  ASSIGN_OR_RETURN(RequestBody body, DecodeBody(spec, std::move(parts)));
  return DecodedRequest{source, std::move(spec.signature),
                        std::move(body.payloads), std::move(body.encodings),
                        std::move(body.storage)};
}

// Of a call whose payloads are not there.
DecodedRequest ExplainedRequest(SpecSource source, DecodedSpec spec) {
  for (Encoding& encoding : spec.encodings) {
    if (encoding == Encoding::kAuto) encoding = Encoding::kRaw;
  }
  return DecodedRequest{
      source, std::move(spec.signature), {}, std::move(spec.encodings), {}};
}

void AddResult(const TensorDesc& desc, Encoding encoding,
               const grpc::Slice& payload, MessageJoiner& joiner) {
  assert(static_cast<int64_t>(payload.size()) == desc.size_bytes());
  if (encoding == Encoding::kTyped) {
    AddTypedPayload(
        desc,
        SegmentedBytes(reinterpret_cast<const std::byte*>(payload.begin()),
                       static_cast<int64_t>(payload.size())),
        joiner);
  } else {
    joiner.AddRaw({&payload, 1});
  }
}

}  // namespace

absl::Status WithFieldPathsOf(SpecSource source, const absl::Status& status) {
  switch (source) {
    case SpecSource::kCompute:
      return WithSpecAt("spec.", status);
    case SpecSource::kComputeStream:
      return WithSpecAt("begin.", status);
    case SpecSource::kExplainCompute:
      return WithSpecAt("compute.", status);
    case SpecSource::kRelayout:
    case SpecSource::kExplainRelayout:
      break;
  }
  struct Root {
    absl::string_view in_spec;
    absl::string_view in_message;
  };
  // Longer paths first. Instruction 0 is the conversion, or none.
  static constexpr Root kRelayout[] = {
      {"operands[0]", "operand"},
      {"results[0]", "result"},
      {"instructions[0].operands[0]", "operand"},
      {"instructions[0].convert", "convert"},
      {"instructions[0]", "convert"}};
  for (const Root& root : kRelayout) {
    if (!StartsWithPath(status.message(), root.in_spec)) continue;
    absl::Status cut(status.code(),
                     status.message().substr(root.in_spec.size()));
    status.ForEachPayload(
        [&](absl::string_view url, const absl::Cord& payload) {
          cut.SetPayload(url, payload);
        });
    return PrefixField(
        absl::StrCat(source == SpecSource::kExplainRelayout ? "relayout." : "",
                     root.in_message),
        cut);
  }
  return status;
}

absl::StatusOr<SplitMessage> SplitRequest(SpecSource source,
                                          const grpc::ByteBuffer& message) {
  return Split(message, PayloadFieldOf(source));
}

absl::StatusOr<RequestSpec> DecodeSpec(SpecSource source,
                                       const std::string& head) {
  RequestSpec spec{source, {}, {}, kMaxTypedElements};
  DecodedSpec decoded;
  if (source == SpecSource::kRelayout) {
    v1::RelayoutRequest request;
    RETURN_IF_ERROR(ParseRequest(head, request));
    ASSIGN_OR_RETURN(decoded, RelayoutFromProto(request));
  } else {
    v1::ComputeRequest request;
    RETURN_IF_ERROR(ParseRequest(head, request));
    if (!request.has_spec()) return FieldError("spec", "not set; required");
    auto program = SpecFromProto(request.spec(), spec.typed_elements_left);
    if (!program.ok()) return WithFieldPathsOf(source, program.status());
    decoded = *std::move(program);
  }
  spec.signature = std::move(decoded.signature);
  spec.encodings = std::move(decoded.encodings);
  return spec;
}

absl::StatusOr<RequestBody> DecodeBody(const RequestSpec& spec,
                                       SplitMessage parts) {
  ASSIGN_OR_RETURN(
      DecodedPayloads payloads,
      DecodePayloads(spec.signature.operands, PayloadFieldOf(spec.source),
                     UnknownFields::kReject, spec.typed_elements_left, parts));
  RequestBody body{std::move(payloads.views), spec.encodings,
                   std::move(parts.storage)};
  for (Encoding& encoding : body.encodings) {
    if (encoding != Encoding::kAuto) continue;
    encoding = payloads.all_typed ? Encoding::kTyped : Encoding::kRaw;
  }
  return body;
}

absl::StatusOr<DecodedRequest> DecodeComputeRequest(
    const grpc::ByteBuffer& message) {
  return DecodeWhole(SpecSource::kCompute, message);
}

absl::StatusOr<DecodedRequest> DecodeRelayoutRequest(
    const grpc::ByteBuffer& message) {
  return DecodeWhole(SpecSource::kRelayout, message);
}

absl::StatusOr<DecodedRequest> DecodeExplainRequest(
    const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(const std::string bytes, CopySmall(message));
  v1::ExplainRequest request;
  RETURN_IF_ERROR(ParseRequest(bytes, request));
  switch (request.call_case()) {
    case v1::ExplainRequest::kCompute: {
      int64_t typed_elements_left = kMaxTypedElements;
      auto spec = SpecFromProto(request.compute(), typed_elements_left);
      if (!spec.ok()) {
        return WithFieldPathsOf(SpecSource::kExplainCompute, spec.status());
      }
      return ExplainedRequest(SpecSource::kExplainCompute, *std::move(spec));
    }
    case v1::ExplainRequest::kRelayout: {
      auto spec = RelayoutFromProto(request.relayout());
      if (!spec.ok()) return PrefixField("relayout.", spec.status());
      return ExplainedRequest(SpecSource::kExplainRelayout, *std::move(spec));
    }
    case v1::ExplainRequest::CALL_NOT_SET:
      break;
  }
  return FieldError("call", "not set; compute or relayout is required");
}

absl::Status CheckTypedResults(SpecSource source,
                               absl::Span<const Encoding> encodings,
                               absl::Span<const TensorDesc> results) {
  int64_t left = kMaxTypedElements;
  for (size_t i = 0; i < results.size(); ++i) {
    if (encodings[i] != Encoding::kTyped) continue;
    const int64_t num_elements = results[i].layout().num_slots();
    if (num_elements > left) {
      return WithFieldPathsOf(
          source,
          FieldError(absl::StrCat("results[", i, "].encoding"),
                     "typed results of ", kMaxTypedElements - left, " and ",
                     num_elements, " elements; the limit of a reply is ",
                     kMaxTypedElements, ": ask for RAW"));
    }
    left -= num_elements;
  }
  return absl::OkStatus();
}

grpc::ByteBuffer EncodeReply(SpecSource source,
                             absl::Span<const TensorDesc> results,
                             absl::Span<const Encoding> encodings,
                             absl::Span<const grpc::Slice> payloads) {
  return EncodeReply(EncodeReplyHead(source, results), results, encodings,
                     payloads);
}

std::string EncodeReplyHead(SpecSource source,
                            absl::Span<const TensorDesc> results) {
  if (source == SpecSource::kRelayout) {
    v1::RelayoutResponse head;
    *head.mutable_result() = TensorDescToProto(results[0]);
    return head.SerializeAsString();
  }
  v1::ComputeResponse head;
  for (const TensorDesc& result : results) {
    *head.add_results() = TensorDescToProto(result);
  }
  return head.SerializeAsString();
}

grpc::ByteBuffer EncodeReply(std::string head,
                             absl::Span<const TensorDesc> results,
                             absl::Span<const Encoding> encodings,
                             absl::Span<const grpc::Slice> payloads) {
  MessageJoiner joiner(std::move(head));
  for (size_t i = 0; i < results.size(); ++i) {
    AddResult(results[i], encodings[i], payloads[i], joiner);
  }
  return joiner.Join();
}

}  // namespace stridecast
