// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A Layout says where in a buffer each element of a tensor lies.
//
// It can be described in two ways: as a dimension order with padding (XLA's
// Layout of 2018) or as element strides with an offset (DirectML, NumPy).
// Behind Create both are the same thing: an affine map
//     slot(index) = offset + sum of index[d] * stride[d]
// into a buffer of num_slots() elements.
// Invariants:
//   (L1) as many strides as dimensions
//   (L2) every index of the shape maps into [0, num_slots())
//   (L3) num_slots() * element size fits int64
// Sources: openxla/xla layout_util.cc (ValidateLayoutForShape, texts as there);
// DirectML's DMLCalcBufferTensorSize, without its 32-bit wrap and without its
// rounding to 4 bytes.

#ifndef STRIDECAST_LAYOUT_H_
#define STRIDECAST_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"
#include "stridecast/shape.h"

namespace stridecast {

// What the slots of a padded layout hold that no element maps to. Numbers as in
// stridecast.v1.PaddingValue. Only results are filled; the padding of operands
// is never read.
enum class PaddingValue : int8_t {
  kUnspecified = 0,  // zeros
  kZero = 1,
  kOne = 2,
  kLowest = 3,   // -inf, the least integer, false; no complex type has one
  kHighest = 4,  // +inf, the greatest integer, true; no complex type has one
  kUnknown = 5,  // the caller does not care: zeros
};

// Dimensions from the fastest-varying in memory to the slowest, each padded at
// its end up to padded_dimensions (empty: no padding; else one per dimension,
// by dimension number).
struct DimensionOrder {
  DimVector minor_to_major;
  DimVector padded_dimensions;
  PaddingValue padding_value = PaddingValue::kUnspecified;
  friend bool operator==(const DimensionOrder&,
                         const DimensionOrder&) = default;
};

// Distances in elements, by dimension number. 0 repeats, negative walks
// backwards; both for operands only. total_elements is the size of the buffer
// in elements; 0 stands for the least: (slot of the last element + 1), or 0 for
// a tensor of no elements.
struct ElementStrides {
  DimVector strides;
  int64_t offset = 0;
  int64_t total_elements = 0;
  friend bool operator==(const ElementStrides&,
                         const ElementStrides&) = default;
};

// std::monostate: row-major, dense.
using PhysicalForm =
    std::variant<std::monostate, DimensionOrder, ElementStrides>;

class Layout {
 public:
  Layout() = default;  // of a scalar

  // Errors: kInvalidArgument with a field below "layout" or "strides".
  static absl::StatusOr<Layout> Create(DType type, const Shape& shape,
                                       const PhysicalForm& form);

  const Shape& shape() const { return shape_; }

  // The description that it was made from, made explicit: never monostate, and
  // ElementStrides with their total_elements.
  const PhysicalForm& form() const { return form_; }

  absl::Span<const int64_t> strides() const { return strides_; }
  int64_t offset() const { return offset_; }
  // Elements of the whole buffer, padding and gaps included.
  int64_t num_slots() const { return num_slots_; }
  // What slots without an element hold in a result.
  PaddingValue padding_value() const;

  // No two indices share a slot. Provable only for nested strides (each greater
  // than the extent of all smaller ones together); interlocked ones count as
  // not unique.
  bool IsUnique() const;
  // Unique, and every slot of the buffer holds an element.
  bool IsPacked() const;
  // Packed, and in row-major order: the buffer is the logical sequence.
  bool IsContiguous() const;
  // Strides do not shrink (grow) with the dimension number, extents of 1 left
  // out: dimension 0 is the fastest (slowest) one in memory.
  bool IsDim0Minor() const;
  bool IsDim0Major() const;

  // The slot of `index`, which has rank() entries within the shape.
  int64_t SlotOf(absl::Span<const int64_t> index) const;
  // The index whose element lies at `slot`; none for padding and gaps. Of
  // several (stride 0, overlap) the first in row-major order.
  // For unique layouts in O(rank); for others in O(elements).
  std::optional<DimVector> IndexOf(int64_t slot) const;

 private:
  Shape shape_;
  PhysicalForm form_ = DimensionOrder{};
  DimVector strides_;
  int64_t offset_ = 0;
  int64_t num_slots_ = 1;
};

// Descending order [rank-1 ... 0]: dimension 0 varies slowest. XLA's default.
DimVector RowMajorOrder(int rank);
// Ascending order [0 ... rank-1]: dimension 0 varies fastest.
DimVector ColumnMajorOrder(int rank);

}  // namespace stridecast

#endif  // STRIDECAST_LAYOUT_H_
