// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The Plan that Engine::Prepare makes: pass plans with their kernels, and where
// temporaries and the threads' scratch lie in the one scratch buffer.
//
//   scratch: temporaries | thread 0 | thread 1 | ...

#ifndef STRIDECAST_CORE_ENGINE_PLAN_IMPL_H_
#define STRIDECAST_CORE_ENGINE_PLAN_IMPL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/engine/engine.h"
#include "core/exec/executor.h"
#include "core/exec/pass_kernels.h"
#include "core/plan/pass_plan.h"
#include "core/program/program.h"

namespace stridecast {

class PlanImpl final : public Plan {
 public:
  // `executor` and `kernels` outlive the plan.
  PlanImpl(Program program, const PassPlanOptions& options,
           const Executor& executor, const KernelTable& kernels);

  absl::Span<const TensorDesc> operands() const override {
    return program_.operands();
  }
  absl::Span<const TensorDesc> results() const override {
    return program_.results();
  }
  int64_t memory_bytes() const override;
  int64_t scratch_bytes() const override { return scratch_bytes_; }
  double cost_ns() const override { return cost_ns_; }
  int64_t num_outer_steps() const override { return num_outer_steps_; }
  bool IsOperandStreamed(int operand) const override {
    return streamed_[operand];
  }
  int64_t OperandBegin(int operand, int64_t begin_step) const override;
  int64_t OperandBytes(int operand, int64_t end_step) const override;
  int64_t ResultBytes(int result, int64_t end_step) const override;
  std::string ToString() const override;
  absl::Status Run(const Bindings& bindings, OuterRange range,
                   CancelToken cancel) const override;
  using Plan::Run;

 private:
  struct PassEntry {
    PassPlan plan;
    PassKernels kernels;
    bool is_single_block;
  };

  // False if they take more than 2^63-1 bytes.
  bool PlaceTemporaries(absl::Span<const ValueType> temporaries);
  void PlaceScratch(absl::Span<const ValueType> temporaries);
  void DecideStreaming();
  // Binds buffers and runs outer steps [begin, end) of a pass; false if
  // cancelled.
  bool RunPass(const PassEntry& pass, const Bindings& bindings, int64_t begin,
               int64_t end, CancelToken cancel) const;
  // Calls run(number, worker) for all tiles, on several threads if they are
  // worth it; false if cancelled.
  bool RunTiles(double cost_ns, int64_t num_tiles, CancelToken cancel,
                absl::FunctionRef<void(int64_t, int)> run) const;

  const Program program_;
  const Executor& executor_;
  const KernelTable& kernels_;
  std::vector<PassEntry> passes_;
  std::vector<int64_t> temporary_offsets_;
  std::vector<int64_t> temporary_bytes_;
  int64_t threads_offset_ = 0;  // of the threads' scratch
  int64_t thread_scratch_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
  double cost_ns_ = 0;
  int64_t num_outer_steps_ = 1;
  absl::InlinedVector<bool, 8> streamed_;  // by operand
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_ENGINE_PLAN_IMPL_H_
