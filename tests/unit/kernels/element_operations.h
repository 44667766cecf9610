// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The formulas of operations on decoded elements, for element_reference.cc.

#ifndef STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_OPERATIONS_H_
#define STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_OPERATIONS_H_

#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"

namespace stridecast::kernel_tests {

using int128 = __int128;

// One operation in float (of f16 and bf16 too) or double; a predicate is 0 or
// 1. Every step is rounded to T.
float FloatOperation(Opcode opcode, const Attribute& attribute, const float* x);
double FloatOperation(Opcode opcode, const Attribute& attribute,
                      const double* x);

// Of integers and preds; the low bits are the result's.
int128 IntegerOperation(Opcode opcode, DType type, const int128* x);

// Of x and y, both (real, imaginary).
void ComplexOperation(Opcode opcode, const float* x, const float* y,
                      float* result);
void ComplexOperation(Opcode opcode, const double* x, const double* y,
                      double* result);

}  // namespace stridecast::kernel_tests

#endif  // STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_OPERATIONS_H_
