// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of the activations that are made of exactly defined steps, and of
// QUANTIZE and DEQUANTIZE: SEMANTICS.md 4.

#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;

Instruction With(Opcode opcode, std::optional<double> alpha,
                 std::optional<double> beta = std::nullopt) {
  return Op(opcode, {0}, ScalarsAttribute{alpha, beta});
}

void AddRelus(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "Relu", Op(Opcode::kRelu, {0}),
              {2, -2, 0.0, -0.0, kInf, -kInf, kNan},
              {2, 0.0, 0.0, 0.0, kInf, 0.0, kNan}, rows);
  AddForTypes(kSignedTypes, "Relu", Op(Opcode::kRelu, {0}),
              {5, -5, 0, 127, -128}, {5, 0, 0, 127, 0}, rows);
  AddForTypes(kUnsignedTypes, "Relu", Op(Opcode::kRelu, {0}), {5, 0, 255},
              {5, 0, 255}, rows);
  AddForTypes(kFloatTypes, "Relu6", Op(Opcode::kRelu6, {0}),
              {2, -2, 6, 6.5, -0.0, kInf, -kInf, kNan},
              {2, 0.0, 6, 6, 0.0, 6, 0.0, kNan}, rows);
  AddForTypes(kFloatTypes, "LeakyReluOfQuarter", With(Opcode::kLeakyRelu, 0.25),
              {2, -2, 0.0, -0.0, kInf, -kInf, kNan},
              {2, -0.5, 0.0, -0.0, kInf, -kInf, kNan}, rows);
  AddForTypes(kFloatTypes, "LeakyReluOfMinusTwo", With(Opcode::kLeakyRelu, -2),
              {2, -2, -kInf}, {2, 4, kInf}, rows);
  // a is rounded to f32, the product once more.
  rows.push_back(Unary("LeakyReluF32DefaultIsHundredth",
                       Op(Opcode::kLeakyRelu, {0}), kF32, {-1, -3, 3},
                       {-F32(0.01), F32(-3.0 * F32(0.01)), 3}));
  rows.push_back(Unary("LeakyReluF64DefaultIsHundredth",
                       With(Opcode::kLeakyRelu, std::nullopt), kF64, {-1, -3},
                       {-0.01, -0.03}));
  rows.push_back(Unary("LeakyReluF16IsComputedInF32",
                       Op(Opcode::kLeakyRelu, {0}), kF16, {-100, -1000},
                       {-1, -10}));
}

void AddSigmoids(std::vector<Example>& rows) {
  // x/(1+|x|) of infinities is the formula's NaN.
  AddForTypes(kFloatTypes, "Softsign", Op(Opcode::kSoftsign, {0}),
              {1, -1, 3, 0.0, -0.0, kInf, -kInf, kNan},
              {0.5, -0.5, 0.75, 0.0, -0.0, kNan, kNan, kNan}, rows);
  rows.push_back(Unary("SoftsignF32OfGreatest", Opcode::kSoftsign, kF32,
                       {kMaxF32, 0x1p-30}, {1, 0x1p-30}));
  AddForTypes(kFloatTypes, "HardSigmoid", With(Opcode::kHardSigmoid, 0.25, 0.5),
              {0.0, 1, -1, 2, -2, 9, -9, kInf, -kInf, kNan},
              {0.5, 0.75, 0.25, 1, 0.0, 1, 0.0, 1, 0.0, kNan}, rows);
  rows.push_back(Unary("HardSigmoidF64Defaults", Op(Opcode::kHardSigmoid, {0}),
                       kF64, {1, 0, -3}, {0.7, 0.5, 0.0}));
  rows.push_back(Unary("HardSigmoidF32Defaults", Op(Opcode::kHardSigmoid, {0}),
                       kF32, {1, 0, -2.5}, {F32(0.7), 0.5, 0.0}));
  rows.push_back(Unary("HardSigmoidKeepsAnInfiniteAlphaOfZero",
                       With(Opcode::kHardSigmoid, kInf, 0.5), kF32, {0, 1, -1},
                       {kNan, 1, 0.0}));
  // x * 0 and infinity: -infinity gives NaN. 3 is added and 6 divided rounded.
  AddForTypes(kFloatTypes, "HardSwish", Op(Opcode::kHardSwish, {0}),
              {3, 1.5, -3, -4, 0.0, -0.0, 12, kInf, -kInf, kNan, -1.5},
              {3, 1.125, -0.0, -0.0, 0.0, -0.0, 12, kInf, kNan, kNan, -0.375},
              rows);
  rows.push_back(Unary("HardSwishF32OverflowsOnTheWay", Opcode::kHardSwish,
                       kF32, {0x1p127, 0x1p125}, {kInf, 0x1p125}));
}

