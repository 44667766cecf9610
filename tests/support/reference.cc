// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's programs: shapes, broadcasting (SEMANTICS.md 2) and views.

#include "tests/support/reference.h"

#include <algorithm>

namespace stridecast::testing {
namespace {

template <typename T>
const T& AttributeOf(const Instruction& instruction) {
  return std::get<T>(instruction.attribute);
}

// Which dimension of the result each dimension of an operand becomes.
DimVector BroadcastDims(const Instruction& instruction,
                        absl::Span<const int64_t> shape, size_t rank) {
  if (shape.size() < rank) return instruction.broadcast_dimensions;
  DimVector identity;
  for (size_t d = 0; d < rank; ++d) identity.push_back(static_cast<int64_t>(d));
  return identity;
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

const Element& At(const LogicalTensor& tensor,
                  absl::Span<const int64_t> index) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    position = position * tensor.shape[d] + index[d];
  }
  return tensor.elements[static_cast<size_t>(position)];
}

// The element of `operand` that meets `index` of a result into whose
// dimensions `dims` it is broadcast.
const Element& BroadcastAt(const LogicalTensor& operand,
                           absl::Span<const int64_t> dims,
                           absl::Span<const int64_t> index) {
  DimVector own;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    own.push_back(operand.shape[i] == 1 ? 0
                                        : index[static_cast<size_t>(dims[i])]);
  }
  return At(operand, own);
}

Element BinaryAt(const Instruction& instruction, const LogicalTensor& lhs,
                 const LogicalTensor& rhs, const DimVector& index) {
  const size_t rank = index.size();
  return ReferenceBinary(
      instruction, lhs.type,
      BroadcastAt(lhs, BroadcastDims(instruction, lhs.shape, rank), index),
      BroadcastAt(rhs, BroadcastDims(instruction, rhs.shape, rank), index));
}

// Select's predicate, clamp's bounds: one for all, or one for each.
const Element& ScalarOrAt(const LogicalTensor& operand,
                          const DimVector& index) {
  return operand.shape.empty() ? operand.elements[0] : At(operand, index);
}

const Element& TransposeAt(const LogicalTensor& x, const DimVector& permutation,
                           const DimVector& index) {
  DimVector own(index.size());
  for (size_t d = 0; d < index.size(); ++d) {
    own[static_cast<size_t>(permutation[d])] = index[d];
  }
  return At(x, own);
}

const Element& ReverseAt(const LogicalTensor& x, const DimVector& reversed,
                         DimVector index) {
  for (int64_t dim : reversed) {
    const auto d = static_cast<size_t>(dim);
    index[d] = x.shape[d] - 1 - index[d];
  }
  return At(x, index);
}

const Element& SliceAt(const LogicalTensor& x, const SliceAttribute& slice,
                       DimVector index) {
  for (size_t d = 0; d < index.size(); ++d) {
    index[d] =
        slice.start[d] + index[d] * (slice.step.empty() ? 1 : slice.step[d]);
  }
  return At(x, index);
}

}  // namespace

LogicalTensor ReferenceShape(const Instruction& instruction,
                             absl::Span<const LogicalTensor* const> values) {
  if (IsDataOperation(instruction.opcode)) {
    return ReferenceDataShape(instruction, values);
  }
  switch (instruction.opcode) {
    case Opcode::kConstant: {
      const auto& constant = AttributeOf<ConstantAttribute>(instruction);
      const auto extents = constant.desc.shape().extents();
      return {
          constant.desc.type(), DimVector(extents.begin(), extents.end()), {}};
    }
    case Opcode::kConvert:
      return {AttributeOf<ConvertAttribute>(instruction).type,
              values[0]->shape,
              {}};
    case Opcode::kAbs:
      return {RealType(values[0]->type), values[0]->shape, {}};
    case Opcode::kSelect:
    case Opcode::kClamp:
      return {values[1]->type, values[1]->shape, {}};
    case Opcode::kBroadcastInDim:
      return {values[0]->type,
              AttributeOf<BroadcastInDimAttribute>(instruction).shape,
              {}};
    case Opcode::kTranspose: {
      LogicalTensor result{values[0]->type, {}, {}};
      for (int64_t d :
           AttributeOf<DimensionsAttribute>(instruction).dimensions) {
        result.shape.push_back(values[0]->shape[static_cast<size_t>(d)]);
      }
      return result;
    }
    case Opcode::kSlice: {
      const auto& slice = AttributeOf<SliceAttribute>(instruction);
      LogicalTensor result{values[0]->type, {}, {}};
      for (size_t d = 0; d < slice.start.size(); ++d) {
        const int64_t step = slice.step.empty() ? 1 : slice.step[d];
        const int64_t length = slice.limit[d] - slice.start[d];
        result.shape.push_back(length / step + (length % step != 0 ? 1 : 0));
      }
      return result;
    }
    default:
      if (values.size() == 1) return {values[0]->type, values[0]->shape, {}};
      return {instruction.opcode == Opcode::kCompare ? DType::kPred
                                                     : values[0]->type,
              BroadcastShape(instruction, *values[0], *values[1]),
              {}};
  }
}

LogicalTensor ReferenceInstruction(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values) {
  if (IsDataOperation(instruction.opcode)) {
    return ReferenceData(instruction, values);
  }
  LogicalTensor result = ReferenceShape(instruction, values);
  if (instruction.opcode == Opcode::kConstant) {
    const auto& constant = AttributeOf<ConstantAttribute>(instruction);
    Bytes bytes;
    for (char c : constant.data) bytes.push_back(static_cast<std::byte>(c));
    return ReadTensor(result.type, result.shape, constant.desc.layout().form(),
                      bytes);
  }
  const LogicalTensor& x = *values[0];
  const auto element_at = [&](const DimVector& index) -> Element {
    switch (instruction.opcode) {
      case Opcode::kBroadcastInDim:
        return BroadcastAt(
            x, AttributeOf<BroadcastInDimAttribute>(instruction).dimensions,
            index);
      case Opcode::kTranspose:
        return TransposeAt(
            x, AttributeOf<DimensionsAttribute>(instruction).dimensions, index);
      case Opcode::kReverse:
        return ReverseAt(
            x, AttributeOf<DimensionsAttribute>(instruction).dimensions, index);
      case Opcode::kSlice:
        return SliceAt(x, AttributeOf<SliceAttribute>(instruction), index);
      default:
        break;
    }
    if (values.size() == 1) {
      return ReferenceUnary(instruction, x.type, At(x, index));
    }
    if (values.size() == 2) {
      return BinaryAt(instruction, x, *values[1], index);
    }
    return ReferenceTernary(instruction, values[1]->type, ScalarOrAt(x, index),
                            At(*values[1], index),
                            ScalarOrAt(*values[2], index));
  };
  ForEachIndex(result.shape, [&](const DimVector& index) {
    result.elements.push_back(element_at(index));
  });
  return result;
}

std::vector<LogicalTensor> ReferenceValues(const Signature& signature,
                                           absl::Span<const Bytes> operands) {
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
    values.push_back(ReferenceInstruction(instruction, arguments));
  }
  return values;
}

std::vector<Bytes> Reference(const Signature& signature,
                             absl::Span<const Bytes> operands) {
  const std::vector<LogicalTensor> values =
      ReferenceValues(signature, operands);
  std::vector<Bytes> results;
  for (const ResultSpec& spec : signature.results) {
    results.push_back(WriteTensor(
        spec.value ? values[*spec.value] : values.back(), spec.form));
  }
  return results;
}

}  // namespace stridecast::testing
