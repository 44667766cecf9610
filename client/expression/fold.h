// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on numbers that have no element type, as Python does it: integers
// stay integers, except by / and to negative powers; all else is f64.

#ifndef STRIDECAST_CLIENT_EXPRESSION_FOLD_H_
#define STRIDECAST_CLIENT_EXPRESSION_FOLD_H_

#include <optional>

#include "absl/status/statusor.h"
#include "stridecast/number.h"
#include "stridecast/operation.h"

namespace stridecast {

Number Negated(const Number& x);

// Whether Folded knows the operation: ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER.
bool IsFolded(Opcode opcode);

// Errors: kInvalidArgument if an integer does not fit 64 bits.
absl::StatusOr<Number> Folded(Opcode opcode, const Number& x, const Number& y);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_EXPRESSION_FOLD_H_
