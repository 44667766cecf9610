// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Views of tensors whose elements lie at given distances in memory: slices and
// reversals of arrays as NumPy has them, pictures whose rows begin at a pitch
// (cv::Mat, Direct3D, CUDA), columns of a matrix.
//
//   // Every second column of a row-major double[100][80], backwards.
//   StridedView(&matrix[0][78], {100, 40}, {80 * 8, -2 * 8});
//   // A cv::Mat, or a part of one.
//   RowPitchView(mat.ptr<uint8_t>(), {mat.rows, mat.cols, 3}, mat.step);
//
// Rules:
//   - `origin` is the element of index (0, ..., 0), wherever the buffer begins:
//     the view's `data` is its lowest element, found from extents and strides.
//   - A view ends with its highest element: what follows, such as the rest of
//     the last row of a pitch, is neither read nor written.
//   - What lies between the elements of an operand is sent along. In a result
//     it is left as it was (tensor_view.h).
//   - Operands may repeat elements (stride 0), share them (overlap) and walk
//     backwards (negative strides). Results may do none of these: the server
//     refuses the call.
//   - `origin` need not be aligned. It may be null if there are no elements.
//   - The stride of a dimension of extent 0 or 1 is never used and may be any
//     number; so may all of them if there are no elements.
// Errors are kInvalidArgument throughout: a broken rule of TensorDesc, another
// number of strides than extents, distances that are not whole elements or
// overflow, a null `origin`.

#ifndef STRIDECAST_STRIDED_VIEW_H_
#define STRIDECAST_STRIDED_VIEW_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"
#include "stridecast/element.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// One byte stride per extent: the distance from an element to its neighbour
// along that dimension.
absl::StatusOr<TensorView> StridedView(const void* origin, DType type,
                                       absl::Span<const int64_t> extents,
                                       absl::Span<const int64_t> byte_strides);
absl::StatusOr<MutableTensorView> MutableStridedView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> byte_strides);

// Rows at a pitch. `extents` are those of [rows, columns, ...] or, with a layer
// pitch, of [layers, rows, columns, ...]; within a row the elements are dense,
// the last dimension fastest. Pitches of operands may be negative (bottom-up
// bitmaps).
// Also an error: a pitch shorter than the row or layer itself, which most often
// is one that was counted in elements.
absl::StatusOr<TensorView> RowPitchView(
    const void* origin, DType type, absl::Span<const int64_t> extents,
    int64_t row_pitch_bytes,
    std::optional<int64_t> layer_pitch_bytes = std::nullopt);
absl::StatusOr<MutableTensorView> MutableRowPitchView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    int64_t row_pitch_bytes,
    std::optional<int64_t> layer_pitch_bytes = std::nullopt);

// The same with the element type of the pointer.
template <Element T>
absl::StatusOr<TensorView> StridedView(const T* origin,
                                       absl::Span<const int64_t> extents,
                                       absl::Span<const int64_t> byte_strides) {
  return StridedView(origin, kDTypeOf<T>, extents, byte_strides);
}

template <Element T>
absl::StatusOr<MutableTensorView> MutableStridedView(
    T* origin, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> byte_strides) {
  return MutableStridedView(origin, kDTypeOf<T>, extents, byte_strides);
}

template <Element T>
absl::StatusOr<TensorView> RowPitchView(
    const T* origin, absl::Span<const int64_t> extents, int64_t row_pitch_bytes,
    std::optional<int64_t> layer_pitch_bytes = std::nullopt) {
  return RowPitchView(origin, kDTypeOf<T>, extents, row_pitch_bytes,
                      layer_pitch_bytes);
}

template <Element T>
absl::StatusOr<MutableTensorView> MutableRowPitchView(
    T* origin, absl::Span<const int64_t> extents, int64_t row_pitch_bytes,
    std::optional<int64_t> layer_pitch_bytes = std::nullopt) {
  return MutableRowPitchView(origin, kDTypeOf<T>, extents, row_pitch_bytes,
                             layer_pitch_bytes);
}

namespace internal {

// StridedView with strides in elements: what all kinds of views come down to.
absl::StatusOr<TensorView> ElementStridedView(
    const void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> strides);
absl::StatusOr<MutableTensorView> MutableElementStridedView(
    void* origin, DType type, absl::Span<const int64_t> extents,
    absl::Span<const int64_t> strides);

}  // namespace internal
}  // namespace stridecast

#endif  // STRIDECAST_STRIDED_VIEW_H_
