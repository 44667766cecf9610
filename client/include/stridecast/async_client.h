// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that do not wait: each comes as a std::future or with a function that
// is called at its end.
//
//   AsyncClient async(client);
//   std::vector<std::future<AsyncClient::Results>> pending;
//   for (const Image& image : images) {
//     pending.push_back(async.Compute(program, {image.view()}));
//   }
//   for (auto& results : pending) Use(results.get());
//
// Rules, beside those of client.h:
//   - Memory that views view is lent until the end of the call: until its
//     future is ready or its function is called. Signatures and spans may go at
//     once.
//   - A function is called exactly once, on one of gRPC's threads or, where the
//     call could not begin, by the caller's own. It must not block or throw,
//     nor make calls that block. If it is empty nobody wants to know.
//   - A call is cancelled by its CallOptions::stop. Dropping the future neither
//     cancels nor waits.
//   - The AsyncClient and the Client may go before their calls end.
//   - Thread-safe.

#ifndef STRIDECAST_ASYNC_CLIENT_H_
#define STRIDECAST_ASYNC_CLIENT_H_

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

class AsyncClient {
 public:
  using Results = absl::StatusOr<std::vector<OwnedTensor>>;
  template <typename T>
  using Done = std::function<void(T)>;

  // Shares channel and options.
  explicit AsyncClient(const Client& client) : client_(client) {}

  // As the methods of Client.
  std::future<Results> Compute(const Signature& signature,
                               absl::Span<const TensorView> operands,
                               const CallOptions& options = {}) const;
  void Compute(const Signature& signature,
               absl::Span<const TensorView> operands, Done<Results> done,
               const CallOptions& options = {}) const;
  std::future<Results> Compute(const PreparedCompute& prepared,
                               absl::Span<const TensorView> operands,
                               const CallOptions& options = {}) const;
  void Compute(const PreparedCompute& prepared,
               absl::Span<const TensorView> operands, Done<Results> done,
               const CallOptions& options = {}) const;

  std::future<absl::Status> ComputeInto(
      const Signature& signature, absl::Span<const TensorView> operands,
      absl::Span<const MutableTensorView> results,
      const CallOptions& options = {}) const;
  void ComputeInto(const Signature& signature,
                   absl::Span<const TensorView> operands,
                   absl::Span<const MutableTensorView> results,
                   Done<absl::Status> done,
                   const CallOptions& options = {}) const;
  std::future<absl::Status> ComputeInto(
      const PreparedCompute& prepared, absl::Span<const TensorView> operands,
      absl::Span<const MutableTensorView> results,
      const CallOptions& options = {}) const;
  void ComputeInto(const PreparedCompute& prepared,
                   absl::Span<const TensorView> operands,
                   absl::Span<const MutableTensorView> results,
                   Done<absl::Status> done,
                   const CallOptions& options = {}) const;

  std::future<absl::StatusOr<OwnedTensor>> Relayout(
      const TensorView& operand, const PhysicalForm& result_form,
      const std::optional<ConvertAttribute>& convert = std::nullopt,
      const CallOptions& options = {}) const;
  void Relayout(const TensorView& operand, const PhysicalForm& result_form,
                const std::optional<ConvertAttribute>& convert,
                Done<absl::StatusOr<OwnedTensor>> done,
                const CallOptions& options = {}) const;

  std::future<absl::Status> RelayoutInto(
      const TensorView& operand, const MutableTensorView& result,
      Overflow overflow = Overflow::kUnspecified,
      const CallOptions& options = {}) const;
  void RelayoutInto(const TensorView& operand, const MutableTensorView& result,
                    Overflow overflow, Done<absl::Status> done,
                    const CallOptions& options = {}) const;

  std::future<absl::StatusOr<Explanation>> Explain(
      const Signature& signature, const CallOptions& options = {}) const;
  void Explain(const Signature& signature,
               Done<absl::StatusOr<Explanation>> done,
               const CallOptions& options = {}) const;

  std::future<absl::StatusOr<ServerInfo>> GetServerInfo(
      const CallOptions& options = {}) const;
  void GetServerInfo(Done<absl::StatusOr<ServerInfo>> done,
                     const CallOptions& options = {}) const;

 private:
  template <typename T>
  void Start(absl::StatusOr<Rpc<T>> rpc, const CallOptions& options,
             Done<absl::StatusOr<T>> done) const;

  const Client client_;
};

}  // namespace stridecast

#endif  // STRIDECAST_ASYNC_CLIENT_H_
