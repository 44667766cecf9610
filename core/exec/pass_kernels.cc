// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/pass_kernels.h"

#include <cassert>
#include <utility>

namespace stridecast {
namespace {

static_assert(kMaxChainInputs <= kMaxChainOperands &&
              kMaxChainSteps <= kMaxChainLinks);

ChainOperation LinkOf(const ChainStep& step) {
  switch (step.opcode) {
    case Opcode::kAdd:
      return ChainOperation::kAdd;
    case Opcode::kSubtract:
      return step.is_reversed ? ChainOperation::kSubtractFrom
                              : ChainOperation::kSubtract;
    case Opcode::kMultiply:
      return ChainOperation::kMultiply;
    case Opcode::kDivide:
      return step.is_reversed ? ChainOperation::kDivideInto
                              : ChainOperation::kDivide;
    case Opcode::kMaximum:
      return ChainOperation::kMaximum;
    case Opcode::kMinimum:
      return ChainOperation::kMinimum;
    case Opcode::kSqrt:
      return ChainOperation::kSqrt;
    default:
      assert(step.opcode == Opcode::kSquare);
      return ChainOperation::kSquare;
  }
}

}  // namespace

PassKernels::PassKernels(const PassPlan& plan, const KernelTable& table,
                         std::vector<BoundKernel> kernels)
    : table_(&table), kernels_(std::move(kernels)) {
  assert(kernels_.size() == plan.computations.size());
  calls_.reserve(plan.computations.size());
  operands_.reserve(3 * plan.computations.size());
  moving_.reserve(plan.leaves.size());
  for (size_t i = 0; i < plan.computations.size(); ++i) {
    const ComputationPlan& computation = plan.computations[i];
    Call& call = calls_.emplace_back();
    call.num_inputs = static_cast<int>(computation.inputs.size());
    call.first_operand = operands_.size();
    call.first_moving = moving_.size();
    for (const ValueRef& input : computation.inputs) AddInput(plan, input);
    call.end_moving = moving_.size();
    if (!computation.chain.empty()) {
      call.types = computation.chain_types;
      call.chain = table.Chain(call.types.working);
      call.links.reserve(computation.chain.size());
      for (const ChainStep& step : computation.chain) {
        call.links.push_back({LinkOf(step), step.input, step.factor});
      }
      continue;
    }
    call.kernel = kernels_[i].kernel;
    assert(call.kernel != nullptr);
    const KernelParameters& parameters = kernels_[i].parameters;
    for (int p = 0; p < parameters.count; ++p) {
      operands_.push_back(
          {reinterpret_cast<const std::byte*>(&parameters.elements[p]), 0, 0});
    }
  }
}

void PassKernels::AddInput(const PassPlan& plan, const ValueRef& input) {
  if (!input.is_leaf) {
    const ComputationPlan& computation = plan.computations[input.index];
    AddScratch(plan.tiling, computation.scratch_offset,
               computation.element_bytes);
    return;
  }
  const LeafPlan& leaf = plan.leaves[input.index];
  const int64_t bytes = leaf.access.element_bytes;
  if (leaf.tile_strides.empty() && leaf.scratch_offset >= 0) {
    AddScratch(plan.tiling, leaf.scratch_offset, bytes);
    return;
  }
  moving_.push_back({operands_.size(), input.index});
  const DimVector& strides =
      leaf.tile_strides.empty() ? leaf.access.byte_strides : leaf.tile_strides;
  const bool repeated = leaf.tile_strides.empty() && leaf.access.repeated;
  operands_.push_back(
      {nullptr, plan.tiling.RowStride(strides), repeated ? 0 : bytes});
}

void PassKernels::AddScratch(const Tiling& tiling, int64_t offset,
                             int64_t element_bytes) {
  scratch_.push_back({operands_.size(), offset});
  operands_.push_back(
      {nullptr, tiling.RowPitch() * element_bytes, element_bytes});
}

}  // namespace stridecast
