// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/client.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/message_lease.h"
#include "client/reply_messages.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/program.h"
#include "stridecast/segments.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// A call that fails while its upload is stuck waits for the connection to be
// given up (client.h). gRPC makes this the socket's TCP_USER_TIMEOUT; the
// kernel acts on it at its next probe, which may be 10 s later.
constexpr int kKeepaliveTimeoutMs = 20'000;
// Servers by default take pings more often than each 5 minutes for an attack.
constexpr int kKeepaliveTimeMs = 6 * 60 * 1000;

// The length in front of a message has 32 bits, and gRPC does not check it.
constexpr size_t kMaxMessageBytes = std::numeric_limits<uint32_t>::max();

constexpr absl::Duration kFirstBackoff = absl::Milliseconds(50);

grpc::ChannelArguments ChannelArguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  return arguments;
}

// Whether the same bytes mean the same tensor under both.
bool AreAlike(const TensorDesc& a, const TensorDesc& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         a.size_bytes() == b.size_bytes() &&
         (a.num_elements() == 0 || (a.byte_offset() == b.byte_offset() &&
                                    a.byte_strides() == b.byte_strides()));
}

// How long to wait before the call is tried again; none: it would fail again.
std::optional<absl::Duration> DelayBeforeRepeat(const absl::Status& status,
                                                int attempt) {
  const auto asked = RetryDelay(status);
  if (!asked && !absl::IsUnavailable(status)) return std::nullopt;
  // Jitter keeps clients that failed together from returning together.
  absl::BitGen random;
  const absl::Duration backoff =
      kFirstBackoff * (1 << (attempt - 1)) * absl::Uniform(random, 0.5, 1.5);
  return std::max(asked.value_or(absl::ZeroDuration()), backoff);
}

SegmentedBytes BytesOf(const TensorView& view) {
  return SegmentedBytes(view.data, view.desc.size_bytes());
}

// A signature's descriptor decides how many bytes of the operand are sent.
absl::StatusOr<std::vector<SegmentedBytes>> BindOperands(
    const Signature& signature, absl::Span<const TensorView> operands) {
  if (operands.size() != signature.operands.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(operands.size(), " operands given to a program of ",
                     signature.operands.size()));
  }
  std::vector<SegmentedBytes> payloads;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!AreAlike(operands[i].desc, signature.operands[i])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "operand ", i, " given as ", operands[i].desc.ToString(), ", ",
          operands[i].desc.size_bytes(), " bytes; the program takes ",
          signature.operands[i].ToString(), ", ",
          signature.operands[i].size_bytes(),
          " bytes, with exactly the strides of that"));
    }
    payloads.push_back(BytesOf(operands[i]));
  }
  return payloads;
}

ResultSpec Wanted(const ResultSpec& spec, const TensorDesc& desc) {
  const auto extents = desc.shape().extents();
  return {spec.value, desc.type(), DimVector(extents.begin(), extents.end()),
          desc.layout().form()};
}

absl::Status CheckCount(const DecodedResponse& response, size_t expected) {
  if (response.results.size() == expected &&
      response.payloads.size() == expected) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("the reply holds ", response.results.size(),
                   " results; asked for were ", expected));
}

absl::StatusOr<OwnedTensor> CopyOut(const TensorDesc& desc,
                                    const SegmentedBytes& payload) {
  ASSIGN_OR_RETURN(OwnedTensor tensor, OwnedTensor::Allocate(desc));
  payload.CopyTo(0, payload.size_bytes(), tensor.data());
  return tensor;
}

absl::Status CopyInto(const TensorDesc& desc, const SegmentedBytes& payload,
                      const MutableTensorView& result) {
  if (!AreAlike(desc, result.desc) ||
      payload.size_bytes() != result.desc.size_bytes()) {
    return absl::InternalError(absl::StrCat(
        "the reply holds ", desc.ToString(), ", ", payload.size_bytes(),
        " bytes; asked for was ", result.desc.ToString(), ", ",
        result.desc.size_bytes(), " bytes"));
  }
  payload.CopyTo(0, payload.size_bytes(), result.data);
  return absl::OkStatus();
}

}  // namespace

Client Client::Connect(const std::string& target,
                       const ClientOptions& options) {
  return Client(
      grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(),
                                ChannelArguments()),
      options);
}

Client::Client(std::shared_ptr<grpc::Channel> channel,
               const ClientOptions& options)
    : Client(MakeChannelTransport(std::move(channel)), options) {}

Client::Client(std::shared_ptr<Transport> transport,
               const ClientOptions& options)
    : transport_(std::move(transport)), options_(options) {}

