// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/chain.h"

#include <algorithm>
#include <utility>

namespace stridecast {
namespace {

// What a computation may be in a chain. All that kSame does, a conversion of
// f32 to itself, is done at the end of every chain.
enum class Role { kNone, kEntry, kStep, kSame, kExit };

bool IsConvertedInChains(DType type) {
  switch (type) {
    case DType::kU8:
    case DType::kS8:
    case DType::kU16:
    case DType::kS16:
    case DType::kF16:
    case DType::kBF16:
      return true;
    default:
      return false;
  }
}

Role RoleOf(const Program& program, int value) {
  const Instruction& instruction = program.instruction(value);
  const DType subject = program.inference(value).subject;
  const bool is_f32 = subject == DType::kF32;
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kSqrt:
      return is_f32 || subject == DType::kF64 ? Role::kStep : Role::kNone;
    case Opcode::kConvert: {
      const auto& convert = std::get<ConvertAttribute>(instruction.attribute);
      if (is_f32 && convert.type == DType::kF32) return Role::kSame;
      if (is_f32 && IsConvertedInChains(convert.type)) {
        return convert.overflow == Overflow::kWrap ? Role::kNone : Role::kExit;
      }
      return convert.type == DType::kF32 && IsConvertedInChains(subject)
                 ? Role::kEntry
                 : Role::kNone;
    }
    default:
      return Role::kNone;
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
    result.reserve(
        count - std::count(is_continued_.begin(), is_continued_.end(), true));
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

  Role RoleOf(int i) const {
    return stridecast::RoleOf(program_, pass_.computations[i].value);
  }

  // Whether a computation in that role can go on where computation `before`
  // ends.
  bool MayContinue(Role role, const ValueRef& before) const {
    if (before.is_leaf || num_uses_[before.index] != 1) return false;
    const Role last = RoleOf(before.index);
    return (last == Role::kStep || last == Role::kSame ||
            (last == Role::kEntry && role == Role::kStep)) &&
           chains_[before.index].inputs.size() < kMaxChainInputs &&
           chains_[before.index].steps.size() < kMaxChainSteps;
  }

  // The operand whose chain computation i continues; -1 if there is none. Of
  // two that with more steps.
  int Continued(int i) const {
    const Role role = RoleOf(i);
    if (role == Role::kNone || role == Role::kEntry) return -1;
    const Computation& computation = pass_.computations[i];
    int best = -1;
    size_t most_steps = 0;
    for (size_t k = 0; k < computation.inputs.size(); ++k) {
      const ValueRef& input = computation.inputs[k];
      if (!MayContinue(role, input)) continue;
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
    const int continued = Continued(i);
    if (continued < 0) return {computation.value, computation.inputs, {}};
    const int before = computation.inputs[continued].index;
    is_continued_[before] = true;
    ChainedComputation chain = std::move(chains_[before]);
    if (chain.steps.empty()) Begin(before, chain);
    chain.value = computation.value;
    const DType type = program_.value(computation.value).type;
    if (RoleOf(i) == Role::kExit) {
      chain.types.last = type;
      return chain;
    }
    if (RoleOf(i) == Role::kSame) return chain;
    int input = -1;
    if (computation.inputs.size() > 1) {
      input = static_cast<int>(chain.inputs.size());
      chain.inputs.push_back(computation.inputs[1 - continued]);
    }
    AddStep(computation.value, continued, input, chain);
    return chain;
  }

  // Makes a chain of a computation that was alone: its first step, or the
  // conversion of its operand.
  void Begin(int i, ChainedComputation& chain) const {
    const int value = pass_.computations[i].value;
    const DType type = program_.value(value).type;
    chain.types = {program_.inference(value).subject, type, type};
    if (RoleOf(i) != Role::kStep) return;
    AddStep(value, /*continued=*/0, chain.inputs.size() > 1 ? 1 : -1, chain);
  }

  void AddStep(int value, int continued, int input,
               ChainedComputation& chain) const {
    chain.steps.push_back(
        {program_.instruction(value).opcode, input, continued == 1});
  }

  const Pass& pass_;
  const Program& program_;
  absl::InlinedVector<int, 16> num_uses_;
  absl::InlinedVector<int, 16> new_index_;
  absl::InlinedVector<ChainedComputation, 1> chains_;  // by computation
  absl::InlinedVector<bool, 16> is_continued_;         // by another's chain
};

}  // namespace

std::vector<ChainedComputation> ChainComputations(const Pass& pass,
                                                  const Program& program,
                                                  absl::Span<ValueRef> stores) {
  return Chainer(pass, program).Run(stores);
}

}  // namespace stridecast
