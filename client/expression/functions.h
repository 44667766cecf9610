// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The functions of expressions, by name.

#ifndef STRIDECAST_CLIENT_EXPRESSION_FUNCTIONS_H_
#define STRIDECAST_CLIENT_EXPRESSION_FUNCTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "stridecast/operation.h"

namespace stridecast {

// The operation that a function is named after, or an alias of; null if there
// is no such function. Casts (f32) are none of these.
const Operation* FindFunction(absl::string_view name);

// All names, casts included.
std::vector<std::string> FunctionNames();

// The candidate that `name` is a slip of, within a third of its letters
// wrong, missing or too many; "" if there is none.
std::string Closest(absl::string_view name,
                    const std::vector<std::string>& candidates);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_FUNCTIONS_H_
