// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A TensorDesc says all about a tensor but its bytes: element type, shape and
// layout. It is checked once, when it is made.

#ifndef STRIDECAST_TENSOR_H_
#define STRIDECAST_TENSOR_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/shape.h"

namespace stridecast {

class TensorDesc {
 public:
  TensorDesc() = default;  // an f32 scalar

  // Errors: kInvalidArgument with field "dimensions", "layout..." or
  // "strides...".
  static absl::StatusOr<TensorDesc> Create(DType type,
                                           absl::Span<const int64_t> extents,
                                           const PhysicalForm& form = {});
  // Not of {}, which are extents: those of a scalar.
  template <std::same_as<Shape> S>
  static absl::StatusOr<TensorDesc> Create(DType type, const S& shape,
                                           const PhysicalForm& form = {}) {
    return OfShape(type, shape, form);
  }

  DType type() const { return type_; }
  const Shape& shape() const { return layout_.shape(); }
  const Layout& layout() const { return layout_; }
  int rank() const { return shape().rank(); }
  int64_t num_elements() const { return shape().num_elements(); }
  int64_t element_bytes() const { return ElementBytes(type_); }

  // Exact size of the payload: num_slots() * element_bytes().
  int64_t size_bytes() const { return layout_.num_slots() * element_bytes(); }
  // Distance in bytes from an element to its neighbour along each dimension.
  DimVector byte_strides() const;
  // Where the element of index (0, ..., 0) lies; 0 if there is none, since then
  // nothing bounds the layout's offset.
  int64_t byte_offset() const {
    return num_elements() == 0 ? 0 : layout_.offset() * element_bytes();
  }

  // XLA's notation, "f32[2,3]{0,1}"; the braces hold minor_to_major. Padding
  // and strides that are no dimension order of a dense tensor have no notation
  // there: such a tensor prints without braces.
  std::string ToString() const;

 private:
  static absl::StatusOr<TensorDesc> OfShape(DType type, const Shape& shape,
                                            const PhysicalForm& form);

  DType type_ = DType::kF32;
  Layout layout_;
};

// What is known of a value of a program without data.
struct ValueType {
  DType type = DType::kF32;
  Shape shape;
};

// "f32[2,3]".
std::string ShapeToString(DType type, const Shape& shape);

// Parses "f32[2,3]{0,1}", "f32[2,3]" (row-major) and "f32[]"; spaces between
// tokens are allowed.
// Errors: kInvalidArgument with field "shape string" and the place.
absl::StatusOr<TensorDesc> ParseShapeString(absl::string_view text);

// The bytes of one element of `type` with that padding value, at the front of
// 16. `value` is none that the type lacks (see PaddingValue).
struct ElementPattern {
  std::byte bytes[16];
};
ElementPattern PaddingPattern(DType type, PaddingValue value);

}  // namespace stridecast

#endif  // STRIDECAST_TENSOR_H_
