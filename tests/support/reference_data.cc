// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle of operations that only move elements: reshape, concatenate, pad,
// iota, bitcast_convert.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

template <typename T>
const T& AttributeOf(const Instruction& instruction) {
  return std::get<T>(instruction.attribute);
}

size_t AxisOf(const Instruction& concatenate) {
  return static_cast<size_t>(
      AttributeOf<DimensionsAttribute>(concatenate).dimensions[0]);
}

LogicalTensor BitcastShape(DType to, const LogicalTensor& x) {
  LogicalTensor result{to, x.shape, {}};
  const int64_t from_bytes = ElementBytes(x.type);
  const int64_t to_bytes = ElementBytes(to);
  if (to_bytes < from_bytes) result.shape.push_back(from_bytes / to_bytes);
  if (to_bytes > from_bytes) result.shape.pop_back();
  return result;
}

// Through memory: the elements' bytes in row-major order.
void Bitcast(const LogicalTensor& x, LogicalTensor& result) {
  Bytes bytes(x.elements.size() * static_cast<size_t>(ElementBytes(x.type)));
  for (size_t i = 0; i < x.elements.size(); ++i) {
    WriteElement(x.type, x.elements[i], static_cast<int64_t>(i), bytes);
  }
  const int64_t count = NumElements(result.shape);
  for (int64_t i = 0; i < count; ++i) {
    result.elements.push_back(ReadElement(result.type, bytes, i));
  }
}

// Puts one operand after the other along the axis: rows of the result are rows
// of the first, then of the second ...
void Concatenate(size_t axis, absl::Span<const LogicalTensor* const> values,
                 LogicalTensor& result) {
  const auto inner_of = [axis](const LogicalTensor& x) {
    return static_cast<size_t>(
        NumElements(absl::MakeConstSpan(x.shape).subspan(axis)));
  };
  const auto outer = static_cast<size_t>(
      NumElements(absl::MakeConstSpan(result.shape).subspan(0, axis)));
  for (size_t row = 0; row < outer; ++row) {
    for (const LogicalTensor* x : values) {
      const auto begin =
          x->elements.begin() + static_cast<std::ptrdiff_t>(row * inner_of(*x));
      result.elements.insert(result.elements.end(), begin,
                             begin + static_cast<std::ptrdiff_t>(inner_of(*x)));
    }
  }
}

// Each element of the operand to its place, if it has one.
void Pad(const PadAttribute& pad, const LogicalTensor& x,
         const Element& padding, LogicalTensor& result) {
  result.elements.assign(static_cast<size_t>(NumElements(result.shape)),
                         padding);
  size_t next = 0;
  ForEachIndex(x.shape, [&](const DimVector& index) {
    const Element& element = x.elements[next++];
    int64_t position = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t place = pad.low[d] + index[d] * (pad.interior[d] + 1);
      if (place < 0 || place >= result.shape[d]) return;
      position = position * result.shape[d] + place;
    }
    result.elements[static_cast<size_t>(position)] = element;
  });
}

}  // namespace

bool IsDataOperation(Opcode opcode) {
  return opcode == Opcode::kReshape || opcode == Opcode::kConcatenate ||
         opcode == Opcode::kPad || opcode == Opcode::kIota ||
         opcode == Opcode::kBitcastConvert;
}

LogicalTensor ReferenceDataShape(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values) {
  switch (instruction.opcode) {
    case Opcode::kReshape:
      return {values[0]->type,
              AttributeOf<ReshapeAttribute>(instruction).shape,
              {}};
    case Opcode::kIota: {
      const auto& iota = AttributeOf<IotaAttribute>(instruction);
      return {iota.type, iota.shape, {}};
    }
    case Opcode::kBitcastConvert:
      return BitcastShape(AttributeOf<ConvertAttribute>(instruction).type,
                          *values[0]);
    case Opcode::kConcatenate: {
      LogicalTensor result{values[0]->type, values[0]->shape, {}};
      const size_t axis = AxisOf(instruction);
      for (const LogicalTensor* x : values.subspan(1)) {
        result.shape[axis] += x->shape[axis];
      }
      return result;
    }
    default: {
      const auto& pad = AttributeOf<PadAttribute>(instruction);
      LogicalTensor result{values[0]->type, values[0]->shape, {}};
      for (size_t d = 0; d < result.shape.size(); ++d) {
        const int64_t holes =
            std::max<int64_t>(result.shape[d] - 1, 0) * pad.interior[d];
        result.shape[d] += pad.low[d] + holes + pad.high[d];
      }
      return result;
    }
  }
}

LogicalTensor ReferenceData(const Instruction& instruction,
                            absl::Span<const LogicalTensor* const> values) {
  LogicalTensor result = ReferenceDataShape(instruction, values);
  switch (instruction.opcode) {
    case Opcode::kReshape:
      result.elements = values[0]->elements;
      break;
    case Opcode::kBitcastConvert:
      Bitcast(*values[0], result);
      break;
    case Opcode::kConcatenate:
      Concatenate(AxisOf(instruction), values, result);
      break;
    case Opcode::kPad:
      Pad(AttributeOf<PadAttribute>(instruction), *values[0],
          values[1]->elements[0], result);
      break;
    default: {
      const auto& iota = AttributeOf<IotaAttribute>(instruction);
      ForEachIndex(result.shape, [&](const DimVector& index) {
        const Element number{
            static_cast<uint64_t>(index[static_cast<size_t>(iota.dimension)])};
        result.elements.push_back(ConvertElement(
            DType::kS64, iota.type, Overflow::kUnspecified, number));
      });
    }
  }
  return result;
}

}  // namespace stridecast::testing
