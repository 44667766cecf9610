// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random programs. Values are made in any order and numbered at the end:
// operands first, as a Signature wants it.

#include "tests/support/random_program.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kMaxConstantBytes = 60 << 10;  // the engine's limit is 64 KiB

constexpr Opcode kOpcodes[] = {
    Opcode::kAdd,
    Opcode::kSubtract,
    Opcode::kMultiply,
    Opcode::kDivide,
    Opcode::kRemainder,
    Opcode::kMaximum,
    Opcode::kMinimum,
    Opcode::kAnd,
    Opcode::kOr,
    Opcode::kXor,
    Opcode::kCompare,
    Opcode::kSelect,
    Opcode::kClamp,
    Opcode::kIdentity,
    Opcode::kAbs,
    Opcode::kNegate,
    Opcode::kNot,
    Opcode::kSqrt,
    Opcode::kConvert,
    Opcode::kConvert,
    Opcode::kConvert,
    Opcode::kTranspose,
    Opcode::kBroadcastInDim,
    Opcode::kReverse,
    Opcode::kSlice,
    Opcode::kConstant,
    Opcode::kTranspose,
    Opcode::kSlice,
    Opcode::kBroadcastInDim,
    Opcode::kReverse,
};

class ProgramMaker {
 public:
  ProgramMaker(uint64_t seed, const SupportsFn& supports)
      : random_(seed), supports_(supports) {}

  RandomCase Make() {
    static constexpr int64_t kRarities[] = {1, 2, 10, 1000};
    edge_rarity_ = random_.Pick(kRarities);
    const int64_t num_types = random_.Between(1, 3);
    for (int64_t i = 0; i < num_types; ++i) {
      types_.push_back(random_.Pick(kAllDTypes));
    }
    max_elements_ = random_.OneIn(8) ? 20'000 : 600;
    base_shape_ = RandomShape();
    AddOperand(random_.Pick(types_), base_shape_);
    const int64_t wanted =
        random_.OneIn(8) ? 0 : random_.Between(1, random_.OneIn(2) ? 3 : 12);
    for (int64_t tries = 0; num_instructions_ < wanted && tries < 200;
         ++tries) {
      TryInstruction(random_.Pick(kOpcodes));
    }
    return Numbered();
  }

 private:
  struct Node {
    DType type;
    DimVector shape;
    std::optional<TensorDesc> operand;  // else an instruction
    Instruction instruction;            // its operands are indices of nodes
    int64_t num_elements() const { return NumElements(shape); }
  };

  DimVector RandomShape() {
    static constexpr int64_t kExtents[] = {1, 1, 2, 2,  3,  3,  4,  5,
                                           7, 8, 9, 15, 16, 17, 31, 33};
    static constexpr int64_t kLong[] = {63,  64,  65,  127,  128, 200,
                                        256, 257, 999, 1024, 4099};
    const int64_t rank =
        random_.OneIn(4) ? random_.Below(7) : random_.Between(1, 4);
    DimVector shape;
    int64_t elements = 1;
    for (int64_t d = 0; d < rank; ++d) {
      int64_t extent = random_.OneIn(40) ? 0 : random_.Pick(kExtents);
      if (max_elements_ > 1000 && (d == 0 || random_.OneIn(2))) {
        extent = random_.Pick(kLong);
      }
      if (elements * extent > max_elements_) extent = 1;
      elements *= std::max<int64_t>(extent, 1);
      shape.push_back(extent);
    }
    random_.Shuffle(shape);
    return shape;
  }

  size_t AddOperand(DType type, const DimVector& shape) {
    const TensorDesc desc =
        Desc(type, shape, RandomOperandForm(random_, type, shape));
    nodes_.push_back({type, shape, desc, {}});
    return nodes_.size() - 1;
  }

