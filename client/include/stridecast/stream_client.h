// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors of any size: sent and received piece by piece, computed while they
// are on the way where the program allows it (ExplainedTensor::is_streamed),
// and bounded in the server by what it must hold, not by the size of messages.
//
//   StreamClient stream(client);
//   absl::Status status = stream.ComputeInto(program, {mapped_file}, {out});
//
// What a stream takes and gives, one per operand and one per ResultSpec:
//   operands  TensorViews, sent from the caller's memory, uncopied; or
//             functions that give the bytes (ReadBytes)
//   results   OwnedTensors, allocated when the server has said their sizes;
//             the caller's buffers; or functions that take the bytes
//             (WriteBytes)
//
// Rules, beside those of client.h:
//   - Calls block, and are not repeated. They have no deadline unless
//     CallOptions::timeout is set, whatever ClientOptions::timeout says: a
//     server ends a stream that does not get on.
//   - If a call fails, what was written of results means nothing.
//   - Functions are called by the thread that made the call, one at a time. An
//     error of theirs ends it, with that error; they must not throw. (Of
//     CallOptions alone on_trailers is called by one of gRPC's threads.)
//   - Thread-safe.
// Errors beside those of client.h:
//   kInvalidArgument    also before anything is sent: functions more or fewer
//                       than operands or results, an empty one
//   kFailedPrecondition, kAborted  the server found that this side broke the
//                       order of the stream, or did not get on (a function that
//                       takes a minute)
//   kResourceExhausted  also: no memory for an OwnedTensor

#ifndef STRIDECAST_STREAM_CLIENT_H_
#define STRIDECAST_STREAM_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/client.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

template <typename T>
struct StreamRpc;

// Fills all of `into`, at most 1 MiB, with the operand's bytes from `offset`
// on: physical order, padding and gaps included (TensorDesc::size_bytes()
// altogether). Offsets ascend without gaps. `into` is gone when it returns.
using ReadBytes =
    std::function<absl::Status(int64_t offset, absl::Span<std::byte> into)>;
// Takes the result's bytes from `offset` on, at most 1 MiB: physical order, as
// above, and what lies between elements is 0. Offsets ascend without gaps.
// `bytes` are gone when it returns.
using WriteBytes = std::function<absl::Status(
    int64_t offset, absl::Span<const std::byte> bytes)>;

// Of all operands and results together; of their bytes alone.
struct StreamProgress {
  int64_t sent_bytes = 0;  // handed to gRPC
  int64_t received_bytes = 0;
  int64_t operand_bytes = 0;  // in all
  int64_t result_bytes = 0;   // in all
};

struct StreamOptions {
  CallOptions call = {};
  // Called once, when the server has accepted the program and nothing was sent
  // yet: what results will be, what is held. Empty: nobody wants to know.
  std::function<absl::Status(const Explanation&)> on_ready = nullptr;
  // Called after each piece.
  std::function<void(const StreamProgress&)> on_progress = nullptr;
};

class StreamClient {
 public:
  // Shares channel and options.
  explicit StreamClient(const Client& client) : client_(client) {}

  // As Client::Compute: results are owned.
  absl::StatusOr<std::vector<OwnedTensor>> Compute(
      const Signature& signature, absl::Span<const TensorView> operands,
      const StreamOptions& options = {}) const;

  // From memory, which may be a mapped file, to functions.
  absl::Status Compute(const Signature& signature,
                       absl::Span<const TensorView> operands,
                       absl::Span<const WriteBytes> results,
                       const StreamOptions& options = {}) const;

  // From functions to functions.
  absl::Status Compute(const Signature& signature,
                       absl::Span<const ReadBytes> operands,
                       absl::Span<const WriteBytes> results,
                       const StreamOptions& options = {}) const;

  // Of a program without operands, {}, to functions.
  absl::Status Compute(const Signature& signature, std::nullptr_t,
                       absl::Span<const WriteBytes> results,
                       const StreamOptions& options = {}) const {
    return Compute(signature, absl::Span<const TensorView>(), results, options);
  }

  // As Client::ComputeInto.
  absl::Status ComputeInto(const Signature& signature,
                           absl::Span<const TensorView> operands,
                           absl::Span<const MutableTensorView> results,
                           const StreamOptions& options = {}) const;

  // As Client::Relayout.
  absl::StatusOr<OwnedTensor> Relayout(
      const TensorView& operand, const PhysicalForm& result_form,
      const std::optional<ConvertAttribute>& convert = std::nullopt,
      const StreamOptions& options = {}) const;

  // As Client::RelayoutInto.
  absl::Status RelayoutInto(const TensorView& operand,
                            const MutableTensorView& result,
                            Overflow overflow = Overflow::kUnspecified,
                            const StreamOptions& options = {}) const;

 private:
  template <typename T>
  absl::StatusOr<T> Await(absl::StatusOr<StreamRpc<T>> rpc) const;

  const Client client_;
};

}  // namespace stridecast

#endif  // STRIDECAST_STREAM_CLIENT_H_
