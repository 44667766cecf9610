// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/instruction_codec.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/payload_codec.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::FailsWith;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;

absl::StatusOr<Instruction> Decode(const v1::Instruction& message) {
  int64_t left = kMaxTypedElements;
  return InstructionFromProto(message, left);
}
absl::StatusOr<Instruction> Decode(absl::string_view text) {
  return Decode(FromText<v1::Instruction>(text));
}

TEST(InstructionCodec, AnAdditionWithBroadcast) {
  const auto add =
      Decode("opcode: ADD operands: [0, 1] broadcast_dimensions: 1");
  ASSERT_THAT(add, IsOk());
  EXPECT_EQ(add->opcode, Opcode::kAdd);
  EXPECT_THAT(add->operands, ::testing::ElementsAre(0u, 1u));
  EXPECT_EQ(add->broadcast_dimensions, DimVector{1});
  EXPECT_EQ(AttributeName(add->attribute), "");
}

// What stands after the opcode for each form, every field set to something that
// differs from its default.
const std::map<Form, std::string>& TextOfForm() {
  static const auto* texts = new std::map<Form, std::string>{
      {Form::kUnary, "operands: 3"},
      {Form::kUnaryScalar, "operands: 3 scalars { alpha: -0.5 }"},
      {Form::kUnaryScalars, "operands: 3 scalars { alpha: 0 beta: -1.5 }"},
      {Form::kBinaryScalars,
       "operands: [3, 1] broadcast_dimensions: 0 scalars { alpha: 0 beta: 2 }"},
      {Form::kReducePrecision,
       "operands: 3 reduce_precision { exponent_bits: 5 mantissa_bits: 10 }"},
      {Form::kConvert, "operands: 3 convert { type: U8 overflow: WRAP }"},
      {Form::kBitcastConvert, "operands: 3 convert { type: U8 }"},
      {Form::kBinary, "operands: [4, 3] broadcast_dimensions: [0, 2]"},
      {Form::kCompare,
       "operands: [4, 3] broadcast_dimensions: [0, 2]"
       "compare { direction: LT total_order: true }"},
      {Form::kSelect, "operands: [5, 4, 3]"},
      {Form::kClamp, "operands: [5, 4, 3]"},
      {Form::kFma, "operands: [5, 4, 3]"},
      {Form::kQuantize,
       "operands: [5, 4, 3] quantize { type: S8 broadcast_dimensions: 3 }"},
      {Form::kDequantize,
       "operands: [5, 4, 3] quantize { type: F16 broadcast_dimensions: 3 }"},
      {Form::kBroadcastInDim,
       "operands: 3 broadcast_in_dim {"
       " shape { dimensions: [2, 3] } dimensions: 1 }"},
      {Form::kTranspose, "operands: 3 dimensions { dimensions: [1, 0] }"},
      {Form::kReverse, "operands: 3 dimensions { dimensions: [1, 0] }"},
      {Form::kSlice,
       "operands: 3 slice { start: [0, 1] limit: [2, 3] step: [1, 2] }"},
      {Form::kReshape, "operands: 3 reshape { dimensions: [3, 2] }"},
      {Form::kConcatenate,
       "operands: [3, 4, 5, 6] dimensions { dimensions: 1 }"},
      {Form::kPad,
       "operands: [3, 4] pad { low: [-1, 0] high: [2, 3] interior: [0, 1] }"},
      {Form::kIota,
       "iota { type: S64 shape { dimensions: [2, 3] } dimension: 1 }"},
      {Form::kConstant,
       "constant { desc { type: U16 dimensions: 2"
       " layout { minor_to_major: 0 padding_value: ONE_PAD } }"
       " payload { raw: \"\\001\\002\\003\\004\" } }"},
  };
  return *texts;
}

v1::Instruction Example(const Operation& operation) {
  return FromText<v1::Instruction>(
      absl::StrCat("opcode: ", std::string(operation.label), " ",
                   TextOfForm().at(operation.form)));
}

TEST(InstructionCodec, EveryOperationRoundTrips) {
  for (const Operation& operation : AllOperations()) {
    SCOPED_TRACE(std::string(operation.label));
    const v1::Instruction message = Example(operation);
    const auto instruction = Decode(message);
    ASSERT_THAT(instruction, IsOk());
    EXPECT_EQ(instruction->opcode, operation.opcode);
    EXPECT_EQ(InstructionToProto(*instruction).DebugString(),
              message.DebugString());
  }
}

TEST(InstructionCodec, EmptyAttributesArePresent) {
  for (const char* text : {"opcode: RESHAPE operands: 0 reshape {}",
                           "opcode: TRANSPOSE operands: 0 dimensions {}",
                           "opcode: SLICE operands: 0 slice {}",
                           "opcode: ELU operands: 0 scalars {}",
                           "opcode: IOTA iota { type: F32 shape {} }",
                           "opcode: REDUCE_PRECISION reduce_precision {}"}) {
    const auto instruction = Decode(text);
    ASSERT_THAT(instruction, IsOk()) << text;
    EXPECT_EQ(InstructionToProto(*instruction).DebugString(),
              FromText<v1::Instruction>(text).DebugString());
  }
}

TEST(InstructionCodec, ScalarsMayBeLeftOut) {
  const auto elu = Decode("opcode: ELU operands: 0");
  ASSERT_THAT(elu, IsOk());
  const auto* scalars = std::get_if<ScalarsAttribute>(&elu->attribute);
  ASSERT_NE(scalars, nullptr);
  EXPECT_FALSE(scalars->alpha || scalars->beta);
}