  size_t AddConstant(DType type, const DimVector& shape) {
    TensorDesc desc =
        Desc(type, shape, RandomOperandForm(random_, type, shape));
    if (constant_bytes_ + desc.size_bytes() > kMaxConstantBytes) {
      return AddOperand(type, shape);
    }
    constant_bytes_ += desc.size_bytes();
    std::string data;
    for (std::byte b : RandomBytes(random_, desc, edge_rarity_)) {
      data.push_back(static_cast<char>(b));
    }
    AddInstruction(
        Op(Opcode::kConstant, {}, ConstantAttribute{desc, std::move(data)}));
    return nodes_.size() - 1;
  }

  // Adds an instruction whose operands are indices of nodes.
  void AddInstruction(Instruction instruction) {
    std::vector<LogicalTensor> descriptions;
    for (uint32_t node : instruction.operands) {
      descriptions.push_back({nodes_[node].type, nodes_[node].shape, {}});
    }
    std::vector<const LogicalTensor*> arguments;
    for (const LogicalTensor& description : descriptions) {
      arguments.push_back(&description);
    }
    const LogicalTensor result = ReferenceShape(instruction, arguments);
    nodes_.push_back({result.type, result.shape, {}, std::move(instruction)});
    ++num_instructions_;
  }

  // A value of that type and shape: an old one if there is one, at times.
  uint32_t ValueOf(DType type, const DimVector& shape) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].type == type && nodes_[i].shape == shape) {
        candidates.push_back(i);
      }
    }
    size_t node = 0;
    if (!candidates.empty() && !random_.OneIn(3)) {
      node = random_.Pick(candidates);
    } else if (random_.OneIn(5) && NumElements(shape) < 300) {
      node = AddConstant(type, shape);
    } else {
      node = AddOperand(type, shape);
    }
    return static_cast<uint32_t>(node);
  }

  // A value that `opcode` is defined on; most often a late one.
  std::optional<uint32_t> ValueFor(Opcode opcode) {
    for (int tries = 0; tries < 4; ++tries) {
      const auto count = static_cast<int64_t>(nodes_.size());
      const int64_t node = random_.OneIn(2) ? count - 1 : random_.Below(count);
      if (supports_(opcode, nodes_[static_cast<size_t>(node)].type)) {
        return static_cast<uint32_t>(node);
      }
    }
    const DType type =
        random_.OneIn(2) ? random_.Pick(types_) : random_.Pick(kAllDTypes);
    if (!supports_(opcode, type)) return std::nullopt;
    return static_cast<uint32_t>(
        AddOperand(type, random_.OneIn(3) ? RandomShape() : base_shape_));
  }

  void TryInstruction(Opcode opcode) {
    if (opcode == Opcode::kConstant) {
      const DType type = random_.Pick(types_);
      if (supports_(opcode, type)) {
        AddConstant(type, random_.OneIn(2) ? DimVector() : base_shape_);
      }
      return;
    }
    const std::optional<uint32_t> x = ValueFor(opcode);
    if (!x) return;
    const DType type = nodes_[*x].type;
    const DimVector shape = nodes_[*x].shape;
    switch (OperationOf(opcode).form) {
      case Form::kBinary:
      case Form::kCompare:
        return AddBinary(opcode, *x);
      case Form::kSelect: {
        const uint32_t predicate =
            ValueOf(DType::kPred, random_.OneIn(3) ? DimVector() : shape);
        return AddInstruction(
            Op(opcode, {predicate, *x, ValueOf(type, shape)}));
      }
      case Form::kClamp: {
        const uint32_t low =
            ValueOf(type, random_.OneIn(2) ? DimVector() : shape);
        const uint32_t high =
            ValueOf(type, random_.OneIn(2) ? DimVector() : shape);
        return AddInstruction(Op(opcode, {low, *x, high}));
      }
      case Form::kConvert: {
        const DType to =
            random_.OneIn(2) ? random_.Pick(kAllDTypes) : random_.Pick(types_);
        return AddInstruction(
            Op(opcode, {*x},
               ConvertAttribute{to, static_cast<Overflow>(random_.Below(3))}));
      }
      case Form::kBroadcastInDim:
        return AddBroadcast(*x);
      case Form::kTranspose: {
        DimVector permutation = RowMajorOrder(static_cast<int>(shape.size()));
        random_.Shuffle(permutation);
        return AddInstruction(
            Op(opcode, {*x}, DimensionsAttribute{permutation}));
      }
      case Form::kReverse: {
        DimVector dimensions = RowMajorOrder(static_cast<int>(shape.size()));
        random_.Shuffle(dimensions);
        if (!shape.empty()) {
          dimensions.resize(static_cast<size_t>(
              random_.Between(0, static_cast<int64_t>(shape.size()))));
        }
        return AddInstruction(
            Op(opcode, {*x}, DimensionsAttribute{dimensions}));
      }
      case Form::kSlice:
        return AddSlice(*x);
      default:
        return AddInstruction(Op(opcode, {*x}));
    }
  }

  void AddSlice(uint32_t x) {
    SliceAttribute slice;
    const bool steps = random_.OneIn(2);
    for (int64_t extent : nodes_[x].shape) {
      int64_t start = random_.OneIn(2) ? 0 : random_.Between(0, extent);
      int64_t limit =
          random_.OneIn(2) ? extent : random_.Between(start, extent);
      // Most slices should hold something.
      if (start == limit && extent > 0 && !random_.OneIn(20)) {
        start = random_.Below(extent);
        limit = start + 1;
      }
      slice.start.push_back(start);
      slice.limit.push_back(limit);
      if (steps) {
        slice.step.push_back(random_.OneIn(20)
                                 ? std::numeric_limits<int64_t>::max()
                                 : random_.Between(1, 3));
      }
    }
    AddInstruction(Op(Opcode::kSlice, {x}, std::move(slice)));
  }

  void AddBroadcast(uint32_t x) {
    const DimVector shape = nodes_[x].shape;
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t result_rank =
        random_.Between(rank, std::max<int64_t>(rank, 6));
    DimVector dims = RowMajorOrder(static_cast<int>(result_rank));
    random_.Shuffle(dims);
    dims.resize(shape.size());
    if (!random_.OneIn(3)) std::sort(dims.begin(), dims.end());
    DimVector result(static_cast<size_t>(result_rank), -1);
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1 || random_.OneIn(2)) {
        result[static_cast<size_t>(dims[i])] = shape[i];
      }
    }
    int64_t elements = std::max<int64_t>(NumElements(shape), 1);
    for (int64_t& extent : result) {
      if (extent != -1) continue;
      extent = random_.OneIn(30) ? 0 : random_.Between(1, 5);
      if (elements * extent > 2 * max_elements_) extent = 1;
      elements *= std::max<int64_t>(extent, 1);
    }
    AddInstruction(Op(Opcode::kBroadcastInDim, {x},
                      BroadcastInDimAttribute{result, dims}));
  }

  // The other operand's shape, and which dimensions of the higher-ranked
  // operand the dimensions of the lower-ranked one meet.
  std::pair<DimVector, DimVector> RandomPartner(const DimVector& shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    DimVector partner = shape;
    DimVector dims;
    const int64_t kind = random_.Below(6);
    if (kind < 2) return {partner, dims};
    if (kind == 2) return {DimVector(), dims};
    if (kind == 5) {  // the partner is of higher rank
      const int64_t partner_rank =
          random_.Between(rank, std::max<int64_t>(rank, 6));
      DimVector kept = RowMajorOrder(static_cast<int>(partner_rank));
      random_.Shuffle(kept);
      kept.resize(shape.size());
      std::sort(kept.begin(), kept.end());
      partner.assign(static_cast<size_t>(partner_rank), 0);
      int64_t elements = std::max<int64_t>(NumElements(shape), 1);
      for (int64_t& extent : partner) {
        extent = elements > max_elements_ ? 1 : random_.Between(1, 3);
        elements *= extent;
      }
      for (size_t i = 0; i < shape.size(); ++i) {
        int64_t& extent = partner[static_cast<size_t>(kept[i])];
        if (shape[i] != 1) extent = random_.OneIn(5) ? 1 : shape[i];
      }
      // A scalar has no dimensions to name; of equal ranks none need naming.
      if (partner_rank > rank) dims = kept;
      return {partner, dims};
    }
    if (kind == 3) {  // some of the dimensions
      partner.clear();
      for (size_t d = 0; d < shape.size(); ++d) {
        if (random_.OneIn(2)) continue;
        partner.push_back(random_.OneIn(5) ? 1 : shape[d]);
        dims.push_back(static_cast<int64_t>(d));
      }
      return {partner, dims};
    }
    // Equal rank: ones here and there.
    int64_t elements = std::max<int64_t>(NumElements(shape), 1);
    for (int64_t& extent : partner) {
      if (extent == 1 && elements <= max_elements_) {
        extent = random_.Between(1, 4);
        elements *= extent;
      } else if (random_.OneIn(2)) {
        extent = 1;
      }
    }
    return {partner, dims};
  }

  void AddBinary(Opcode opcode, uint32_t x) {
    const DType type = nodes_[x].type;
    const DimVector shape = nodes_[x].shape;
    auto [partner, dims] = RandomPartner(shape);
    if (partner.size() == shape.size()) {
      dims.clear();
      if (random_.OneIn(4)) {
        dims = ColumnMajorOrder(static_cast<int>(shape.size()));
      }
    }
    const uint32_t y = ValueOf(type, partner);
    Attribute attribute;
    if (opcode == Opcode::kCompare) {
      CompareAttribute compare{};
      compare.direction = static_cast<CompareAttribute::Direction>(
          random_.Between(1, IsComplex(type) ? 2 : 6));
      compare.total_order = IsFloat(type) && random_.OneIn(3);
      attribute = compare;
    }
    const bool swap = random_.OneIn(2);
    AddInstruction(BinaryOp(opcode, swap ? y : x, swap ? x : y, dims,
                            std::move(attribute)));
  }

  RandomCase Numbered() {
    RandomCase made;
    std::vector<uint32_t> ids(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].operand) continue;
      ids[i] = static_cast<uint32_t>(made.signature.operands.size());
      made.signature.operands.push_back(*nodes_[i].operand);
      made.operands.push_back(
          RandomBytes(random_, *nodes_[i].operand, edge_rarity_));
    }
    auto next = static_cast<uint32_t>(made.signature.operands.size());
    size_t last = nodes_.size() - 1;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].operand) continue;
      ids[i] = next++;
      last = i;
      Instruction instruction = nodes_[i].instruction;
      for (uint32_t& value : instruction.operands) value = ids[value];
      made.signature.instructions.push_back(std::move(instruction));
    }
    const int64_t num_results = random_.OneIn(3) ? random_.Between(2, 4) : 1;
    for (int64_t r = 0; r < num_results; ++r) {
      const size_t node = r == 0 ? last
                                 : static_cast<size_t>(random_.Below(
                                       static_cast<int64_t>(nodes_.size())));
      ResultSpec spec;
      if (ids[node] + 1 != next || random_.OneIn(2)) spec.value = ids[node];
      if (random_.OneIn(4)) spec.type = nodes_[node].type;
      if (random_.OneIn(4)) spec.shape = nodes_[node].shape;
      spec.form =
          RandomResultForm(random_, nodes_[node].type, nodes_[node].shape);
      made.signature.results.push_back(std::move(spec));
    }
    random_.Shuffle(made.signature.results);
    return made;
  }

  Random random_;
  const SupportsFn& supports_;
  int64_t edge_rarity_ = 1;
  std::vector<DType> types_;
  int64_t max_elements_ = 0;
  DimVector base_shape_;
  std::vector<Node> nodes_;
  int64_t num_instructions_ = 0;
  int64_t constant_bytes_ = 0;
};

}  // namespace

RandomCase MakeRandomCase(uint64_t seed, const SupportsFn& supports) {
  return ProgramMaker(seed, supports).Make();
}

}  // namespace stridecast::testing
