// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The checks stand in the order of XLA's ValidateLayoutForShape, so that a
// request with several faults reports the one that XLA reports.

#include "stridecast/layout.h"

#include <algorithm>
#include <cstdlib>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/tensor/checked_math.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {
namespace {

// The whole buffer, in bytes, must be addressable.
absl::Status CheckBytes(DType type, const Shape& shape,
                        const CheckedInt64& num_slots,
                        absl::string_view field) {
  CheckedInt64 bytes = num_slots;
  if (!bytes.Multiply(ElementBytes(type)).value()) {
    return FieldError(field, "Shape ", ShapeToString(type, shape),
                      " size may overflow int64_t: its buffer has more than "
                      "2^63-1 bytes");
  }
  return absl::OkStatus();
}

absl::Status CheckOrder(DType type, const Shape& shape,
                        absl::Span<const int64_t> minor_to_major) {
  constexpr absl::string_view kField = "layout.minor_to_major";
  const int rank = shape.rank();
  if (static_cast<int>(minor_to_major.size()) != rank) {
    return FieldError(kField, "layout minor_to_major field contains ",
                      minor_to_major.size(), " elements, but shape is rank ",
                      rank, ": {", absl::StrJoin(minor_to_major, ","),
                      "}; shape: ", ShapeToString(type, shape));
  }
  uint32_t seen = 0;
  for (int64_t dim : minor_to_major) {
    if (dim < 0 || dim >= rank) {
      return FieldError(
          kField, "layout minor_to_major field has out-of-bounds value: {",
          absl::StrJoin(minor_to_major, ","), "}; ", dim, " is not in [0,",
          rank, ") of shape ", ShapeToString(type, shape));
    }
    if ((seen >> dim & 1) != 0) {
      return FieldError(kField,
                        "layout minor_to_major field has duplicate values: {",
                        absl::StrJoin(minor_to_major, ","),
                        "}; shape: ", ShapeToString(type, shape));
    }
    seen |= uint32_t{1} << dim;
  }
  return absl::OkStatus();
}

absl::Status CheckPadding(const Shape& shape, const DimensionOrder& order) {
  const DimVector& padded = order.padded_dimensions;
  if (padded.empty()) return absl::OkStatus();
  if (static_cast<int>(padded.size()) != shape.rank()) {
    return FieldError("layout.padded_dimensions", "layout has ", padded.size(),
                      " padded dimensions, but shape is rank ", shape.rank());
  }
  for (int d = 0; d < shape.rank(); ++d) {
    if (padded[d] < shape.extent(d)) {
      return FieldError(absl::StrCat("layout.padded_dimensions[", d, "]"),
                        "for dimension ", d, ", dimension padding (", padded[d],
                        ") is smaller than the dimension size (",
                        shape.extent(d), ") of the shape");
    }
  }
  return absl::OkStatus();
}

// Among dimensions with an extent greater than 1, by ascending |stride|.
absl::InlinedVector<int, kInlineRank> DimsByStride(
    const Shape& shape, absl::Span<const int64_t> strides) {
  absl::InlinedVector<int, kInlineRank> dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.extent(d) > 1) dims.push_back(d);
  }
  std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) {
    return std::abs(strides[a]) < std::abs(strides[b]);
  });
  return dims;
}

}  // namespace

DimVector RowMajorOrder(int rank) {
  DimVector order(rank);
  for (int i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  return order;
}

DimVector ColumnMajorOrder(int rank) {
  DimVector order(rank);
  for (int i = 0; i < rank; ++i) order[i] = i;
  return order;
}

absl::StatusOr<Layout> Layout::Create(DType type, const Shape& shape,
                                      const PhysicalForm& form) {
  Layout layout;
  layout.shape_ = shape;
  layout.form_ = form;
  layout.strides_.resize(shape.rank());
  if (std::holds_alternative<std::monostate>(form)) {
    layout.form_ =
        DimensionOrder{RowMajorOrder(shape.rank()), {}, PaddingValue::kZero};
  }
  if (const auto* order = std::get_if<DimensionOrder>(&layout.form_)) {
    RETURN_IF_ERROR(CheckOrder(type, shape, order->minor_to_major));
    RETURN_IF_ERROR(CheckPadding(shape, *order));
    const bool padded = !order->padded_dimensions.empty();
    // An extent of 0 must not hide an overflow of the others.
    CheckedInt64 num_slots(1);
    bool empty = false;
    for (int64_t dim : order->minor_to_major) {
      const int d = static_cast<int>(dim);
      const int64_t extent =
          padded ? order->padded_dimensions[d] : shape.extent(d);
      layout.strides_[d] = num_slots.value().value_or(0);
      empty |= extent == 0;
      if (extent != 0) num_slots.Multiply(extent);
    }
    RETURN_IF_ERROR(
        CheckBytes(type, shape, num_slots,
                   padded ? "layout.padded_dimensions" : "dimensions"));
    layout.num_slots_ = empty ? 0 : *num_slots.value();
    return layout;
  }

  auto& strided = std::get<ElementStrides>(layout.form_);
  if (static_cast<int>(strided.strides.size()) != shape.rank()) {
    return FieldError("strides.strides", strided.strides.size(),
                      " entries for rank ", shape.rank());
  }
  if (strided.offset < 0) {
    return FieldError("strides.offset", strided.offset, " is negative");
  }
  if (strided.total_elements < 0) {
    return FieldError("strides.total_elements", strided.total_elements,
                      " is negative");
  }
  CheckedInt64 lowest(strided.offset);
  CheckedInt64 highest(strided.offset);
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t stride = strided.strides[d];
    if (shape.extent(d) == 0) continue;
    (stride < 0 ? lowest : highest).AddProduct(shape.extent(d) - 1, stride);
  }
  CheckedInt64 needed = highest;
  needed.Add(1);
  if (shape.num_elements() == 0) {
    needed = CheckedInt64(0);
    lowest = CheckedInt64(0);
  }
  if (!needed.value() || !lowest.value()) {
    return FieldError("strides.strides", "the offsets of shape ",
                      ShapeToString(type, shape), " under strides ",
                      ListToString(strided.strides), " overflow int64");
  }
  if (*lowest.value() < 0) {
    return FieldError("strides.strides", "the lowest element lies at slot ",
                      *lowest.value(), ", before the buffer; offset ",
                      strided.offset, " must be at least ",
                      static_cast<uint64_t>(strided.offset) -
                          static_cast<uint64_t>(*lowest.value()));
  }
  const int64_t minimum = *needed.value();
  if (strided.total_elements == 0) strided.total_elements = minimum;
  if (strided.total_elements < minimum) {
    return FieldError("strides.total_elements", strided.total_elements,
                      " is less than the ", minimum,
                      " elements that offset and strides reach");
  }
  RETURN_IF_ERROR(CheckBytes(type, shape, CheckedInt64(strided.total_elements),
                             "strides.total_elements"));
  layout.strides_ = strided.strides;
  layout.offset_ = strided.offset;
  layout.num_slots_ = strided.total_elements;
  return layout;
}

