// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/async_stream_client.h"

#include <utility>

#include "client/call_start.h"
#include "client/future_of.h"
#include "client/stream_rpc.h"
#include "client/stream_run.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// What a stream begins with. Errors: kInvalidArgument.
template <typename T>
absl::StatusOr<CallHeader> HeaderOf(const Transport* transport,
                                    const ClientOptions& client,
                                    const absl::StatusOr<StreamRpc<T>>& rpc) {
  RETURN_IF_ERROR(CheckTransport(transport));
  RETURN_IF_ERROR(rpc.status());
  return MakeStreamHeader(client, rpc->job.options.call);
}

}  // namespace

template <typename T>
void AsyncStreamClient::Start(absl::StatusOr<StreamRpc<T>> rpc,
                              Done<absl::StatusOr<T>> done) const {
  if (!done) done = [](const absl::StatusOr<T>&) {};
  const absl::StatusOr<CallHeader> header =
      HeaderOf(client_.transport_.get(), client_.options_, rpc);
  if (!header.ok()) return done(header.status());
  StreamRun::Start(client_.transport_, *header, std::move(rpc->job),
                   [take_results = std::move(rpc->take_results),
                    done = std::move(done)](const absl::Status& ended) {
                     if (ended.ok()) {
                       done(take_results());
                     } else {
                       done(ended);
                     }
                   });
}

std::future<AsyncStreamClient::Results> AsyncStreamClient::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    const StreamOptions& options) const {
  return FutureOf<Results>([&](Done<Results> done) {
    Compute(signature, operands, std::move(done), options);
  });
}

void AsyncStreamClient::Compute(const Signature& signature,
                                absl::Span<const TensorView> operands,
                                Done<Results> done,
                                const StreamOptions& options) const {
  Start(ComputeStreamRpc(signature, operands, options), std::move(done));
}

std::future<absl::Status> AsyncStreamClient::Compute(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    Compute(signature, operands, results, std::move(done), options);
  });
}

void AsyncStreamClient::Compute(const Signature& signature,
                                absl::Span<const TensorView> operands,
                                absl::Span<const WriteBytes> results,
                                Done<absl::Status> done,
                                const StreamOptions& options) const {
  Start(ComputeStreamRpc(signature, operands, results, options),
        WithStatusAlone(std::move(done)));
}

std::future<absl::Status> AsyncStreamClient::Compute(
    const Signature& signature, absl::Span<const ReadBytes> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    Compute(signature, operands, results, std::move(done), options);
  });
}

void AsyncStreamClient::Compute(const Signature& signature,
                                absl::Span<const ReadBytes> operands,
                                absl::Span<const WriteBytes> results,
                                Done<absl::Status> done,
                                const StreamOptions& options) const {
  Start(ComputeStreamRpc(signature, operands, results, options),
        WithStatusAlone(std::move(done)));
}

std::future<absl::Status> AsyncStreamClient::ComputeInto(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results,
    const StreamOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    ComputeInto(signature, operands, results, std::move(done), options);
  });
}

void AsyncStreamClient::ComputeInto(const Signature& signature,
                                    absl::Span<const TensorView> operands,
                                    absl::Span<const MutableTensorView> results,
                                    Done<absl::Status> done,
                                    const StreamOptions& options) const {
  Start(ComputeIntoStreamRpc(signature, operands, results, options),
        WithStatusAlone(std::move(done)));
}

std::future<absl::StatusOr<OwnedTensor>> AsyncStreamClient::Relayout(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const StreamOptions& options) const {
  return FutureOf<absl::StatusOr<OwnedTensor>>(
      [&](Done<absl::StatusOr<OwnedTensor>> done) {
        Relayout(operand, result_form, convert, std::move(done), options);
      });
}

void AsyncStreamClient::Relayout(const TensorView& operand,
                                 const PhysicalForm& result_form,
                                 const std::optional<ConvertAttribute>& convert,
                                 Done<absl::StatusOr<OwnedTensor>> done,
                                 const StreamOptions& options) const {
  Start(RelayoutStreamRpc(operand, result_form, convert, options),
        std::move(done));
}

std::future<absl::Status> AsyncStreamClient::RelayoutInto(
    const TensorView& operand, const MutableTensorView& result,
    Overflow overflow, const StreamOptions& options) const {
  return FutureOf<absl::Status>([&](Done<absl::Status> done) {
    RelayoutInto(operand, result, overflow, std::move(done), options);
  });
}

void AsyncStreamClient::RelayoutInto(const TensorView& operand,
                                     const MutableTensorView& result,
                                     Overflow overflow, Done<absl::Status> done,
                                     const StreamOptions& options) const {
  Start(RelayoutIntoStreamRpc(operand, result, overflow, options),
        WithStatusAlone(std::move(done)));
}

}  // namespace stridecast
