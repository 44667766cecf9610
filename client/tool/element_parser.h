// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One element from text; the reverse of ElementToText. What is accepted:
// literal.h, (T3).

#ifndef STRIDECAST_CLIENT_TOOL_ELEMENT_PARSER_H_
#define STRIDECAST_CLIENT_TOOL_ELEMENT_PARSER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "stridecast/dtype.h"

namespace stridecast {

// Writes ElementBytes(type) bytes to `element`, which need not be aligned.
// Errors: kInvalidArgument, naming the text, the type and the range.
absl::Status ParseElement(DType type, absl::string_view text,
                          std::byte* element);

// "pred s8 ... c128", for texts.
std::string ElementTypeNames();

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_ELEMENT_PARSER_H_
