// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/strided_view.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Whether two elements lie this stride apart.
bool IsUsed(const Shape& shape, int dim) {
  return shape.num_elements() > 0 && shape.extent(dim) > 1;
}

absl::Status CheckCount(absl::string_view field,
                        absl::Span<const int64_t> strides, int rank) {
  if (static_cast<int>(strides.size()) == rank) return absl::OkStatus();
  return FieldError(field, strides.size(), " entries for rank ", rank);
}

absl::Status CheckWholeElements(absl::string_view field, int64_t bytes,
                                DType type) {
  if (bytes % ElementBytes(type) == 0) return absl::OkStatus();
  return FieldError(field, bytes, " is no multiple of the ", ElementBytes(type),
                    " bytes of an element of type ", DTypeName(type));
}

// How many elements before the element of index (0, ..., 0) the lowest one
// lies.
absl::StatusOr<int64_t> OffsetOfOrigin(DType type, const Shape& shape,
                                       absl::Span<const int64_t> strides) {
  int64_t offset = 0;
  bool overflows = false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!IsUsed(shape, d) || strides[d] >= 0) continue;
    int64_t reach = 0;
    overflows |=
        __builtin_mul_overflow(shape.extent(d) - 1, strides[d], &reach) ||
        __builtin_sub_overflow(offset, reach, &offset);
  }
  if (overflows) {
    return FieldError("strides", "the offsets of shape ",
                      ShapeToString(type, shape), " under strides ",
                      ListToString(strides), " overflow int64");
  }
  return offset;
}

absl::StatusOr<TensorDesc> Describe(DType type,
                                    absl::Span<const int64_t> extents,
                                    absl::Span<const int64_t> strides) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(extents));
  RETURN_IF_ERROR(CheckCount("strides", strides, shape.rank()));
  ASSIGN_OR_RETURN(const int64_t offset, OffsetOfOrigin(type, shape, strides));
  return TensorDesc::Create(
      type, shape,
      ElementStrides{DimVector(strides.begin(), strides.end()), offset, 0});
}

absl::StatusOr<MutableTensorView> ViewFrom(void* origin, TensorDesc desc) {
  if (origin == nullptr && desc.num_elements() > 0) {
    return FieldError("origin", "null, for a tensor of shape ",
                      desc.shape().ToString());
  }
  std::byte* lowest = static_cast<std::byte*>(origin) - desc.byte_offset();
  return MutableTensorView{std::move(desc), lowest};
}

// The view for those who promise not to write.
absl::StatusOr<TensorView> ReadOnly(absl::StatusOr<MutableTensorView> view) {
  if (!view.ok()) return std::move(view).status();
  return TensorView{std::move(view->desc), view->data};
}

// `part`, `count` times, each `pitch_bytes` after the one before. `field` is
// the name of the pitch.
absl::StatusOr<TensorDesc> Repeat(const TensorDesc& part, int64_t count,
                                  int64_t pitch_bytes,
                                  absl::string_view field) {
  if (count > 1 && part.num_elements() > 0) {
    RETURN_IF_ERROR(CheckWholeElements(field, pitch_bytes, part.type()));
    if (pitch_bytes < part.size_bytes() && pitch_bytes > -part.size_bytes()) {
      return FieldError(field, pitch_bytes, " is less than the ",
                        part.size_bytes(), " bytes of ",
                        ShapeToString(part.type(), part.shape()));
    }
  }
  DimVector extents = {count};
  DimVector strides = {pitch_bytes / part.element_bytes()};
  for (int d = 0; d < part.rank(); ++d) {
    extents.push_back(part.shape().extent(d));
    strides.push_back(part.layout().strides()[d]);
  }
  return Describe(part.type(), extents, strides);
}

absl::StatusOr<TensorDesc> DescribePitched(
    DType type, absl::Span<const int64_t> extents, int64_t row_pitch_bytes,
    std::optional<int64_t> layer_pitch_bytes) {
  const size_t row_dim = layer_pitch_bytes ? 1 : 0;
  if (extents.size() <= row_dim) {
    return FieldError("extents", extents.size(), " entries; there must be one ",
                      row_dim == 0 ? "of rows" : "of layers and one of rows");
  }
  ASSIGN_OR_RETURN(const TensorDesc row,
                   TensorDesc::Create(type, extents.subspan(row_dim + 1)));
  ASSIGN_OR_RETURN(
      TensorDesc layer,
      Repeat(row, extents[row_dim], row_pitch_bytes, "row_pitch_bytes"));
  if (!layer_pitch_bytes) return layer;
  return Repeat(layer, extents[0], *layer_pitch_bytes, "layer_pitch_bytes");
}

}  // namespace

namespace internal {

absl::StatusOr<MutableTensorView> MutableElementStridedView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> strides) {
  ASSIGN_OR_RETURN(TensorDesc desc, Describe(type, extents, strides));
  return ViewFrom(origin, std::move(desc));
}

absl::StatusOr<TensorView> ElementStridedView(
    const void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> strides) {
  return ReadOnly(MutableElementStridedView(const_cast<void*>(origin), type,
                                            extents, strides));
}

}  // namespace internal

absl::StatusOr<MutableTensorView> MutableStridedView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> byte_strides) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(extents));
  RETURN_IF_ERROR(CheckCount("byte_strides", byte_strides, shape.rank()));
  DimVector strides;
  for (int d = 0; d < shape.rank(); ++d) {
    if (IsUsed(shape, d)) {
      RETURN_IF_ERROR(CheckWholeElements(absl::StrCat("byte_strides[", d, "]"),
                                         byte_strides[d], type));
    }
    strides.push_back(byte_strides[d] / ElementBytes(type));
  }
  return internal::MutableElementStridedView(origin, type, extents, strides);
}

absl::StatusOr<TensorView> StridedView(const void* origin, DType type,
                                       absl::Span<const int64_t> extents,
                                       absl::Span<const int64_t> byte_strides) {
  return ReadOnly(MutableStridedView(const_cast<void*>(origin), type, extents,
                                     byte_strides));
}

absl::StatusOr<MutableTensorView> MutableRowPitchView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    int64_t row_pitch_bytes, std::optional<int64_t> layer_pitch_bytes) {
  ASSIGN_OR_RETURN(
      TensorDesc desc,
      DescribePitched(type, extents, row_pitch_bytes, layer_pitch_bytes));
  return ViewFrom(origin, std::move(desc));
}

absl::StatusOr<TensorView> RowPitchView(
    const void* origin, DType type, absl::Span<const int64_t> extents,
    int64_t row_pitch_bytes, std::optional<int64_t> layer_pitch_bytes) {
  return ReadOnly(MutableRowPitchView(const_cast<void*>(origin), type, extents,
                                      row_pitch_bytes, layer_pitch_bytes));
}

}  // namespace stridecast
