// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random layouts and bit patterns.

#include <limits>

#include "tests/support/builders.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kMaxSlots = 1 << 17;

DimensionOrder RandomOrder(Random& random, DType type, const DimVector& shape) {
  DimensionOrder order = Order(RandomPermutation(random, shape.size()));
  order.padding_value = static_cast<PaddingValue>(random.Below(6));
  if (IsComplex(type) && (order.padding_value == PaddingValue::kLowest ||
                          order.padding_value == PaddingValue::kHighest)) {
    order.padding_value = PaddingValue::kOne;
  }
  if (random.OneIn(2)) {
    for (int64_t extent : shape) {
      // At times up to a pitch of a power of two.
      order.padded_dimensions.push_back(
          random.OneIn(6) ? std::max<int64_t>(extent, 64)
                          : extent + random.Below(2) * random.Below(4));
    }
  }
  return order;
}

// Nested strides in any order of dimensions, with gaps or without.
ElementStrides NestedStrides(Random& random, const DimVector& shape) {
  ElementStrides form;
  form.strides.resize(shape.size());
  const bool gaps = random.OneIn(2);
  int64_t next = gaps && random.OneIn(3) ? random.Between(2, 4) : 1;
  for (int64_t dim : RandomPermutation(random, shape.size())) {
    const auto d = static_cast<size_t>(dim);
    form.strides[d] = next;
    next = next * std::max<int64_t>(shape[d], 1) +
           (gaps && random.OneIn(2) ? random.Below(4) : 0);
  }
  return form;
}

// Strides that are never used may be anything.
void ScrambleUnused(Random& random, const DimVector& shape,
                    ElementStrides& form) {
  static constexpr int64_t kOdd[] = {0, -1, 1000,
                                     std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int64_t>::max()};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1 && random.OneIn(2)) form.strides[d] = random.Pick(kOdd);
  }
}

// Moves the first element so far that none lies before the buffer, and at times
// further; at times makes the buffer longer than it need be.
void PlaceInBuffer(Random& random, const DimVector& shape,
                   ElementStrides& form) {
  const bool empty = NumElements(shape) == 0;
  int64_t needed = 1;
  for (size_t d = 0; d < shape.size() && !empty; ++d) {
    if (shape[d] == 1) continue;
    const int64_t reach = (shape[d] - 1) * form.strides[d];
    if (reach < 0) form.offset -= reach;
    needed += std::abs(reach);
  }
  if (random.OneIn(3)) {
    form.offset += random.Below(6);
    needed += 6;
  }
  if (random.OneIn(3)) {
    form.total_elements = (empty ? 0 : needed) + random.Below(6);
  }
}

bool IsSmall(DType type, const DimVector& shape, const PhysicalForm& form) {
  const auto desc = TensorDesc::Create(type, shape, form);
  return desc.ok() && desc->layout().num_slots() <= kMaxSlots;
}

uint64_t RandomFloat(Random& random, DType type, bool edge) {
  const FloatFormat format = FormatOf(type);
  const uint64_t sign = random.OneIn(2) ? format.sign_mask() : 0;
  if (!edge) {
    const double value = static_cast<double>(random.Between(-4000, 4000)) /
                         static_cast<double>(random.Between(1, 64));
    return RoundToFloat(type, ToExact(DType::kF64, BitsOfDouble(value)));
  }
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  switch (random.Below(12)) {
    case 0:
      return sign;
    case 1:
      return sign | format.infinity();
    case 2:
      return sign | format.canonical_nan();
    case 3:  // quiet NaN with a payload
      return sign | format.canonical_nan() | (random.Bits() & (quiet - 1));
    case 4:  // signalling NaN
      return sign | format.infinity() | 1 | (random.Bits() & (quiet - 1));
    case 5:  // subnormal
      return sign | (random.Bits() & (2 * quiet - 1));
    case 6:  // greatest, and least normal
      return sign | (random.OneIn(2) ? format.infinity() - 1 : 2 * quiet);
    case 7:  // least subnormal
      return sign | 1;
    case 8: {  // around the limits of integers
      static constexpr int kPowers[] = {0, 1, 7, 8, 15, 16, 31, 32, 63, 64};
      const ExactNumber power{ExactNumber::Kind::kFinite, sign != 0, 1,
                              random.Pick(kPowers)};
      return RoundToFloat(type, power) +
             static_cast<uint64_t>(random.Between(-1, 1));
    }
    case 9:  // halves
      return RoundToFloat(type, {ExactNumber::Kind::kFinite, sign != 0,
                                 static_cast<uint64_t>(random.Below(512)), -1});
    default:
      return CutToWidth(type, random.Bits());
  }
}

