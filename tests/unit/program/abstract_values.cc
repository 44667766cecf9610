// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/program/abstract_values.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace stridecast::testing {
namespace {

uint64_t Mix(uint64_t seed, uint64_t part) {
  seed = (seed ^ part) * 0x9E3779B97F4A7C15;
  return seed ^ (seed >> 29);
}

// The elements of a value that no instruction computes.
uint64_t SourceElement(int value, int64_t position) {
  return Mix(static_cast<uint64_t>(value) + 1,
             static_cast<uint64_t>(position) + 1);
}

uint64_t Computed(int value, const std::vector<uint64_t>& inputs) {
  uint64_t element = Mix(0xC0FFEE, static_cast<uint64_t>(value));
  for (uint64_t input : inputs) element = Mix(element, input);
  return element;
}

// An element of an iota, as one that is computed from its index.
uint64_t IotaElement(const stridecast::Program& program, int value,
                     const DimVector& index) {
  const auto& iota =
      std::get<IotaAttribute>(program.instruction(value).attribute);
  return Mix(0x107A, static_cast<uint64_t>(index[iota.dimension]));
}

// Where the element at `index` of a concatenate or pad comes from: an operand,
// and its index there.
struct Origin {
  int operand;
  DimVector index;
};

Origin OriginOf(const stridecast::Program& program, int value,
                DimVector index) {
  const Instruction& instruction = program.instruction(value);
  const auto shape_of = [&](int k) {
    return program.value(static_cast<int>(instruction.operands[k])).shape;
  };
  if (instruction.opcode == Opcode::kConcatenate) {
    const auto dim = static_cast<int>(
        std::get<DimensionsAttribute>(instruction.attribute).dimensions[0]);
    int k = 0;
    while (index[dim] >= shape_of(k).extent(dim)) {
      index[dim] -= shape_of(k++).extent(dim);
    }
    return {k, index};
  }
  const auto& pad = std::get<PadAttribute>(instruction.attribute);
  for (int d = 0; d < static_cast<int>(index.size()); ++d) {
    const int64_t from_first = index[d] - pad.low[d];
    const int64_t step = pad.interior[d] + 1;
    if (from_first < 0 || from_first % step != 0 ||
        from_first / step >= shape_of(0).extent(d)) {
      return {1, {}};
    }
    index[d] = from_first / step;
  }
  return {0, index};
}

// The index of operand `k` that an instruction needs for `index` of its value.
DimVector OperandIndex(const stridecast::Program& program, int value, int k,
                       const DimVector& index) {
  const Instruction& instruction = program.instruction(value);
  const Shape& operand =
      program.value(static_cast<int>(instruction.operands[k])).shape;
  const auto along = [&](const DimVector& dimensions) {
    DimVector mapped(operand.rank());
    for (int d = 0; d < operand.rank(); ++d) {
      mapped[d] = operand.extent(d) == 1 ? 0 : index[dimensions[d]];
    }
    return mapped;
  };
  DimVector mapped = index;
  switch (instruction.opcode) {
    case Opcode::kTranspose: {
      const auto& permutation =
          std::get<DimensionsAttribute>(instruction.attribute).dimensions;
      for (size_t d = 0; d < index.size(); ++d) {
        mapped[permutation[d]] = index[d];
      }
      return mapped;
    }
    case Opcode::kReverse:
      for (int64_t d :
           std::get<DimensionsAttribute>(instruction.attribute).dimensions) {
        mapped[d] = operand.extent(static_cast<int>(d)) - 1 - index[d];
      }
      return mapped;
    case Opcode::kSlice: {
      const auto& slice = std::get<SliceAttribute>(instruction.attribute);
      for (size_t d = 0; d < index.size(); ++d) {
        mapped[d] = slice.start[d] +
                    index[d] * (slice.step.empty() ? 1 : slice.step[d]);
      }
      return mapped;
    }
    case Opcode::kBroadcastInDim:
      return along(
          std::get<BroadcastInDimAttribute>(instruction.attribute).dimensions);
    default:
      return along(program.inference(value).operand_dimensions[k]);
  }
}

// A failure if the index is outside.
bool IsInside(const Shape& shape, const DimVector& index) {
  bool inside = index.size() == static_cast<size_t>(shape.rank());
  for (int d = 0; inside && d < shape.rank(); ++d) {
    inside = index[d] >= 0 && index[d] < shape.extent(d);
  }
  EXPECT_TRUE(inside) << ListToString(index) << " is outside of "
                      << shape.ToString();
  return inside;
}

bool IsView(const Instruction& instruction) {
  return instruction.opcode == Opcode::kIdentity ||
         !IsElementwise(OperationOf(instruction.opcode).form);
}

// A tensor that is stored element by element, each once.
class Stored {
 public:
  explicit Stored(const Shape& shape)
      : shape_(shape), elements_(static_cast<size_t>(shape.num_elements())) {}

