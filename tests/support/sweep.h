// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The systematic part of the property tests: one small program for every
// operation, element type and attribute that matters, at each of a row of
// sizes, its operands and result in each layout in turn. What random programs
// only hit by chance is always in it.

#ifndef STRIDECAST_TESTS_SUPPORT_SWEEP_H_
#define STRIDECAST_TESTS_SUPPORT_SWEEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "stridecast/request.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {

// An instruction but for what depends on shapes.
struct Subject {
  Opcode opcode;
  DType type;  // what operations.inc calls the operation's
  Attribute attribute = {};
};

// The types of its operands: none, of CONCATENATE two.
absl::InlinedVector<DType, 3> OperandTypes(const Subject& subject);

// All that `supports` allows: every direction of COMPARE, every pair of types
// of CONVERT under every overflow rule, scalars stated and not, ...
std::vector<Subject> AllSubjects(const SupportsFn& supports);

// For messages: "COMPARE f32".
std::string ToString(const Subject& subject);

// Programs of a subject, 0 ... kNumSweepCases-1: of 0 ... 1002 elements, in
// ascending order. Each layout of each operand is among them; which ones meet,
// and the values, depend on the seed.
inline constexpr int kNumSweepCases = 11;
RandomCase MakeSweepCase(const Subject& subject, int number, uint64_t seed);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_SWEEP_H_
