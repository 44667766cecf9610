// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The unary methods of the service, whichever way they are called: what to
// send, and what to make of the reply.

#ifndef STRIDECAST_CLIENT_RPC_H_
#define STRIDECAST_CLIENT_RPC_H_

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "stridecast/client.h"

namespace stridecast {

template <typename T>
struct Rpc {
  const char* method;        // "Compute"
  grpc::ByteBuffer request;  // views the operands' memory
  std::function<absl::StatusOr<T>(const grpc::ByteBuffer& reply)> decode;
};

using Results = std::vector<OwnedTensor>;
using Nothing = std::monostate;  // the results go into the caller's buffers

// Errors of all: kInvalidArgument if operands or buffers are not those of the
// signature, or null; of replies kInternal. What is passed in may go when they
// return, but not the memory that views view.
absl::StatusOr<Rpc<Results>> ComputeRpc(const Signature& signature,
                                        absl::Span<const TensorView> operands);
absl::StatusOr<Rpc<Results>> ComputeRpc(const PreparedCompute& prepared,
                                        absl::Span<const TensorView> operands);
absl::StatusOr<Rpc<Nothing>> ComputeIntoRpc(
    const Signature& signature, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results);
absl::StatusOr<Rpc<Nothing>> ComputeIntoRpc(
    const PreparedCompute& prepared, absl::Span<const TensorView> operands,
    absl::Span<const MutableTensorView> results);
absl::StatusOr<Rpc<OwnedTensor>> RelayoutRpc(
    const TensorView& operand, const PhysicalForm& result_form,
    const std::optional<ConvertAttribute>& convert);
absl::StatusOr<Rpc<Nothing>> RelayoutIntoRpc(const TensorView& operand,
                                             const MutableTensorView& result,
                                             Overflow overflow);
Rpc<Explanation> ExplainRpc(const Signature& signature);
Rpc<ServerInfo> GetServerInfoRpc();

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_RPC_H_
