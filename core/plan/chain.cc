// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/chain.h"

#include <algorithm>
#include <utility>

namespace stridecast {
namespace {

bool MayChain(Opcode opcode, DType type) {
  if (type != DType::kF32 && type != DType::kF64) return false;
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kSqrt:
      return true;
    default:
      return false;
  }
}

class Chainer {
 public:
  Chainer(const Pass& pass, const Program& program)
      : pass_(pass),
        program_(program),
        num_uses_(pass.computations.size(), 0),
        new_index_(pass.computations.size(), -1) {
    for (const Computation& computation : pass.computations) {
      for (const ValueRef& input : computation.inputs) CountUse(input);
    }
    for (const PassStore& store : pass.stores) CountUse(store.source);
  }

  std::vector<ChainedComputation> Run(absl::Span<ValueRef> stores) {
    const auto count = static_cast<int>(pass_.computations.size());
    chains_.reserve(count);
    for (int i = 0; i < count; ++i) chains_.push_back(ChainOf(i));
    std::vector<ChainedComputation> result;
    for (int i = 0; i < count; ++i) {
      if (is_continued_[i]) continue;
      new_index_[i] = static_cast<int>(result.size());
      for (ValueRef& input : chains_[i].inputs) Renumber(input);
      result.push_back(std::move(chains_[i]));
    }
    for (ValueRef& store : stores) Renumber(store);
    return result;
  }

 private:
  void CountUse(const ValueRef& ref) {
    if (!ref.is_leaf) ++num_uses_[ref.index];
  }

  void Renumber(ValueRef& ref) const {
    if (!ref.is_leaf) ref.index = new_index_[ref.index];
  }

  bool MayChain(int i) const {
    const int value = pass_.computations[i].value;
    return stridecast::MayChain(program_.instruction(value).opcode,
                                program_.inference(value).subject);
  }

  // The operand whose chain computation i continues; -1 if there is none. Of
  // two that with more steps.
  int Continued(const Computation& computation) const {
    int best = -1;
    size_t most_steps = 0;
    for (size_t k = 0; k < computation.inputs.size(); ++k) {
      const ValueRef& input = computation.inputs[k];
      if (input.is_leaf || num_uses_[input.index] != 1 ||
          !MayChain(input.index) ||
          chains_[input.index].inputs.size() + 1 > kMaxChainInputs) {
        continue;
      }
      const size_t steps = chains_[input.index].steps.size() + 1;
      if (steps <= most_steps) continue;
      most_steps = steps;
      best = static_cast<int>(k);
    }
    return best;
  }

  ChainedComputation ChainOf(int i) {
    const Computation& computation = pass_.computations[i];
    is_continued_.push_back(false);
    ChainedComputation alone{computation.value, computation.inputs, {}};
    const int continued = MayChain(i) ? Continued(computation) : -1;
    if (continued < 0) return alone;
    const int before = computation.inputs[continued].index;
    is_continued_[before] = true;
    ChainedComputation chain = std::move(chains_[before]);
    if (chain.steps.empty()) {
      AddStep(pass_.computations[before].value, /*continued=*/0,
              chain.inputs.size() > 1 ? 1 : -1, chain);
    }
    int input = -1;
    if (computation.inputs.size() > 1) {
      input = static_cast<int>(chain.inputs.size());
      chain.inputs.push_back(computation.inputs[1 - continued]);
    }
    AddStep(computation.value, continued, input, chain);
    chain.value = computation.value;
    return chain;
  }

  void AddStep(int value, int continued, int input,
               ChainedComputation& chain) const {
    chain.steps.push_back(
        {program_.instruction(value).opcode, input, continued == 1});
  }

  const Pass& pass_;
  const Program& program_;
  std::vector<int> num_uses_;
  std::vector<int> new_index_;
  std::vector<ChainedComputation> chains_;  // by computation
  std::vector<bool> is_continued_;          // by another's chain
};

}  // namespace

std::vector<ChainedComputation> ChainComputations(const Pass& pass,
                                                  const Program& program,
                                                  absl::Span<ValueRef> stores) {
  return Chainer(pass, program).Run(stores);
}

}  // namespace stridecast
