// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/stream_client.h"

#include <utility>

#include "client/call_start.h"
#include "client/stream_rpc.h"
#include "client/stream_run.h"
#include "stridecast/status_macros.h"

namespace stridecast {

template <typename T>
absl::StatusOr<T> StreamClient::Await(absl::StatusOr<StreamRpc<T>> rpc) const {
  RETURN_IF_ERROR(CheckTransport(client_.transport_.get()));
  RETURN_IF_ERROR(rpc.status());
  ASSIGN_OR_RETURN(const CallHeader header,
                   MakeStreamHeader(client_.options_, rpc->job.options.call));
  RETURN_IF_ERROR(
      StreamRun::Run(client_.transport_, header, std::move(rpc->job)));
  return rpc->take_results();
}

absl::StatusOr<std::vector<OwnedTensor>> StreamClient::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const StreamOptions& options) const {
  return Await(ComputeStreamRpc(signature, operands, options));
}

absl::Status StreamClient::Compute(const Signature& signature,
                                   absl::Span<const TensorView> operands,
                                   absl::Span<const WriteBytes> results,
                                   const StreamOptions& options) const {
  return Await(ComputeStreamRpc(signature, operands, results, options))
      .status();
}

absl::Status StreamClient::Compute(const Signature& signature,
                                   absl::Span<const ReadBytes> operands,
                                   absl::Span<const WriteBytes> results,
                                   const StreamOptions& options) const {
  return Await(ComputeStreamRpc(signature, operands, results, options))
      .status();
}

absl::Status StreamClient::ComputeInto(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results,
    const StreamOptions& options) const {
  return Await(ComputeIntoStreamRpc(signature, operands, results, options))
      .status();
}

absl::StatusOr<OwnedTensor> StreamClient::Relayout(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const StreamOptions& options) const {
  return Await(RelayoutStreamRpc(operand, result_form, convert, options));
}

absl::Status StreamClient::RelayoutInto(const TensorView& operand,
                                        const MutableTensorView& result,
                                        Overflow overflow,
                                        const StreamOptions& options) const {
  return Await(RelayoutIntoStreamRpc(operand, result, overflow, options))
      .status();
}

}  // namespace stridecast
