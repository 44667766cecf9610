// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// An engine whose work lasts exactly as long as a test wants: every request is
// accepted, its one result is a copy of operand 0, and Run waits at a gate that
// the test opens. Cancelling is noticed at the gate. A plan's work may be
// divided into outer steps, and fail at one of them.

#ifndef STRIDECAST_TESTS_SERVICE_FAKE_ENGINE_H_
#define STRIDECAST_TESTS_SERVICE_FAKE_ENGINE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/engine/engine.h"

namespace stridecast::testing {

// What a test holds of an engine that the server owns.
struct FakeControl {
  // What plans say.
  double cost_ns = 1e9;  // far above what runs inline
  int64_t scratch_bytes = 0;
  bool streamed = true;
  int64_t num_outer_steps = 1;  // an even part of operand and result each
  absl::Status run_status;      // what Run answers instead of a result
  int num_good_runs = 0;        // that are answered before run_status is

  std::atomic<bool> is_busy = false;  // nothing that is enqueued begins
  std::atomic<bool> gate_open = false;
  std::atomic<int> num_at_gate = 0;  // Runs that wait
  std::atomic<int> num_runs = 0;     // that came to an end uncancelled
  std::atomic<int> num_cancelled = 0;
  std::atomic<int> num_segments = 0;  // of operand 0 of the last Run
};

class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(std::shared_ptr<FakeControl> control)
      : control_(std::move(control)) {}
  ~FakeEngine() override;

  using Engine::Prepare;
  absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      const Signature& signature, Delivery delivery) const override;
  bool Supports(Opcode opcode, DType type) const override {
    return opcode == Opcode::kIdentity && type == DType::kF32;
  }
  absl::string_view simd_target() const override { return "FAKE"; }
  int num_threads() const override { return 1; }
  const EngineLimits& limits() const override { return limits_; }
  void Enqueue(std::function<void()> task) override;

 private:
  const std::shared_ptr<FakeControl> control_;
  const EngineLimits limits_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_FAKE_ENGINE_H_