Example Quantize(std::string name, DType from, DType to, Numbers x,
                 Number scale, Number zero_point, Numbers result) {
  return {
      std::move(name),
      Program({Desc(from, VectorShape(from, x)), Desc(from, {}), Desc(to, {})},
              {Op(Opcode::kQuantize, {0, 1, 2}, QuantizeAttribute{to, {}})}),
      {std::move(x), {scale}, {zero_point}},
      {std::move(result)}};
}

Example Dequantize(std::string name, DType from, DType to, Numbers q,
                   Number scale, Number zero_point, Numbers result) {
  return {
      std::move(name),
      Program({Desc(from, VectorShape(from, q)), Desc(to, {}), Desc(from, {})},
              {Op(Opcode::kDequantize, {0, 1, 2}, QuantizeAttribute{to, {}})}),
      {std::move(q), {scale}, {zero_point}},
      {std::move(result)}};
}

void AddQuantize(std::vector<Example>& rows) {
  rows.push_back(Quantize("QuantizeF32ToS8", kF32, kS8,
                          {0.25, 0.75, -0.25, 1, 100, -100, kInf, -kInf, kNan},
                          0.5, 3, {3, 5, 3, 5, 127, -128, 127, -128, 3}));
  rows.push_back(Quantize("QuantizeF32ToU8", kF32, kU8,
                          {-10, -9.5, 0, 500, 117.5, kNan}, 1, 10,
                          {0, 0, 10, 255, 128, 10}));
  rows.push_back(Quantize("QuantizeF64ToS32SumIsWide", kF64, kS32,
                          {2147483647, 4294967295.0, 1e300, -1}, 1, kMin32,
                          {-1, kMax32, kMax32, kMin32}));
  rows.push_back(Quantize("QuantizeF32ToS16", kF32, kS16, {1, -1, 0}, 0.0, -7,
                          {32767, -32768, -7}));
  rows.push_back(Quantize("QuantizeF16DividesInF32", kF16, kU16, {65504, 2, 1},
                          0x1p-4, 0, {65535, 32, 16}));
  rows.push_back(
      Quantize("QuantizeBF16", kBF16, kS8, {3, 5, -5}, 2, 0, {2, 2, -2}));
  rows.push_back(
      {"QuantizeAlongADimension",
       Program({Desc(kF32, {2, 3}), Desc(kF32, {3}), Desc(kS8, {3})},
               {Op(Opcode::kQuantize, {0, 1, 2}, QuantizeAttribute{kS8, {1}})}),
       {{1, 2, 3, -4, -5, -6}, {1, 2, 0.5}, {0, 1, -1}},
       {{1, 2, 5, -4, -1, -13}}});
  rows.push_back(
      {"QuantizeRepeatsExtentsOfOne",
       Program({Desc(kF32, {2, 2}), Desc(kF32, {2, 1}), Desc(kU8, {2, 1})},
               {Op(Opcode::kQuantize, {0, 1, 2}, QuantizeAttribute{kU8, {}})}),
       {{1, 2, 3, 4}, {1, 0.5}, {0, 100}},
       {{1, 2, 106, 108}}});
}

void AddDequantize(std::vector<Example>& rows) {
  rows.push_back(Dequantize("DequantizeS8ToF32", kS8, kF32, {127, -128, 3, 0},
                            0.5, 3, {62, -65.5, 0.0, -1.5}));
  rows.push_back(Dequantize("DequantizeU8ToF64", kU8, kF64, {255, 0, 10}, 0.1,
                            10, {245 * 0.1, -1, 0.0}));
  // 2^32-1 is exact before it is rounded to f32.
  rows.push_back(Dequantize("DequantizeS32DifferenceIsExact", kS32, kF32,
                            {kMax32, kMin32, kMin32 + 1}, 1, kMin32,
                            {0x1p32, 0.0, 1}));
  rows.push_back(Dequantize("DequantizeSpecialScale", kS16, kF32, {1, 2, 3},
                            kInf, 2, {-kInf, kNan, kInf}));
  rows.push_back(Dequantize("DequantizeF16IsComputedInF32", kS32, kF16,
                            {100000, 3}, 0x1p-4, 0, {6248, 0.1875}));
  rows.push_back(Dequantize("DequantizeU16ToBF16", kU16, kBF16, {65535, 0}, 1,
                            0, {65536, 0.0}));
  rows.push_back({"DequantizeAlongADimension",
                  Program({Desc(kU8, {2, 2}), Desc(kF32, {2}), Desc(kU8, {2})},
                          {Op(Opcode::kDequantize, {0, 1, 2},
                              QuantizeAttribute{kF32, {0}})}),
                  {{1, 2, 3, 4}, {1, 0.5}, {1, 2}},
                  {{0.0, 1, 0.5, 1}}});
}

}  // namespace

std::vector<Example> ActivationExamples() {
  std::vector<Example> rows;
  AddRelus(rows);
  AddSigmoids(rows);
  AddQuantize(rows);
  AddDequantize(rows);
  return rows;
}

}  // namespace stridecast::testing
