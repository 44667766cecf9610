// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/async_client.h"

#include <utility>

#include "client/call_start.h"
#include "client/future_of.h"
#include "client/rpc.h"

namespace stridecast {

template <typename T>
void AsyncClient::Start(absl::StatusOr<Rpc<T>> rpc, const CallOptions& options,
                        Done<absl::StatusOr<T>> done) const {
  StartRpc<T>(client_.transport_, client_.options_, options, std::move(rpc),
              std::move(done));
}

std::future<AsyncClient::Results> AsyncClient::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  return FutureOf<Results>([&](Done<Results> done) {
    Compute(signature, operands, std::move(done), options);
  });
}

void AsyncClient::Compute(const Signature& signature,
                          absl::Span<const TensorView> operands,
                          Done<Results> done,
                          const CallOptions& options) const {
  Start(ComputeRpc(signature, operands), options, std::move(done));
}

std::future<AsyncClient::Results> AsyncClient::Compute(
    const PreparedCompute& prepared, absl::Span<const TensorView> operands,
    const CallOptions& options) const {
  return FutureOf<Results>([&](Done<Results> done) {
    Compute(prepared, operands, std::move(done), options);
  });
}

void AsyncClient::Compute(const PreparedCompute& prepared,
                          absl::Span<const TensorView> operands,
                          Done<Results> done,
                          const CallOptions& options) const {
  Start(ComputeRpc(prepared, operands), options, std::move(done));
}

std::future<absl::Status> AsyncClient::ComputeInto(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results,
    const CallOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    ComputeInto(signature, operands, results, std::move(done), options);
  });
}

void AsyncClient::ComputeInto(const Signature& signature,
                              absl::Span<const TensorView> operands,
                              absl::Span<const MutableTensorView> results,
                              Done<absl::Status> done,
                              const CallOptions& options) const {
  Start(ComputeIntoRpc(signature, operands, results), options,
        WithStatusAlone(std::move(done)));
}

std::future<absl::Status> AsyncClient::ComputeInto(
    const PreparedCompute& prepared, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results,
    const CallOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    ComputeInto(prepared, operands, results, std::move(done), options);
  });
}

void AsyncClient::ComputeInto(const PreparedCompute& prepared,
                              absl::Span<const TensorView> operands,
                              absl::Span<const MutableTensorView> results,
                              Done<absl::Status> done,
                              const CallOptions& options) const {
  Start(ComputeIntoRpc(prepared, operands, results), options,
        WithStatusAlone(std::move(done)));
}

std::future<absl::StatusOr<OwnedTensor>> AsyncClient::Relayout(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const CallOptions& options) const {
  return FutureOf<absl::StatusOr<OwnedTensor>>(
      [&](Done<absl::StatusOr<OwnedTensor>> done) {
        Relayout(operand, result_form, convert, std::move(done), options);
      });
}

void AsyncClient::Relayout(const TensorView& operand,
                           const PhysicalForm& result_form,
                           const std::optional<ConvertAttribute>& convert,
                           Done<absl::StatusOr<OwnedTensor>> done,
                           const CallOptions& options) const {
  Start(RelayoutRpc(operand, result_form, convert), options, std::move(done));
}

std::future<absl::Status> AsyncClient::RelayoutInto(
    const TensorView& operand, const MutableTensorView& result,
    Overflow overflow, const CallOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    RelayoutInto(operand, result, overflow, std::move(done), options);
  });
}

void AsyncClient::RelayoutInto(const TensorView& operand,
                               const MutableTensorView& result,
                               Overflow overflow, Done<absl::Status> done,
                               const CallOptions& options) const {
  Start(RelayoutIntoRpc(operand, result, overflow), options,
        WithStatusAlone(std::move(done)));
}

std::future<absl::StatusOr<Explanation>> AsyncClient::Explain(
    const Signature& signature, const CallOptions& options) const {
  return FutureOf<absl::StatusOr<Explanation>>(
      [&](Done<absl::StatusOr<Explanation>> done) {
        Explain(signature, std::move(done), options);
      });
}

void AsyncClient::Explain(const Signature& signature,
                          Done<absl::StatusOr<Explanation>> done,
                          const CallOptions& options) const {
  Start<Explanation>(ExplainRpc(signature), options, std::move(done));
}

std::future<absl::StatusOr<ServerInfo>> AsyncClient::GetServerInfo(
    const CallOptions& options) const {
  return FutureOf<absl::StatusOr<ServerInfo>>(
      [&](Done<absl::StatusOr<ServerInfo>> done) {
        GetServerInfo(std::move(done), options);
      });
}

void AsyncClient::GetServerInfo(Done<absl::StatusOr<ServerInfo>> done,
                                const CallOptions& options) const {
  Start<ServerInfo>(GetServerInfoRpc(), options, std::move(done));
}

}  // namespace stridecast
