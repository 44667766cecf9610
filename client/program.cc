// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/program.h"

#include <string>
#include <utility>

namespace stridecast {

using Direction = CompareAttribute::Direction;

Value ProgramBuilder::Parameter(const TensorDesc& desc) {
  parameters_.push_back(desc);
  return Value(true, static_cast<uint32_t>(parameters_.size() - 1));
}

Value ProgramBuilder::Append(Opcode opcode, absl::Span<const Value> operands,
                             Attribute attribute,
                             DimVector broadcast_dimensions) {
  instructions_.push_back({opcode,
                           {operands.begin(), operands.end()},
                           std::move(broadcast_dimensions),
                           std::move(attribute)});
  return Value(false, static_cast<uint32_t>(instructions_.size() - 1));
}

Value ProgramBuilder::Constant(const TensorView& tensor) {
  const auto size = static_cast<size_t>(tensor.desc.size_bytes());
  return Append(
      Opcode::kConstant, {},
      ConstantAttribute{
          tensor.desc,
          size == 0
              ? std::string()
              : std::string(reinterpret_cast<const char*>(tensor.data), size)});
}

Value ProgramBuilder::Unary(Opcode opcode, Value x) {
  return Append(opcode, {x});
}

Value ProgramBuilder::Convert(Value x, DType type, Overflow overflow) {
  return Append(Opcode::kConvert, {x}, ConvertAttribute{type, overflow});
}

Value ProgramBuilder::Binary(Opcode opcode, Value x, Value y,
                             DimVector broadcast_dimensions) {
  return Append(opcode, {x, y}, {}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Compare(Value x, Value y, CompareAttribute compare,
                              DimVector broadcast_dimensions) {
  return Append(Opcode::kCompare, {x, y}, compare,
                std::move(broadcast_dimensions));
}

Value ProgramBuilder::Eq(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kEq}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Ne(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kNe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Ge(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kGe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Gt(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kGt}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Le(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kLe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Lt(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kLt}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Select(Value pred, Value on_true, Value on_false) {
  return Append(Opcode::kSelect, {pred, on_true, on_false});
}

Value ProgramBuilder::Clamp(Value low, Value x, Value high) {
  return Append(Opcode::kClamp, {low, x, high});
}

Value ProgramBuilder::BroadcastInDim(Value x, DimVector shape,
                                     DimVector dimensions) {
  return Append(
      Opcode::kBroadcastInDim, {x},
      BroadcastInDimAttribute{std::move(shape), std::move(dimensions)});
}

Value ProgramBuilder::Transpose(Value x, DimVector permutation) {
  return Append(Opcode::kTranspose, {x},
                DimensionsAttribute{std::move(permutation)});
}

Value ProgramBuilder::Reverse(Value x, DimVector dimensions) {
  return Append(Opcode::kReverse, {x},
                DimensionsAttribute{std::move(dimensions)});
}

Value ProgramBuilder::Slice(Value x, DimVector start, DimVector limit,
                            DimVector step) {
  return Append(
      Opcode::kSlice, {x},
      SliceAttribute{std::move(start), std::move(limit), std::move(step)});
}

void ProgramBuilder::Result(Value value, const PhysicalForm& form) {
  results_.push_back({value, std::nullopt, std::nullopt, form});
}

void ProgramBuilder::Result(Value value, const TensorDesc& expected) {
  const auto extents = expected.shape().extents();
  results_.push_back({value, expected.type(),
                      DimVector(extents.begin(), extents.end()),
                      expected.layout().form()});
}

Signature ProgramBuilder::Build() const {
  // Instructions are numbered after all parameters, which only now are known.
  const auto num_parameters = static_cast<uint32_t>(parameters_.size());
  const auto id_of = [num_parameters](Value value) {
    return value.is_parameter_ ? value.index_ : num_parameters + value.index_;
  };
  Signature signature;
  signature.operands = parameters_;
  for (const PendingInstruction& pending : instructions_) {
    Instruction& instruction = signature.instructions.emplace_back(Instruction{
        pending.opcode, {}, pending.broadcast_dimensions, pending.attribute});
    for (Value operand : pending.operands) {
      instruction.operands.push_back(id_of(operand));
    }
  }
  for (const PendingResult& pending : results_) {
    signature.results.push_back(
        {id_of(pending.value), pending.type, pending.shape, pending.form});
  }
  return signature;
}

Signature RelayoutSignature(const TensorDesc& operand,
                            const PhysicalForm& result_form,
                            const std::optional<ConvertAttribute>& convert) {
  Signature signature;
  signature.operands = {operand};
  if (convert) {
    signature.instructions.push_back({Opcode::kConvert, {0}, {}, *convert});
  }
  signature.results.push_back({std::nullopt, {}, {}, result_form});
  return signature;
}

Signature RelayoutSignature(const TensorDesc& operand, const TensorDesc& result,
                            Overflow overflow) {
  std::optional<ConvertAttribute> convert;
  if (operand.type() != result.type()) {
    convert = ConvertAttribute{result.type(), overflow};
  }
  Signature signature =
      RelayoutSignature(operand, result.layout().form(), convert);
  const auto extents = result.shape().extents();
  signature.results[0].type = result.type();
  signature.results[0].shape = DimVector(extents.begin(), extents.end());
  return signature;
}

}  // namespace stridecast
