// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random programs: their values, and how these become a Signature.

#include "tests/support/random_program.h"

#include <algorithm>
#include <iterator>

#include "tests/support/builders.h"
#include "tests/support/program_maker.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kMaxConstantBytes = 60 << 10;  // the engine's limit is 64 KiB

}  // namespace

RandomCase ProgramMaker::Make() {
  static constexpr int64_t kRarities[] = {1, 2, 10, 1000};
  CollectOpcodes();
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
  for (int64_t tries = 0; num_instructions_ < wanted && tries < 200; ++tries) {
    TryInstruction(RandomOpcode());
  }
  return Numbered();
}

void ProgramMaker::CollectOpcodes() {
  for (const Operation& operation : AllOperations()) {
    const Opcode opcode = operation.opcode;
    if (std::none_of(std::begin(kAllDTypes), std::end(kAllDTypes),
                     [&](DType type) { return supports_(opcode, type); })) {
      continue;
    }
    (MovesElements(opcode) ? data_opcodes_ : elementwise_opcodes_)
        .push_back(opcode);
  }
}

Opcode ProgramMaker::RandomOpcode() {
  if (elementwise_opcodes_.empty() ||
      (!data_opcodes_.empty() && random_.OneIn(3))) {
    return random_.Pick(data_opcodes_);
  }
  // By far the most combinations of types are its.
  if (random_.OneIn(8)) return Opcode::kConvert;
  return random_.Pick(elementwise_opcodes_);
}

DimVector ProgramMaker::RandomShape() {
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

uint32_t ProgramMaker::AddOperand(DType type, const DimVector& shape) {
  const TensorDesc desc =
      Desc(type, shape, RandomOperandForm(random_, type, shape));
  nodes_.push_back({type, shape, desc, {}});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t ProgramMaker::AddConstant(DType type, const DimVector& shape) {
  TensorDesc desc = Desc(type, shape, RandomOperandForm(random_, type, shape));
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
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void ProgramMaker::AddInstruction(Instruction instruction) {
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

uint32_t ProgramMaker::ValueOf(DType type, const DimVector& shape) {
  std::vector<uint32_t> candidates;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].type == type && nodes_[i].shape == shape) {
      candidates.push_back(static_cast<uint32_t>(i));
    }
  }
  if (!candidates.empty() && !random_.OneIn(3)) return random_.Pick(candidates);
  if (random_.OneIn(5) && NumElements(shape) < 300) {
    return AddConstant(type, shape);
  }
  return AddOperand(type, shape);
}

std::optional<uint32_t> ProgramMaker::ValueFor(Opcode opcode) {
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
  return AddOperand(type, random_.OneIn(3) ? RandomShape() : base_shape_);
}

RandomCase ProgramMaker::Numbered() {
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

RandomCase MakeRandomCase(uint64_t seed, const SupportsFn& supports) {
  return ProgramMaker(seed, supports).Make();
}

}  // namespace stridecast::testing
