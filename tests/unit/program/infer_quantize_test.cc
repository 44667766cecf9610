// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Type and shape of QUANTIZE and DEQUANTIZE, and which field is named where a
// rule is broken.

#include "gtest/gtest.h"
#include "tests/unit/program/infer_rows.h"

namespace stridecast::program_tests {
namespace {

const InferCase kGood[] = {
    {"Quantize",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[2,3]", "f32[]", "u8[]"},
     "u8[2,3]",
     "(0,1) () ()"},
    {"QuantizeAlongADimension",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kS32, {1}}),
     {"f16[2,3]", "f16[3]", "s32[3]"},
     "s32[2,3]",
     "(0,1) (1) (1)",
     DType::kF16},
    {"Dequantize",
     Make(Opcode::kDequantize, QuantizeAttribute{DType::kF64, {0}}),
     {"s16[2,3]", "f64[2]", "s16[2]"},
     "f64[2,3]",
     "(0,1) (0) (0)",
     DType::kS16},
};

const InferCase kBad[] = {
    {"QuantizeUnset",
     Make(Opcode::kQuantize),
     {"f32[2]", "f32[]", "u8[]"},
     "quantize: not set; QUANTIZE needs it"},
    {"QuantizeToAWideType",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kS64, {}}),
     {"f32[2]", "f32[]", "s64[]"},
     "quantize.type: s64 is not one of s8, u8, s16, u16 and s32"},
    {"QuantizeZeroPointType",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[2]", "f32[]", "s8[]"},
     "operands[2]: quantize to u8 takes a zero point of that type, got s8[]"},
    {"QuantizeScaleType",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[2]", "f64[]", "u8[]"},
     "operands[1]: quantize of f32[2] takes a scale of that type, got f64[]"},
    {"QuantizeScaleShape",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[2,3]", "f32[3]", "u8[3]"},
     "quantize.broadcast_dimensions: Shapes must be equal rank, but are "
     "f32[3] and f32[2,3]"},
    {"QuantizeTwoShapes",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[2]", "f32[2]", "u8[]"},
     "operands[2]: quantize takes a scale and a zero point of one shape, got "
     "f32[2] and u8[]"},
    {"QuantizeDoesNotGrow",
     Make(Opcode::kQuantize, QuantizeAttribute{DType::kU8, {}}),
     {"f32[1]", "f32[2]", "u8[2]"},
     "operands[1]: quantize of f32[1] takes a scale that broadcasts to it, got "
     "f32[2]"},
    {"DequantizeOfAWideType",
     Make(Opcode::kDequantize, QuantizeAttribute{DType::kF32, {}}),
     {"u32[2]", "f32[]", "u32[]"},
     ": DEQUANTIZE is not defined on u32"},
    {"DequantizeType",
     Make(Opcode::kDequantize, QuantizeAttribute{DType::kF32, {}}),
     {"u8[2]", "f64[]", "u8[]"},
     "quantize.type: f32 is not the type of the scale f64[]"},
    {"DequantizeScale",
     Make(Opcode::kDequantize, QuantizeAttribute{DType::kS32, {}}),
     {"u8[2]", "s32[]", "u8[]"},
     "operands[1]: dequantize takes a floating-point scale, got s32[]"},
    {"DequantizeZeroPoint",
     Make(Opcode::kDequantize, QuantizeAttribute{DType::kF32, {}}),
     {"u8[2]", "f32[]", "s8[]"},
     "operands[2]: dequantize of u8[2] takes a zero point of that type, got "
     "s8[]"},
};

class GoodQuantizeTest : public ::testing::TestWithParam<InferCase> {};

TEST_P(GoodQuantizeTest, Infers) { ExpectInference(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Rows, GoodQuantizeTest, ::testing::ValuesIn(kGood),
                         [](const auto& row) { return row.param.name; });

class BadQuantizeTest : public ::testing::TestWithParam<InferCase> {};

TEST_P(BadQuantizeTest, NamesTheField) { ExpectRefusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Rows, BadQuantizeTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast::program_tests
