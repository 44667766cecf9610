// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Chains: computations of which each has the one before it as its operand, and
// is its only reader, as (x * 2 + y) / z. A chain is run as one computation,
// vector by vector in registers; what stands between its steps is never stored.
// A product that is added to it or subtracted is part of that step, as in
// x * y + z * w.
// Steps round as they do alone. A chain of f32 may begin with the conversion of
// its first operand and end with one of its result. A NaN keeps its bits until
// the end of the chain and is made canonical there, which no stored bit shows,
// because every step gives a NaN for a NaN, whatever its bits.
//
// Tested by tests/unit/plan/chain_test.cc.

#ifndef STRIDECAST_CORE_PLAN_CHAIN_H_
#define STRIDECAST_CORE_PLAN_CHAIN_H_

#include <vector>

#include "core/program/normalize.h"
#include "core/program/program.h"

namespace stridecast {

// The types of a chain: of its first operand, of all between, of its result.
struct ChainTypes {
  DType first = DType::kF32;
  DType working = DType::kF32;
  DType last = DType::kF32;
};

struct ChainStep {
  Opcode opcode;
  // Of the computation's inputs; -1 for a unary operation.
  int input = -1;
  // The chain's value is the second operand: input - value.
  bool is_reversed = false;
  // Of ADD and SUBTRACT: the operand is input * this one; -1 for input alone.
  int factor = -1;
};

// A computation of the pass, or several.
struct ChainedComputation {
  int value;  // of the last
  absl::InlinedVector<ValueRef, 3> inputs;
  // Empty for one alone. The chain begins with inputs[0].
  std::vector<ChainStep> steps;
  ChainTypes types = {};  // of a chain
};

// Joins computations of `pass`; references to them become references to what
// is returned, in `stores` too. Each stays where its last computation is.
std::vector<ChainedComputation> ChainComputations(const Pass& pass,
                                                  const Program& program,
                                                  absl::Span<ValueRef> stores);

// A chain has at most so many inputs and steps.
inline constexpr size_t kMaxChainInputs = 16;
inline constexpr size_t kMaxChainSteps = 32;

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_CHAIN_H_
