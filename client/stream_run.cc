// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/stream_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/reply_messages.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Half of what servers take: what they send, too.
constexpr int64_t kChunkBytes = int64_t{1} << 20;

absl::Status BadReply(const std::string& what) {
  return absl::InternalError(absl::StrCat("the stream's reply: ", what));
}

}  // namespace

double StreamRun::Operand::Progress() const {
  if (sent_bytes >= stream_end) return 1;
  return static_cast<double>(std::max<int64_t>(0, sent_bytes - stream_begin)) /
         static_cast<double>(stream_end - stream_begin);
}

StreamRun::StreamRun(std::unique_ptr<TransportStream> stream,
                     const Signature& signature, std::vector<Source> operands,
                     std::vector<WriteBytes> results,
                     const StreamOptions& options)
    : stream_(std::move(stream)), signature_(signature), options_(options) {
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand& operand = operands_.emplace_back();
    operand.source = std::move(operands[i]);
    operand.size_bytes = signature.operands[i].size_bytes();
    progress_.operand_bytes += operand.size_bytes;
  }
  for (WriteBytes& write : results) {
    results_.emplace_back().write = std::move(write);
  }
}

absl::Status StreamRun::Run() {
  const absl::Status status = Communicate();
  stream_.reset();  // cancelled, if it has not ended
  // Chunks that were on their way when the call ended may still be read.
  while (!leases_.empty()) {
    if (leases_.front().TryEnd()) {
      leases_.pop_front();
    } else {
      absl::SleepFor(absl::Milliseconds(1));
    }
  }
  return status;
}

absl::Status StreamRun::Communicate() {
  is_writing_ = true;
  stream_->Write(EncodeStreamBegin(signature_));
  for (;;) {
    grpc::ByteBuffer message;
    switch (stream_->Next(message)) {
      case TransportStream::Event::kWritten:
        is_writing_ = false;
        break;
      case TransportStream::Event::kRead:
        RETURN_IF_ERROR(Take(message));
        break;
      case TransportStream::Event::kEnded:
        RETURN_IF_ERROR(stream_->status());
        return CheckComplete();
    }
    if (!is_writing_ && !is_half_closed_ && chunk_bytes_ > 0) {
      RETURN_IF_ERROR(SendNext());
    }
  }
}

absl::Status StreamRun::Take(const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(const StreamReply reply, DecodeStreamResponse(message));
  if (const auto* ready = std::get_if<v1::Plan>(&reply)) {
    if (chunk_bytes_ > 0) return BadReply("a second ready");
    ASSIGN_OR_RETURN(const Explanation explanation, ExplanationOf(*ready));
    return TakeReady(explanation);
  }
  const StreamChunk& chunk = std::get<StreamChunk>(reply);
  if (chunk_bytes_ == 0) return BadReply("a result before ready");
  if (chunk.index >= results_.size()) {
    return BadReply(
        absl::StrCat("result ", chunk.index, " of ", results_.size()));
  }
  Result& result = results_[chunk.index];
  if (chunk.offset != result.received_bytes ||
      chunk.data.size_bytes() > result.size_bytes - result.received_bytes) {
    return BadReply(absl::StrCat(chunk.data.size_bytes(), " bytes at ",
                                 chunk.offset, " of result ", chunk.index,
                                 ", of which ", result.received_bytes, " of ",
                                 result.size_bytes, " bytes were received"));
  }
  for (const Segment& segment : chunk.data.segments()) {
    RETURN_IF_ERROR(
        result.write(result.received_bytes,
                     {segment.data, static_cast<size_t>(segment.size_bytes)}));
    result.received_bytes += segment.size_bytes;
  }
  progress_.received_bytes += chunk.data.size_bytes();
  NoteProgress();
  return absl::OkStatus();
}

absl::Status StreamRun::TakeReady(const Explanation& ready) {
  if (ready.operands.size() != operands_.size() ||
      ready.results.size() != results_.size()) {
    return BadReply(absl::StrCat(ready.operands.size(), " operands and ",
                                 ready.results.size(), " results; asked for ",
                                 operands_.size(), " and ", results_.size()));
  }
  for (size_t i = 0; i < operands_.size(); ++i) {
    const ExplainedTensor& planned = ready.operands[i];
    operands_[i].is_streamed = planned.is_streamed;
    operands_[i].stream_begin = planned.stream_begin;
    operands_[i].stream_end = planned.stream_end;
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].size_bytes = ready.results[i].desc.size_bytes();
    progress_.result_bytes += results_[i].size_bytes;
  }
  chunk_bytes_ = std::clamp<int64_t>(ready.max_chunk_bytes, 1, kChunkBytes);
  return options_.on_ready ? options_.on_ready(ready) : absl::OkStatus();
}

StreamRun::Operand* StreamRun::NextOperand() {
  Operand* next = nullptr;
  for (Operand& operand : operands_) {
    if (operand.sent_bytes == operand.size_bytes) continue;
    if (!operand.is_streamed) return &operand;
    if (next == nullptr || operand.Progress() < next->Progress()) {
      next = &operand;
    }
  }
  return next;
}

absl::Status StreamRun::SendNext() {
  while (!leases_.empty() && leases_.front().TryEnd()) leases_.pop_front();
  is_writing_ = true;
  Operand* const operand = NextOperand();
  if (operand == nullptr) {
    is_half_closed_ = true;
    stream_->HalfClose();
    return absl::OkStatus();
  }
  const auto index = static_cast<uint32_t>(operand - operands_.data());
  const int64_t offset = operand->sent_bytes;
  const auto size =
      static_cast<size_t>(std::min(chunk_bytes_, operand->size_bytes - offset));
  if (operand->source.memory != nullptr) {
    const grpc::Slice slice(operand->source.memory + offset, size,
                            grpc::Slice::STATIC_SLICE);
    leases_.emplace_back(EncodeStreamOperand(index, offset, {&slice, 1}));
    stream_->Write(leases_.back().message());
  } else {
    const grpc::Slice slice(size);
    const absl::Span<std::byte> into(
        reinterpret_cast<std::byte*>(const_cast<uint8_t*>(slice.begin())),
        size);
    RETURN_IF_ERROR(operand->source.read(offset, into));
    stream_->Write(EncodeStreamOperand(index, offset, {&slice, 1}));
  }
  operand->sent_bytes += static_cast<int64_t>(size);
  progress_.sent_bytes += static_cast<int64_t>(size);
  NoteProgress();
  return absl::OkStatus();
}

absl::Status StreamRun::CheckComplete() const {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].received_bytes == results_[i].size_bytes) continue;
    return BadReply(absl::StrCat("ended after ", results_[i].received_bytes,
                                 " of ", results_[i].size_bytes,
                                 " bytes of result ", i));
  }
  if (chunk_bytes_ == 0) return BadReply("ended before ready");
  return absl::OkStatus();
}

void StreamRun::NoteProgress() {
  if (options_.on_progress) options_.on_progress(progress_);
}

}  // namespace stridecast
