// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where functions are measured. Input i of a function is the same on every
// machine, and any range of them can be made on its own.

#ifndef STRIDECAST_TESTS_ACCURACY_INPUTS_H_
#define STRIDECAST_TESTS_ACCURACY_INPUTS_H_

#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast::accuracy {

// A number of a floating-point type or two, as their bits.
struct Input {
  uint64_t x = 0;
  uint64_t y = 0;
};

// One in four lies near a point where functions change their ways (0, 1,
// overflow, multiples of pi/2, however great; 2 million reach all of these);
// the others are random: any bits, any magnitude that matters, evenly spread
// over an interval.
Input UnaryInput(DType type, uint64_t i);

// Numbers that share all but the `free_bits` lowest bits with `centre`; of a
// binary operation's, or a complex one's, both do.
Input NearInput(Input centre, bool is_pair, int free_bits, uint64_t i);

// Pairs for a binary operation, or for the parts of the operand of a complex
// one: those where both operands matter, special ones (0, the least number, 1,
// infinity, NaN, ...), and independent ones.
Input BinaryInput(Opcode opcode, DType type, uint64_t i);

}  // namespace stridecast::accuracy

#endif  // STRIDECAST_TESTS_ACCURACY_INPUTS_H_
