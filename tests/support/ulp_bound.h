// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which operations are exactly defined, and the errors of those that are not.

#ifndef STRIDECAST_TESTS_SUPPORT_ULP_BOUND_H_
#define STRIDECAST_TESTS_SUPPORT_ULP_BOUND_H_

#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast::testing {

// True if the rules fix every bit of the operation's results on that type.
bool IsExact(Opcode opcode, DType type);

// The greatest error of an inexact operation on `type` that is f32, f64 or
// complex, in units in the last place (complex: of the norm), as program.proto
// says. 0 for exact ones.
double UlpBound(Opcode opcode, DType type);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_ULP_BOUND_H_
