// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Signatures as text, for tests of what writes them.

#ifndef STRIDECAST_TESTS_E2E_SIGNATURE_TEXT_H_
#define STRIDECAST_TESTS_E2E_SIGNATURE_TEXT_H_

#include <string>
#include <vector>

#include "stridecast/request.h"

namespace stridecast::testing {

// The instructions, one string each, without the number of its value:
//   "ADD 0 1 dims [1]", "CONVERT 0 u8 wrap", "CONSTANT f32[] 255",
//   "COMPARE 0 1 LT", "TRANSPOSE 0 [1,0]", "BROADCAST_IN_DIM 0 [2,3] [1]"
// With `names`, one per operand, operands are called by them and instruction i
// %i: "ADD x %0".
std::vector<std::string> InstructionTexts(
    const Signature& signature, const std::vector<std::string>& names = {});

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_E2E_SIGNATURE_TEXT_H_