  // Parts of a whole may lie over one another: padding between elements.
  void Store(const DimVector& index, uint64_t element, bool is_part) {
    std::optional<uint64_t>* place = Find(index);
    if (place == nullptr) return;
    EXPECT_TRUE(is_part || !place->has_value()) << "stored twice";
    *place = element;
  }

  uint64_t Load(const DimVector& index) {
    const std::optional<uint64_t>* place = Find(index);
    if (place == nullptr) return 0;
    EXPECT_TRUE(place->has_value()) << "read before it is stored";
    return place->value_or(0);
  }

  // Of the elements in row-major order.
  uint64_t LoadFlat(int64_t position) {
    EXPECT_GE(position, 0);
    EXPECT_LT(position, shape_.num_elements());
    const auto& element = elements_.at(static_cast<size_t>(position));
    EXPECT_TRUE(element.has_value()) << "read before it is stored";
    return element.value_or(0);
  }

  AbstractTensor AllElements() const {
    AbstractTensor all;
    for (const auto& element : elements_) {
      EXPECT_TRUE(element.has_value()) << "never stored";
      all.push_back(element.value_or(0));
    }
    return all;
  }

 private:
  std::optional<uint64_t>* Find(const DimVector& index) {
    if (!IsInside(shape_, index)) return nullptr;
    return &elements_[PositionOf(shape_, index)];
  }

  Shape shape_;
  std::vector<std::optional<uint64_t>> elements_;
};

uint64_t LoadSource(const stridecast::Program& program, int value,
                    const DimVector& index) {
  const Shape& shape = program.value(value).shape;
  return IsInside(shape, index) ? SourceElement(value, PositionOf(shape, index))
                                : 0;
}

std::string IndexToText(const View& view) {
  std::vector<std::string> places;
  for (size_t d = 0; d < view.start.size(); ++d) {
    std::string place;
    for (size_t p = 0; p < view.axes.size(); ++p) {
      const View::Axis& axis = view.axes[p];
      if (axis.dim != static_cast<int>(d)) continue;
      absl::StrAppend(
          &place,
          axis.step < 0                          ? "-"
          : view.start[d] != 0 || !place.empty() ? "+"
                                                 : "",
          std::abs(axis.step) == 1 ? "" : absl::StrCat(std::abs(axis.step)),
          std::string(1, static_cast<char>('i' + p)));
    }
    places.push_back(view.start[d] != 0 || place.empty()
                         ? absl::StrCat(view.start[d], place)
                         : place);
  }
  return places.empty() ? ""
                        : absl::StrCat("[", absl::StrJoin(places, ","), "]");
}

std::string RefToText(const Pass& pass, const ValueRef& ref) {
  if (!ref.is_leaf) {
    return absl::StrCat("%", pass.computations[ref.index].value);
  }
  const Leaf& leaf = pass.leaves[ref.index];
  return absl::StrCat(leaf.source == Source::kOperand    ? "x"
                      : leaf.source == Source::kConstant ? "c"
                      : leaf.source == Source::kIota     ? "i"
                                                         : "t",
                      leaf.index, IndexToText(leaf.view));
}

}  // namespace

void ForEachIndexOf(const Shape& shape,
                    const std::function<void(const DimVector&)>& visit) {
  DimVector index(shape.rank(), 0);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    visit(index);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (++index[d] < shape.extent(d)) break;
      index[d] = 0;
    }
  }
}

int64_t PositionOf(const Shape& shape, const DimVector& index) {
  int64_t position = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    position = position * shape.extent(d) + index[d];
  }
  return position;
}

DimVector ApplyView(const View& view, const DimVector& space_index) {
  DimVector index = view.start;
  for (size_t p = 0; p < view.axes.size(); ++p) {
    const View::Axis& axis = view.axes[p];
    if (axis.dim >= 0) index[axis.dim] += axis.step * space_index[p];
  }
  return index;
}

