// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages of stridecast.v1 to and from the vocabulary of the core, both
// directions: the server decodes requests and encodes replies, the client the
// reverse. The only place that knows the field numbers.
// Rules:
//   (W1) any bytes decode to a value or to a Status, never to a crash
//   (W2) payload bytes are viewed where they lie as long as that is possible;
//        typed lists are converted into storage of the decoded value
//   (W3) an unknown field anywhere in a request is an error naming it
//   (W4) what is encoded is byte for byte what protobuf would write

#ifndef STRIDECAST_PROTO_WIRE_REQUEST_CODEC_H_
#define STRIDECAST_PROTO_WIRE_REQUEST_CODEC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/message_split.h"
#include "stridecast/request.h"
#include "stridecast/segments.h"
#include "stridecast/tensor.h"

namespace stridecast {

// The metadata in which a caller states how many bytes its message has.
inline constexpr char kRequestBytesKey[] = "stridecast-request-bytes";

// How the payload of a result travels.
enum class Encoding { kAuto = 0, kRaw = 1, kTyped = 2 };

// Which message a ComputeSpec came in: decides the field paths of errors.
enum class SpecSource {
  kCompute,          // ComputeRequest.spec
  kComputeStream,    // ComputeStreamRequest.begin
  kRelayout,         // RelayoutRequest
  kExplainCompute,   // ExplainRequest.compute
  kExplainRelayout,  // ExplainRequest.relayout
};

// `status` of Engine::Prepare, whose field paths are relative to ComputeSpec,
// with paths of the message that the caller sent: "results[0].shape: ..."
// becomes "spec.results[0].shape: ..." or, of a Relayout, "result.shape: ...".
absl::Status WithFieldPathsOf(SpecSource source, const absl::Status& status);

// What a plan is made of: a Compute or Relayout request but for its payloads.
struct RequestSpec {
  SpecSource source;
  Signature signature;
  std::vector<Encoding> encodings;  // one per result, as stated: may be kAuto
  int64_t typed_elements_left = 0;  // of kMaxTypedElements, for the payloads
};

// What it is run on.
struct RequestBody {
  // One per operand, of exactly its size_bytes().
  std::vector<SegmentedBytes> payloads;
  std::vector<Encoding> encodings;  // one per result; never kAuto
  // Holds what `payloads` view.
  std::shared_ptr<const void> storage;
};

// The steps in which a server decodes a Compute or Relayout request, so that
// equal heads need be decoded only once. Errors: as below.
absl::StatusOr<SplitMessage> SplitRequest(SpecSource source,
                                          const grpc::ByteBuffer& message);
absl::StatusOr<RequestSpec> DecodeSpec(SpecSource source,
                                       const std::string& head);
absl::StatusOr<RequestBody> DecodeBody(const RequestSpec& spec,
                                       SplitMessage parts);

// A Compute, Relayout or Explain request.
struct DecodedRequest {
  SpecSource source;
  Signature signature;
  // Of Compute and Relayout: one per operand, of exactly its size_bytes().
  std::vector<SegmentedBytes> payloads;
  // One per result; never kAuto.
  std::vector<Encoding> encodings;
  // Holds what `payloads` view.
  std::shared_ptr<const void> storage;
};

// Errors: kInvalidArgument with the field's path in that message ("request" for
// bytes that are no message); kUnimplemented for an opcode without a meaning;
// kResourceExhausted if all but the payloads is over 1 MiB.
absl::StatusOr<DecodedRequest> DecodeComputeRequest(
    const grpc::ByteBuffer& message);
absl::StatusOr<DecodedRequest> DecodeRelayoutRequest(
    const grpc::ByteBuffer& message);
absl::StatusOr<DecodedRequest> DecodeExplainRequest(
    const grpc::ByteBuffer& message);

// Whether the results of the plan can be typed where the request says so; to be
// asked before anything is computed.
// Errors: kInvalidArgument with the path of the encoding if typed results have
// more than kMaxTypedElements together.
absl::Status CheckTypedResults(SpecSource source,
                               absl::Span<const Encoding> encodings,
                               absl::Span<const TensorDesc> results);

// The reply to a Compute or Relayout. payloads[i] holds the bytes of
// results[i]; a raw one is sent as it is, uncopied.
grpc::ByteBuffer EncodeReply(SpecSource source,
                             absl::Span<const TensorDesc> results,
                             absl::Span<const Encoding> encodings,
                             absl::Span<const grpc::Slice> payloads);
// The same in two steps, since all but the payloads can be kept.
std::string EncodeReplyHead(SpecSource source,
                            absl::Span<const TensorDesc> results);
grpc::ByteBuffer EncodeReply(std::string head,
                             absl::Span<const TensorDesc> results,
                             absl::Span<const Encoding> encodings,
                             absl::Span<const grpc::Slice> payloads);

// The client's half. The bytes that `payloads` view are not copied: they must
// live until gRPC has let go of the message, which the end of a call does not
// say if it failed. `encodings` has one entry per result. `typed_payloads`
// sends operands as typed lists instead of raw bytes; not those of more than
// kMaxTypedElements and those of another size than their descriptor says, whose
// error is the server's to report.
// A message that is not Valid() stands for constants past protobuf's 2 GiB.
grpc::ByteBuffer EncodeComputeRequest(const Signature& signature,
                                      absl::Span<const SegmentedBytes> payloads,
                                      absl::Span<const Encoding> encodings,
                                      bool typed_payloads = false);
// The same in two steps, for requests that are sent again with other payloads,
// which are raw: the specification, serialized; empty for such constants.
std::string EncodeComputeHead(const Signature& signature,
                              absl::Span<const Encoding> encodings);
grpc::ByteBuffer EncodeComputeRequest(
    std::string head, absl::Span<const SegmentedBytes> payloads);
grpc::ByteBuffer EncodeExplainRequest(const Signature& signature);
// One operand, at most one instruction (kConvert) and one result.
grpc::ByteBuffer EncodeRelayoutRequest(const Signature& signature,
                                       const SegmentedBytes& payload,
                                       Encoding encoding);

struct DecodedResponse {
  std::vector<TensorDesc> results;
  std::vector<SegmentedBytes> payloads;  // one per result, of its size_bytes()
  std::shared_ptr<const void> storage;   // holds what `payloads` view
};

// Unknown fields are ignored. Errors: kInternal if the reply is not a valid
// message.
absl::StatusOr<DecodedResponse> DecodeComputeResponse(
    const grpc::ByteBuffer& message);
absl::StatusOr<DecodedResponse> DecodeRelayoutResponse(
    const grpc::ByteBuffer& message);

}  // namespace stridecast

#endif  // STRIDECAST_PROTO_WIRE_REQUEST_CODEC_H_
