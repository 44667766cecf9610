// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The streams of the client, whichever way they are called: what to send, and
// where to put what comes (as rpc.h has it of unary calls).

#ifndef STRIDECAST_CLIENT_STREAM_RPC_H_
#define STRIDECAST_CLIENT_STREAM_RPC_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/rpc.h"
#include "grpcpp/support/byte_buffer.h"
#include "stridecast/stream_client.h"

namespace stridecast {

// All that a ComputeStream needs. Owns what it holds, but not the memory of
// operands.
struct StreamJob {
  // In memory or, without, from the function.
  struct Operand {
    int64_t size_bytes;
    const std::byte* memory = nullptr;
    ReadBytes read = nullptr;
  };

  grpc::ByteBuffer begin;
  std::vector<Operand> operands;
  std::vector<WriteBytes> results;
  StreamOptions options;
};

template <typename T>
struct StreamRpc {
  StreamJob job;
  std::function<T()> take_results;  // once, when the call has succeeded
};

// Errors of all: kInvalidArgument if operands, buffers or functions are not
// those of the signature, or null. What is passed in may go when they return,
// but not the memory that views view.
absl::StatusOr<StreamRpc<Results>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    const StreamOptions& options);
absl::StatusOr<StreamRpc<Nothing>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options);
absl::StatusOr<StreamRpc<Nothing>> ComputeStreamRpc(
    const Signature& signature, absl::Span<const ReadBytes> operands,
    absl::Span<const WriteBytes> results, const StreamOptions& options);
absl::StatusOr<StreamRpc<Nothing>> ComputeIntoStreamRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results, const StreamOptions& options);
absl::StatusOr<StreamRpc<OwnedTensor>> RelayoutStreamRpc(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert,
    const StreamOptions& options);
absl::StatusOr<StreamRpc<Nothing>> RelayoutIntoStreamRpc(
    const TensorView& operand, const MutableTensorView& result,
    Overflow overflow, const StreamOptions& options);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_STREAM_RPC_H_
