// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Streams that do not wait: the calls of StreamClient as std::futures or with a
// function that is called at their end.
//
//   AsyncStreamClient stream(client);
//   std::future<absl::Status> wrote = stream.ComputeInto(program, {x}, {y});
//
// Rules: those of async_client.h about memory, functions at the end, cancelling
// and dropped futures; those of stream_client.h about deadlines and results;
// and:
//   - A stream takes no thread of its own. Its functions (ReadBytes, on_ready,
//     WriteBytes, on_progress) are called one at a time, by gRPC's threads or,
//     at the start, by the caller's own. gRPC has few threads, and a function
//     that takes long, by reading a slow disk, say, keeps one of them from
//     other calls; one that waits for another call may wait for ever.
//   - Signatures, spans and options may go at once, and the clients before
//     their calls end. What functions refer to must stay until the end.
//   - Thread-safe.

#ifndef STRIDECAST_ASYNC_STREAM_CLIENT_H_
#define STRIDECAST_ASYNC_STREAM_CLIENT_H_

#include <future>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/async_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

class AsyncStreamClient {
 public:
  using Results = AsyncClient::Results;
  template <typename T>
  using Done = AsyncClient::Done<T>;

  // Shares channel and options.
  explicit AsyncStreamClient(const Client& client) : client_(client) {}

  // As the methods of StreamClient.
  std::future<Results> Compute(const Signature& signature,
                               absl::Span<const TensorView> operands,
                               const StreamOptions& options = {}) const;
  void Compute(const Signature& signature,
               absl::Span<const TensorView> operands, Done<Results> done,
               const StreamOptions& options = {}) const;

  std::future<absl::Status> Compute(const Signature& signature,
                                    absl::Span<const TensorView> operands,
                                    absl::Span<const WriteBytes> results,
                                    const StreamOptions& options = {}) const;
  void Compute(const Signature& signature,
               absl::Span<const TensorView> operands,
               absl::Span<const WriteBytes> results, Done<absl::Status> done,
               const StreamOptions& options = {}) const;

  std::future<absl::Status> Compute(const Signature& signature,
                                    absl::Span<const ReadBytes> operands,
                                    absl::Span<const WriteBytes> results,
                                    const StreamOptions& options = {}) const;
  void Compute(const Signature& signature, absl::Span<const ReadBytes> operands,
               absl::Span<const WriteBytes> results, Done<absl::Status> done,
               const StreamOptions& options = {}) const;

  std::future<absl::Status> ComputeInto(
      const Signature& signature, absl::Span<const TensorView> operands,
      absl::Span<const MutableTensorView> results,
      const StreamOptions& options = {}) const;
  void ComputeInto(const Signature& signature,
                   absl::Span<const TensorView> operands,
                   absl::Span<const MutableTensorView> results,
                   Done<absl::Status> done,
                   const StreamOptions& options = {}) const;

  std::future<absl::StatusOr<OwnedTensor>> Relayout(
      const TensorView& operand, const PhysicalForm& result_form,
      const std::optional<ConvertAttribute>& convert = std::nullopt,
      const StreamOptions& options = {}) const;
  void Relayout(const TensorView& operand, const PhysicalForm& result_form,
                const std::optional<ConvertAttribute>& convert,
                Done<absl::StatusOr<OwnedTensor>> done,
                const StreamOptions& options = {}) const;

  std::future<absl::Status> RelayoutInto(
      const TensorView& operand, const MutableTensorView& result,
      Overflow overflow = Overflow::kUnspecified,
      const StreamOptions& options = {}) const;
  void RelayoutInto(const TensorView& operand, const MutableTensorView& result,
                    Overflow overflow, Done<absl::Status> done,
                    const StreamOptions& options = {}) const;

 private:
  template <typename T>
  void Start(absl::StatusOr<StreamRpc<T>> rpc,
             Done<absl::StatusOr<T>> done) const;

  const Client client_;
};

}  // namespace stridecast

#endif  // STRIDECAST_ASYNC_STREAM_CLIENT_H_
