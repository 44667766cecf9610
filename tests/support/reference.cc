// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's programs: values, types, and broadcasting (SEMANTICS.md 2).

#include "tests/support/reference.h"

#include <algorithm>
#include <array>

namespace stridecast::testing {
namespace {

// Which dimension of the result each dimension of an operand becomes.
DimVector BroadcastDims(const Instruction& instruction,
                        absl::Span<const int64_t> shape, size_t rank) {
  if (shape.size() == rank) return ColumnMajorOrder(static_cast<int>(rank));
  if (const auto* a = std::get_if<QuantizeAttribute>(&instruction.attribute)) {
    return a->broadcast_dimensions;
  }
  // Of SELECT's predicate, CLAMP's bounds: scalars have none.
  return instruction.broadcast_dimensions;
}

// An extent of 1 gives way to any other, 0 too.
DimVector BroadcastShape(const Instruction& instruction,
                         const LogicalTensor& lhs, const LogicalTensor& rhs) {
  const size_t rank = std::max(lhs.shape.size(), rhs.shape.size());
  DimVector result(rank, 1);
  for (const LogicalTensor* operand : {&lhs, &rhs}) {
    const DimVector dims = BroadcastDims(instruction, operand->shape, rank);
    for (size_t i = 0; i < operand->shape.size(); ++i) {
      int64_t& extent = result[static_cast<size_t>(dims[i])];
      if (extent == 1) extent = operand->shape[i];
    }
  }
  return result;
}

DType ElementwiseType(const Instruction& instruction, DType operand) {
  if (const auto* a = std::get_if<ConvertAttribute>(&instruction.attribute)) {
    return a->type;
  }
  if (const auto* a = std::get_if<QuantizeAttribute>(&instruction.attribute)) {
    return a->type;
  }
  switch (instruction.opcode) {
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag:
      return RealType(operand);
    case Opcode::kComplex:
      return operand == DType::kF64 ? DType::kC128 : DType::kC64;
    case Opcode::kCompare:
    case Opcode::kIsFinite:
    case Opcode::kIsNan:
    case Opcode::kIsInf:
    case Opcode::kIsPosInf:
    case Opcode::kIsNegInf:
    case Opcode::kIsClose:
      return DType::kPred;
    default:
      return operand;
  }
}

// The operand that is no predicate and no bound, which may be scalars.
const LogicalTensor& Subject(const Instruction& instruction,
                             absl::Span<const LogicalTensor* const> values) {
  const Opcode opcode = instruction.opcode;
  return *values[opcode == Opcode::kSelect || opcode == Opcode::kClamp ? 1 : 0];
}

}  // namespace

LogicalTensor ReferenceShape(const Instruction& instruction,
                             absl::Span<const LogicalTensor* const> values) {
  if (MovesElements(instruction.opcode)) return MovedShape(instruction, values);
  const LogicalTensor& subject = Subject(instruction, values);
  return {ElementwiseType(instruction, subject.type),
          values.size() == 2 ? BroadcastShape(instruction, subject, *values[1])
                             : subject.shape,
          {}};
}

std::vector<std::vector<Element>> AlignedOperands(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values) {
  const DimVector shape = ReferenceShape(instruction, values).shape;
  std::vector<std::vector<Element>> aligned;
  for (const LogicalTensor* value : values) {
    const DimVector dims =
        BroadcastDims(instruction, value->shape, shape.size());
    std::vector<Element>& elements = aligned.emplace_back();
    ForEachIndex(shape, [&](const DimVector& index) {
      elements.push_back(BroadcastAt(*value, dims, index));
    });
  }
  return aligned;
}

LogicalTensor ReferenceInstruction(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values) {
  if (MovesElements(instruction.opcode)) return Moved(instruction, values);
  LogicalTensor result = ReferenceShape(instruction, values);
  const DType type = Subject(instruction, values).type;
  const auto operands = AlignedOperands(instruction, values);
  std::array<Element, 3> met;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) met[k] = operands[k][i];
    result.elements.push_back(ReferenceElement(
        instruction, type, absl::MakeConstSpan(met.data(), operands.size())));
  }
  return result;
}

std::vector<LogicalTensor> EvaluateProgram(const Signature& signature,
                                           absl::Span<const Bytes> operands,
                                           const EvaluateFn& evaluate) {
  std::vector<LogicalTensor> values;
  for (size_t i = 0; i < signature.operands.size(); ++i) {
    const TensorDesc& desc = signature.operands[i];
    values.push_back(ReadTensor(desc.type(), desc.shape().extents(),
                                desc.layout().form(), operands[i]));
  }
  for (const Instruction& instruction : signature.instructions) {
    std::vector<const LogicalTensor*> arguments;
    for (uint32_t value : instruction.operands) {
      arguments.push_back(&values[value]);
    }
    values.push_back(evaluate(instruction, arguments));
  }
  return values;
}

std::vector<LogicalTensor> ReferenceValues(const Signature& signature,
                                           absl::Span<const Bytes> operands) {
  return EvaluateProgram(signature, operands, ReferenceInstruction);
}

std::vector<Bytes> ResultsOf(const Signature& signature,
                             absl::Span<const LogicalTensor> values) {
  std::vector<Bytes> results;
  for (const ResultSpec& spec : signature.results) {
    results.push_back(WriteTensor(
        spec.value ? values[*spec.value] : values.back(), spec.form));
  }
  return results;
}

std::vector<Bytes> Reference(const Signature& signature,
                             absl::Span<const Bytes> operands) {
  return ResultsOf(signature, ReferenceValues(signature, operands));
}

}  // namespace stridecast::testing
