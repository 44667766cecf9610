// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors of any size: sent and received piece by piece, computed while they
// are on the way where the program allows it (ExplainedTensor::is_streamed),
// and bounded in the server by what it must hold, not by the size of messages.
//
//   StreamClient stream(client);
//   absl::Status status = stream.ComputeInto(program, {mapped_file}, {out});
//
// Rules, beside those of client.h:
//   - Calls block, and are not repeated. They have no deadline unless
//     CallOptions::timeout is set: a server ends a stream that does not get on.
//   - If a call fails, what was written of results means nothing.
//   - Functions are called by the thread that made the call. An error of theirs
//     ends it, with that error.
//   - Thread-safe.

#ifndef STRIDECAST_STREAM_CLIENT_H_
#define STRIDECAST_STREAM_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stridecast/client.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// Fills all of `into` with the operand's bytes from `offset` on: physical
// order, padding and gaps included (TensorDesc::size_bytes() altogether).
// Offsets ascend without gaps.
using ReadBytes =
    std::function<absl::Status(int64_t offset, absl::Span<std::byte> into)>;
// Takes the result's bytes from `offset` on. Offsets ascend without gaps.
using WriteBytes = std::function<absl::Status(
    int64_t offset, absl::Span<const std::byte> bytes)>;

struct StreamProgress {
  int64_t sent_bytes = 0;
  int64_t received_bytes = 0;
  int64_t operand_bytes = 0;  // in all
  int64_t result_bytes = 0;   // in all
};

struct StreamOptions {
  CallOptions call = {};
  // Called once, when the server has accepted the program and nothing was sent
  // yet: what results will be, what is held.
  std::function<absl::Status(const Explanation&)> on_ready = nullptr;
  // Called after each piece.
  std::function<void(const StreamProgress&)> on_progress = nullptr;
};

class StreamClient {
 public:
  // Shares channel and options.
  explicit StreamClient(const Client& client) : client_(client) {}

  // As Client::ComputeInto.
  absl::Status ComputeInto(const Signature& signature,
                           absl::Span<const TensorView> operands,
                           absl::Span<const MutableTensorView> results,
                           const StreamOptions& options = {}) const;

  // From functions, one per operand, to functions, one per ResultSpec.
  absl::Status Compute(const Signature& signature,
                       absl::Span<const ReadBytes> operands,
                       absl::Span<const WriteBytes> results,
                       const StreamOptions& options = {}) const;

  // From memory, as ComputeInto, to functions.
  absl::Status ComputeFromMemory(const Signature& signature,
                                 absl::Span<const TensorView> operands,
                                 absl::Span<const WriteBytes> results,
                                 const StreamOptions& options = {}) const;

  // As Client::RelayoutInto.
  absl::Status RelayoutInto(const TensorView& operand,
                            const MutableTensorView& result,
                            Overflow overflow = Overflow::kUnspecified,
                            const StreamOptions& options = {}) const;

 private:
  const Client client_;
};

}  // namespace stridecast

#endif  // STRIDECAST_STREAM_CLIENT_H_
