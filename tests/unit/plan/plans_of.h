// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// From a signature to its passes' plans, and short instructions for it.

#ifndef STRIDECAST_TESTS_UNIT_PLAN_PLANS_OF_H_
#define STRIDECAST_TESTS_UNIT_PLAN_PLANS_OF_H_

#include <cstdint>
#include <vector>

#include "core/plan/pass_plan.h"

namespace stridecast::plan_tests {

inline constexpr ProgramLimits kLimits = {.max_instructions = 256,
                                          .max_operands = 64,
                                          .max_results = 64,
                                          .max_operand_references = 4096,
                                          .max_constant_bytes = 1024};

std::vector<PassPlan> PlansOf(const Signature& signature,
                              const PassPlanOptions& options = {});

// Of a program of one pass.
PassPlan PlanOf(const Signature& signature,
                const PassPlanOptions& options = {});

Instruction Transpose(uint32_t x, DimVector permutation);
Instruction Reverse(uint32_t x, DimVector dimensions);
Instruction Broadcast(uint32_t x, DimVector shape, DimVector dimensions);
Instruction Sqrt(uint32_t x);
Instruction Add(uint32_t x, uint32_t y, DimVector dimensions = {});

}  // namespace stridecast::plan_tests

#endif  // STRIDECAST_TESTS_UNIT_PLAN_PLANS_OF_H_
