// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The edge cases of activation functions, bit by bit.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/kernels/semantics_rows.h"

namespace stridecast::kernel_tests {
namespace {

TEST(SemanticsActivationsTest, PlainActivations) {
  constexpr Opcode leaky = Opcode::kLeakyRelu;
  constexpr Opcode sigmoid = Opcode::kHardSigmoid;
  constexpr Opcode swish = Opcode::kHardSwish;
  constexpr Opcode relu = Opcode::kRelu;
  const ScalarsAttribute half{0.5, {}};
  Check({
      {"-1", relu, DType::kF32, {kMinus1}, k0},
      {"-0", relu, DType::kF32, {kMinus0}, k0},
      {"NaN", relu, DType::kF32, {kPayload}, kNan},
      {"-5", relu, DType::kS8, {0xFB}, 0},
      {"unsigned", relu, DType::kU8, {0xFB}, 0xFB},
      {"7", Opcode::kRelu6, DType::kF32, {0x40E00000}, 0x40C00000},
      {"NaN", Opcode::kRelu6, DType::kF32, {kSignalling}, kNan},
      {"-inf", Opcode::kRelu6, DType::kF16, {0xFC00}, 0},
      {"a is 0.01", leaky, DType::kF32, {kMinus1}, 0xBC23D70A},
      {"a is 0.01 in f32", leaky, DType::kF16, {0xBC00}, 0xA11F},
      {"a is 0.01 in f64",
       leaky,
       DType::kF64,
       {0xBFF0000000000000},
       0xBF847AE147AE147B},
      {"a stated", leaky, DType::kF32, {kMinus4}, 0xC0000000, half},
      {"-0", leaky, DType::kF32, {kMinus0}, kMinus0, half},
      {"positive", leaky, DType::kF32, {k3}, k3, half},
      {"NaN", leaky, DType::kF32, {kPayload}, kNan},
      {"0", sigmoid, DType::kF32, {k0}, 0x3F000000},
      {"-inf", sigmoid, DType::kF32, {kMinusInf}, k0},
      {"inf", sigmoid, DType::kBF16, {0x7F80}, 0x3F80},
      {"NaN", sigmoid, DType::kF32, {kSignalling}, kNan},
      {"b stated",
       sigmoid,
       DType::kF32,
       {k1},
       0x3E800000,
       ScalarsAttribute{0.5, -0.25}},
      {"-3", swish, DType::kF32, {0xC0400000}, kMinus0},
      {"3", swish, DType::kF32, {k3}, k3},
      {"1", swish, DType::kF32, {k1}, 0x3F2AAAAB},
      {"the product overflows", swish, DType::kF32, {kMax}, kInf},
      {"0 * -inf", swish, DType::kF32, {kMinusInf}, kNan},
      {"at the threshold", Opcode::kThresholdedRelu, DType::kF32, {k1}, k0},
      {"above", Opcode::kThresholdedRelu, DType::kF32, {k2}, k2},
      {"NaN", Opcode::kThresholdedRelu, DType::kF32, {kPayload}, kNan},
      {"not above NaN",
       Opcode::kThresholdedRelu,
       DType::kF32,
       {k2},
       k0,
       ScalarsAttribute{std::nan(""), {}}},
      {"in the middle", Opcode::kShrink, DType::kF32, {0xBF000000}, k0},
      {"outside", Opcode::kShrink, DType::kF32, {kMinus1}, kMinus1},
      {"moved", Opcode::kShrink, DType::kF32, {k3}, k2, ScalarsAttribute{1, 1}},
      {"NaN", Opcode::kShrink, DType::kF16, {0x7C01}, 0x7E00},
      {"1", Opcode::kSoftsign, DType::kF32, {kMinus1}, 0xBF000000},
      {"inf/inf", Opcode::kSoftsign, DType::kF32, {kInf}, kNan},
      {"-0", Opcode::kSoftsign, DType::kF16, {0x8000}, 0x8000},
  });
}

}  // namespace
}  // namespace stridecast::kernel_tests
