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
    case Opcode::kSquare:
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
    result.reserve(count -
                   std::count(is_joined_.begin(), is_joined_.end(), true));
    for (int i = 0; i < count; ++i) {
      if (is_joined_[i]) continue;
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

  // Whether computation i, in that role, can go on where computation `before`
  // ends.
  bool MayContinue(int i, Role role, const ValueRef& before) const {
    if (before.is_leaf) return false;
    const size_t num_uses =
        IsSquare(i) ? pass_.computations[i].inputs.size() : 1;
    if (num_uses_[before.index] != num_uses) return false;
    const Role last = RoleOf(before.index);
    return (last == Role::kStep || last == Role::kSame ||
            (last == Role::kEntry && role == Role::kStep)) &&
           chains_[before.index].inputs.size() < kMaxChainInputs &&
           chains_[before.index].steps.size() < kMaxChainSteps;
  }

  // The operand whose chain computation i continues; -1 if there is none. Of
  // two that with more steps, of two with as many what is no product.
  int Continued(int i) const {
    const Role role = RoleOf(i);
    if (role == Role::kNone || role == Role::kEntry) return -1;
    const Computation& computation = pass_.computations[i];
    int best = -1;
    size_t best_rank = 0;
    for (size_t k = 0; k < computation.inputs.size(); ++k) {
      const ValueRef& input = computation.inputs[k];
      if (!MayContinue(i, role, input)) continue;
      const size_t rank = 1 + 2 * chains_[input.index].steps.size() +
                          (IsProduct(input.index) ? 0 : 1);
      if (rank <= best_rank) continue;
      best_rank = rank;
      best = static_cast<int>(k);
    }
    return best;
  }

  ChainedComputation ChainOf(int i) {
    const Computation& computation = pass_.computations[i];
    is_joined_.push_back(false);
    const int continued = Continued(i);
    if (continued < 0) return {computation.value, computation.inputs, {}};
    const int before = computation.inputs[continued].index;
    is_joined_[before] = true;
    ChainedComputation chain = std::move(chains_[before]);
    if (chain.steps.empty()) Begin(before, chain);
    chain.value = computation.value;
    const DType type = program_.value(computation.value).type;
    if (RoleOf(i) == Role::kExit) {
      chain.types.last = type;
      return chain;
    }
    if (RoleOf(i) == Role::kSame) return chain;
    ChainStep step = StepOf(i);
    step.is_reversed = continued == 1;
    if (computation.inputs.size() > 1 && step.opcode != Opcode::kSquare) {
      const ValueRef& other = computation.inputs[1 - continued];
      if (MayAddProduct(step.opcode, other, chain)) {
        AddProduct(other.index, chain, step);
      } else {
        step.input = AddInput(other, chain);
      }
    }
    chain.steps.push_back(step);
    return chain;
  }

  // Whether `other`, an operand of a step, is a product that can be part of it.
  bool MayAddProduct(Opcode opcode, const ValueRef& other,
                     const ChainedComputation& chain) const {
    if (opcode != Opcode::kAdd && opcode != Opcode::kSubtract) return false;
    return !other.is_leaf && num_uses_[other.index] == 1 &&
           chains_[other.index].steps.empty() && IsProduct(other.index) &&
           chain.inputs.size() + (IsSquare(other.index) ? 1 : 2) <=
               kMaxChainInputs;
  }

  void AddProduct(int product, ChainedComputation& chain, ChainStep& step) {
    is_joined_[product] = true;
    const auto& inputs = chains_[product].inputs;
    step.input = AddInput(inputs.front(), chain);
    step.factor =
        IsSquare(product) ? step.input : AddInput(inputs.back(), chain);
  }

  static int AddInput(const ValueRef& input, ChainedComputation& chain) {
    chain.inputs.push_back(input);
    return static_cast<int>(chain.inputs.size()) - 1;
  }

  // Makes a chain of a computation that was alone: its first step, or the
  // conversion of its operand.
  void Begin(int i, ChainedComputation& chain) const {
    const int value = pass_.computations[i].value;
    const DType type = program_.value(value).type;
    chain.types = {program_.inference(value).subject, type, type};
    if (RoleOf(i) != Role::kStep) return;
    ChainStep step = StepOf(i);
    if (step.opcode == Opcode::kSquare) {
      chain.inputs.resize(1);
    } else if (chain.inputs.size() > 1) {
      step.input = 1;
    }
    chain.steps.push_back(step);
  }

  // Of computation i, without its operand.
  ChainStep StepOf(int i) const {
    return {IsSquare(i) ? Opcode::kSquare : OpcodeOf(i)};
  }
  // Whether it is, but for its name.
  bool IsSquare(int i) const {
    const auto& inputs = pass_.computations[i].inputs;
    return OpcodeOf(i) == Opcode::kSquare ||
           (OpcodeOf(i) == Opcode::kMultiply && inputs[0] == inputs[1]);
  }
  bool IsProduct(int i) const {
    return OpcodeOf(i) == Opcode::kMultiply || OpcodeOf(i) == Opcode::kSquare;
  }
  Opcode OpcodeOf(int i) const {
    return program_.instruction(pass_.computations[i].value).opcode;
  }

  const Pass& pass_;
  const Program& program_;
  absl::InlinedVector<size_t, 16> num_uses_;
  absl::InlinedVector<int, 16> new_index_;
  absl::InlinedVector<ChainedComputation, 1> chains_;  // by computation
  absl::InlinedVector<bool, 16> is_joined_;            // to another's chain
};

}  // namespace

std::vector<ChainedComputation> ChainComputations(const Pass& pass,
                                                  const Program& program,
                                                  absl::Span<ValueRef> stores) {
  return Chainer(pass, program).Run(stores);
}

}  // namespace stridecast