absl::StatusOr<grpc::ByteBuffer> Client::Call(
    absl::string_view method, grpc::ByteBuffer request,
    const CallOptions& options) const {
  if (request.Length() > kMaxMessageBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a message of ", request.Length(),
                     " bytes; gRPC carries no more than ", kMaxMessageBytes));
  }
  const CallHeader header{
      absl::StrCat("/stridecast.v1.TensorCompute/", method),
      absl::Now() + options.timeout.value_or(options_.timeout),
      options.wait_for_ready.value_or(options_.wait_for_ready)};
  // Its destructor waits until the caller's memory is no longer read.
  MessageLease lease(std::move(request));
  for (int attempt = 1;; ++attempt) {
    auto reply = transport_->Call(header, lease.message());
    if (reply.ok() || attempt >= options_.max_attempts) return reply;
    const auto delay = DelayBeforeRepeat(reply.status(), attempt);
    if (!delay || absl::Now() + *delay >= header.deadline) return reply;
    absl::SleepFor(*delay);
  }
}

absl::StatusOr<DecodedResponse> Client::CallCompute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  ASSIGN_OR_RETURN(const auto payloads, BindOperands(signature, operands));
  const std::vector<Encoding> encodings(signature.results.size(),
                                        Encoding::kRaw);
  ASSIGN_OR_RETURN(
      const grpc::ByteBuffer reply,
      Call("Compute", EncodeComputeRequest(signature, payloads, encodings),
           options));
  ASSIGN_OR_RETURN(DecodedResponse response, DecodeComputeResponse(reply));
  RETURN_IF_ERROR(CheckCount(response, signature.results.size()));
  return response;
}

absl::StatusOr<DecodedResponse> Client::CallRelayout(
    const Signature& signature, const TensorView& operand,
    const CallOptions& options) const {
  ASSIGN_OR_RETURN(
      const grpc::ByteBuffer reply,
      Call("Relayout",
           EncodeRelayoutRequest(signature, BytesOf(operand), Encoding::kRaw),
           options));
  ASSIGN_OR_RETURN(DecodedResponse response, DecodeRelayoutResponse(reply));
  RETURN_IF_ERROR(CheckCount(response, 1));
  return response;
}

absl::StatusOr<std::vector<OwnedTensor>> Client::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  ASSIGN_OR_RETURN(const DecodedResponse response,
                   CallCompute(signature, operands, options));
  std::vector<OwnedTensor> results;
  for (size_t i = 0; i < response.results.size(); ++i) {
    ASSIGN_OR_RETURN(OwnedTensor result,
                     CopyOut(response.results[i], response.payloads[i]));
    results.push_back(std::move(result));
  }
  return results;
}

absl::Status Client::ComputeInto(const Signature& signature,
                                 absl::Span<const TensorView> operands,
                                 absl::Span<const MutableTensorView> results,
                                 const CallOptions& options) const {
  if (results.size() != signature.results.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(results.size(), " buffers given for ",
                     signature.results.size(), " results"));
  }
  Signature wanted = signature;
  for (size_t i = 0; i < results.size(); ++i) {
    wanted.results[i] = Wanted(signature.results[i], results[i].desc);
  }
  ASSIGN_OR_RETURN(const DecodedResponse response,
                   CallCompute(wanted, operands, options));
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(
        CopyInto(response.results[i], response.payloads[i], results[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<OwnedTensor> Client::Relayout(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const CallOptions& options) const {
  ASSIGN_OR_RETURN(
      const DecodedResponse response,
      CallRelayout(RelayoutSignature(operand.desc, result_form, convert),
                   operand, options));
  return CopyOut(response.results[0], response.payloads[0]);
}

absl::Status Client::RelayoutInto(const TensorView& operand,
                                  const MutableTensorView& result,
                                  Overflow overflow,
                                  const CallOptions& options) const {
  std::optional<ConvertAttribute> convert;
  if (operand.desc.type() != result.desc.type()) {
    convert = ConvertAttribute{result.desc.type(), overflow};
  }
  Signature signature = RelayoutSignature(operand.desc, {}, convert);
  signature.results[0] = Wanted(signature.results[0], result.desc);
  ASSIGN_OR_RETURN(const DecodedResponse response,
                   CallRelayout(signature, operand, options));
  return CopyInto(response.results[0], response.payloads[0], result);
}

absl::StatusOr<Explanation> Client::Explain(const Signature& signature,
                                            const CallOptions& options) const {
  ASSIGN_OR_RETURN(const grpc::ByteBuffer reply,
                   Call("Explain", EncodeExplainRequest(signature), options));
  return DecodePlan(reply);
}

absl::StatusOr<ServerInfo> Client::GetServerInfo(
    const CallOptions& options) const {
  // A GetServerInfoRequest has no fields: no bytes.
  ASSIGN_OR_RETURN(
      const grpc::ByteBuffer reply,
      Call("GetServerInfo", grpc::ByteBuffer(nullptr, 0), options));
  return DecodeServerInfo(reply);
}

}  // namespace stridecast