std::vector<AbstractTensor> EvaluateInstructions(
    const stridecast::Program& program) {
  std::vector<AbstractTensor> values(program.num_values());
  for (int v = 0; v < program.num_values(); ++v) {
    ForEachIndexOf(program.value(v).shape, [&](const DimVector& index) {
      if (program.IsOperand(v) ||
          program.instruction(v).opcode == Opcode::kConstant) {
        values[v].push_back(
            SourceElement(v, static_cast<int64_t>(values[v].size())));
        return;
      }
      const Instruction& instruction = program.instruction(v);
      const auto operand_at = [&](int k) -> const AbstractTensor& {
        return values[static_cast<int>(instruction.operands[k])];
      };
      switch (instruction.opcode) {
        case Opcode::kIota:
          values[v].push_back(Computed(v, {IotaElement(program, v, index)}));
          return;
        case Opcode::kReshape:
          values[v].push_back(operand_at(0)[values[v].size()]);
          return;
        case Opcode::kConcatenate:
        case Opcode::kPad: {
          const Origin origin = OriginOf(program, v, index);
          const auto operand =
              static_cast<int>(instruction.operands[origin.operand]);
          values[v].push_back(operand_at(origin.operand)[PositionOf(
              program.value(operand).shape, origin.index)]);
          return;
        }
        default:
          break;
      }
      std::vector<uint64_t> inputs;
      for (size_t k = 0; k < instruction.operands.size(); ++k) {
        const auto operand = static_cast<int>(instruction.operands[k]);
        inputs.push_back(values[operand][PositionOf(
            program.value(operand).shape,
            OperandIndex(program, v, static_cast<int>(k), index))]);
      }
      values[v].push_back(IsView(instruction) ? inputs[0]
                                              : Computed(v, inputs));
    });
  }
  std::vector<AbstractTensor> results;
  for (size_t r = 0; r < program.results().size(); ++r) {
    results.push_back(values[program.result_value(static_cast<int>(r))]);
  }
  return results;
}

std::vector<AbstractTensor> EvaluatePasses(const NormalProgram& normal,
                                           const stridecast::Program& program) {
  std::vector<Stored> results;
  for (const TensorDesc& result : program.results()) {
    results.emplace_back(result.shape());
  }
  std::vector<Stored> temporaries;
  for (const ValueType& temporary : normal.temporaries) {
    temporaries.emplace_back(temporary.shape);
  }
  for (const Pass& pass : normal.passes) {
    ForEachIndexOf(pass.space, [&](const DimVector& at) {
      std::vector<uint64_t> leaves;
      for (const Leaf& leaf : pass.leaves) {
        const DimVector index = ApplyView(leaf.view, at);
        switch (leaf.source) {
          case Source::kTemporary: {
            Stored& temporary = temporaries[leaf.index];
            leaves.push_back(leaf.flat ? temporary.LoadFlat(index[0])
                                       : temporary.Load(index));
            break;
          }
          case Source::kIota:
            leaves.push_back(IotaElement(program, leaf.index, index));
            break;
          default:
            leaves.push_back(leaf.flat
                                 ? SourceElement(leaf.index, index[0])
                                 : LoadSource(program, leaf.index, index));
        }
      }
      std::vector<uint64_t> computed;
      const auto element_of = [&](const ValueRef& ref) {
        return ref.is_leaf ? leaves.at(ref.index) : computed.at(ref.index);
      };
      for (const Computation& computation : pass.computations) {
        std::vector<uint64_t> inputs;
        for (const ValueRef& input : computation.inputs) {
          inputs.push_back(element_of(input));
        }
        computed.push_back(Computed(computation.value, inputs));
      }
      for (const PassStore& store : pass.stores) {
        (store.is_result ? results : temporaries)
            .at(store.index)
            .Store(ApplyView(store.view, at), element_of(store.source),
                   store.is_part);
      }
    });
  }
  std::vector<AbstractTensor> tensors;
  for (const Stored& temporary : temporaries) temporary.AllElements();
  for (const Stored& result : results) tensors.push_back(result.AllElements());
  return tensors;
}

std::string ToText(const NormalProgram& normal,
                   const stridecast::Program& program) {
  std::vector<std::string> passes;
  for (const Pass& pass : normal.passes) {
    std::vector<std::string> steps;
    for (const Computation& computation : pass.computations) {
      const auto opcode = program.instruction(computation.value).opcode;
      steps.push_back(absl::StrCat(
          "%", computation.value, "=", OperationOf(opcode).label, "(",
          absl::StrJoin(computation.inputs, ",",
                        [&](std::string* out, const ValueRef& ref) {
                          absl::StrAppend(out, RefToText(pass, ref));
                        }),
          ")"));
    }
    for (const PassStore& store : pass.stores) {
      steps.push_back(absl::StrCat(store.is_result ? "r" : "t", store.index,
                                   IndexToText(store.view), "=",
                                   RefToText(pass, store.source)));
    }
    passes.push_back(
        absl::StrCat(pass.space.ToString(), ": ", absl::StrJoin(steps, "; ")));
  }
  return absl::StrJoin(passes, " | ");
}

}  // namespace stridecast::testing
