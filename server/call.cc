// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/message_split.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using SystemClock = std::chrono::system_clock;

// No call takes so long; what is later may be beyond what the clock can say.
constexpr int64_t kNeverSeconds = int64_t{100} * 365 * 24 * 3600;

// For a message to come while there is a crowd; one of stated size has, beyond
// that, what a slow network takes for it.
constexpr std::chrono::seconds kPatienceIfCrowded(5);
constexpr int64_t kSlowBytesPerSecond = int64_t{256} << 10;

// Small replies of one connection that are together no greater end with their
// last bytes; on their way when a drain begins, they have a second to arrive.
constexpr int64_t kMaxSmallReplyBytes = kSlowBytesPerSecond;

bool HasDeadline(const grpc::CallbackServerContext& context) {
  const gpr_timespec deadline = context.raw_deadline();
  return deadline.tv_sec < gpr_now(deadline.clock_type).tv_sec + kNeverSeconds;
}

SystemClock::time_point DeadlineOf(const grpc::CallbackServerContext& context,
                                   std::chrono::seconds default_deadline) {
  return HasDeadline(context) ? context.deadline()
                              : SystemClock::now() + default_deadline;
}

// None if it is no size, which is as good as not stated.
std::optional<int64_t> StatedBytes(const grpc::CallbackServerContext& context) {
  const auto found = context.client_metadata().find(kRequestBytesKey);
  int64_t bytes;
  if (found == context.client_metadata().end() ||
      !absl::SimpleAtoi(
          absl::string_view(found->second.data(), found->second.size()),
          &bytes) ||
      bytes < 0) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

void TellObservers(const CallRecord& record,
                   const CallEnvironment& environment) {
  for (CallObserver* const observer : environment.observers) {
    observer->OnCallEnd(record);
  }
}

bool IsUndelivered(const CallRecord& record,
                   const grpc::CallbackServerContext& context,
                   const CallerWait& wait) {
  return record.code() == absl::StatusCode::kOk &&
         (context.IsCancelled() || wait.was_stuck());
}

void Enqueue(const CallEnvironment& environment, Engine& engine,
             std::function<void()> task) {
  ++environment.figures->num_queued;
  engine.Enqueue([figures = environment.figures, task = std::move(task)] {
    --figures->num_queued;
    task();
  });
}

absl::Status CheckMessageBytes(int64_t bytes,
                               const CallEnvironment& environment) {
  if (bytes <= environment.max_message_bytes) return absl::OkStatus();
  ++environment.figures->num_too_large;
  return absl::ResourceExhaustedError(
      absl::StrCat("the message has ", bytes, " bytes, more than ",
                   "--max-message-bytes ", environment.max_message_bytes));
}

absl::Status CheckConnection(const CallerWait& wait,
                             const CallEnvironment& environment) {
  if (!wait.is_excess()) return absl::OkStatus();
  ++environment.figures->num_excess;
  return WithRetryDelay(
      absl::ResourceExhaustedError(
          absl::StrCat("this connection has ", environment.max_connection_calls,
                       " calls, as many as it may (--max-concurrent-streams)")),
      kRetryDelay);
}

Call* Call::Start(Method method, const CallEnvironment& environment,
                  grpc::CallbackServerContext* context,
                  std::function<void(Call&)> run) {
  const std::shared_ptr<Call> call(
      new Call(method, environment, context, std::move(run)));
  call->self_ = call;
  environment.waits->Begin(call->wait_, call, context, std::nullopt);
  call->wait_.held()->StartKeeping();
  if (const absl::Status admitted = call->Admit(); admitted.ok()) {
    call->record_.Enter(Stage::kReceive);
    call->is_awaiting_message_ = true;
    call->wait_.ForMessage(call->WaitLimits());
    call->StartRead(&call->request_);
  } else {
    call->Complete(admitted);
  }
  return call.get();
}

Call::Call(Method method, const CallEnvironment& environment,
           grpc::CallbackServerContext* context, std::function<void(Call&)> run)
    : record_(method, context),
      environment_(environment),
      context_(context),
      run_(std::move(run)),
      has_own_deadline_(HasDeadline(*context)),
      deadline_(DeadlineOf(*context, environment.default_deadline)),
      stated_bytes_(StatedBytes(*context)),
      is_patient_(!has_own_deadline_ ||
                  deadline_ >
                      SystemClock::now() + environment.default_deadline),
      unwanted_(std::make_shared<std::atomic<bool>>(false)) {}

absl::Status Call::Admit() {
  RETURN_IF_ERROR(CheckConnection(wait_, environment_));
  int64_t bytes = stated_bytes_.value_or(kUnstatedRequestBytes);
  RETURN_IF_ERROR(CheckMessageBytes(stated_bytes_.value_or(0), environment_));
  ByteBudget& budget = environment_.memory->budget;
  RETURN_IF_ERROR(budget.CheckFits(bytes));
  ASSIGN_OR_RETURN(slot_, environment_.slots->Take());
  // Who may take for ever to send it is not believed.
  if (is_watched()) {
    ASSIGN_OR_RETURN(unknown_message_, environment_.unknown_messages->Take(
                                           ConnectionOf(*context_)));
    bytes = std::min(bytes, kUnstatedRequestBytes);
  } else {
    // Or others take the room meanwhile, and the message has come for nothing.
    // A large call that takes less than others is not kept out.
    bytes = std::min(bytes + environment_.memory->forecast.For(
                                 bytes, budget.capacity_bytes() / 8),
                     budget.capacity_bytes());
  }
  ASSIGN_OR_RETURN(reservation_, budget.Reserve(bytes));
  return CheckWanted();
}

CallerWait::Limits Call::WaitLimits() const {
  const SystemClock::time_point now = SystemClock::now();
  if (!is_watched()) {
    return {.late_if_crowded_at = now + PatienceIfCrowded(),
            .crowd = Crowd::kStatedBytes};
  }
  return {.late_at = has_own_deadline_ ? now + environment_.default_deadline
                                       : deadline_,
          .late_if_crowded_at = now + PatienceIfCrowded(),
          .crowd = Crowd::kUnknownMessages};
}

std::chrono::seconds Call::PatienceIfCrowded() const {
  return is_watched()
             ? kPatienceIfCrowded
             : kPatienceIfCrowded +
                   std::chrono::seconds(*stated_bytes_ / kSlowBytesPerSecond);
}

bool Call::GiveUp(GivingUp why) {
  if (!is_awaiting_message_.exchange(false)) return false;
  const absl::Status wanted = CheckWanted();
  Complete(!wanted.ok() ? wanted : StatusOf(why));
  return true;
}

void Call::OnReadDone(bool ok) {
  unknown_message_ = PeerSlot();
  if (!is_awaiting_message_.exchange(false)) return;
  // At its own deadline gRPC ends it; the waits are to see whether it stays.
  wait_.Deliver(ok ? static_cast<int64_t>(request_.Length()) : 0,
                has_own_deadline_ ? deadline_ : CallerWait::kNever);
  record_.Enter(Stage::kDecode);
  if (!ok) {
    const absl::Status wanted = CheckWanted();
    return Complete(!wanted.ok() ? wanted
                    : context_->IsCancelled()
                        ? absl::CancelledError("the caller cancelled")
                        : NoMessageError());
  }
  record_.request_bytes = static_cast<int64_t>(request_.Length());
  run_(*this);
}

absl::Status Call::Begin() {
  RETURN_IF_ERROR(CheckMessageBytes(record_.request_bytes, environment_));
  const int64_t more = record_.request_bytes - reservation_.bytes();
  if (more > 0) RETURN_IF_ERROR(reservation_.Grow(more));
  RETURN_IF_ERROR(JoinTinySlices(request_));
  return CheckWanted();
}

void Call::WatchDefaultDeadline() {
  if (has_own_deadline_) return;
  alarm_.emplace();
  alarm_->Set(deadline_, [unwanted = unwanted_](bool expired) {
    if (expired) unwanted->store(true);
  });
}

absl::Status Call::StatusOf(GivingUp why) const {
  if (why == GivingUp::kShortMemory) return ShortMemoryError();
  if (why == GivingUp::kLate) {
    return absl::DeadlineExceededError(
        absl::StrCat("request: it did not come within ",
                     environment_.default_deadline.count(),
                     " s (--default-deadline-seconds)"));
  }
  return WithRetryDelay(
      absl::ResourceExhaustedError(absl::StrCat(
          "request: it did not come within ", PatienceIfCrowded().count(),
          is_watched()
              ? " s, and others wait; state its size "
                "(stridecast-request-bytes) and a deadline to be waited for"
              : absl::StrCat(" s, and others want its ", *stated_bytes_,
                             " bytes of --max-inflight-bytes"))),
      kRetryDelay);
}

absl::Status Call::CheckWanted() const {
  if (SystemClock::now() >= deadline_) {
    return absl::DeadlineExceededError(
        has_own_deadline_ ? "the deadline passed before the result was ready"
                          : absl::StrCat("a call without a deadline may take ",
                                         environment_.default_deadline.count(),
                                         " s (--default-deadline-seconds)"));
  }
  if (unwanted_->load()) return absl::CancelledError("the caller cancelled");
  return absl::OkStatus();
}

void Call::Complete(absl::StatusOr<grpc::ByteBuffer> reply) {
  absl::Status status = reply.status();
  if (status.ok() || absl::IsCancelled(status)) {
    // Also tells a passed deadline from a caller who left.
    if (absl::Status wanted = CheckWanted(); !wanted.ok()) status = wanted;
  }
  record_.Enter(Stage::kReply);
  wait_.SetEnded();
  ending_ = record_.End(status);
  if (!status.ok()) return FinishOrHold();
  reply_.Swap(&*reply);
  record_.reply_bytes = static_cast<int64_t>(reply_.Length());
  if (is_watched()) {
    wait_.SetLate(SystemClock::now() + environment_.default_deadline);
  }
  HeldBytes::Call& held = *wait_.held();
  const bool is_quick =
      record_.reply_bytes <= kMaxSmallReplyBytes &&
      held.StartSmallReply(record_.reply_bytes) <= kMaxSmallReplyBytes;
  if (is_quick && environment_.endings->MayEndNow(held)) {
    StartWriteAndFinish(&reply_, grpc::WriteOptions(), ending_);
  } else {
    StartWrite(&reply_);
  }
}

// gRPC does not call it for a write that finishes too.
void Call::OnWriteDone(bool) { FinishOrHold(); }

void Call::FinishOrHold() {
  HeldEndings& endings = *environment_.endings;
  HeldBytes::Call& held = *wait_.held();
  if (endings.MayEndNow(held)) return Finish(ending_);
  endings.Add({.peer = context_->peer(), .keeper = &held, .end = [this] {
                 Finish(ending_);
               }});
}

void Call::OnDone() {
  record_.StopClock();
  if (IsUndelivered(record_, *context_, wait_)) {
    record_.SetUndelivered(SystemClock::now() >= deadline_
                               ? absl::StatusCode::kDeadlineExceeded
                               : absl::StatusCode::kCancelled);
  }
  TellObservers(record_, environment_);
  wait_ = CallerWait();
  const std::shared_ptr<Call> self = std::move(self_);
}

}  // namespace stridecast
