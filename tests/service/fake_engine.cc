// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/service/fake_engine.h"

#include <chrono>
#include <thread>
#include <utility>

#include "stridecast/status_macros.h"

namespace stridecast::testing {
namespace {

class FakePlan final : public Plan {
 public:
  FakePlan(TensorDesc desc, std::shared_ptr<FakeControl> control)
      : desc_(std::move(desc)), control_(std::move(control)) {}

  absl::Span<const TensorDesc> operands() const override { return {&desc_, 1}; }
  absl::Span<const TensorDesc> results() const override { return {&desc_, 1}; }
  int64_t memory_bytes() const override { return 0; }
  int64_t scratch_bytes() const override { return control_->scratch_bytes; }
  double cost_ns() const override { return control_->cost_ns; }
  int64_t num_outer_steps() const override { return control_->num_outer_steps; }
  bool IsOperandStreamed(int) const override { return control_->streamed; }
  int64_t OperandBegin(int, int64_t begin_step) const override {
    return control_->streamed ? BytesOf(begin_step) : 0;
  }
  int64_t OperandBytes(int, int64_t end_step) const override {
    return control_->streamed ? BytesOf(end_step) : desc_.size_bytes();
  }
  int64_t ResultBytes(int, int64_t end_step) const override {
    return BytesOf(end_step);
  }
  std::string ToString() const override { return "fake"; }

  absl::Status Run(const Bindings& bindings, OuterRange range,
                   CancelToken cancel) const override {
    control_->num_at_gate.fetch_add(1);
    while (!control_->gate_open.load() && !cancel.IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    control_->num_at_gate.fetch_sub(1);
    if (cancel.IsCancelled()) {
      control_->num_cancelled.fetch_add(1);
      return absl::CancelledError("");
    }
    if (control_->num_runs.fetch_add(1) >= control_->num_good_runs) {
      RETURN_IF_ERROR(control_->run_status);
    }
    const SegmentedBytes& operand = bindings.operands[0];
    control_->num_segments.store(static_cast<int>(operand.segments().size()));
    const int64_t begin = BytesOf(range.begin);
    const int64_t result_begin =
        bindings.result_begins.empty() ? 0 : bindings.result_begins[0];
    operand.CopyTo(begin, BytesOf(range.end) - begin,
                   bindings.results[0].data() + (begin - result_begin));
    return absl::OkStatus();
  }

 private:
  // Of operand and result, in the steps before that one.
  int64_t BytesOf(int64_t step) const {
    const int64_t num_steps = control_->num_outer_steps;
    if (step >= num_steps) return desc_.size_bytes();
    return desc_.size_bytes() / num_steps * step;
  }

  const TensorDesc desc_;
  const std::shared_ptr<FakeControl> control_;
};

}  // namespace

FakeEngine::~FakeEngine() {
  for (std::thread& thread : threads_) thread.join();
}

absl::StatusOr<std::shared_ptr<const Plan>> FakeEngine::Prepare(
    const Signature& signature, Delivery) const {
  return std::make_shared<FakePlan>(signature.operands.at(0), control_);
}

void FakeEngine::Enqueue(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  threads_.emplace_back([control = control_, task = std::move(task)] {
    while (control->is_busy) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    task();
  });
}

}  // namespace stridecast::testing
