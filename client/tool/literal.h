// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors written out on the command line:
//   f32[2,3]{0,1} 1 2 3 4 5 6        XLA's shape, then the elements
//   s32[2,2] [[1, -2], [0x10, 4]]    brackets as in what the tool prints
//   0.485,0.456,0.406                numbers alone: f32, a vector
//   1.5                              one alone: f32, a scalar; nan, inf, -inf
// Rules:
//   (T1) elements stand in logical (row-major) order whatever the layout, as
//        in everything that the tool prints; the layout says where they lie in
//        memory. (Typed payloads on the wire are in buffer order.)
//   (T2) they are parted by blanks, by one comma or both; a comma may end the
//        list; brackets are all there, as the shape nests them, or not at all
//   (T3) pred: true, false, 1, 0. Integers: decimal or 0x..., in range of the
//        type. Floats: decimal, inf, nan; rounded to nearest, but a number that
//        would round to infinity is out of range (f16 and bf16 by way of f64).
//        Complex: 1+2i, -2i, 3.

#ifndef STRIDECAST_CLIENT_TOOL_LITERAL_H_
#define STRIDECAST_CLIENT_TOOL_LITERAL_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stridecast/tensor.h"

namespace stridecast {

struct Literal {
  TensorDesc desc;
  std::string bytes;  // desc.size_bytes(), as they lie in memory; gaps are 0
};

// True if `text` begins like an XLA shape: an element type's name and "[".
bool BeginsWithShape(absl::string_view text);

// True if `text` is a literal and not the name of a file: it begins with a
// shape, or holds numbers alone. (A file with such a name is "./1.5", "./nan".)
bool LooksLikeLiteral(absl::string_view text);

// Reads a literal. If `expected` is given, it becomes the descriptor; a literal
// that states its type and shape must state those.
// Errors: kInvalidArgument with the element's number and what is wrong.
absl::StatusOr<Literal> ParseLiteral(absl::string_view text,
                                     const std::optional<TensorDesc>& expected);

// True if `text` is a shape without elements: "f32[2,3]{0,1}".
bool IsBareShape(absl::string_view text);

// The descriptor of a literal, whose elements are not read.
absl::StatusOr<TensorDesc> DescOfLiteral(
    absl::string_view text, const std::optional<TensorDesc>& expected);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_LITERAL_H_
