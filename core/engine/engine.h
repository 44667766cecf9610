// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The façade of the core: Prepare settles everything that can be wrong with a
// request, without data; Run only computes.
//
//   Engine engine → Prepare(Signature) → Plan → Run(Bindings, range, cancel)
//
// A Plan is immutable and holds no pointer to data: one Plan may run on many
// threads at once, and be kept for later requests of the same Signature. It
// must not outlive its Engine.

#ifndef STRIDECAST_CORE_ENGINE_ENGINE_H_
#define STRIDECAST_CORE_ENGINE_ENGINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"
#include "stridecast/segments.h"
#include "stridecast/tensor.h"

namespace stridecast {

// Bounds on one request. Counts over their bound are INVALID_ARGUMENT, bytes
// and cost over theirs RESOURCE_EXHAUSTED.
struct EngineLimits {
  int64_t max_instructions = 256;
  int64_t max_operands = 64;
  int64_t max_results = 64;
  int64_t max_operand_references = 1024;  // of all instructions together
  int64_t max_constant_bytes = int64_t{64} << 10;  // of all constants together
  int64_t max_result_bytes = int64_t{1} << 30;     // of all results together
  int64_t max_scratch_bytes = int64_t{1} << 30;
  // Of the plan, in estimated nanoseconds on one core.
  double max_cost_ns = 60e9;
};

struct EngineOptions {
  EngineLimits limits;
  // Threads that compute; 0: as many as CPUs that this process may use.
  int num_threads = 0;
  // "AVX2" or "AVX3" (AVX-512); empty: the best that the CPU has.
  std::string simd_target;
  // What follows is for tests: no result depends on it.
  int64_t block_bytes = 0;  // working set of a block; 0: the default
  double tile_cost_ns = 0;  // work of a task; 0: the default
  // Larger results are written past the caches, on every CPU; 0: what
  // plan/cache_limits.h says of this one.
  int64_t cache_bytes = 0;
};

// One operand per operand of the Signature and one buffer per result, each of
// exactly the size that its descriptor says, or of those that stream the part
// that a range needs; results neither overlap operands nor each other. Scratch
// has at least Plan::scratch_bytes(), 64-byte aligned.
struct Bindings {
  absl::Span<const SegmentedBytes> operands;
  absl::Span<const absl::Span<std::byte>> results;
  absl::Span<std::byte> scratch;
  // By result, which byte of it its buffer begins with; empty: each with 0.
  absl::Span<const int64_t> result_begins = {};
};

// Outer steps [begin, end) of a plan.
struct OuterRange {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();  // all that there are
};

// Asks a running computation to stop. A view of a flag that any thread may
// set; null never cancels.
class CancelToken {
 public:
  CancelToken() = default;
  explicit CancelToken(const std::atomic<bool>* flag) : flag_(flag) {}
  bool IsCancelled() const {
    return flag_ != nullptr && flag_->load(std::memory_order_relaxed);
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

class Plan {
 public:
  virtual ~Plan() = default;

  virtual absl::Span<const TensorDesc> operands() const = 0;
  virtual absl::Span<const TensorDesc> results() const = 0;
  // Memory that the plan itself takes, about.
  virtual int64_t memory_bytes() const = 0;
  virtual int64_t scratch_bytes() const = 0;
  // Estimated nanoseconds of one core.
  virtual double cost_ns() const = 0;

  // The plan's work is a sequence of outer steps, at least one. Running ranges
  // that follow one another, from 0 to num_outer_steps(), with the same
  // Bindings equals one Run of all.
  virtual int64_t num_outer_steps() const = 0;
  // True if the steps walk the operand's buffer from front to back: it may be
  // bound in many segments, and of a range only its bytes up to OperandBytes()
  // are read. Any other operand must be one piece and whole from the start.
  virtual bool IsOperandStreamed(int operand) const = 0;
  // How many bytes from the front steps from begin_step on do not read; 0 of
  // one that is not streamed. They need not be there any more.
  virtual int64_t OperandBegin(int operand, int64_t begin_step) const = 0;
  // How many bytes from the front steps [0, end_step) read.
  virtual int64_t OperandBytes(int operand, int64_t end_step) const = 0;
  // How many bytes from the front are final after steps [0, end_step). Steps
  // from end_step on write no byte before.
  virtual int64_t ResultBytes(int result, int64_t end_step) const = 0;

  // For people; says passes, loops, blocks. Unstable.
  virtual std::string ToString() const = 0;

  // Computes. Errors: kCancelled, nothing else; results are then undefined.
  virtual absl::Status Run(const Bindings& bindings, OuterRange range,
                           CancelToken cancel) const = 0;
  absl::Status Run(const Bindings& bindings) const {
    return Run(bindings, OuterRange{}, CancelToken());
  }
};

// How results leave.
enum class Delivery {
  kWhole,    // all at once: EngineLimits::max_result_bytes holds for all
  kInParts,  // while they grow: it holds for those of plans of one outer step
};

class Engine {
 public:
  // Errors: kFailedPrecondition if the CPU lacks the least SIMD target,
  // kInvalidArgument if options name an unknown one.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(
      const EngineOptions& options);
  virtual ~Engine() = default;

  // Errors, field paths relative to ComputeSpec ("results[0].strides..."):
  //   kInvalidArgument    a rule is broken or a count limit exceeded
  //   kUnimplemented      an operation is not built (yet) for that type
  //   kResourceExhausted  over a byte or cost limit
  virtual absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      const Signature& signature, Delivery delivery) const = 0;
  absl::StatusOr<std::shared_ptr<const Plan>> Prepare(
      const Signature& signature) const {
    return Prepare(signature, Delivery::kWhole);
  }

  // Whether programs may use that operation on operands of that type (what the
  // type means: operations.inc).
  virtual bool Supports(Opcode opcode, DType type) const = 0;

  virtual absl::string_view simd_target() const = 0;
  virtual int num_threads() const = 0;
  virtual const EngineLimits& limits() const = 0;

  // Runs `task` soon on one of the engine's threads; a Run in it uses the
  // others too. The destructor waits for all tasks.
  virtual void Enqueue(std::function<void()> task) = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_ENGINE_ENGINE_H_
