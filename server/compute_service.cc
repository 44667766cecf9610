// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/compute_service.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/status_codec.h"
#include "server/heap.h"
#include "server/introspection.h"
#include "server/periodic_thread.h"
#include "server/stream_call.h"
#include "server/without_exceptions.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Work of less is done where it is: handing it to another thread and waking
// that costs 10 to 50 us, and gRPC has at least two threads that poll.
constexpr double kInlineCostNs = 50e3;

// Buffers that were idle for so long are not kept for the next calls.
constexpr std::chrono::seconds kTrimInterval(5);

// As many as have room if they and what they lead to have 1.5 MiB each: what
// gRPC holds of them is not counted before they are there.
// One connection leaves half of them to the others.
std::shared_ptr<PeerSlots> MakeUnknownMessages(int64_t max_inflight_bytes) {
  constexpr int64_t kExpectedBytes = int64_t{3} << 19;
  const int64_t capacity =
      std::max<int64_t>(max_inflight_bytes / kExpectedBytes, 16);
  return std::make_shared<PeerSlots>(
      capacity, capacity / 2,
      "messages of callers who do not state their size "
      "(stridecast-request-bytes) or a deadline");
}

}  // namespace

ComputeService::ComputeService(const ServerOptions& options, Engine* engine,
                               std::vector<CallObserver*> observers,
                               HeldBytes* held)
    : engine_(engine),
      environment_{
          .max_message_bytes = options.max_message_bytes,
          .max_connection_calls = MostConnectionCalls(options),
          .default_deadline =
              std::chrono::seconds(options.default_deadline_seconds),
          .stream_idle = std::chrono::seconds(options.stream_idle_seconds),
          .memory = std::make_shared<CallMemory>(options.max_inflight_bytes,
                                                 options.max_idle_buffer_bytes),
          .slots = std::make_shared<CallSlots>(
              options.max_inflight_calls,
              absl::StrCat("as many calls as --max-inflight-calls ",
                           options.max_inflight_calls, " run")),
          .unknown_messages = MakeUnknownMessages(options.max_inflight_bytes),
          .waits = std::make_shared<CallerWaits>(held),
          .figures = std::make_shared<CallFigures>(),
          .endings = std::make_shared<HeldEndings>(),
          .observers = std::move(observers)},
      plans_(static_cast<size_t>(options.plan_cache_entries)),
      server_info_(SerializeMessage(DescribeServer(options, *engine))),
      trimmer_(RunEvery(kTrimInterval, [memory = environment_.memory] {
        memory->pool.TrimUnused();
        TrimGreatHeap(memory->budget.TakePeakBytes());
      })) {
  AddUnary("/stridecast.v1.TensorCompute/Relayout", Method::kRelayout,
           &ComputeService::Relayout);
  AddUnary("/stridecast.v1.TensorCompute/Compute", Method::kCompute,
           &ComputeService::Compute);
  AddUnary("/stridecast.v1.TensorCompute/Explain", Method::kExplain,
           &ComputeService::Explain);
  AddUnary("/stridecast.v1.TensorCompute/GetServerInfo", Method::kGetServerInfo,
           &ComputeService::GetServerInfo);
  AddRawMethod("/stridecast.v1.TensorCompute/ComputeStream",
               [this](grpc::CallbackServerContext* context) {
                 return StreamCall::Start(environment_, *engine_, context);
               });
}

std::vector<std::string> ComputeService::EndLateCalls() {
  return environment_.waits->EndLate([this](Crowd crowd) {
    const PeerSlots& slots = *environment_.unknown_messages;
    const ByteBudget& budget = environment_.memory->budget;
    return crowd == Crowd::kUnknownMessages
               ? 2 * slots.num_taken() >= slots.capacity()
               : budget.inflight_bytes() >= budget.capacity_bytes() / 2;
  });
}

void ComputeService::AddUnary(const char* path, Method method,
                              void (ComputeService::*run)(Call&)) {
  AddRawMethod(path, [this, method, run](grpc::CallbackServerContext* context) {
    return Call::Start(method, environment_, context,
                       [this, run](Call& call) { (this->*run)(call); });
  });
}

