// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Values are visited from the last to the first, so that all that is asked of a
// value is known when its turn comes. What is asked is a Demand: a view of the
// value over the space of a pass, and the places in that pass where its
// reference goes.

#include "core/program/normalize.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/program/parts.h"

namespace stridecast {

namespace {

// More stores in one pass would shrink its blocks more than shared reading
// saves.
constexpr size_t kMaxStoresPerPass = 4;

// Of a pass; most have no more.
constexpr size_t kReservedLeaves = 2;
constexpr size_t kReservedComputations = 8;

// Where in a pass the reference to a demanded value is to be written.
struct Target {
  bool is_store;
  int index;  // of the store, or of the computation
  int input;  // of the computation
};

using Targets = absl::InlinedVector<Target, 2>;

struct Demand {
  int pass;
  View view;
  Targets targets;
};
using Demands = absl::InlinedVector<Demand, 1>;

class Normalizer {
 public:
  explicit Normalizer(const Program& program)
      : program_(program), demands_(program.num_values()) {}

  NormalProgram Run() {
    for (size_t r = 0; r < program_.results().size(); ++r) {
      AddResult(static_cast<int>(r));
    }
    for (int v = program_.num_values() - 1; v >= 0; --v) Visit(v);
    return Finish();
  }

 private:
  // A transpose at the root goes into the way its result is stored.
  void AddResult(int result) {
    int value = program_.result_value(result);
    View store = View::Identity(program_.value(value).shape);
    for (;;) {
      if (program_.IsOperand(value)) break;
      const Instruction& instruction = program_.instruction(value);
      if (instruction.opcode == Opcode::kTranspose) {
        const auto& permutation =
            std::get<DimensionsAttribute>(instruction.attribute).dimensions;
        View transposed = store;
        for (size_t d = 0; d < permutation.size(); ++d) {
          transposed.axes[permutation[d]] = store.axes[d];
        }
        store = std::move(transposed);
      } else if (instruction.opcode != Opcode::kIdentity) {
        break;
      }
      value = static_cast<int>(instruction.operands[0]);
    }
    const Shape& space = program_.value(value).shape;
    const int pass = PassForResultOf(space);
    std::vector<PassStore>& stores = passes_[pass].stores;
    stores.push_back({true, result, ValueRef{}, std::move(store)});
    AddDemand(value, pass, View::Identity(space),
              {{true, static_cast<int>(stores.size()) - 1, 0}});
  }

  int PassForResultOf(const Shape& space) {
    for (size_t p = 0; p < passes_.size(); ++p) {
      if (passes_[p].space == space &&
          passes_[p].stores.size() < kMaxStoresPerPass) {
        return static_cast<int>(p);
      }
    }
    return NewPass(space);
  }

  int NewPass(const Shape& space) {
    passes_.emplace_back();
    passes_.back().space = space;
    passes_.back().leaves.reserve(kReservedLeaves);
    return static_cast<int>(passes_.size()) - 1;
  }

  void AddDemand(int value, int pass, View view, Targets targets) {
    const Shape& space = passes_[pass].space;
    for (int p = 0; p < space.rank(); ++p) {
      if (space.extent(p) == 1) view.axes[p] = {};
    }
    if (space.num_elements() == 0) {
      // No tensor bounds these numbers: they would overflow further on.
      std::fill(view.axes.begin(), view.axes.end(), View::Axis{});
      std::fill(view.start.begin(), view.start.end(), 0);
    }
    for (Demand& demand : demands_[value]) {
      if (demand.pass == pass && demand.view == view) {
        demand.targets.insert(demand.targets.end(), targets.begin(),
                              targets.end());
        return;
      }
    }
    demands_[value].push_back({pass, std::move(view), std::move(targets)});
  }

  void Visit(int value) {
    Demands demands = std::exchange(demands_[value], {});
    if (demands.empty()) return;
    if (program_.IsOperand(value)) {
      return AddLeaves(Source::kOperand, value, value, demands);
    }
    const Instruction& instruction = program_.instruction(value);
    switch (OperationOf(instruction.opcode).form) {
      case Form::kConstant:
        return AddLeaves(Source::kConstant, value, value, demands);
      case Form::kIota:
        return AddIota(value, demands);
      case Form::kReshape:
        return PushReshape(value, demands);
      case Form::kBitcastConvert:
        return PushBitcast(value, demands);
      case Form::kConcatenate:
      case Form::kPad:
        return StoreParts(value, std::move(demands));
      case Form::kBroadcastInDim:
      case Form::kTranspose:
      case Form::kReverse:
      case Form::kSlice:
        return PushView(instruction, value, demands);
      default:
        break;
    }
    if (instruction.opcode == Opcode::kIdentity) {
      return PushView(instruction, value, demands);
    }
    if (demands.size() > 1 ||
        Repeats(demands[0].view, passes_[demands[0].pass].space)) {
      demands = Materialize(value, std::move(demands));
    }
    Compute(instruction, value, demands[0]);
  }

