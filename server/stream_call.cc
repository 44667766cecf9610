// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/stream_call.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "proto/wire/message_split.h"
#include "proto/wire/status_codec.h"
#include "server/introspection.h"
#include "server/without_exceptions.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

StreamCall* StreamCall::Start(const CallEnvironment& environment,
                              Engine& engine,
                              grpc::CallbackServerContext* context) {
  std::shared_ptr<StreamCall> call(
      new StreamCall(environment, engine, context));
  call->self_ = call;
  CallerWait wait;
  environment.waits->Begin(wait, call, context, std::nullopt);
  absl::MutexLock lock(&call->mutex_);
  call->wait_ = std::move(wait);
  call->wait_.held()->StartKeeping();
  if (call->has_ended_) return call.get();
  call->NoteProgress();
  call->WatchIdle();
  call->Fail(call->Admit());
  call->Continue();
  return call.get();
}

StreamCall::StreamCall(const CallEnvironment& environment, Engine& engine,
                       grpc::CallbackServerContext* context)
    : environment_(environment),
      engine_(engine),
      context_(context),
      record_(Method::kComputeStream, context) {}

// Every reaction holds the call, because an end that it brings about may let
// OnDone run before it returns.
void StreamCall::OnReadDone(bool ok) {
  const std::shared_ptr<StreamCall> self = self_;
  absl::MutexLock lock(&mutex_);
  is_reading_ = false;
  if (has_ended_) return;
  wait_.Deliver(ok ? static_cast<int64_t>(incoming_.Length()) : 0);
  const int64_t received = job_ == nullptr ? -1 : job_->received_bytes();
  if (!ok) {
    is_half_closed_ = true;
    if (context_->IsCancelled()) {
      Fail(absl::CancelledError("the caller cancelled"));
    } else if (job_ == nullptr) {
      Fail(absl::FailedPreconditionError("begin: half-closed before it"));
    } else {
      Fail(job_->CheckComplete());
    }
  } else {
    record_.request_bytes += static_cast<int64_t>(incoming_.Length());
    const TimePoint began = SteadyClock::now();
    const auto planning = record_.stage(Stage::kPlan);
    Fail(WithoutExceptions([&] { return HandleMessage(); }));
    record_.Add(Stage::kDecode, SteadyClock::now() - began -
                                    (record_.stage(Stage::kPlan) - planning));
    incoming_.Clear();
  }
  // A chunk of no bytes is none.
  if (!ok || (job_ != nullptr && job_->received_bytes() > received)) {
    NoteProgress();
  }
  Continue();
}

void StreamCall::OnWriteDone(bool ok) {
  const std::shared_ptr<StreamCall> self = self_;
  absl::MutexLock lock(&mutex_);
  is_writing_ = false;
  record_.Add(Stage::kReply, SteadyClock::now() - write_began_);
  outgoing_.Clear();
  if (has_ended_) return;
  NoteProgress();
  if (!ok) Fail(absl::CancelledError("the caller has left"));
  Continue();
}

void StreamCall::OnCancel() {
  const std::shared_ptr<StreamCall> self = self_;
  unwanted_ = true;
  absl::MutexLock lock(&mutex_);
  wait_.Leave();
  wait_.SetLate(CallerWait::Time::clock::now());
  if (has_ended_) return;
  Fail(absl::CancelledError("the caller cancelled"));
  Continue();
}

void StreamCall::OnDone() {
  std::shared_ptr<StreamCall> self;
  absl::MutexLock lock(&mutex_);
  idle_alarm_.reset();
  record_.StopClock();
  if (IsUndelivered(record_, *context_, wait_)) {
    record_.SetUndelivered(absl::StatusCode::kCancelled);
  }
  wait_ = CallerWait();
  TellObservers(record_, environment_);
  self = std::move(self_);  // destroyed after the lock: declared before it
}

// Its own clock ends it when it is late.
bool StreamCall::GiveUp(GivingUp) {
  absl::MutexLock lock(&mutex_);
  if (has_ended_) return false;
  Fail(ShortMemoryError());
  Continue();
  return true;
}

absl::Status StreamCall::Admit() {
  RETURN_IF_ERROR(CheckConnection(wait_, environment_));
  ASSIGN_OR_RETURN(slot_, environment_.slots->Take());
  ASSIGN_OR_RETURN(before_begin_,
                   environment_.memory->budget.Reserve(kUnstatedRequestBytes));
  return absl::OkStatus();
}

absl::Status StreamCall::HandleMessage() {
  RETURN_IF_ERROR(CheckMessageBytes(static_cast<int64_t>(incoming_.Length()),
                                    environment_));
  RETURN_IF_ERROR(JoinTinySlices(incoming_));
  ASSIGN_OR_RETURN(StreamEvent event, DecodeStreamRequest(incoming_));
  if (const auto* begin = std::get_if<DecodedRequest>(&event)) {
    if (job_ != nullptr)
      return absl::FailedPreconditionError("begin: a second one");
    return Begin(*begin);
  }
  if (job_ == nullptr)
    return absl::FailedPreconditionError("operand: a chunk before begin");
  return job_->Accept(std::get<StreamChunk>(std::move(event)));
}

