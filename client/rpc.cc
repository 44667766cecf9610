// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/rpc.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/binding.h"
#include "client/copy_elements.h"
#include "client/prepared_compute.h"
#include "client/reply_messages.h"
#include "proto/wire/request_codec.h"
#include "stridecast/program.h"
#include "stridecast/segments.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

std::vector<Encoding> AllRaw(const Signature& signature) {
  return std::vector<Encoding>(signature.results.size(), Encoding::kRaw);
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
        " bytes; asked for was ", DescAndSize(result.desc)));
  }
  CopyElements(result.desc, payload, /*begin=*/0, result.data);
  return absl::OkStatus();
}

absl::StatusOr<Results> DecodeResults(const grpc::ByteBuffer& reply,
                                      size_t count) {
  ASSIGN_OR_RETURN(const DecodedResponse response,
                   DecodeComputeResponse(reply));
  RETURN_IF_ERROR(CheckCount(response, count));
  Results results;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(OwnedTensor result,
                     CopyOut(response.results[i], response.payloads[i]));
    results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<Nothing> DecodeInto(
    const grpc::ByteBuffer& reply,
    const std::vector<MutableTensorView>& results) {
  ASSIGN_OR_RETURN(const DecodedResponse response,
                   DecodeComputeResponse(reply));
  RETURN_IF_ERROR(CheckCount(response, results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(
        CopyInto(response.results[i], response.payloads[i], results[i]));
  }
  return Nothing();
}

absl::StatusOr<DecodedResponse> DecodeRelayout(const grpc::ByteBuffer& reply) {
  ASSIGN_OR_RETURN(DecodedResponse response, DecodeRelayoutResponse(reply));
  RETURN_IF_ERROR(CheckCount(response, 1));
  return response;
}

Rpc<Results> ResultsRpc(grpc::ByteBuffer request, size_t count) {
  return {"Compute", std::move(request),
          [count](const grpc::ByteBuffer& reply) {
            return DecodeResults(reply, count);
          }};
}

Rpc<Nothing> IntoRpc(grpc::ByteBuffer request,
                     absl::Span<const MutableTensorView> results) {
  return {
      "Compute", std::move(request),
      [views = std::vector<MutableTensorView>(results.begin(), results.end())](
          const grpc::ByteBuffer& reply) { return DecodeInto(reply, views); }};
}

}  // namespace

PreparedCompute::PreparedCompute(const Signature& signature)
    : encoded_(std::make_shared<const Encoded>(Encoded{
          signature, {}, EncodeComputeHead(signature, AllRaw(signature))})) {}

PreparedCompute::PreparedCompute(const Signature& signature,
                                 absl::Span<const TensorDesc> results) {
  absl::StatusOr<Signature> wanted = WithResults(signature, results);
  if (!wanted.ok()) {
    *this = PreparedCompute(signature);  // for which ComputeInto fails
    return;
  }
  std::string head = EncodeComputeHead(*wanted, AllRaw(*wanted));
  encoded_ = std::make_shared<const Encoded>(Encoded{
      *std::move(wanted), {results.begin(), results.end()}, std::move(head)});
}

const Signature& PreparedCompute::signature() const {
  return encoded_->signature;
}

absl::StatusOr<Rpc<Results>> ComputeRpc(const Signature& signature,
                                        absl::Span<const TensorView> operands) {
  ASSIGN_OR_RETURN(const auto payloads, BindOperands(signature, operands));
  return ResultsRpc(
      EncodeComputeRequest(signature, payloads, AllRaw(signature)),
      signature.results.size());
}

absl::StatusOr<Rpc<Results>> ComputeRpc(const PreparedCompute& prepared,
                                        absl::Span<const TensorView> operands) {
  ASSIGN_OR_RETURN(const auto payloads,
                   BindOperands(prepared.signature(), operands));
  return ResultsRpc(EncodeComputeRequest(prepared.encoded().head, payloads),
                    prepared.signature().results.size());
}

absl::StatusOr<Rpc<Nothing>> ComputeIntoRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results) {
  ASSIGN_OR_RETURN(const Signature wanted, BindResults(signature, results));
  ASSIGN_OR_RETURN(const auto payloads, BindOperands(signature, operands));
  return IntoRpc(EncodeComputeRequest(wanted, payloads, AllRaw(wanted)),
                 results);
}

absl::StatusOr<Rpc<Nothing>> ComputeIntoRpc(
    const PreparedCompute& prepared, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results) {
  const std::vector<TensorDesc>& descs = prepared.encoded().results;
  const size_t num_results = prepared.signature().results.size();
  if (descs.size() != results.size() || descs.size() != num_results) {
    return absl::InvalidArgumentError(
        absl::StrCat(results.size(), " buffers given for ", num_results,
                     " results; prepared were ", descs.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (AreAlike(descs[i], results[i].desc)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "buffer ", i, " is ", DescAndSize(results[i].desc), "; prepared was ",
        DescAndSize(descs[i]), ", with exactly the strides of that"));
  }
  RETURN_IF_ERROR(CheckMemory(results));
  ASSIGN_OR_RETURN(const auto payloads,
                   BindOperands(prepared.signature(), operands));
  return IntoRpc(EncodeComputeRequest(prepared.encoded().head, payloads),
                 results);
}

absl::StatusOr<Rpc<OwnedTensor>> RelayoutRpc(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert) {
  const Signature signature =
      RelayoutSignature(operand.desc, result_form, convert);
  ASSIGN_OR_RETURN(const auto payloads, BindOperands(signature, {&operand, 1}));
  return Rpc<OwnedTensor>{
      "Relayout", EncodeRelayoutRequest(signature, payloads[0], Encoding::kRaw),
      [](const grpc::ByteBuffer& reply) -> absl::StatusOr<OwnedTensor> {
        ASSIGN_OR_RETURN(const DecodedResponse response, DecodeRelayout(reply));
        return CopyOut(response.results[0], response.payloads[0]);
      }};
}

absl::StatusOr<Rpc<Nothing>> RelayoutIntoRpc(const TensorView& operand,
                                             const MutableTensorView& result,
                                             Overflow overflow) {
  const Signature signature =
      RelayoutSignature(operand.desc, result.desc, overflow);
  RETURN_IF_ERROR(CheckMemory({&result, 1}));
  ASSIGN_OR_RETURN(const auto payloads, BindOperands(signature, {&operand, 1}));
  return Rpc<Nothing>{
      "Relayout", EncodeRelayoutRequest(signature, payloads[0], Encoding::kRaw),
      [result](const grpc::ByteBuffer& reply) -> absl::StatusOr<Nothing> {
        ASSIGN_OR_RETURN(const DecodedResponse response, DecodeRelayout(reply));
        RETURN_IF_ERROR(
            CopyInto(response.results[0], response.payloads[0], result));
        return Nothing();
      }};
}

Rpc<Explanation> ExplainRpc(const Signature& signature) {
  return {"Explain", EncodeExplainRequest(signature), &DecodePlan};
}

Rpc<ServerInfo> GetServerInfoRpc() {
  // A GetServerInfoRequest has no fields: no bytes.
  return {"GetServerInfo", grpc::ByteBuffer(nullptr, 0), &DecodeServerInfo};
}

}  // namespace stridecast
