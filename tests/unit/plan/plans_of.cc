// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/plan/plans_of.h"

#include <utility>

#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace stridecast::plan_tests {

using testing::BinaryOp;
using testing::Op;

std::vector<PassPlan> PlansOf(const Signature& signature,
                              const PassPlanOptions& options) {
  const Program program = Program::Create(signature, kLimits).value();
  const NormalProgram normal = Normalize(program);
  std::vector<PassPlan> plans;
  for (const Pass& pass : normal.passes) {
    plans.push_back(MakePassPlan(pass, program, normal.temporaries, options));
  }
  return plans;
}

PassPlan PlanOf(const Signature& signature, const PassPlanOptions& options) {
  std::vector<PassPlan> plans = PlansOf(signature, options);
  EXPECT_EQ(plans.size(), 1u);
  return std::move(plans[0]);
}

Instruction Transpose(uint32_t x, DimVector permutation) {
  return Op(Opcode::kTranspose, {x}, DimensionsAttribute{permutation});
}

Instruction Reverse(uint32_t x, DimVector dimensions) {
  return Op(Opcode::kReverse, {x}, DimensionsAttribute{dimensions});
}

Instruction Broadcast(uint32_t x, DimVector shape, DimVector dimensions) {
  return Op(Opcode::kBroadcastInDim, {x},
            BroadcastInDimAttribute{shape, dimensions});
}

Instruction Sqrt(uint32_t x) { return Op(Opcode::kSqrt, {x}); }

Instruction Add(uint32_t x, uint32_t y, DimVector dimensions) {
  return BinaryOp(Opcode::kAdd, x, y, dimensions);
}

}  // namespace stridecast::plan_tests
