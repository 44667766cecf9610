// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's views and data operations: each element of the result is one of
// an operand, its bits kept.

#include <algorithm>

#include "absl/numeric/int128.h"
#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

template <typename T>
const T& AttributeOf(const Instruction& instruction) {
  return std::get<T>(instruction.attribute);
}

const Element& At(const LogicalTensor& tensor,
                  absl::Span<const int64_t> index) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    position = position * tensor.shape[d] + index[d];
  }
  return tensor.elements[static_cast<size_t>(position)];
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

const Element& ConcatenateAt(absl::Span<const LogicalTensor* const> values,
                             int64_t dimension, DimVector index) {
  const auto d = static_cast<size_t>(dimension);
  for (const LogicalTensor* value : values) {
    if (index[d] < value->shape[d]) return At(*value, index);
    index[d] -= value->shape[d];
  }
  return values[0]->elements[0];  // not reached
}

const Element& PadAt(const LogicalTensor& x, const LogicalTensor& fill,
                     const PadAttribute& pad, DimVector index) {
  for (size_t d = 0; d < index.size(); ++d) {
    // Up to 2^64 - 1 from the first element, and up to 2^63 apart.
    const absl::int128 position = absl::int128(index[d]) - pad.low[d];
    const absl::int128 pitch = absl::int128(pad.interior[d]) + 1;
    if (position < 0 || position % pitch != 0) return fill.elements[0];
    if (position / pitch >= x.shape[d]) return fill.elements[0];
    index[d] = static_cast<int64_t>(position / pitch);
  }
  return At(x, index);
}

DimVector TransposedShape(const DimVector& shape,
                          const DimVector& permutation) {
  DimVector result;
  for (int64_t d : permutation) {
    result.push_back(shape[static_cast<size_t>(d)]);
  }
  return result;
}

DimVector SlicedShape(const SliceAttribute& slice) {
  DimVector result;
  for (size_t d = 0; d < slice.start.size(); ++d) {
    const int64_t step = slice.step.empty() ? 1 : slice.step[d];
    const int64_t length = slice.limit[d] - slice.start[d];
    result.push_back(length / step + (length % step != 0 ? 1 : 0));
  }
  return result;
}

DimVector PaddedShape(DimVector shape, const PadAttribute& pad) {
  for (size_t d = 0; d < shape.size(); ++d) {
    const absl::int128 gaps = std::max<int64_t>(shape[d] - 1, 0);
    shape[d] = static_cast<int64_t>(gaps * pad.interior[d] + shape[d] +
                                    pad.low[d] + pad.high[d]);
  }
  return shape;
}

DimVector ConcatenatedShape(absl::Span<const LogicalTensor* const> values,
                            int64_t dimension) {
  DimVector shape = values[0]->shape;
  for (const LogicalTensor* value : values.subspan(1)) {
    shape[static_cast<size_t>(dimension)] +=
        value->shape[static_cast<size_t>(dimension)];
  }
  return shape;
}

int64_t BytesOf(DType type) {
  return NumberWidth(type) / 8 * (IsComplex(type) ? 2 : 1);
}

DimVector BitcastShape(DimVector shape, DType from, DType to) {
  if (BytesOf(from) > BytesOf(to)) {
    shape.push_back(BytesOf(from) / BytesOf(to));
  } else if (BytesOf(from) < BytesOf(to)) {
    shape.pop_back();
  }
  return shape;
}

LogicalTensor ConstantValue(const ConstantAttribute& constant) {
  Bytes bytes;
  for (char c : constant.data) bytes.push_back(static_cast<std::byte>(c));
  return ReadTensor(constant.desc.type(), constant.desc.shape().extents(),
                    constant.desc.layout().form(), bytes);
}