// Every operation with every attribute that is another form's, and without its
// own.
TEST(InstructionCodec, AttributesThatAnOperationDoesNotTake) {
  std::map<int, v1::Instruction> by_attribute;
  for (const Operation& operation : AllOperations()) {
    const v1::Instruction message = Example(operation);
    by_attribute[message.attributes_case()] = message;
  }
  ASSERT_EQ(by_attribute.size(), std::variant_size_v<Attribute>);
  const auto name_of = [](int number) {
    return v1::Instruction::descriptor()->FindFieldByNumber(number)->name();
  };
  for (const Operation& operation : AllOperations()) {
    const v1::Instruction own = Example(operation);
    for (const auto& [attribute, other] : by_attribute) {
      if (attribute == own.attributes_case()) continue;
      v1::Instruction message = other;
      message.set_opcode(own.opcode());
      message.clear_broadcast_dimensions();
      if (attribute != v1::Instruction::ATTRIBUTES_NOT_SET) {
        EXPECT_THAT(Decode(message),
                    IsInvalid(absl::StrCat(name_of(attribute), " (",
                                           std::string(operation.label),
                                           "): set, but ")));
      } else if (!TakesScalars(operation.form)) {
        EXPECT_THAT(Decode(message),
                    IsInvalid(absl::StrCat(name_of(own.attributes_case()), " (",
                                           std::string(operation.label),
                                           "): not set; required")));
      }
    }
  }
}

TEST(InstructionCodec, OnlyBinaryOperationsBroadcast) {
  for (const Operation& operation : AllOperations()) {
    v1::Instruction message = Example(operation);
    message.add_broadcast_dimensions(0);
    const auto instruction = Decode(message);
    if (operation.form == Form::kBinary ||
        operation.form == Form::kBinaryScalars ||
        operation.form == Form::kCompare) {
      EXPECT_THAT(instruction, IsOk());
    } else {
      EXPECT_THAT(instruction,
                  IsInvalid(absl::StrCat("broadcast_dimensions (",
                                         std::string(operation.label),
                                         "): set, but ")));
    }
  }
}

TEST(InstructionCodec, OpcodesWithoutMeaning) {
  EXPECT_THAT(Decode("operands: 0"), IsInvalid("opcode: OPCODE_UNSPECIFIED"));
  for (int number : {33, 49, 53, 110, 199, 209, 300, 100000, -1}) {
    v1::Instruction message;
    message.set_opcode(static_cast<v1::Instruction::Opcode>(number));
    EXPECT_THAT(Decode(message),
                FailsWith(absl::StatusCode::kUnimplemented,
                          absl::StrCat("opcode: ", number, " is not")));
  }
}

struct ErrorCase {
  const char* message;
  const char* error;
};

const ErrorCase kErrors[] = {
    {"opcode: CONVERT convert {}", "convert.type (CONVERT): DTYPE_UNSPECIFIED"},
    {"opcode: CONVERT convert { type: 99 }",
     "convert.type (CONVERT): 99 is not"},
    {"opcode: CONVERT convert { type: S8 overflow: 3 }",
     "convert.overflow (CONVERT): 3 is not"},
    {"opcode: COMPARE compare {}", "compare.direction (COMPARE): 0 is not"},
    {"opcode: COMPARE compare { direction: 7 }",
     "compare.direction (COMPARE): 7 is not"},
    {"opcode: QUANTIZE quantize {}",
     "quantize.type (QUANTIZE): DTYPE_UNSPECIFIED"},
    {"opcode: IOTA iota { shape {} }", "iota.type (IOTA): DTYPE_UNSPECIFIED"},
    {"opcode: IOTA iota { type: F32 }", "iota.shape (IOTA): not set"},
    {"opcode: BROADCAST_IN_DIM broadcast_in_dim {}",
     "broadcast_in_dim.shape (BROADCAST_IN_DIM): not set"},
    {"opcode: CONSTANT constant {}", "constant.desc (CONSTANT): not set"},
    {"opcode: CONSTANT constant { desc { } }",
     "constant.desc.type (CONSTANT): DTYPE_UNSPECIFIED"},
    {"opcode: CONSTANT constant { desc { type: F32 dimensions: -1 } }",
     "constant.desc.dimensions[0] (CONSTANT): "},
    {"opcode: CONSTANT constant { desc { type: F32 } }",
     "constant.payload.raw (CONSTANT): 0 bytes; the buffer of f32[] has 4"},
    {"opcode: CONSTANT constant { desc { type: F32 } payload { raw: \"12345\" }"
     "}",
     "constant.payload.raw (CONSTANT): 5 bytes"},
    {"opcode: CONSTANT constant { desc { type: S8 } payload { sint32s: 300 } }",
     "constant.payload.sint32s[0] (CONSTANT): 300 is out of the range"},
    {"opcode: CONSTANT constant { desc { type: S8 } payload { floats: 1 } }",
     "constant.payload.floats (CONSTANT): set for s8"},
};

TEST(InstructionCodec, Errors) {
  for (const ErrorCase& test : kErrors) {
    EXPECT_THAT(Decode(test.message), IsInvalid(test.error)) << test.message;
  }
}

TEST(InstructionCodec, TypedConstantsBecomeBytes) {
  int64_t left = 10;
  const auto instruction = InstructionFromProto(
      FromText<v1::Instruction>(
          "opcode: CONSTANT constant { desc { type: S16 dimensions: 2 }"
          " payload { sint32s: [1, -1] } }"),
      left);
  ASSERT_THAT(instruction, IsOk());
  EXPECT_EQ(std::get<ConstantAttribute>(instruction->attribute).data,
            std::string("\x01\x00\xFF\xFF", 4));
  EXPECT_EQ(left, 8);
}

}  // namespace
}  // namespace stridecast
