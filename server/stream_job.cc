// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/stream_job.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/saturating.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Of each tensor that streams, in a round: enough to keep all threads busy and
// to make a hand-off cheap, little beside a budget.
constexpr int64_t kRoundBytes = int64_t{4} << 20;

// What is sent in one message: stock clients refuse more than 4 MiB.
constexpr int64_t kSentBytes = int64_t{1} << 20;

// Smaller chunks, and those that came in small pieces, are copied together:
// each byte of theirs would pin a buffer of gRPC's.
constexpr int64_t kMinReferencedBytes = int64_t{256} << 10;
constexpr int64_t kPieceBytes = int64_t{1} << 20;

int64_t RoundSteps(const Plan& plan) {
  const int64_t num_steps = plan.num_outer_steps();
  int64_t greatest = 1;
  for (size_t i = 0; i < plan.operands().size(); ++i) {
    if (!plan.IsOperandStreamed(static_cast<int>(i))) continue;
    greatest = std::max(greatest, plan.operands()[i].size_bytes() / num_steps);
  }
  for (const TensorDesc& result : plan.results()) {
    greatest = std::max(greatest, result.size_bytes() / num_steps);
  }
  return std::clamp<int64_t>(kRoundBytes / greatest, 1, num_steps);
}

// The most of an operand that `rounds` rounds in a row read. What lies between
// the first byte and the last grows evenly, so it is most at one of the ends.
int64_t OperandSpan(const Plan& plan, int operand, int64_t rounds) {
  const int64_t num_steps = plan.num_outer_steps();
  const int64_t steps =
      std::min(num_steps, SaturatingMultiply(RoundSteps(plan), rounds));
  return std::max(
      plan.OperandBytes(operand, steps) - plan.OperandBegin(operand, 0),
      plan.OperandBytes(operand, num_steps) -
          plan.OperandBegin(operand, num_steps - steps));
}

// The most of a result that a round writes: the first and the last have what
// lies before and after all elements.
int64_t ResultSpan(const Plan& plan, int result) {
  const int64_t num_steps = plan.num_outer_steps();
  const int64_t steps = RoundSteps(plan);
  const auto bytes_of = [&](int64_t begin) {
    return plan.ResultBytes(result, std::min(begin + steps, num_steps)) -
           plan.ResultBytes(result, begin);
  };
  return std::max({bytes_of(0), bytes_of(std::min(steps, num_steps - 1)),
                   bytes_of((num_steps - 1) / steps * steps)});
}

}  // namespace

int64_t StreamMemoryBytes(const Plan& plan) {
  int64_t bytes = plan.scratch_bytes();
  for (size_t i = 0; i < plan.operands().size(); ++i) {
    const int operand = static_cast<int>(i);
    int64_t operand_bytes = plan.operands()[i].size_bytes();
    if (plan.IsOperandStreamed(operand)) {
      // The round that runs, the next one, and the one after that if another
      // operand has it; then the window.
      operand_bytes = std::min(
          operand_bytes,
          SaturatingAdd(OperandSpan(plan, operand, 3),
                        kStreamWindowBytes + kMaxChunkBytes + kPieceBytes));
    }
    bytes = SaturatingAdd(bytes, operand_bytes);
  }
  for (size_t r = 0; r < plan.results().size(); ++r) {
    const int64_t span = ResultSpan(plan, static_cast<int>(r));
    // The round that is computed and the one that is sent.
    bytes = SaturatingAdd(bytes, std::min(plan.results()[r].size_bytes(),
                                          SaturatingAdd(span, span)));
  }
  return bytes;
}

absl::StatusOr<std::unique_ptr<StreamJob>> StreamJob::Create(
    std::shared_ptr<const Plan> plan, std::shared_ptr<CallMemory> memory,
    Reservation reservation) {
  auto job = std::unique_ptr<StreamJob>(new StreamJob(
      std::move(plan), std::move(memory), std::move(reservation)));
  ASSIGN_OR_RETURN(job->scratch_, TakeBuffer(job->keeper_->memory->pool,
                                             job->plan_->scratch_bytes()));
  return job;
}

StreamJob::StreamJob(std::shared_ptr<const Plan> plan,
                     std::shared_ptr<CallMemory> memory,
                     Reservation reservation)
    : plan_(std::move(plan)),
      keeper_(std::make_shared<const SliceKeeper>(
          SliceKeeper{std::move(memory), std::move(reservation)})),
      round_steps_(RoundSteps(*plan_)) {
  for (size_t i = 0; i < plan_->operands().size(); ++i) {
    Operand& operand = operands_.emplace_back();
    operand.size_bytes = plan_->operands()[i].size_bytes();
    operand.is_streamed = plan_->IsOperandStreamed(static_cast<int>(i));
    operand.steps = StepsOf(static_cast<int>(i));
  }
}