  ValueRef LeafOf(int pass, Leaf leaf) {
    std::vector<Leaf>& leaves = passes_[pass].leaves;
    auto same = std::find(leaves.begin(), leaves.end(), leaf);
    if (same == leaves.end()) {
      same = leaves.insert(leaves.end(), std::move(leaf));
    }
    return {true, static_cast<int>(same - leaves.begin())};
  }

  void AddLeaves(Source source, int index, int value, const Demands& demands) {
    for (const Demand& demand : demands) {
      const DType type = program_.value(value).type;
      Resolve(demand, LeafOf(demand.pass, {source, index, type, demand.view}));
    }
  }

  // Indices as s64, converted: cheaper than to store and load them.
  void AddIota(int value, const Demands& demands) {
    for (const Demand& demand : demands) {
      ValueRef ref =
          LeafOf(demand.pass, {Source::kIota, value, DType::kS64, demand.view});
      if (program_.value(value).type != DType::kS64) {
        std::vector<Computation>& computations =
            passes_[demand.pass].computations;
        computations.push_back({value, {ref}});
        ref = {false, static_cast<int>(computations.size()) - 1};
      }
      Resolve(demand, ref);
    }
  }

  // Where the spaces of passes can be split so that the view of the operand is
  // affine, it is pushed on; else the operand is read as the row of elements
  // that it is in memory.
  void PushReshape(int value, Demands& demands) {
    const int operand = OperandOf(value);
    // Those that are left stay where a later split of their pass finds them.
    for (auto at = demands.begin(); at != demands.end();) {
      Demand& demand = *at;
      const auto split =
          Unflatten(Flatten(demand.view, program_.value(value).shape),
                    passes_[demand.pass].space, program_.value(operand).shape);
      if (!split || !SplitPass(demand.pass, split->factors, demands)) {
        ++at;
        continue;
      }
      AddDemand(operand, demand.pass, split->view, std::move(demand.targets));
      at = demands.erase(at);
    }
    ReadFlat(value, demands);
  }

  void PushBitcast(int value, Demands& demands) {
    const int operand = OperandOf(value);
    if (ElementBytes(program_.value(value).type) !=
        ElementBytes(program_.value(operand).type)) {
      return ReadFlat(value, demands);
    }
    for (Demand& demand : demands) {
      AddDemand(operand, demand.pass, std::move(demand.view),
                std::move(demand.targets));
    }
  }

  // Splits dimensions of the pass' space: all that refers to it is rewritten,
  // also the demands that are in the caller's hands. False if that are too many
  // dimensions.
  bool SplitPass(int pass, const Factors& factors, Demands& in_hand) {
    DimVector extents;
    for (const DimVector& factor : factors) {
      extents.insert(extents.end(), factor.begin(), factor.end());
    }
    const auto space = Shape::Create(extents);
    if (!space.ok()) return false;
    if (*space == passes_[pass].space) return true;
    passes_[pass].space = *space;
    const auto split = [&](View& view) { view = SplitSpace(view, factors); };
    for (Leaf& leaf : passes_[pass].leaves) split(leaf.view);
    for (PassStore& store : passes_[pass].stores) split(store.view);
    const auto split_all = [&](Demands& demands) {
      for (Demand& demand : demands) {
        if (demand.pass == pass) split(demand.view);
      }
    };
    for (Demands& demands : demands_) split_all(demands);
    split_all(in_hand);
    return true;
  }

  // The value has the same bytes as its operand, if both are dense and
  // row-major: demands read these.
  void ReadFlat(int value, const Demands& demands) {
    if (demands.empty()) return;
    const ValueType& type = program_.value(value);
    const auto [source, index] = FlatSource(OperandOf(value));
    for (const Demand& demand : demands) {
      Resolve(demand,
              LeafOf(demand.pass, {source, index, type.type,
                                   Flatten(demand.view, type.shape), true}));
    }
  }

