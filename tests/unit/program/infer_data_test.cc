// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Type and shape of reshape, concatenate, pad, iota and bitcast_convert, and
// which field is named, in XLA's words, where a rule is broken.

#include "core/program/infer_data.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/program/infer_rows.h"

namespace stridecast::program_tests {
namespace {

struct Case {
  const char* name;
  Opcode opcode;
  Attribute attribute;
  std::vector<const char*> operands;
  std::string expected;  // the value, or the error
};

absl::StatusOr<Inference> Infer(const Case& row) {
  return InferInstruction(Make(row.opcode, row.attribute),
                          Values(row.operands));
}

constexpr int64_t kGreatest = INT64_MAX;

const Case kGood[] = {
    {"Reshape",
     Opcode::kReshape,
     ReshapeAttribute{{3, 1, 2}},
     {"f16[6]"},
     "f16[3,1,2]"},
    {"ReshapeOfNothing",
     Opcode::kReshape,
     ReshapeAttribute{{7, 0}},
     {"s8[0,3]"},
     "s8[7,0]"},
    {"ReshapeToScalar",
     Opcode::kReshape,
     ReshapeAttribute{{}},
     {"pred[1,1]"},
     "pred[]"},
    {"ConcatenateOne",
     Opcode::kConcatenate,
     DimensionsAttribute{{1}},
     {"f32[2,3]"},
     "f32[2,3]"},
    {"ConcatenateThree",
     Opcode::kConcatenate,
     DimensionsAttribute{{1}},
     {"f32[2,3]", "f32[2,0]", "f32[2,4]"},
     "f32[2,7]"},
    {"PadLowHighInterior",
     Opcode::kPad,
     PadAttribute{{1, -1}, {2, 3}, {0, 2}},
     {"u8[2,3]", "u8[]"},
     "u8[5,9]"},
    {"PadToNothing",
     Opcode::kPad,
     PadAttribute{{-2}, {0}, {0}},
     {"u8[2]", "u8[]"},
     "u8[0]"},
    {"PadOfNothing",
     Opcode::kPad,
     PadAttribute{{1}, {1}, {kGreatest}},
     {"u8[0]", "u8[]"},
     "u8[2]"},
    {"Iota",
     Opcode::kIota,
     IotaAttribute{DType::kBF16, {2, 3}, 1},
     {},
     "bf16[2,3]"},
    {"BitcastSame",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kS32},
     {"f32[2]"},
     "s32[2]"},
    {"BitcastNarrower",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kU8},
     {"f64[2]"},
     "u8[2,8]"},
    {"BitcastWider",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kF32},
     {"s16[3,2]"},
     "f32[3]"},
    {"BitcastComplex",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kC64},
     {"c128[]"},
     "c64[2]"},
    {"BitcastPred",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kPred},
     {"pred[2]"},
     "pred[2]"},
};

