// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/client.h"

#include <utility>

#include "absl/synchronization/notification.h"
#include "client/call_start.h"
#include "client/rpc.h"

namespace stridecast {

Client::Client(std::shared_ptr<grpc::Channel> channel,
               const ClientOptions& options)
    : Client(MakeChannelTransport(std::move(channel)), options) {}

Client::Client(std::shared_ptr<Transport> transport,
               const ClientOptions& options)
    : transport_(std::move(transport)), options_(options) {}

template <typename T>
absl::StatusOr<T> Client::Await(absl::StatusOr<Rpc<T>> rpc,
                                const CallOptions& options) const {
  absl::StatusOr<T> result = absl::UnknownError("");
  absl::Notification done;
  StartRpc<T>(transport_, options_, options, std::move(rpc),
              [&result, &done](absl::StatusOr<T> ended) {
                result = std::move(ended);
                done.Notify();
              });
  done.WaitForNotification();
  return result;
}

absl::StatusOr<std::vector<OwnedTensor>> Client::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  return Await(ComputeRpc(signature, operands), options);
}

absl::StatusOr<std::vector<OwnedTensor>> Client::Compute(
    const PreparedCompute& prepared, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  return Await(ComputeRpc(prepared, operands), options);
}

absl::Status Client::ComputeInto(const Signature& signature,
                                 absl::Span<const TensorView> operands,
                                 absl::Span<const MutableTensorView> results,
                                 const CallOptions& options) const {
  return Await(ComputeIntoRpc(signature, operands, results), options).status();
}

absl::Status Client::ComputeInto(const PreparedCompute& prepared,
                                 absl::Span<const TensorView> operands,
                                 absl::Span<const MutableTensorView> results,
                                 const CallOptions& options) const {
  return Await(ComputeIntoRpc(prepared, operands, results), options).status();
}

absl::StatusOr<OwnedTensor> Client::Relayout(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const CallOptions& options) const {
  return Await(RelayoutRpc(operand, result_form, convert), options);
}

absl::Status Client::RelayoutInto(const TensorView& operand,
                                  const MutableTensorView& result,
                                  Overflow overflow,
                                  const CallOptions& options) const {
  return Await(RelayoutIntoRpc(operand, result, overflow), options).status();
}

absl::StatusOr<Explanation> Client::Explain(const Signature& signature,
                                            const CallOptions& options) const {
  return Await<Explanation>(ExplainRpc(signature), options);
}

absl::StatusOr<ServerInfo> Client::GetServerInfo(
    const CallOptions& options) const {
  return Await<ServerInfo>(GetServerInfoRpc(), options);
}

}  // namespace stridecast
