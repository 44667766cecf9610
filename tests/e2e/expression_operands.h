// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What expressions of tests are about.

#ifndef STRIDECAST_TESTS_E2E_EXPRESSION_OPERANDS_H_
#define STRIDECAST_TESTS_E2E_EXPRESSION_OPERANDS_H_

#include "stridecast/expression.h"

namespace stridecast {

// One operand each: x f32[2,3], v f32[4], i s32[2,3], u u8[2,3], p pred[2,3],
// h bf16[2], mean and std f32[3]; with letters image f32[4,5,3] HWC, t f32[6]
// T, c f32[4] C; with wrong ones bad f32[2,3] H, twice f32[2,3] HH.
inline ExpressionOperands MakeOperands(ProgramBuilder& b) {
  const auto operand = [&b](const char* shape, const char* letters = "") {
    return ExpressionValue{b.Parameter(*ParseShapeString(shape)), letters};
  };
  return {{"x", operand("f32[2,3]")},
          {"v", operand("f32[4]")},
          {"i", operand("s32[2,3]")},
          {"u", operand("u8[2,3]")},
          {"p", operand("pred[2,3]")},
          {"h", operand("bf16[2]")},
          {"mean", operand("f32[3]")},
          {"std", operand("f32[3]")},
          {"image", operand("f32[4,5,3]", "HWC")},
          {"t", operand("f32[6]", "T")},
          {"c", operand("f32[4]", "C")},
          {"bad", operand("f32[2,3]", "H")},
          {"twice", operand("f32[2,3]", "HH")}};
}

}  // namespace stridecast

#endif  // STRIDECAST_TESTS_E2E_EXPRESSION_OPERANDS_H_