PaddingValue Layout::padding_value() const {
  const auto* order = std::get_if<DimensionOrder>(&form_);
  if (order == nullptr || order->padding_value == PaddingValue::kUnspecified ||
      order->padding_value == PaddingValue::kUnknown) {
    return PaddingValue::kZero;
  }
  return order->padding_value;
}

bool Layout::IsUnique() const {
  if (shape_.num_elements() == 0) return true;
  // (L2) and (L3): sums of (extent-1)*|stride| fit.
  int64_t reach = 0;
  for (int d : DimsByStride(shape_, strides_)) {
    const int64_t stride = std::abs(strides_[d]);
    if (stride <= reach) return false;
    reach += (shape_.extent(d) - 1) * stride;
  }
  return true;
}

bool Layout::IsPacked() const {
  return num_slots_ == shape_.num_elements() && IsUnique();
}

bool Layout::IsContiguous() const {
  if (!IsPacked()) return false;
  if (shape_.num_elements() == 0) return true;
  int64_t expected = 1;
  for (int d = shape_.rank() - 1; d >= 0; --d) {
    if (shape_.extent(d) > 1 && strides_[d] != expected) return false;
    expected *= shape_.extent(d);
  }
  return true;
}

bool Layout::IsDim0Minor() const {
  int64_t previous = 0;
  for (int d = 0; d < shape_.rank(); ++d) {
    if (shape_.extent(d) <= 1) continue;
    if (std::abs(strides_[d]) < previous) return false;
    previous = std::abs(strides_[d]);
  }
  return true;
}

bool Layout::IsDim0Major() const {
  int64_t previous = 0;
  for (int d = shape_.rank() - 1; d >= 0; --d) {
    if (shape_.extent(d) <= 1) continue;
    if (std::abs(strides_[d]) < previous) return false;
    previous = std::abs(strides_[d]);
  }
  return true;
}

int64_t Layout::SlotOf(absl::Span<const int64_t> index) const {
  int64_t slot = offset_;
  for (int d = 0; d < shape_.rank(); ++d) slot += index[d] * strides_[d];
  return slot;
}

std::optional<DimVector> Layout::IndexOf(int64_t slot) const {
  if (shape_.num_elements() == 0) return std::nullopt;
  DimVector index(shape_.rank(), 0);
  if (IsUnique()) {
    // Counted from the lowest slot every |stride| exceeds the reach of all
    // smaller ones together, so the greatest dimension takes what it can.
    int64_t rest = slot - offset_;
    for (int d = 0; d < shape_.rank(); ++d) {
      if (strides_[d] < 0) rest -= (shape_.extent(d) - 1) * strides_[d];
    }
    const auto dims = DimsByStride(shape_, strides_);
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
      const int64_t stride = std::abs(strides_[*d]);
      const int64_t steps =
          std::min(std::max<int64_t>(rest, 0) / stride, shape_.extent(*d) - 1);
      rest -= steps * stride;
      index[*d] = strides_[*d] < 0 ? shape_.extent(*d) - 1 - steps : steps;
    }
    return rest == 0 ? std::optional<DimVector>(index) : std::nullopt;
  }
  for (int64_t i = 0; i < shape_.num_elements(); ++i) {
    if (SlotOf(index) == slot) return index;
    for (int d = shape_.rank() - 1; d >= 0; --d) {
      if (++index[d] < shape_.extent(d)) break;
      index[d] = 0;
    }
  }
  return std::nullopt;
}

}  // namespace stridecast