absl::Status StreamCall::Begin(const DecodedRequest& request) {
  const TimePoint began = SteadyClock::now();
  absl::StatusOr<std::shared_ptr<const Plan>> prepared =
      engine_.Prepare(request.signature, Delivery::kInParts);
  record_.Add(Stage::kPlan, SteadyClock::now() - began);
  if (!prepared.ok()) {
    return WithFieldPathsOf(request.source, prepared.status());
  }
  for (size_t i = 0; i < request.encodings.size(); ++i) {
    if (request.encodings[i] != Encoding::kTyped) continue;
    return FieldError(absl::StrCat("begin.results[", i, "].encoding"),
                      "TYPED; the chunks of a stream are RAW");
  }
  std::shared_ptr<const Plan> plan = *std::move(prepared);
  before_begin_ = Reservation();
  ASSIGN_OR_RETURN(Reservation reservation, environment_.memory->budget.Reserve(
                                                StreamMemoryBytes(*plan)));
  unsent_.push_back(EncodeStreamReady(DescribePlan(*plan)));
  ASSIGN_OR_RETURN(job_, StreamJob::Create(std::move(plan), environment_.memory,
                                           std::move(reservation)));
  return absl::OkStatus();
}

void StreamCall::Fail(const absl::Status& status) {
  if (status.ok() || !fault_.ok()) return;
  fault_ = status;
  unwanted_ = true;
}

void StreamCall::Continue() {
  if (has_ended_) return;
  if (!fault_.ok()) {
    // A round still reads what it was given.
    if (!is_computing_) End(fault_);
    return;
  }
  if (!is_writing_ && !unsent_.empty()) {
    outgoing_ = std::move(unsent_.front());
    unsent_.pop_front();
    is_writing_ = true;
    write_began_ = SteadyClock::now();
    record_.reply_bytes += static_cast<int64_t>(outgoing_.Length());
    StartWrite(&outgoing_);
  }
  if (job_ != nullptr && !is_computing_ && unsent_.empty() &&
      job_->AreRoundsReady(1)) {
    StartRound();
  }
  if (is_half_closed_ && job_->IsDone() && !is_computing_ && !is_writing_ &&
      unsent_.empty()) {
    End(absl::OkStatus());
    return;
  }
  if (!is_reading_ && !is_half_closed_ && WantsInput()) {
    is_reading_ = true;
    wait_.ForMessage({.is_between_messages = job_ != nullptr});
    StartRead(&incoming_);
  }
}

bool StreamCall::WantsInput() const {
  return job_ == nullptr || !job_->AreRoundsReady(is_computing_ ? 2 : 1);
}

void StreamCall::StartRound() {
  is_computing_ = true;
  Enqueue(
      environment_, engine_,
      [self = self_, round = job_->TakeRound(),
       queued_at = SteadyClock::now()] { self->RunRound(round, queued_at); });
}

void StreamCall::RunRound(const StreamJob::Round& round, TimePoint queued_at) {
  const TimePoint began = SteadyClock::now();
  absl::StatusOr<std::vector<StreamOutput>> outputs =
      WithoutExceptions([&] { return round.Run(CancelToken(&unwanted_)); });
  absl::MutexLock lock(&mutex_);
  is_computing_ = false;
  record_.Add(Stage::kQueue, began - queued_at);
  record_.Add(Stage::kCompute, SteadyClock::now() - began);
  if (has_ended_) return;
  NoteProgress();
  if (outputs.ok()) {
    for (const StreamOutput& output : *outputs) {
      unsent_.push_back(
          EncodeStreamResult(output.index, output.offset, output.data));
    }
    job_->FinishRound();
  } else {
    Fail(outputs.status());
  }
  Continue();
}

void StreamCall::End(const absl::Status& status) {
  has_ended_ = true;
  unsent_.clear();
  before_begin_ = Reservation();
  job_.reset();
  slot_ = CallSlot();
  wait_.SetEnded();
  environment_.endings->Add(
      {.peer = context_->peer(),
       .keeper = wait_.held(),
       .end = [self = self_, ending = record_.End(status)] {
         self->Finish(ending);
       }});
}

void StreamCall::NoteProgress() { last_progress_ = SteadyClock::now(); }

void StreamCall::WatchIdle() {
  const auto left =
      last_progress_ + environment_.stream_idle - SteadyClock::now();
  idle_alarm_ = std::make_unique<grpc::Alarm>();
  idle_alarm_->Set(
      std::chrono::system_clock::now() +
          std::chrono::duration_cast<std::chrono::system_clock::duration>(left),
      [self = self_](bool expired) {
        if (expired) self->CheckIdle();
      });
}

void StreamCall::CheckIdle() {
  absl::MutexLock lock(&mutex_);
  if (self_ == nullptr) return;
  if (has_ended_) {
    // The status waits behind what the client does not read.
    if (is_writing_) CutOff();
    return;
  }
  if (is_computing_) NoteProgress();
  if (SteadyClock::now() < last_progress_ + environment_.stream_idle) {
    WatchIdle();
    return;
  }
  Fail(absl::AbortedError(
      absl::StrCat(is_writing_ ? "the client does not read results"
                               : "the client sends nothing, nor half-closes",
                   " for ", environment_.stream_idle.count(),
                   " s (--stream-idle-seconds)")));
  // A status waits behind what the client does not read.
  const bool is_stuck = is_writing_;
  Continue();
  if (is_stuck) CutOff();
}

void StreamCall::CutOff() {
  context_->TryCancel();
  wait_.SetLate(CallerWait::Time::clock::now());
}

}  // namespace stridecast