void ComputeService::Compute(Call& call) {
  RunTensorCall(call, SpecSource::kCompute);
}

void ComputeService::Relayout(Call& call) {
  RunTensorCall(call, SpecSource::kRelayout);
}

void ComputeService::Explain(Call& call) {
  call.Complete(WithoutExceptions([&]() -> absl::StatusOr<grpc::ByteBuffer> {
    RETURN_IF_ERROR(call.Begin());
    ASSIGN_OR_RETURN(const DecodedRequest decoded,
                     DecodeExplainRequest(call.request()));
    call.record().Enter(Stage::kPlan);
    // What is too large for a Compute may be streamed.
    ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan,
                     Prepare(decoded.source, decoded.signature,
                             decoded.source == SpecSource::kExplainRelayout
                                 ? Delivery::kWhole
                                 : Delivery::kInParts));
    return SerializeMessage(DescribePlan(*plan));
  }));
}

void ComputeService::GetServerInfo(Call& call) {
  call.Complete(WithoutExceptions([&]() -> absl::StatusOr<grpc::ByteBuffer> {
    RETURN_IF_ERROR(call.Begin());
    RETURN_IF_ERROR(CheckServerInfoRequest(call.request()));
    return server_info_;
  }));
}

// Decoded and planned on gRPC's thread; what is run may be run elsewhere.
void ComputeService::RunTensorCall(Call& call, SpecSource source) {
  absl::StatusOr<TensorJob> job =
      WithoutExceptions([&] { return PrepareJob(call, source); });
  if (!job.ok()) return call.Complete(job.status());

  auto run = [&call](TensorJob& ready) {
    call.Complete(WithoutExceptions([&]() -> absl::StatusOr<grpc::ByteBuffer> {
      call.record().Enter(Stage::kCompute);
      RETURN_IF_ERROR(call.CheckWanted());
      return ready.Run(call.cancel_token());
    }));
  };
  if (job->cost_ns() <= kInlineCostNs) return run(*job);
  call.WatchDefaultDeadline();
  call.record().Enter(Stage::kQueue);
  Enqueue(environment_, *engine_,
          // A task is copied, and a job can only be moved.
          [run, shared = std::make_shared<TensorJob>(*std::move(job))] {
            run(*shared);
          });
}

absl::StatusOr<TensorJob> ComputeService::PrepareJob(Call& call,
                                                     SpecSource source) {
  RETURN_IF_ERROR(call.Begin());
  ASSIGN_OR_RETURN(SplitMessage parts, SplitRequest(source, call.request()));
  const auto plan = [&]() -> absl::StatusOr<PlanCache::Value> {
    PlannedRequest planned;
    ASSIGN_OR_RETURN(planned.spec, DecodeSpec(source, parts.head));
    call.record().Enter(Stage::kPlan);
    ASSIGN_OR_RETURN(planned.plan,
                     Prepare(source, planned.spec.signature, Delivery::kWhole));
    call.record().Enter(Stage::kDecode);
    planned.reply_head = EncodeReplyHead(source, planned.plan->results());
    return std::make_shared<const PlannedRequest>(std::move(planned));
  };
  ASSIGN_OR_RETURN(PlanCache::Value planned,
                   plans_.Get(source, parts.head, plan));
  ASSIGN_OR_RETURN(RequestBody body,
                   DecodeBody(planned->spec, std::move(parts)));
  RETURN_IF_ERROR(
      CheckTypedResults(source, body.encodings, planned->plan->results()));
  return TensorJob::Create(std::move(planned), std::move(body),
                           environment_.memory, call.record().request_bytes,
                           call.reservation());
}

absl::StatusOr<std::shared_ptr<const Plan>> ComputeService::Prepare(
    SpecSource source, const Signature& signature, Delivery delivery) const {
  absl::StatusOr<std::shared_ptr<const Plan>> plan =
      engine_->Prepare(signature, delivery);
  if (plan.ok()) return plan;
  return WithFieldPathsOf(source, plan.status());
}

}  // namespace stridecast
