// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A function applied to its arguments: first the operands of the operation that
// it is named after, then the numbers that its attribute takes.

#ifndef STRIDECAST_CLIENT_EXPRESSION_CALL_H_
#define STRIDECAST_CLIENT_EXPRESSION_CALL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/expression/place.h"
#include "client/expression/terms.h"
#include "stridecast/operation.h"

namespace stridecast {

// `name` is where the function's name stands in `text`. REQUIRES: the operation
// takes one to three operands and, besides them, nothing but numbers.
// Errors: kInvalidArgument with the place.
absl::StatusOr<Term> Call(absl::string_view text, Place name,
                          const Operation& operation,
                          std::vector<Term> arguments, TermBuilder& terms);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_CALL_H_
