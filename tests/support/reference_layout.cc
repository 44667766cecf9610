// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle's layouts, SEMANTICS.md 1.2 and 1.4.

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

Element PaddingElement(DType type, PaddingValue value) {
  const DType part = RealType(type);
  const bool is_signed = ClassOf(type) == kSignedClass;
  const uint64_t all_ones = CutToWidth(part, ~uint64_t{0});
  switch (value) {
    case PaddingValue::kOne:
      return {IsFloat(part) ? BitsOfFloat(part, 1.0f) : 1, 0};
    case PaddingValue::kLowest:
      if (IsFloat(part)) {
        return {FormatOf(part).infinity() | FormatOf(part).sign_mask(), 0};
      }
      return {is_signed ? all_ones / 2 + 1 : 0, 0};
    case PaddingValue::kHighest:
      if (IsFloat(part)) return {FormatOf(part).infinity(), 0};
      if (type == DType::kPred) return {1, 0};
      return {is_signed ? all_ones / 2 : all_ones, 0};
    default:
      return {};
  }
}

}  // namespace

int64_t NumElements(absl::Span<const int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

void ForEachIndex(absl::Span<const int64_t> shape,
                  const std::function<void(const DimVector&)>& visit) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  DimVector index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

int64_t SlotMap::operator()(absl::Span<const int64_t> index) const {
  int64_t slot = offset;
  for (size_t d = 0; d < index.size(); ++d) slot += index[d] * strides[d];
  return slot;
}

SlotMap ReferenceSlots(absl::Span<const int64_t> shape,
                       const PhysicalForm& form) {
  SlotMap map;
  map.strides.resize(shape.size());
  if (const auto* strided = std::get_if<ElementStrides>(&form)) {
    map.strides = strided->strides;
    map.offset = strided->offset;
    map.num_slots = strided->total_elements;
    if (map.num_slots == 0) {
      ForEachIndex(shape, [&](const DimVector& index) {
        map.num_slots = std::max(map.num_slots, map(index) + 1);
      });
    }
    return map;
  }
  DimVector order;
  DimVector physical(shape.begin(), shape.end());
  if (const auto* stated = std::get_if<DimensionOrder>(&form)) {
    order = stated->minor_to_major;
    if (!stated->padded_dimensions.empty())
      physical = stated->padded_dimensions;
  } else {
    for (size_t d = shape.size(); d > 0; --d) {
      order.push_back(static_cast<int64_t>(d) - 1);
    }
  }
  map.num_slots = 1;
  for (int64_t dim : order) {
    const auto d = static_cast<size_t>(dim);
    map.strides[d] = map.num_slots;
    map.num_slots *= physical[d];
  }
  return map;
}

Element ReadElement(DType type, const Bytes& buffer, int64_t slot) {
  const auto part_bytes = static_cast<size_t>(NumberWidth(type) / 8);
  const size_t element_bytes = part_bytes * (IsComplex(type) ? 2 : 1);
  const std::byte* data =
      buffer.data() + static_cast<size_t>(slot) * element_bytes;
  Element element;
  std::memcpy(&element.bits, data, part_bytes);
  if (IsComplex(type)) {
    std::memcpy(&element.imag_bits, data + part_bytes, part_bytes);
  }
  if (type == DType::kPred) element.bits = element.bits != 0 ? 1 : 0;
  return element;
}

void WriteElement(DType type, Element element, int64_t slot, Bytes& buffer) {
  const auto part_bytes = static_cast<size_t>(NumberWidth(type) / 8);
  const size_t element_bytes = part_bytes * (IsComplex(type) ? 2 : 1);
  std::byte* data = buffer.data() + static_cast<size_t>(slot) * element_bytes;
  std::memcpy(data, &element.bits, part_bytes);
  if (IsComplex(type)) {
    std::memcpy(data + part_bytes, &element.imag_bits, part_bytes);
  }
}

LogicalTensor ReadTensor(DType type, absl::Span<const int64_t> shape,
                         const PhysicalForm& form, const Bytes& buffer) {
  LogicalTensor tensor{type, DimVector(shape.begin(), shape.end()), {}};
  const SlotMap map = ReferenceSlots(shape, form);
  ForEachIndex(shape, [&](const DimVector& index) {
    tensor.elements.push_back(ReadElement(type, buffer, map(index)));
  });
  return tensor;
}

Bytes WriteTensor(const LogicalTensor& tensor, const PhysicalForm& form) {
  const SlotMap map = ReferenceSlots(tensor.shape, form);
  const int parts = IsComplex(tensor.type) ? 2 : 1;
  Bytes buffer(static_cast<size_t>(map.num_slots * parts *
                                   NumberWidth(tensor.type) / 8));
  if (const auto* order = std::get_if<DimensionOrder>(&form)) {
    const Element fill = PaddingElement(tensor.type, order->padding_value);
    for (int64_t slot = 0; slot < map.num_slots; ++slot) {
      WriteElement(tensor.type, fill, slot, buffer);
    }
  }
  size_t position = 0;
  ForEachIndex(tensor.shape, [&](const DimVector& index) {
    WriteElement(tensor.type, tensor.elements[position++], map(index), buffer);
  });
  return buffer;
}

}  // namespace stridecast::testing