absl::Status StreamJob::Accept(StreamChunk chunk) {
  if (chunk.index >= operands_.size()) {
    return FieldError("operand.index", chunk.index, "; there are ",
                      operands_.size(), " operands");
  }
  Operand& operand = operands_[chunk.index];
  if (chunk.offset != operand.received_bytes) {
    return absl::FailedPreconditionError(absl::StrCat(
        "operand.offset: ", chunk.offset, " for operand ", chunk.index,
        ", of which ", operand.received_bytes, " bytes were sent"));
  }
  const int64_t count = chunk.data.size_bytes();
  if (count > operand.size_bytes - operand.received_bytes) {
    return FieldError("operand.data", count, " bytes at ", chunk.offset,
                      " of operand ", chunk.index, ", which has ",
                      operand.size_bytes, " bytes");
  }
  RETURN_IF_ERROR(CheckWindow(static_cast<int>(chunk.index),
                              operand.received_bytes + count));
  const int index = static_cast<int>(chunk.index);
  if (!operand.is_streamed) {
    if (count > 0) RETURN_IF_ERROR(AppendToWhole(operand, chunk.data));
  } else {
    // Of what no round reads, before or after, nothing is kept.
    const int64_t begin =
        std::max(chunk.offset, plan_->OperandBegin(index, step_));
    const int64_t end =
        std::min(chunk.offset + count,
                 plan_->OperandBytes(index, plan_->num_outer_steps()));
    if (begin < end) {
      chunk.data = chunk.data.View(begin - chunk.offset, end - begin);
      chunk.offset = begin;
      RETURN_IF_ERROR(AppendPiece(operand, std::move(chunk)));
    }
  }
  operand.received_bytes += count;
  operand.steps = StepsOf(index);
  return absl::OkStatus();
}

// Also bounds what a caller can make us hold, if rounds cannot run because
// another operand is missing.
absl::Status StreamJob::CheckWindow(int operand, int64_t received_bytes) const {
  if (!operands_[operand].is_streamed) return absl::OkStatus();
  int64_t least = plan_->num_outer_steps();
  int slowest = operand;
  for (int i = 0; i < static_cast<int>(operands_.size()); ++i) {
    if (i == operand) continue;
    if (operands_[i].steps < least) {
      least = operands_[i].steps;
      slowest = i;
    }
  }
  if (slowest == operand) return absl::OkStatus();  // it waits for no other
  const int64_t end =
      std::min(least, plan_->num_outer_steps() - round_steps_) + round_steps_;
  const int64_t allowed =
      SaturatingAdd(plan_->OperandBytes(operand, end), kStreamWindowBytes);
  const int64_t read_bytes =
      plan_->OperandBytes(operand, plan_->num_outer_steps());
  if (std::min(received_bytes, read_bytes) <= allowed) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "operand.offset: operand ", operand, " is at byte ", received_bytes,
      " while operand ", slowest, " is at byte ",
      operands_[slowest].received_bytes, " of ", operands_[slowest].size_bytes,
      ": more than stream_window_bytes ", kStreamWindowBytes,
      " of plan progress ahead"));
}

absl::Status StreamJob::AppendToWhole(Operand& operand,
                                      const SegmentedBytes& data) {
  if (!operand.whole) {
    ASSIGN_OR_RETURN(operand.whole,
                     TakeBuffer(keeper_->memory->pool, operand.size_bytes));
  }
  data.CopyTo(0, data.size_bytes(),
              operand.whole.data() + operand.received_bytes);
  return absl::OkStatus();
}

absl::Status StreamJob::AppendPiece(Operand& operand, StreamChunk chunk) {
  const int64_t count = chunk.data.size_bytes();
  const auto num_segments = static_cast<int64_t>(chunk.data.segments().size());
  const bool has_room =
      !operand.pieces.empty() && operand.pieces.back().data.size_bytes() <
                                     operand.pieces.back().copy.size_bytes();
  if (!has_room && count >= kMinReferencedBytes &&
      count / num_segments >= kMinMeanSegmentBytes) {
    operand.pieces.push_back(
        {chunk.offset, std::move(chunk.data), {}, std::move(chunk.storage)});
    return absl::OkStatus();
  }
  for (int64_t done = 0; done < count;) {
    if (operand.pieces.empty() || operand.pieces.back().data.size_bytes() >=
                                      operand.pieces.back().copy.size_bytes()) {
      ASSIGN_OR_RETURN(PooledBuffer copy,
                       TakeBuffer(keeper_->memory->pool, kPieceBytes));
      operand.pieces.push_back(
          {chunk.offset + done, SegmentedBytes(), std::move(copy), nullptr});
    }
    Piece& piece = operand.pieces.back();
    const int64_t used = piece.data.size_bytes();
    const int64_t part = std::min(count - done, piece.copy.size_bytes() - used);
    chunk.data.CopyTo(done, part, piece.copy.data() + used);
    piece.data = SegmentedBytes(piece.copy.data(), used + part);
    done += part;
  }
  return absl::OkStatus();
}

