// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// stridecast.v1.TensorCompute over the engine. Requests arrive as raw bytes, so
// that payloads are computed where they were received.
// Rules:
//   (S1) gRPC's threads parse and admit; work above kInlineCostNs runs on the
//        engine's threads
//   (S2) a method says what is its own; Call does what all have in common
//   (S3) a request's own faults show before any memory is taken for it

#ifndef STRIDECAST_SERVER_COMPUTE_SERVICE_H_
#define STRIDECAST_SERVER_COMPUTE_SERVICE_H_

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "core/engine/engine.h"
#include "grpcpp/support/byte_buffer.h"
#include "proto/wire/request_codec.h"
#include "server/call.h"
#include "server/options.h"
#include "server/plan_cache.h"
#include "server/raw_service.h"
#include "server/tensor_job.h"

namespace stridecast {

class ComputeService final : public RawService {
 public:
  // `engine`, `observers` and `held` outlive the service and all its
  // calls.
  ComputeService(const ServerOptions& options, Engine* engine,
                 std::vector<CallObserver*> observers, HeldBytes* held);

  // Ends calls that wait for their callers for too long; every second or so.
  // As CallerWaits::EndLate.
  std::vector<std::string> EndLateCalls();

  // From now on.
  void RefuseCalls() { environment_.memory->budget.Close(); }
  // Those that have not ended.
  int64_t num_calls() const { return environment_.slots->num_taken(); }

  HeldEndings& endings() { return *environment_.endings; }

  // For the metrics.
  const CallEnvironment& environment() const { return environment_; }
  const PlanCache& plans() const { return plans_; }

 private:
  void AddUnary(const char* path, Method method,
                void (ComputeService::*run)(Call&));

  void Compute(Call& call);
  void Relayout(Call& call);
  void Explain(Call& call);
  void GetServerInfo(Call& call);

  void RunTensorCall(Call& call, SpecSource source);
  absl::StatusOr<TensorJob> PrepareJob(Call& call, SpecSource source);
  absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      SpecSource source, const Signature& signature, Delivery delivery) const;

  Engine* const engine_;
  const CallEnvironment environment_;
  PlanCache plans_;
  const grpc::ByteBuffer server_info_;  // the reply, which never changes
  std::jthread trimmer_;  // gives unused memory back, now and then
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_COMPUTE_SERVICE_H_