const Case kBad[] = {
    {"ReshapeUnset",
     Opcode::kReshape,
     {},
     {"f32[6]"},
     "reshape: not set; RESHAPE needs it"},
    {"ReshapeCount",
     Opcode::kReshape,
     ReshapeAttribute{{4, 2}},
     {"f32[6]"},
     "reshape.dimensions: Reshape operation has mismatched element counts: "
     "from=6 (f32[6]) to=8 (f32[4,2])"},
    {"ReshapeNegative",
     Opcode::kReshape,
     ReshapeAttribute{{-1}},
     {"f32[6]"},
     "reshape.dimensions[0]: shape's dimensions must not be < 0; dimension at "
     "index 0 was -1"},
    {"ConcatenateTwoDimensions",
     Opcode::kConcatenate,
     DimensionsAttribute{{0, 1}},
     {"f32[2,3]"},
     "dimensions.dimensions: 2 entries; CONCATENATE takes exactly one"},
    {"ConcatenateBounds",
     Opcode::kConcatenate,
     DimensionsAttribute{{2}},
     {"f32[2,3]"},
     "dimensions.dimensions[0]: Concatenate dimension out of bounds: 2 is not "
     "in [0,2) of f32[2,3]"},
    {"ConcatenateScalars",
     Opcode::kConcatenate,
     DimensionsAttribute{{0}},
     {"f32[]", "f32[]"},
     "dimensions.dimensions[0]: Concatenate dimension out of bounds: 0 is not "
     "in [0,0) of f32[]"},
    {"ConcatenateRanks",
     Opcode::kConcatenate,
     DimensionsAttribute{{0}},
     {"f32[2]", "f32[2,1]"},
     "operands[1]: Cannot concatenate arrays with different ranks: 1 (f32[2]) "
     "vs 2 (f32[2,1])"},
    {"ConcatenateTypes",
     Opcode::kConcatenate,
     DimensionsAttribute{{0}},
     {"f32[2]", "f16[2]"},
     "operands[1]: Cannot concatenate arrays with different element types: f32 "
     "vs f16"},
    {"ConcatenateExtents",
     Opcode::kConcatenate,
     DimensionsAttribute{{0}},
     {"f32[2,3]", "f32[2,3]", "f32[2,4]"},
     "operands[2]: Cannot concatenate arrays that differ in dimensions other "
     "than the one being concatenated. Dimension 1 in both shapes must be "
     "equal: f32[2,3] vs f32[2,4]"},
    {"PadTypes",
     Opcode::kPad,
     PadAttribute{{0}, {0}, {0}},
     {"f32[2]", "f64[]"},
     "operands[1]: The element types of the operands to Pad do not match: "
     "f32[2] and f64[]"},
    {"PadNonScalar",
     Opcode::kPad,
     PadAttribute{{0}, {0}, {0}},
     {"f32[2]", "f32[1]"},
     "operands[1]: Pad operation does not support non-scalar padding values: "
     "f32[1]"},
    {"PadRank",
     Opcode::kPad,
     PadAttribute{{0}, {0}, {}},
     {"f32[2]", "f32[]"},
     "pad.interior: 0 entries for operand f32[2] of rank 1"},
    {"PadInterior",
     Opcode::kPad,
     PadAttribute{{0}, {0}, {-1}},
     {"f32[2]", "f32[]"},
     "pad.interior[0]: Interior padding cannot be negative: -1"},
    {"PadNegative",
     Opcode::kPad,
     PadAttribute{{-2}, {-1}, {0}},
     {"f32[2]", "f32[]"},
     "pad.high[0]: Padding result in negative size for dimension 0: 2 with low "
     "-2, high -1, interior 0"},
    {"PadOverflow",
     Opcode::kPad,
     PadAttribute{{0}, {0}, {kGreatest}},
     {"f32[3]", "f32[]"},
     "pad.high[0]: Padding result in a size past 2^63-1 for dimension 0: 3 "
     "with "
     "low 0, high 0, interior 9223372036854775807"},
    {"IotaPred",
     Opcode::kIota,
     IotaAttribute{DType::kPred, {2}, 0},
     {},
     "iota.type: IOTA is not defined on pred"},
    {"IotaDimension",
     Opcode::kIota,
     IotaAttribute{DType::kS32, {2}, 1},
     {},
     "iota.dimension: 1 is not in [0,1) of s32[2]"},
    {"IotaScalar",
     Opcode::kIota,
     IotaAttribute{DType::kS32, {}, 0},
     {},
     "iota.dimension: 0 is not in [0,0) of s32[]"},
    {"BitcastRatio",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kF32},
     {"u8[4,2]"},
     "convert.type: f32 is 4 times as wide as u8; the last dimension must have "
     "that extent, got u8[4,2]"},
    {"BitcastWiderScalar",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kF32},
     {"u8[]"},
     "convert.type: f32 is 4 times as wide as u8; the last dimension must have "
     "that extent, got u8[]"},
    {"BitcastComplexToReal",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kF64},
     {"c64[2]"},
     "convert.type: c64 cannot be bitcast to f64: complex only to complex"},
    {"BitcastOverflow",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kS32, Overflow::kWrap},
     {"f32[2]"},
     "convert.overflow: BITCAST_CONVERT keeps the bits; it takes none"},
    {"BitcastToPred",
     Opcode::kBitcastConvert,
     ConvertAttribute{DType::kPred},
     {"u8[2]"},
     "convert.type: u8 cannot be bitcast to pred: pred only to pred"},
};

class InferDataTest : public ::testing::TestWithParam<Case> {};

TEST_P(InferDataTest, Infers) {
  const auto inference = Infer(GetParam());
  ASSERT_TRUE(inference.ok()) << inference.status();
  EXPECT_EQ(ShapeToString(inference->value.type, inference->value.shape),
            GetParam().expected);
  EXPECT_TRUE(inference->operand_dimensions.empty());
}

class InferDataErrorsTest : public ::testing::TestWithParam<Case> {};

TEST_P(InferDataErrorsTest, NamesTheField) {
  const auto inference = Infer(GetParam());
  EXPECT_EQ(inference.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(inference.status().message()), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, InferDataTest, ::testing::ValuesIn(kGood),
                         [](const auto& row) { return row.param.name; });
INSTANTIATE_TEST_SUITE_P(Rows, InferDataErrorsTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast::program_tests
