// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What kernels must compute, one element at a time, straight from the
// semantics: exact integer arithmetic on decoded numbers, and IEEE arithmetic
// of the compiler's own float and double. Shares no code with core/kernels.

#ifndef STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_
#define STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"

namespace stridecast::kernel_tests {

// (-1)^negative * mantissa * 2^exponent, or an infinity, or NaN.
struct Number {
  enum Kind { kFinite, kInfinity, kNan };
  Kind kind = kFinite;
  bool negative = false;
  unsigned __int128 mantissa = 0;
  int exponent = 0;
};

// Of a real type.
Number Decode(DType type, const std::byte* element);

// The bits of `number` in a floating-point type: rounded once to nearest even,
// NaN canonical.
uint64_t EncodeFloat(DType type, const Number& number);

// Computes one element. `operands` has one pointer for each operand (Select:
// the predicate first); `type` as in KernelTable::Find. Magnitudes of complex
// numbers may be off by one unit in the last place, the rest is exact.
void ComputeReference(Opcode opcode, DType type, const Attribute& attribute,
                      const std::byte* const* operands, std::byte* result);

// The type of the result.
DType ReferenceResultType(Opcode opcode, DType type,
                          const Attribute& attribute);

}  // namespace stridecast::kernel_tests

#endif  // STRIDECAST_TESTS_UNIT_KERNELS_ELEMENT_REFERENCE_H_
