// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What kernels must compute, one element at a time: the oracle of
// tests/support, on elements in memory.

#ifndef STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_
#define STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_

#include <cstddef>
#include <string>

#include "stridecast/dtype.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {

// The type of the result.
DType ReferenceResultType(const Subject& kernel);

// True if the rules fix every bit of its results.
bool IsExact(const Subject& kernel);

// Computes one element of an exact operation. `operands` has one pointer for
// each operand (Select: the predicate first).
void ComputeReference(const Subject& kernel, const std::byte* const* operands,
                      std::byte* result);

// What is wrong with `got` as a result of an operation that is not exact, "" if
// it is within the stated bound.
std::string CheckBound(const Subject& kernel, const std::byte* const* operands,
                       const std::byte* got);

}  // namespace stridecast::kernel_tests

#endif  // STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_
