// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/stream_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/call_start.h"
#include "client/reply_messages.h"
#include "grpcpp/support/slice.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Half of what servers take: what they send, too.
constexpr int64_t kChunkBytes = int64_t{1} << 20;

// Only a call that failed in its upload has memory still out.
constexpr absl::Duration kLeaseCheck = absl::Milliseconds(2);

absl::Status BadReply(const std::string& what) {
  return absl::InternalError(absl::StrCat("the stream's reply: ", what));
}

}  // namespace

double StreamRun::Operand::Progress() const {
  if (sent_bytes >= stream_end) return 1;
  return static_cast<double>(std::max<int64_t>(0, sent_bytes - stream_begin)) /
         static_cast<double>(stream_end - stream_begin);
}

StreamRun::StreamRun(std::shared_ptr<Transport> transport, StreamJob job)
    : transport_(std::move(transport)), options_(std::move(job.options)) {
  for (StreamJob::Operand& operand : job.operands) {
    progress_.operand_bytes += operand.size_bytes;
    operands_.push_back({std::move(operand)});
  }
  for (WriteBytes& write : job.results) {
    results_.push_back({std::move(write)});
  }
}

absl::Status StreamRun::Run(std::shared_ptr<Transport> transport,
                            const CallHeader& header, StreamJob job) {
  RETURN_IF_ERROR(CheckMessage(job.begin));
  grpc::ByteBuffer begin = job.begin;
  const std::shared_ptr<StreamRun> run(
      new StreamRun(std::move(transport), std::move(job)));
  run->Begin(header, std::move(begin));
  run->HandleUntilEnd();
  while (!run->TryEndLeases()) absl::SleepFor(kLeaseCheck);
  return run->outcome_;
}

void StreamRun::Start(std::shared_ptr<Transport> transport,
                      const CallHeader& header, StreamJob job,
                      std::function<void(absl::Status)> done) {
  const absl::Status status = CheckMessage(job.begin);
  if (!status.ok()) return done(status);
  grpc::ByteBuffer begin = job.begin;
  const std::shared_ptr<StreamRun> run(
      new StreamRun(std::move(transport), std::move(job)));
  run->done_ = std::move(done);
  run->Begin(header, std::move(begin));
  run->HandleArrivals();
}

void StreamRun::Begin(const CallHeader& header, grpc::ByteBuffer begin) {
  stream_ = transport_->OpenStream(
      header,
      [self = shared_from_this()](Event event, grpc::ByteBuffer message) {
        self->OnEvent(event, std::move(message));
      });
  is_writing_ = true;
  stream_->Write(std::move(begin));
  stream_->Read();
}

void StreamRun::OnEvent(Event event, grpc::ByteBuffer message) {
  {
    absl::MutexLock lock(&mutex_);
    arrivals_.emplace_back(event, std::move(message));
    if (is_handling_) return;
    is_handling_ = true;
  }
  HandleArrivals();
}

void StreamRun::HandleArrivals() {
  for (;;) {
    Arrival arrival;
    {
      absl::MutexLock lock(&mutex_);
      if (arrivals_.empty()) {
        is_handling_ = false;
        return;
      }
      arrival = std::move(arrivals_.front());
      arrivals_.pop_front();
    }
    Handle(arrival);
    if (arrival.first == Event::kEnded) return EndWhenMemoryIsFree();
  }
}

void StreamRun::HandleUntilEnd() {
  const auto has_arrived = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !arrivals_.empty();
  };
  for (;;) {
    Arrival arrival;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&has_arrived));
      arrival = std::move(arrivals_.front());
      arrivals_.pop_front();
    }
    Handle(arrival);
    if (arrival.first == Event::kEnded) return;
  }
}

void StreamRun::Handle(const Arrival& arrival) {
  if (arrival.first == Event::kEnded) {
    if (outcome_.ok()) outcome_ = stream_->status();
    if (outcome_.ok()) outcome_ = CheckComplete();
    stream_.reset();
    return;
  }
  if (!outcome_.ok()) return;  // cancelled, and about to end
  outcome_ = React(arrival);
  if (!outcome_.ok()) stream_->Cancel();
}

absl::Status StreamRun::React(const Arrival& arrival) {
  if (arrival.first == Event::kWritten) {
    is_writing_ = false;
  } else {
    RETURN_IF_ERROR(Take(arrival.second));
    stream_->Read();
  }
  if (is_writing_ || is_half_closed_ || chunk_bytes_ == 0) {
    return absl::OkStatus();
  }
  return SendNext();
}

void StreamRun::EndWhenMemoryIsFree() {
  if (TryEndLeases()) {
    // What `done` holds is to go with the call.
    const auto done = std::move(done_);
    return done(outcome_);
  }
  alarm_ = std::make_shared<grpc::Alarm>();
  alarm_->Set(absl::ToChronoTime(absl::Now() + kLeaseCheck),
              [self = shared_from_this()](bool) {
                self->alarm_.reset();  // it holds this function
                self->EndWhenMemoryIsFree();
              });
}

// Chunks that were on their way when the call ended may still be read.
bool StreamRun::TryEndLeases() {
  while (!leases_.empty() && leases_.front().TryEnd()) leases_.pop_front();
  return leases_.empty();
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
  chunk_bytes_ = ready.max_chunk_bytes > 0
                     ? std::min(ready.max_chunk_bytes, kChunkBytes)
                     : kChunkBytes;  // not stated
  return options_.on_ready ? options_.on_ready(ready) : absl::OkStatus();
}

StreamRun::Operand* StreamRun::NextOperand() {
  Operand* next = nullptr;
  for (Operand& operand : operands_) {
    if (operand.sent_bytes == operand.source.size_bytes) continue;
    if (!operand.is_streamed) return &operand;
    if (next == nullptr || operand.Progress() < next->Progress()) {
      next = &operand;
    }
  }
  return next;
}

absl::Status StreamRun::SendNext() {
  TryEndLeases();
  is_writing_ = true;
  Operand* const operand = NextOperand();
  if (operand == nullptr) {
    is_half_closed_ = true;
    stream_->HalfClose();
    return absl::OkStatus();
  }
  const auto index = static_cast<uint32_t>(operand - operands_.data());
  const int64_t offset = operand->sent_bytes;
  const auto size = static_cast<size_t>(
      std::min(chunk_bytes_, operand->source.size_bytes - offset));
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
