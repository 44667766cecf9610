// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A ComputeStream that is planned and admitted, without its connection: chunks
// in, rounds of the plan's outer steps, slices out.
//   Accept(chunk)... → TakeRound → Run → FinishRound...
// Rules:
//   (T1) memory is bounded by StreamMemoryBytes, whatever is sent and in
//        whatever order
//   (T2) a round is taken only when all that it reads is there
//   (T3) a Round may run while chunks are accepted; all else is called by one
//        thread at a time

#ifndef STRIDECAST_SERVER_STREAM_JOB_H_
#define STRIDECAST_SERVER_STREAM_JOB_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "core/exec/buffer_pool.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/stream_codec.h"
#include "server/call_memory.h"
#include "stridecast/segments.h"

namespace stridecast {

// How far a streamed operand may run ahead of what another allows to compute.
inline constexpr int64_t kStreamWindowBytes = int64_t{16} << 20;

// What a ComputeStream of that plan holds at most. Saturates.
int64_t StreamMemoryBytes(const Plan& plan);

// A part of a result that is to be sent.
struct StreamOutput {
  uint32_t index;
  int64_t offset;
  grpc::Slice data;
};

class StreamJob {
 public:
  // `reservation` has StreamMemoryBytes(plan). Errors: kResourceExhausted if
  // memory is not to be had.
  static absl::StatusOr<std::unique_ptr<StreamJob>> Create(
      std::shared_ptr<const Plan> plan, std::shared_ptr<CallMemory> memory,
      Reservation reservation);

  // Errors: kInvalidArgument, kFailedPrecondition as the contract says, with
  // the field; kResourceExhausted if memory is not to be had.
  absl::Status Accept(StreamChunk chunk);
  // At half-close. Errors: kInvalidArgument naming an operand that misses
  // bytes.
  absl::Status CheckComplete() const;

  // Whether all that the next rounds read is there; false after the last.
  bool AreRoundsReady(int64_t rounds) const;
  // Of all operands.
  int64_t received_bytes() const {
    int64_t bytes = 0;
    for (const Operand& operand : operands_) bytes += operand.received_bytes;
    return bytes;
  }
  // Whether all rounds are finished.
  bool IsDone() const { return step_ == plan_->num_outer_steps(); }

  // Outer steps with what they read.
  class Round {
   public:
    // Errors: kCancelled, kResourceExhausted.
    absl::StatusOr<std::vector<StreamOutput>> Run(CancelToken cancel) const;

   private:
    friend class StreamJob;
    const StreamJob* job_;
    OuterRange range_;
    std::vector<SegmentedBytes> operands_;
  };
  Round TakeRound() const;  // if AreRoundsReady(1); one at a time
  // Lets go of what no later round reads.
  void FinishRound();

 private:
  StreamJob(std::shared_ptr<const Plan> plan,
            std::shared_ptr<CallMemory> memory, Reservation reservation);

  // Bytes of a streamed operand that lie together.
  struct Piece {
    int64_t begin;
    SegmentedBytes data;
    PooledBuffer copy;                    // of small chunks, with room for more
    std::shared_ptr<const void> storage;  // or as received
  };
  struct Operand {
    int64_t size_bytes;
    bool is_streamed;
    int64_t received_bytes = 0;
    int64_t steps = 0;         // the outer ones that this is enough for
    PooledBuffer whole;        // of one that is held
    std::deque<Piece> pieces;  // of one that is streamed
  };

  int64_t RoundEnd() const;
  // The outer steps that what was received of it is enough for.
  int64_t StepsOf(int operand) const;
  absl::Status CheckWindow(int operand, int64_t received_bytes) const;
  absl::Status AppendToWhole(Operand& operand, const SegmentedBytes& data);
  absl::Status AppendPiece(Operand& operand, StreamChunk chunk);

  const std::shared_ptr<const Plan> plan_;
  const std::shared_ptr<const SliceKeeper> keeper_;
  const int64_t round_steps_;
  std::vector<Operand> operands_;
  PooledBuffer scratch_;  // temporaries live from round to round
  int64_t step_ = 0;      // the next one
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_STREAM_JOB_H_
