// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The kernels of a pass, and of their operands all that is known before there
// is data: parameters whole, what lies in scratch by its offset, what lies in a
// buffer without its address. Settled once for all runs of the pass.

#ifndef STRIDECAST_CORE_EXEC_PASS_KERNELS_H_
#define STRIDECAST_CORE_EXEC_PASS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernel.h"
#include "core/plan/pass_plan.h"

namespace stridecast {

// Of one computation; none of a chain.
struct BoundKernel {
  Kernel kernel = nullptr;
  KernelParameters parameters = {};
};

class PassKernels {
 public:
  // `kernels` by computation.
  PassKernels(const PassPlan& plan, const KernelTable& table,
              std::vector<BoundKernel> kernels);
  PassKernels(PassKernels&&) = default;
  PassKernels& operator=(PassKernels&&) = default;
  PassKernels(const PassKernels&) = delete;
  PassKernels& operator=(const PassKernels&) = delete;

  // What one computation of the plan calls at every block.
  struct Call {
    Kernel kernel = nullptr;  // null: the chain
    ChainKernel chain = nullptr;
    std::vector<ChainLink> links = {};
    int num_inputs = 0;
    ChainTypes types = {};     // of the chain
    size_t first_operand = 0;  // of operands()
    size_t first_moving = 0;   // of moving()
    size_t end_moving = 0;
  };
  // An operand in scratch, at that offset, wherever the block is.
  struct ScratchOperand {
    size_t operand;
    int64_t offset;
  };
  // An operand where a leaf's block lies.
  struct MovingOperand {
    size_t operand;
    int leaf;
  };

  const KernelTable& table() const { return *table_; }
  const Call& call(int computation) const { return calls_[computation]; }
  // Calls it; `operands` are those of all computations.
  void Run(int computation, int64_t rows, int64_t cols,
           const BlockOperand* operands, BlockResult result) const {
    const Call& call = calls_[computation];
    operands += call.first_operand;
    if (call.kernel != nullptr) {
      call.kernel(rows, cols, operands, result);
      return;
    }
    const ChainArgs args{call.links.data(), static_cast<int>(call.links.size()),
                         call.num_inputs, call.types.first, call.types.last};
    call.chain(rows, cols, args, operands, result);
  }
  // Of all computations, one after the other; parameters have their data.
  const std::vector<BlockOperand>& operands() const { return operands_; }
  const std::vector<ScratchOperand>& scratch() const { return scratch_; }
  const std::vector<MovingOperand>& moving() const { return moving_; }

 private:
  void AddInput(const PassPlan& plan, const ValueRef& input);
  void AddScratch(const Tiling& tiling, int64_t offset, int64_t element_bytes);

  const KernelTable* table_;
  std::vector<Call> calls_;
  std::vector<BoundKernel> kernels_;  // by computation
  std::vector<BlockOperand> operands_;
  std::vector<ScratchOperand> scratch_;
  std::vector<MovingOperand> moving_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_PASS_KERNELS_H_
