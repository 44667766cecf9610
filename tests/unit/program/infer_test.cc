// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Type and shape of what each form of instruction makes, and which field is
// named where a rule is broken.

#include "core/program/infer.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/tensor.h"
#include "tests/support/builders.h"

namespace stridecast {
namespace {

using testing::Desc;
using ::testing::HasSubstr;
using Direction = CompareAttribute::Direction;

ValueType Value(absl::string_view text) {
  const TensorDesc desc = ParseShapeString(text).value();
  return {desc.type(), desc.shape()};
}

std::vector<ValueType> Values(const std::vector<const char*>& texts) {
  std::vector<ValueType> values;
  for (const char* text : texts) values.push_back(Value(text));
  return values;
}

Instruction Make(Opcode opcode, Attribute attribute = {}) {
  return {opcode, {}, {}, std::move(attribute)};
}

Instruction Broadcasting(Opcode opcode, DimVector broadcast_dimensions,
                         Attribute attribute = {}) {
  return {opcode, {}, std::move(broadcast_dimensions), std::move(attribute)};
}

// A comparison of two matrices gives predicates; dimension i of each operand is
// dimension i of the result.
TEST(InferInstructionTest, CompareMakesPredicates) {
  const auto inference =
      InferInstruction(Make(Opcode::kCompare, CompareAttribute{Direction::kLt}),
                       Values({"f32[2,3]", "f32[2,3]"}));
  ASSERT_TRUE(inference.ok()) << inference.status();
  EXPECT_EQ(ShapeToString(inference->value.type, inference->value.shape),
            "pred[2,3]");
  EXPECT_EQ(inference->subject, DType::kF32);
  EXPECT_THAT(inference->operand_dimensions,
              ::testing::ElementsAre(DimVector{0, 1}, DimVector{0, 1}));
}

struct InferCase {
  const char* name;
  Instruction instruction;
  std::vector<const char*> operands;
  const char* value;  // what it makes, or the error
  const char* operand_dimensions = "";
  DType subject = DType::kF32;
};

void PrintTo(const InferCase& row, std::ostream* out) { *out << row.name; }

const InferCase kGood[] = {
    // Element-wise.
    {"Unary",
     Make(Opcode::kNegate),
     {"s8[2,3]"},
     "s8[2,3]",
     "(0,1)",
     DType::kS8},
    {"UnaryScalar", Make(Opcode::kSqrt), {"f32[]"}, "f32[]", "()"},
    {"Identity",
     Make(Opcode::kIdentity),
     {"pred[0]"},
     "pred[0]",
     "(0)",
     DType::kPred},
    {"AbsOfComplexIsReal",
     Make(Opcode::kAbs),
     {"c64[2]"},
     "f32[2]",
     "(0)",
     DType::kC64},
    {"AbsOfUnsigned",
     Make(Opcode::kAbs),
     {"u8[2]"},
     "u8[2]",
     "(0)",
     DType::kU8},
    {"RealOfReal",
     Make(Opcode::kReal),
     {"f16[2]"},
     "f16[2]",
     "(0)",
     DType::kF16},
    {"ImagOfC128",
     Make(Opcode::kImag),
     {"c128[2]"},
     "f64[2]",
     "(0)",
     DType::kC128},
    {"IsNan", Make(Opcode::kIsNan), {"f64[2]"}, "pred[2]", "(0)", DType::kF64},
    {"Convert",
     Make(Opcode::kConvert, ConvertAttribute{DType::kBF16}),
     {"u8[4,3]"},
     "bf16[4,3]",
     "(0,1)",
     DType::kU8},
    {"Binary",
     Make(Opcode::kAdd),
     {"f32[2,3]", "f32[2,3]"},
     "f32[2,3]",
     "(0,1) (0,1)"},
    {"BinaryInDim",
     Broadcasting(Opcode::kAdd, {1}),
     {"f32[3]", "f32[2,3]"},
     "f32[2,3]",
     "(1) (0,1)"},
    {"BinaryStretched",
     Make(Opcode::kAdd),
     {"f32[2,1]", "f32[1,3]"},
     "f32[2,3]",
     "(0,1) (0,1)"},
    {"Complex",
     Make(Opcode::kComplex),
     {"f64[2]", "f64[]"},
     "c128[2]",
     "(0) ()",
     DType::kF64},
    {"Compare",
     Broadcasting(Opcode::kCompare, {0}, CompareAttribute{Direction::kEq}),
     {"c64[2,3]", "c64[2]"},
     "pred[2,3]",
     "(0,1) (0)",
     DType::kC64},
    {"CompareTotalOrder",
     Make(Opcode::kCompare, CompareAttribute{Direction::kGe, true}),
     {"bf16[2]", "bf16[2]"},
     "pred[2]",
     "(0) (0)",
     DType::kBF16},
    {"Select",
     Make(Opcode::kSelect),
     {"pred[2]", "s16[2]", "s16[2]"},
     "s16[2]",
     "(0) (0) (0)",
     DType::kS16},
    {"SelectByScalar",
     Make(Opcode::kSelect),
     {"pred[]", "f32[2]", "f32[2]"},
     "f32[2]",
     "() (0) (0)"},
    {"SelectOfPreds",
     Make(Opcode::kSelect),
     {"pred[2]", "pred[2]", "pred[2]"},
     "pred[2]",
     "(0) (0) (0)",
     DType::kPred},
    {"Clamp",
     Make(Opcode::kClamp),
     {"f32[2]", "f32[2]", "f32[2]"},
     "f32[2]",
     "(0) (0) (0)"},
    {"ClampByScalars",
     Make(Opcode::kClamp),
     {"u8[]", "u8[2,3]", "u8[]"},
     "u8[2,3]",
     "() (0,1) ()",
     DType::kU8},
    {"Fma",
     Make(Opcode::kFma),
     {"bf16[2]", "bf16[2]", "bf16[2]"},
     "bf16[2]",
     "(0) (0) (0)",
     DType::kBF16},
    {"ScalarsLeftOut", Make(Opcode::kLeakyRelu), {"f32[2]"}, "f32[2]", "(0)"},
    {"Scalars",
     Make(Opcode::kHardSigmoid, ScalarsAttribute{0.1, 0.2}),
     {"f32[2]"},
     "f32[2]",
     "(0)"},
    {"ScalarsOfTwo",
     Broadcasting(Opcode::kIsClose, {1}, ScalarsAttribute{0.1, 0.2}),
     {"f32[2,3]", "f32[3]"},
     "pred[2,3]",
     "(0,1) (1)"},
    {"ReducePrecision",
     Make(Opcode::kReducePrecision, ReducePrecisionAttribute{1, 0}),
     {"f32[2]"},
     "f32[2]",
     "(0)"},
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
    {"ClampOfScalar",
     Make(Opcode::kClamp),
     {"f32[]", "f32[]", "f32[]"},
     "f32[]",
     "() () ()"},
    // Views and data.
    {"BroadcastInDim",
     Make(Opcode::kBroadcastInDim, BroadcastInDimAttribute{{4, 3}, {1}}),
     {"f32[3]"},
     "f32[4,3]"},
    {"Transpose",
     Make(Opcode::kTranspose, DimensionsAttribute{{2, 0, 1}}),
     {"f32[4,5,6]"},
     "f32[6,4,5]"},
    {"TransposeScalar",
     Make(Opcode::kTranspose, DimensionsAttribute{}),
     {"f32[]"},
     "f32[]"},
    {"Reverse",
     Make(Opcode::kReverse, DimensionsAttribute{{1}}),
     {"pred[4,5]"},
     "pred[4,5]",
     "",
     DType::kPred},
    {"ReverseNothing",
     Make(Opcode::kReverse, DimensionsAttribute{}),
     {"f32[4]"},
     "f32[4]"},
    {"Slice",
     Make(Opcode::kSlice, SliceAttribute{{1, 0}, {4, 5}, {}}),
     {"f32[4,5]"},
     "f32[3,5]"},
    {"SliceSteps",
     Make(Opcode::kSlice, SliceAttribute{{1, 0}, {4, 5}, {2, 3}}),
     {"f32[4,5]"},
     "f32[2,2]"},
    {"SliceToNothing",
     Make(Opcode::kSlice, SliceAttribute{{4}, {4}, {7}}),
     {"f32[4]"},
     "f32[0]"},
    {"SliceHugeStep",
     Make(Opcode::kSlice, SliceAttribute{{1}, {4}, {INT64_MAX}}),
     {"f32[4]"},
     "f32[1]"},
    {"Constant",
     Make(Opcode::kConstant,
          ConstantAttribute{Desc(DType::kU8, {2, 2}), "abcd"}),
     {},
     "u8[2,2]",
     "",
     DType::kU8},
};

std::string DimensionsToString(const OperandDimensions& operand_dimensions) {
  return absl::StrJoin(operand_dimensions, " ",
                       [](std::string* out, const DimVector& dimensions) {
                         absl::StrAppend(out, "(",
                                         absl::StrJoin(dimensions, ","), ")");
                       });
}

class GoodTest : public ::testing::TestWithParam<InferCase> {};

TEST_P(GoodTest, Infers) {
  const InferCase& row = GetParam();
  const auto inference =
      InferInstruction(row.instruction, Values(row.operands));
  ASSERT_TRUE(inference.ok()) << inference.status();
  EXPECT_EQ(ShapeToString(inference->value.type, inference->value.shape),
            row.value);
  EXPECT_EQ(DimensionsToString(inference->operand_dimensions),
            row.operand_dimensions);
  EXPECT_EQ(inference->subject, row.subject);
  EXPECT_EQ(IsElementwise(OperationOf(row.instruction.opcode).form),
            !inference->operand_dimensions.empty());
}

INSTANTIATE_TEST_SUITE_P(Rows, GoodTest, ::testing::ValuesIn(kGood),
                         [](const auto& row) { return row.param.name; });

const InferCase kBad[] = {
    {"TooFewOperands",
     Make(Opcode::kAdd),
     {"f32[]"},
     "operands: 1 entries; ADD takes 2"},
    {"TooManyOperands",
     Make(Opcode::kSqrt),
     {"f32[]", "f32[]"},
     "operands: 2 entries; SQRT takes 1"},
    {"ConstantWithOperand",
     Make(Opcode::kConstant),
     {"f32[]"},
     "operands: 1 entries; CONSTANT takes 0"},
    {"NothingToConcatenate",
     Make(Opcode::kConcatenate),
     {},
     "operands: 0 entries; CONCATENATE takes at least one"},
    {"BroadcastOfUnary",
     Broadcasting(Opcode::kSqrt, {0}),
     {"f32[2]"},
     "broadcast_dimensions: SQRT takes none; use BROADCAST_IN_DIM"},
    {"BroadcastOfSelect",
     Broadcasting(Opcode::kSelect, {0}),
     {"pred[2]", "f32[2]", "f32[2]"},
     "broadcast_dimensions: SELECT takes none; use BROADCAST_IN_DIM"},
    {"SubtractOfPreds",
     Make(Opcode::kSubtract),
     {"pred[2]", "pred[2]"},
     ": SUBTRACT is not defined on pred"},
    {"AndOfFloats",
     Make(Opcode::kAnd),
     {"f32[2]", "f32[2]"},
     ": AND is not defined on f32"},
    {"MaximumOfComplex",
     Make(Opcode::kMaximum),
     {"c64[2]", "c64[2]"},
     ": MAXIMUM is not defined on c64"},
    // Only f32 and f64 have a complex type.
    {"ComplexOfF16",
     Make(Opcode::kComplex),
     {"f16[2]", "f16[2]"},
     ": COMPLEX is not defined on f16"},
    {"ComplexOfBf16",
     Make(Opcode::kComplex),
     {"bf16[2]", "bf16[2]"},
     ": COMPLEX is not defined on bf16"},
    {"BinaryNamesTheOperation",
     Make(Opcode::kDivide),
     {"f32[2]", "f32[3]"},
     ": Binary op divide with incompatible shapes: f32[2] and f32[3]."},
    {"ConvertUnset",
     Make(Opcode::kConvert),
     {"f32[2]"},
     "convert: not set; CONVERT needs it"},
    {"OtherAttribute",
     Make(Opcode::kConvert, CompareAttribute{}),
     {"f32[2]"},
     "compare: CONVERT takes no such attribute; it takes convert"},
    {"AttributeOfNone",
     Make(Opcode::kNegate, ConvertAttribute{DType::kF64}),
     {"f32[2]"},
     "convert: NEGATE takes no such attribute"},
    {"CompareOrderOfComplex",
     Make(Opcode::kCompare, CompareAttribute{Direction::kLe}),
     {"c64[]", "c64[]"},
     "compare.direction: c64 has no order; only EQ and NE are defined"},
    {"CompareTotalOrderOfIntegers",
     Make(Opcode::kCompare, CompareAttribute{Direction::kEq, true}),
     {"s32[]", "s32[]"},
     "compare.total_order: defined for floating-point types only, got s32"},
    {"CompareTypes",
     Make(Opcode::kCompare, CompareAttribute{Direction::kEq}),
     {"s32[]", "s16[]"},
     ": Binary op compare with different element types: s32[] and s16[]."},
    {"SelectByNumbers",
     Make(Opcode::kSelect),
     {"u8[2]", "f32[2]", "f32[2]"},
     "operands[0]: select takes a pred here, got u8[2]"},
    {"SelectTypes",
     Make(Opcode::kSelect),
     {"pred[2]", "f32[2]", "f64[2]"},
     "operands[2]: select with different element types: f32[2] and f64[2]"},
    {"SelectShapes",
     Make(Opcode::kSelect),
     {"pred[3]", "f32[2]", "f32[2]"},
     "operands[0]: select of f32[2] takes a scalar or the same shape here, got "
     "pred[3]"},
    {"SelectOneIsNoScalar",
     Make(Opcode::kSelect),
     {"pred[1]", "f32[2]", "f32[2]"},
     "operands[0]: select of f32[2] takes a scalar or the same shape here, got "
     "pred[1]"},
    {"SelectValueShapes",
     Make(Opcode::kSelect),
     {"pred[2]", "f32[2]", "f32[]"},
     "operands[2]: select of f32[2] takes the same shape here, got f32[]"},
    {"ClampTypes",
     Make(Opcode::kClamp),
     {"f32[]", "f16[2]", "f32[]"},
     "operands[1]: clamp with different element types: f32[] and f16[2]"},
    {"ClampShapes",
     Make(Opcode::kClamp),
     {"f32[]", "f32[2]", "f32[3]"},
     "operands[2]: clamp of f32[2] takes a scalar or the same shape here, got "
     "f32[3]"},
    {"ClampOfScalarByVectors",
     Make(Opcode::kClamp),
     {"f32[2]", "f32[]", "f32[2]"},
     "operands[0]: clamp of f32[] takes a scalar or the same shape here, got "
     "f32[2]"},
    {"BroadcastUnset",
     Make(Opcode::kBroadcastInDim),
     {"f32[2]"},
     "broadcast_in_dim: not set; BROADCAST_IN_DIM needs it"},
    {"BroadcastWrong",
     Make(Opcode::kBroadcastInDim, BroadcastInDimAttribute{{4, 3}, {0}}),
     {"f32[3]"},
     "broadcast_in_dim.dimensions[0]: operand dimension 0 of f32[3] has extent "
     "3, neither 1 nor the 4 of result dimension 0 of [4,3]"},
    // As many elements as fit, of a type of more than one byte.
    {"BroadcastOverflows",
     Make(Opcode::kBroadcastInDim, BroadcastInDimAttribute{{INT64_MAX}, {}}),
     {"f32[]"},
     ": result dimensions: Shape f32[9223372036854775807] size may overflow "
     "int64_t: its buffer has more than 2^63-1 bytes"},
    {"TransposeUnset",
     Make(Opcode::kTranspose),
     {"f32[2]"},
     "dimensions: not set; TRANSPOSE needs it"},
    {"TransposeTooFew",
     Make(Opcode::kTranspose, DimensionsAttribute{{0}}),
     {"f32[2,3]"},
     "dimensions.dimensions: 1 entries for operand f32[2,3] of rank 2"},
    {"TransposeTwice",
     Make(Opcode::kTranspose, DimensionsAttribute{{1, 1}}),
     {"f32[2,3]"},
     "dimensions.dimensions[1]: 1 stands twice in [1,1]"},
    {"TransposeRange",
     Make(Opcode::kTranspose, DimensionsAttribute{{0, 2}}),
     {"f32[2,3]"},
     "dimensions.dimensions[1]: 2 is not in [0,2) of operand f32[2,3]"},
    {"ReverseUnset",
     Make(Opcode::kReverse),
     {"f32[2]"},
     "dimensions: not set; REVERSE needs it"},
    {"ReverseNegative",
     Make(Opcode::kReverse, DimensionsAttribute{{-1}}),
     {"f32[2]"},
     "dimensions.dimensions[0]: -1 is not in [0,1) of operand f32[2]"},
    {"ReverseTwice",
     Make(Opcode::kReverse, DimensionsAttribute{{0, 1, 0}}),
     {"f32[2,3]"},
     "dimensions.dimensions[2]: 0 stands twice in [0,1,0]"},
    {"SliceUnset",
     Make(Opcode::kSlice),
     {"f32[2]"},
     "slice: not set; SLICE needs it"},
    {"SliceStartCount",
     Make(Opcode::kSlice, SliceAttribute{{}, {2}, {}}),
     {"f32[2]"},
     "slice.start: 0 entries for operand f32[2] of rank 1"},
    {"SliceLimitCount",
     Make(Opcode::kSlice, SliceAttribute{{0}, {2, 2}, {}}),
     {"f32[2]"},
     "slice.limit: 2 entries for operand f32[2] of rank 1"},
    {"SliceStepCount",
     Make(Opcode::kSlice, SliceAttribute{{0}, {2}, {1, 1}}),
     {"f32[2]"},
     "slice.step: 2 entries for operand f32[2] of rank 1"},
    {"SliceNegativeStart",
     Make(Opcode::kSlice, SliceAttribute{{-1}, {2}, {}}),
     {"f32[2]"},
     "slice.start[0]: -1 is not in [0,2], limit being 2"},
    {"SliceStartPastLimit",
     Make(Opcode::kSlice, SliceAttribute{{0, 2}, {2, 1}, {}}),
     {"f32[2,3]"},
     "slice.start[1]: 2 is not in [0,1], limit being 1"},
    {"SliceLimitPastExtent",
     Make(Opcode::kSlice, SliceAttribute{{0}, {3}, {}}),
     {"f32[2]"},
     "slice.limit[0]: 3 is past the extent 2 of dimension 0 of f32[2]"},
    {"SliceStepZero",
     Make(Opcode::kSlice, SliceAttribute{{0}, {2}, {0}}),
     {"f32[2]"},
     "slice.step[0]: 0 is not positive"},
    {"SliceStepNegative",
     Make(Opcode::kSlice, SliceAttribute{{2}, {2}, {-1}}),
     {"f32[2]"},
     "slice.step[0]: -1 is not positive"},
    {"FmaOfTwoTypes",
     Make(Opcode::kFma),
     {"f32[2]", "f32[2]", "f64[2]"},
     "operands[2]: fma with different element types: f32[2] and f64[2]"},
    {"FmaByScalar",
     Make(Opcode::kFma),
     {"f32[2]", "f32[]", "f32[2]"},
     "operands[1]: fma of f32[2] takes the same shape here, got f32[]"},
    {"BetaTooMany",
     Make(Opcode::kElu, ScalarsAttribute{1, 2}),
     {"f32[2]"},
     "scalars.beta: ELU takes alpha only"},
    {"ReducePrecisionUnset",
     Make(Opcode::kReducePrecision),
     {"f32[2]"},
     "reduce_precision: not set; REDUCE_PRECISION needs it"},
    {"NoExponentBits",
     Make(Opcode::kReducePrecision, ReducePrecisionAttribute{0, 3}),
     {"f32[2]"},
     "reduce_precision.exponent_bits: 0 is less than 1"},
    {"NegativeMantissaBits",
     Make(Opcode::kReducePrecision, ReducePrecisionAttribute{8, -1}),
     {"f32[2]"},
     "reduce_precision.mantissa_bits: -1 is negative"},
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
    {"ConstantUnset",
     Make(Opcode::kConstant),
     {},
     "constant: not set; CONSTANT needs it"},
};

class BadTest : public ::testing::TestWithParam<InferCase> {};

TEST_P(BadTest, NamesTheField) {
  const InferCase& row = GetParam();
  const auto inference =
      InferInstruction(row.instruction, Values(row.operands));
  EXPECT_EQ(inference.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(inference.status().message()), row.value);
}

INSTANTIATE_TEST_SUITE_P(Rows, BadTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

// The `types` column of operations.inc decides, before anything else.
TEST(InferInstructionTest, AgreesWithTheTableOfOperations) {
  for (const Operation& operation : AllOperations()) {
    if (operation.form != Form::kUnary && operation.form != Form::kBinary) {
      continue;
    }
    for (DType type : kAllDTypes) {
      const std::vector<ValueType> operands(
          operation.form == Form::kUnary ? 1 : 2, ValueType{type, Shape()});
      const auto inference = InferInstruction(Make(operation.opcode), operands);
      const bool defined =
          operation.IsDefinedOn(type) &&
          (operation.opcode != Opcode::kComplex || ComplexType(type));
      EXPECT_EQ(inference.ok(), defined)
          << operation.label << " " << DTypeName(type);
      if (!defined) {
        EXPECT_THAT(
            inference.status().message(),
            HasSubstr(absl::StrCat(operation.label, " is not defined on ",
                                   DTypeName(type))));
      }
    }
  }
}

}  // namespace
}  // namespace stridecast