  struct FlatBuffer {
    Source source;
    int index;
  };

  // Something that holds the value's elements in row-major order.
  FlatBuffer FlatSource(int value) {
    for (;; value = OperandOf(value)) {
      if (program_.IsOperand(value)) {
        if (program_.operands()[value].layout().IsContiguous()) {
          return {Source::kOperand, value};
        }
        break;
      }
      const Instruction& instruction = program_.instruction(value);
      if (const auto* constant =
              std::get_if<ConstantAttribute>(&instruction.attribute)) {
        if (constant->desc.layout().IsContiguous()) {
          return {Source::kConstant, value};
        }
        break;
      }
      const Form form = OperationOf(instruction.opcode).form;
      if (form != Form::kReshape && form != Form::kBitcastConvert &&
          instruction.opcode != Opcode::kIdentity) {
        break;
      }
    }
    const ValueType& type = program_.value(value);
    const int temporary = static_cast<int>(temporaries_.size());
    temporaries_.push_back(type);
    const int pass = NewPass(type.shape);
    const View identity = View::Identity(type.shape);
    passes_[pass].stores.push_back({false, temporary, ValueRef{}, identity});
    AddDemand(value, pass, identity, {{true, 0, 0}});
    return {Source::kTemporary, temporary};
  }

  int OperandOf(int value) const {
    return static_cast<int>(program_.instruction(value).operands[0]);
  }

  // A pass for each part, storing it where the whole is wanted.
  void StoreParts(int value, Demands demands) {
    const Shape& shape = program_.value(value).shape;
    if (demands.size() > 1 || !IsStoredWhole(demands[0], shape)) {
      demands = Materialize(value, std::move(demands));
    }
    // Without elements nothing is stored, but gaps are filled.
    if (shape.num_elements() == 0) return;
    std::vector<PassStore> wholes;
    for (const Target& target : demands[0].targets) {
      PassStore& store = passes_[demands[0].pass].stores[target.index];
      wholes.push_back(store);
      store.index = kMoved;
    }
    for (const Part& part : PartsOf(program_, value)) {
      const int pass = NewPass(part.box.shape);
      Targets targets;
      for (const PassStore& whole : wholes) {
        targets.push_back({true, static_cast<int>(targets.size()), 0});
        passes_[pass].stores.push_back(
            {whole.is_result, whole.index, ValueRef{},
             ComposeBox(whole.view, part.box), true, part.is_over});
      }
      AddDemand(part.value, pass, part.view, std::move(targets));
    }
  }

  // Whether all that is asked for is to store the value, every index of it and
  // where there are no gaps to be filled.
  bool IsStoredWhole(const Demand& demand, const Shape& shape) const {
    const Pass& pass = passes_[demand.pass];
    return pass.space == shape && demand.view == View::Identity(shape) &&
           std::all_of(demand.targets.begin(), demand.targets.end(),
                       [&](const Target& target) {
                         return target.is_store &&
                                !pass.stores[target.index].is_over &&
                                !HasGaps(pass.stores[target.index]);
                       });
  }

  bool HasGaps(const PassStore& store) const {
    if (!store.is_result) return false;
    const TensorDesc& desc = program_.results()[store.index];
    return desc.layout().num_slots() != desc.shape().num_elements();
  }

  void PushView(const Instruction& instruction, int value, Demands& demands) {
    const int operand = static_cast<int>(instruction.operands[0]);
    const Shape& shape = program_.value(operand).shape;
    for (Demand& demand : demands) {
      AddDemand(operand, demand.pass,
                ViewOfOperand(instruction, shape, program_.value(value).shape,
                              demand.view),
                std::move(demand.targets));
    }
  }

  static View ViewOfOperand(const Instruction& instruction,
                            const Shape& operand, const Shape& result,
                            const View& view) {
    switch (instruction.opcode) {
      case Opcode::kTranspose:
        return ComposeTranspose(
            view,
            std::get<DimensionsAttribute>(instruction.attribute).dimensions);
      case Opcode::kReverse:
        return ComposeReverse(
            view, operand,
            std::get<DimensionsAttribute>(instruction.attribute).dimensions);
      case Opcode::kSlice:
        return ComposeSlice(view,
                            std::get<SliceAttribute>(instruction.attribute));
      case Opcode::kBroadcastInDim:
        return ComposeBroadcast(
            view, operand, result,
            std::get<BroadcastInDimAttribute>(instruction.attribute)
                .dimensions);
      default:
        assert(instruction.opcode == Opcode::kIdentity);
        return view;
    }
  }