uint64_t RandomInteger(Random& random, DType type, bool edge) {
  if (!edge) {
    return CutToWidth(type, static_cast<uint64_t>(random.Between(-100, 100)));
  }
  const int width = NumberWidth(type);
  const uint64_t top = uint64_t{1} << (width - 1);
  switch (random.Below(6)) {
    case 0:
      return 0;
    case 1:
      return top;  // least signed
    case 2:
      return top - 1;  // greatest signed
    case 3:
      return CutToWidth(type, ~uint64_t{0});  // -1, greatest unsigned
    case 4:                                   // around a power of two
      return CutToWidth(type, (uint64_t{1} << random.Below(width)) +
                                  static_cast<uint64_t>(random.Between(-1, 1)));
    default:
      return CutToWidth(type, random.Bits());
  }
}

uint64_t RandomNumber(Random& random, DType type, int64_t edge_rarity) {
  const bool edge = random.OneIn(edge_rarity);
  if (IsFloat(type)) return RandomFloat(random, type, edge);
  if (type != DType::kPred) return RandomInteger(random, type, edge);
  return static_cast<uint64_t>(edge ? random.Below(256) : random.Below(2));
}

}  // namespace

DimVector RandomPermutation(Random& random, size_t rank) {
  DimVector order = RowMajorOrder(static_cast<int>(rank));
  random.Shuffle(order);
  return order;
}

PhysicalForm RandomOperandForm(Random& random, DType type,
                               const DimVector& shape) {
  PhysicalForm form;
  const int64_t kind = random.Below(9);
  if (kind < 2) return form;
  if (kind < 5) {
    form = RandomOrder(random, type, shape);
  } else {
    ElementStrides strided = NestedStrides(random, shape);
    for (int64_t& stride : strided.strides) {
      if (kind == 6 && random.OneIn(2)) stride = 0;
      if (kind == 7 && random.OneIn(2)) stride = -stride;
      if (kind == 8) stride = random.Between(-5, 5);
    }
    ScrambleUnused(random, shape, strided);
    PlaceInBuffer(random, shape, strided);
    form = strided;
  }
  return IsSmall(type, shape, form) ? form : PhysicalForm();
}

PhysicalForm RandomResultForm(Random& random, DType type,
                              const DimVector& shape) {
  PhysicalForm form;
  const int64_t kind = random.Below(6);
  if (kind < 2) return form;
  if (kind < 4) {
    form = RandomOrder(random, type, shape);
  } else {
    ElementStrides strided = NestedStrides(random, shape);
    ScrambleUnused(random, shape, strided);
    PlaceInBuffer(random, shape, strided);
    form = strided;
  }
  return IsSmall(type, shape, form) ? form : PhysicalForm();
}

Bytes RandomBytes(Random& random, const TensorDesc& desc, int64_t edge_rarity) {
  const DType part = RealType(desc.type());
  Bytes buffer(static_cast<size_t>(desc.size_bytes()));
  for (int64_t slot = 0; slot < desc.layout().num_slots(); ++slot) {
    const Element element{RandomNumber(random, part, edge_rarity),
                          RandomNumber(random, part, edge_rarity)};
    WriteElement(desc.type(), element, slot, buffer);
  }
  return buffer;
}

}  // namespace stridecast::testing
