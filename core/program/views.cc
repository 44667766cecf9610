// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Values are visited from the last to the first, so that all that is asked of a
// value is known when its turn comes. What is asked is a Demand: a view of the
// value over the space of a pass, and the places in that pass where its
// reference goes.

#include "core/program/views.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stridecast {

View View::Identity(const Shape& space) {
  View view;
  view.axes.resize(space.rank());
  view.start.resize(space.rank(), 0);
  if (space.num_elements() == 0) return view;
  for (int d = 0; d < space.rank(); ++d) {
    if (space.extent(d) != 1) view.axes[d] = {d, 1};
  }
  return view;
}

bool Repeats(const View& view, const Shape& space) {
  for (int p = 0; p < space.rank(); ++p) {
    if (view.axes[p].dim < 0 && space.extent(p) > 1) return true;
  }
  return false;
}

View ComposeTranspose(const View& view, absl::Span<const int64_t> permutation) {
  View composed = view;
  for (View::Axis& axis : composed.axes) {
    if (axis.dim >= 0) axis.dim = static_cast<int>(permutation[axis.dim]);
  }
  for (size_t d = 0; d < permutation.size(); ++d) {
    composed.start[permutation[d]] = view.start[d];
  }
  return composed;
}

View ComposeReverse(const View& view, const Shape& operand,
                    absl::Span<const int64_t> dimensions) {
  View composed = view;
  for (int64_t dim : dimensions) {
    const int d = static_cast<int>(dim);
    composed.start[d] = operand.extent(d) - 1 - composed.start[d];
    for (View::Axis& axis : composed.axes) {
      if (axis.dim == d) axis.step = -axis.step;
    }
  }
  return composed;
}

View ComposeSlice(const View& view, const SliceAttribute& slice) {
  View composed = view;
  const auto step_of = [&](int d) {
    return slice.step.empty() ? 1 : slice.step[d];
  };
  for (View::Axis& axis : composed.axes) {
    if (axis.dim < 0) continue;
    // An overflowing step belongs to a dimension of extent 1 or 0: unused.
    int64_t step = 0;
    if (__builtin_mul_overflow(axis.step, step_of(axis.dim), &step)) step = 0;
    axis.step = step;
  }
  for (size_t d = 0; d < slice.start.size(); ++d) {
    int64_t skipped = 0;
    if (__builtin_mul_overflow(view.start[d], step_of(static_cast<int>(d)),
                               &skipped)) {
      skipped = 0;
    }
    composed.start[d] = slice.start[d] + skipped;
  }
  return composed;
}

View ComposeBroadcast(const View& view, const Shape& operand,
                      const Shape& result,
                      absl::Span<const int64_t> dimensions) {
  absl::InlinedVector<int, kInlineRank> operand_dim(result.rank(), -1);
  View composed;
  composed.start.resize(operand.rank(), 0);
  for (int d = 0; d < operand.rank(); ++d) {
    const int dim = static_cast<int>(dimensions[d]);
    if (operand.extent(d) == 1 && result.extent(dim) != 1) continue;
    operand_dim[dim] = d;
    composed.start[d] = view.start[dim];
  }
  for (const View::Axis& axis : view.axes) {
    const int dim = axis.dim < 0 ? -1 : operand_dim[axis.dim];
    composed.axes.push_back(dim < 0 ? View::Axis{}
                                    : View::Axis{dim, axis.step});
  }
  return composed;
}

namespace {

// More stores in one pass would shrink its blocks more than shared reading
// saves.
constexpr size_t kMaxStoresPerPass = 4;

// Where in a pass the reference to a demanded value is to be written.
struct Target {
  bool is_store;
  int index;  // of the store, or of the computation
  int input;  // of the computation
};

struct Demand {
  int pass;
  View view;
  std::vector<Target> targets;
};

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
    int value = program_.results()[result].value;
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
    return static_cast<int>(passes_.size()) - 1;
  }

  void AddDemand(int value, int pass, View view, std::vector<Target> targets) {
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
    std::vector<Demand> demands = std::move(demands_[value]);
    if (demands.empty()) return;
    if (program_.IsOperand(value)) {
      return AddLeaves(Source::kOperand, value, value, demands);
    }
    const Instruction& instruction = program_.instruction(value);
    const Form form = OperationOf(instruction.opcode).form;
    if (form == Form::kConstant) {
      return AddLeaves(Source::kConstant, value, value, demands);
    }
    if (instruction.opcode == Opcode::kIdentity || !IsElementwise(form)) {
      return PushView(instruction, value, demands);
    }
    if (demands.size() > 1 ||
        Repeats(demands[0].view, passes_[demands[0].pass].space)) {
      demands = Materialize(value, std::move(demands));
    }
    Compute(instruction, value, demands[0]);
  }

  void AddLeaves(Source source, int index, int value,
                 const std::vector<Demand>& demands) {
    for (const Demand& demand : demands) {
      Pass& pass = passes_[demand.pass];
      const ValueRef leaf{true, static_cast<int>(pass.leaves.size())};
      pass.leaves.push_back(
          {source, index, program_.value(value).type, demand.view});
      Resolve(demand, leaf);
    }
  }

  void PushView(const Instruction& instruction, int value,
                std::vector<Demand>& demands) {
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
  // stores that want the value just as it is. Returns the one demand left.
  std::vector<Demand> Materialize(int value, std::vector<Demand> demands) {
    const ValueType& type = program_.value(value);
    const int pass = NewPass(type.shape);
    const View identity = View::Identity(type.shape);
    Demand own{pass, identity, {}};
    const auto take = [&](PassStore store) {
      std::vector<PassStore>& stores = passes_[pass].stores;
      stores.push_back(std::move(store));
      own.targets.push_back({true, static_cast<int>(stores.size()) - 1, 0});
    };
    int temporary = -1;
    for (Demand& demand : demands) {
      std::vector<PassStore>& stores = passes_[demand.pass].stores;
      if (demand.view == identity && passes_[demand.pass].space == type.shape) {
        auto direct = std::partition(
            demand.targets.begin(), demand.targets.end(),
            [](const Target& target) { return !target.is_store; });
        for (auto target = direct; target != demand.targets.end(); ++target) {
          take(stores[target->index]);
          stores[target->index].index = kMoved;
        }
        demand.targets.erase(direct, demand.targets.end());
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
    NormalProgram normal;
    normal.temporaries = std::move(temporaries_);
    for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) {
      std::erase_if(pass->stores, [](const PassStore& store) {
        return store.index == kMoved;
      });
      if (pass->stores.empty()) continue;
      const int last = static_cast<int>(pass->computations.size()) - 1;
      std::reverse(pass->computations.begin(), pass->computations.end());
      const auto flip = [last](ValueRef& ref) {
        if (!ref.is_leaf) ref.index = last - ref.index;
      };
      for (Computation& computation : pass->computations) {
        for (ValueRef& input : computation.inputs) flip(input);
      }
      for (PassStore& store : pass->stores) flip(store.source);
      normal.passes.push_back(std::move(*pass));
    }
    return normal;
  }

  static constexpr int kMoved = -1;

  const Program& program_;
  std::vector<std::vector<Demand>> demands_;  // by value
  std::vector<Pass> passes_;
  std::vector<ValueType> temporaries_;
};

}  // namespace

NormalProgram Normalize(const Program& program) {
  return Normalizer(program).Run();
}

}  // namespace stridecast
