// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors as text for people and as JSON for programs. Elements stand in
// logical order whatever the layout; a float has the fewest digits that give
// back its value in its own type.

#ifndef STRIDECAST_CLIENT_TOOL_TENSOR_TEXT_H_
#define STRIDECAST_CLIENT_TOOL_TENSOR_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "nlohmann/json_fwd.hpp"
#include "stridecast/dtype.h"
#include "stridecast/tensor.h"
#include "stridecast/tensor_view.h"

namespace stridecast {

// Elements that are printed of one tensor; the rest is counted.
inline constexpr int64_t kMaxPrintedElements = 1000;

// "8", "0.1", "-inf", "nan", "true", "1-2i".
std::string ElementToText(DType type, const std::byte* element);

// "[[8, 10, 12],\n [11, 13, 15]]".
std::string TensorToText(const TensorView& tensor,
                         int64_t max_elements = kMaxPrintedElements);

// "f32[2,3]{0,1}" and, where that notation lacks them, padding or strides.
std::string DescToText(const TensorDesc& desc);

// {"type", "dimensions", "minor_to_major" or "strides", ..., "size_bytes"}.
nlohmann::ordered_json DescToJson(const TensorDesc& desc);

// All elements as one flat list. NaN and infinities are strings, 64-bit
// integers too (as in proto3 JSON), complex numbers are pairs.
nlohmann::ordered_json ElementsToJson(const TensorView& tensor);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_TENSOR_TEXT_H_