  // Stores the value in a temporary by a pass of its own, which takes over
  // stores that want the value just as it is; of a value that comes in parts,
  // those without gaps. Returns the one demand left.
  Demands Materialize(int value, Demands demands) {
    const ValueType& type = program_.value(value);
    const Form form = OperationOf(program_.instruction(value).opcode).form;
    const bool has_parts = form == Form::kConcatenate || form == Form::kPad;
    const int pass = NewPass(type.shape);
    const View identity = View::Identity(type.shape);
    Demand own{pass, identity, {}};
    const auto take = [&](PassStore store) {
      std::vector<PassStore>& stores = passes_[pass].stores;
      stores.push_back(std::move(store));
      own.targets.push_back({true, static_cast<int>(stores.size()) - 1, 0});
    };
    int temporary = -1;
    // Of the parts of other values only one is stored directly: a value joined
    // with itself, and that again, would else be stored 2^n times.
    bool took_part = false;
    for (Demand& demand : demands) {
      std::vector<PassStore>& stores = passes_[demand.pass].stores;
      if (demand.view == identity && passes_[demand.pass].space == type.shape) {
        Targets kept;
        for (const Target& target : demand.targets) {
          if (!target.is_store || stores[target.index].is_over ||
              (has_parts && HasGaps(stores[target.index])) ||
              (took_part && stores[target.index].is_part)) {
            kept.push_back(target);
            continue;
          }
          took_part |= stores[target.index].is_part;
          take(stores[target.index]);
          stores[target.index].index = kMoved;
        }
        demand.targets = std::move(kept);
      }
      if (demand.targets.empty()) continue;
      if (temporary < 0) {
        temporary = static_cast<int>(temporaries_.size());
        temporaries_.push_back(type);
        take({false, temporary, ValueRef{}, identity});
      }
      AddLeaves(Source::kTemporary, temporary, value, {demand});
    }
    return {std::move(own)};
  }

  void Compute(const Instruction& instruction, int value,
               const Demand& demand) {
    Pass& pass = passes_[demand.pass];
    const int index = static_cast<int>(pass.computations.size());
    if (index == 0) pass.computations.reserve(kReservedComputations);
    pass.computations.push_back({value, {}});
    pass.computations.back().inputs.resize(instruction.operands.size());
    Resolve(demand, ValueRef{false, index});
    const Shape& shape = program_.value(value).shape;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const int operand = static_cast<int>(instruction.operands[i]);
      AddDemand(
          operand, demand.pass,
          ComposeBroadcast(demand.view, program_.value(operand).shape, shape,
                           program_.inference(value).operand_dimensions[i]),
          {{false, index, static_cast<int>(i)}});
    }
  }

  void Resolve(const Demand& demand, ValueRef ref) {
    Pass& pass = passes_[demand.pass];
    for (const Target& target : demand.targets) {
      if (target.is_store) {
        pass.stores[target.index].source = ref;
      } else {
        pass.computations[target.index].inputs[target.input] = ref;
      }
    }
  }

  // Passes and computations were made from the last to the first.
  NormalProgram Finish() {
    for (Pass& pass : passes_) {
      std::erase_if(pass.stores, [](const PassStore& store) {
        return store.index == kMoved;
      });
      const int last = static_cast<int>(pass.computations.size()) - 1;
      std::reverse(pass.computations.begin(), pass.computations.end());
      const auto flip = [last](ValueRef& ref) {
        if (!ref.is_leaf) ref.index = last - ref.index;
      };
      for (Computation& computation : pass.computations) {
        for (ValueRef& input : computation.inputs) flip(input);
      }
      for (PassStore& store : pass.stores) flip(store.source);
    }
    std::erase_if(passes_,
                  [](const Pass& pass) { return pass.stores.empty(); });
    std::reverse(passes_.begin(), passes_.end());
    return {std::move(passes_), std::move(temporaries_)};
  }

  static constexpr int kMoved = -1;

  const Program& program_;
  absl::InlinedVector<Demands, 4> demands_;  // by value
  std::vector<Pass> passes_;
  std::vector<ValueType> temporaries_;
};

}  // namespace

NormalProgram Normalize(const Program& program) {
  return Normalizer(program).Run();
}

}  // namespace stridecast