LogicalTensor IotaValue(const IotaAttribute& iota) {
  LogicalTensor result{iota.type, iota.shape, {}};
  ForEachIndex(iota.shape, [&](const DimVector& index) {
    const int64_t number = index[static_cast<size_t>(iota.dimension)];
    result.elements.push_back(
        ConvertElement(DType::kS64, iota.type, Overflow::kUnspecified,
                       {static_cast<uint64_t>(number), 0}));
  });
  return result;
}

}  // namespace

const Element& BroadcastAt(const LogicalTensor& operand,
                           absl::Span<const int64_t> dimensions,
                           absl::Span<const int64_t> index) {
  DimVector own;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    const bool repeats = operand.shape[i] == 1;
    own.push_back(repeats ? 0 : index[static_cast<size_t>(dimensions[i])]);
  }
  return At(operand, own);
}

bool MovesElements(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcastInDim:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kReshape:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kIota:
    case Opcode::kConstant:
      return true;
    default:
      return false;
  }
}

LogicalTensor MovedShape(const Instruction& instruction,
                         absl::Span<const LogicalTensor* const> values) {
  if (instruction.opcode == Opcode::kConstant) {
    const TensorDesc& desc = AttributeOf<ConstantAttribute>(instruction).desc;
    const auto extents = desc.shape().extents();
    return {desc.type(), DimVector(extents.begin(), extents.end()), {}};
  }
  if (instruction.opcode == Opcode::kIota) {
    const auto& iota = AttributeOf<IotaAttribute>(instruction);
    return {iota.type, iota.shape, {}};
  }
  const DType type = values[0]->type;
  const DimVector& shape = values[0]->shape;
  switch (instruction.opcode) {
    case Opcode::kBitcastConvert: {
      const DType to = AttributeOf<ConvertAttribute>(instruction).type;
      return {to, BitcastShape(shape, type, to), {}};
    }
    case Opcode::kBroadcastInDim:
      return {
          type, AttributeOf<BroadcastInDimAttribute>(instruction).shape, {}};
    case Opcode::kTranspose:
      return {
          type,
          TransposedShape(
              shape, AttributeOf<DimensionsAttribute>(instruction).dimensions),
          {}};
    case Opcode::kSlice:
      return {type, SlicedShape(AttributeOf<SliceAttribute>(instruction)), {}};
    case Opcode::kReshape:
      return {type, AttributeOf<ReshapeAttribute>(instruction).shape, {}};
    case Opcode::kConcatenate:
      return {type,
              ConcatenatedShape(
                  values,
                  AttributeOf<DimensionsAttribute>(instruction).dimensions[0]),
              {}};
    case Opcode::kPad:
      return {
          type, PaddedShape(shape, AttributeOf<PadAttribute>(instruction)), {}};
    default:  // kReverse
      return {type, shape, {}};
  }
}

LogicalTensor Moved(const Instruction& instruction,
                    absl::Span<const LogicalTensor* const> values) {
  LogicalTensor result = MovedShape(instruction, values);
  switch (instruction.opcode) {
    case Opcode::kConstant:
      return ConstantValue(AttributeOf<ConstantAttribute>(instruction));
    case Opcode::kIota:
      return IotaValue(AttributeOf<IotaAttribute>(instruction));
    case Opcode::kBitcastConvert:
      // The same bytes, least significant first.
      return ReadTensor(result.type, result.shape, {},
                        WriteTensor(*values[0], {}));
    case Opcode::kReshape:
      result.elements = values[0]->elements;
      return result;
    default:
      break;
  }
  const LogicalTensor& x = *values[0];
  const auto element_at = [&](const DimVector& index) -> const Element& {
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
      case Opcode::kConcatenate:
        return ConcatenateAt(
            values, AttributeOf<DimensionsAttribute>(instruction).dimensions[0],
            index);
      default:  // kPad
        return PadAt(x, *values[1], AttributeOf<PadAttribute>(instruction),
                     index);
    }
  };
  ForEachIndex(result.shape, [&](const DimVector& index) {
    result.elements.push_back(element_at(index));
  });
  return result;
}

}  // namespace stridecast::testing