absl::Status StreamJob::CheckComplete() const {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    if (operand.received_bytes == operand.size_bytes) continue;
    return FieldError("operand.data", "half-closed after ",
                      operand.received_bytes, " of ", operand.size_bytes,
                      " bytes of operand ", i);
  }
  return absl::OkStatus();
}

int64_t StreamJob::RoundEnd() const {
  return std::min(step_ + round_steps_, plan_->num_outer_steps());
}

int64_t StreamJob::StepsOf(int operand) const {
  const Operand& of = operands_[operand];
  const int64_t num_steps = plan_->num_outer_steps();
  if (of.received_bytes == of.size_bytes) return num_steps;
  if (!of.is_streamed) return 0;
  int64_t enough = 0;
  int64_t too_many = num_steps;
  while (too_many - enough > 1) {
    const int64_t middle = enough + (too_many - enough) / 2;
    if (plan_->OperandBytes(operand, middle) <= of.received_bytes) {
      enough = middle;
    } else {
      too_many = middle;
    }
  }
  return enough;
}

bool StreamJob::AreRoundsReady(int64_t rounds) const {
  if (IsDone()) return false;
  const int64_t end =
      std::min(SaturatingAdd(step_, SaturatingMultiply(round_steps_, rounds)),
               plan_->num_outer_steps());
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    const int64_t needed = operand.is_streamed
                               ? plan_->OperandBytes(static_cast<int>(i), end)
                               : operand.size_bytes;
    if (operand.received_bytes < needed) return false;
  }
  return true;
}

StreamJob::Round StreamJob::TakeRound() const {
  Round round;
  round.job_ = this;
  round.range_ = {step_, RoundEnd()};
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    if (!operand.is_streamed) {
      round.operands_.emplace_back(operand.whole.data(), operand.size_bytes);
      continue;
    }
    const int64_t end =
        plan_->OperandBytes(static_cast<int>(i), round.range_.end);
    SegmentedBytes bytes(operand.pieces.empty() ? end
                                                : operand.pieces[0].begin);
    for (const Piece& piece : operand.pieces) {
      if (piece.begin >= end) break;
      for (const Segment& segment : piece.data.segments()) {
        bytes.Append(segment.data, segment.size_bytes);
      }
    }
    round.operands_.push_back(std::move(bytes));
  }
  return round;
}

void StreamJob::FinishRound() {
  step_ = RoundEnd();
  for (size_t i = 0; i < operands_.size(); ++i) {
    std::deque<Piece>& pieces = operands_[i].pieces;
    const int64_t needed = plan_->OperandBegin(static_cast<int>(i), step_);
    while (
        !pieces.empty() &&
        (IsDone() || pieces[0].begin + pieces[0].data.size_bytes() <= needed)) {
      pieces.pop_front();
    }
  }
}

absl::StatusOr<std::vector<StreamOutput>> StreamJob::Round::Run(
    CancelToken cancel) const {
  const Plan& plan = *job_->plan_;
  BufferPool& pool = job_->keeper_->memory->pool;
  std::vector<PooledBuffer> buffers;
  std::vector<absl::Span<std::byte>> spans;
  std::vector<int64_t> begins;
  for (size_t r = 0; r < plan.results().size(); ++r) {
    const int result = static_cast<int>(r);
    begins.push_back(plan.ResultBytes(result, range_.begin));
    ASSIGN_OR_RETURN(
        PooledBuffer buffer,
        TakeBuffer(pool, plan.ResultBytes(result, range_.end) - begins.back()));
    spans.push_back(buffer.span());
    buffers.push_back(std::move(buffer));
  }
  const Bindings bindings{operands_, spans, job_->scratch_.span(), begins};
  RETURN_IF_ERROR(plan.Run(bindings, range_, cancel));
  std::vector<StreamOutput> outputs;
  for (size_t r = 0; r < buffers.size(); ++r) {
    const int64_t size_bytes = buffers[r].size_bytes();
    if (size_bytes == 0) continue;
    const grpc::Slice whole = ToSlice(std::move(buffers[r]), job_->keeper_);
    for (int64_t at = 0; at < size_bytes; at += kSentBytes) {
      outputs.push_back({static_cast<uint32_t>(r), begins[r] + at,
                         whole.sub(static_cast<size_t>(at),
                                   static_cast<size_t>(std::min(at + kSentBytes,
                                                                size_bytes)))});
    }
  }
  return outputs;
}

}  // namespace stridecast
