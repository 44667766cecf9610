// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a Signature must be to become a Program, and the paths and texts of
// what is wrong with it.

#include "core/program/program.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/status_macros.h"
#include "tests/support/builders.h"

namespace stridecast {
namespace {

using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Result;
using testing::ResultOf;
using testing::Strides;

constexpr ProgramLimits kLimits = {
    .max_instructions = 4,
    .max_operands = 3,
    .max_results = 2,
    .max_operand_references = 12,
    .max_constant_bytes = 8,
};

// x + row, over a matrix and a vector, its square root stored column by column.
TEST(ProgramTest, KnowsTypeAndShapeOfEveryValue) {
  const auto program = Program::Create(
      {{Desc(DType::kF32, {2, 3}), Desc(DType::kF32, {3})},
       {BinaryOp(Opcode::kAdd, 0, 1, {1}), Op(Opcode::kSqrt, {2})},
       {Result(Order({0, 1})), ResultOf(1)}},
      kLimits);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->num_operands(), 2);
  EXPECT_EQ(program->num_values(), 4);
  EXPECT_TRUE(program->IsOperand(1));
  EXPECT_FALSE(program->IsOperand(2));
  EXPECT_EQ(program->instruction(3).opcode, Opcode::kSqrt);
  EXPECT_EQ(program->value(1).shape.ToString(), "[3]");
  EXPECT_EQ(program->value(3).shape.ToString(), "[2,3]");
  ASSERT_EQ(program->results().size(), 2u);
  EXPECT_EQ(program->result_value(0), 3);  // none stated: the last
  EXPECT_EQ(program->results()[0].ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(program->result_value(1), 1);
  EXPECT_EQ(program->results()[1].ToString(), "f32[3]{0}");
}

TEST(ProgramTest, NeedsNoInstructions) {
  const auto program =
      Program::Create({{Desc(DType::kPred, {2})}, {}, {ResultSpec{}}}, kLimits);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->result_value(0), 0);
}

TEST(ProgramTest, NeedsNoOperands) {
  const auto program =
      Program::Create({{},
                       {Op(Opcode::kConstant, {},
                           ConstantAttribute{Desc(DType::kU8, {3}), "abc"})},
                       {ResultSpec{}}},
                      kLimits);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->results()[0].ToString(), "u8[3]{0}");
}

TEST(ProgramTest, MayMakeDeadValuesAndRepeatResults) {
  const auto program =
      Program::Create({{Desc(DType::kF32, {2})},
                       {Op(Opcode::kSqrt, {0}), Op(Opcode::kAbs, {0})},
                       {ResultOf(0), ResultOf(0)}},
                      kLimits);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->num_values(), 3);
}

Instruction Constant(const DimVector& shape, std::string data) {
  return Op(Opcode::kConstant, {},
            ConstantAttribute{Desc(DType::kU8, shape), std::move(data)});
}

ResultSpec Stated(std::optional<DType> type, std::optional<DimVector> shape) {
  return {std::nullopt, type, std::move(shape), {}};
}

struct RefusedCase {
  const char* name;
  Signature signature;
  const char* text;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

void PrintTo(const RefusedCase& row, std::ostream* out) { *out << row.name; }

const TensorDesc kMatrix = Desc(DType::kF32, {2, 3});
const TensorDesc kVector = Desc(DType::kF32, {2});
const ResultSpec kLast = {};

Signature WithResult(ResultSpec result) {
  return {{kMatrix}, {}, {std::move(result)}};
}

const RefusedCase kRefused[] = {
    // Counts.
    {"Operands",
     {{kVector, kVector, kVector, kVector}, {}, {kLast}},
     "operands: 4 entries; the limit is 3"},
    {"Instructions",
     {{kVector}, std::vector<Instruction>(5, Op(Opcode::kSqrt, {0})), {kLast}},
     "instructions: 5 entries; the limit is 4"},
    {"Results",
     {{kVector}, {}, {kLast, kLast, kLast}},
     "results: 3 entries; the limit is 2"},
    {"NoResults", {{kVector}, {}, {}}, "results: none; name at least one"},
    {"NoValues",
     {{}, {}, {kLast}},
     "results[0].value: there are no values: the program has neither operands "
     "nor instructions"},
    // (P1)
    {"OwnValue",
     {{kVector}, {Op(Opcode::kSqrt, {1})}, {kLast}},
     "instructions[0].operands[0] (SQRT): value 1 is not defined before this "
     "instruction, whose value is 1"},
    {"LaterValue",
     {{kVector}, {Op(Opcode::kSqrt, {0}), Op(Opcode::kAdd, {0, 7})}, {kLast}},
     "instructions[1].operands[1] (ADD): value 7 is not defined before this "
     "instruction, whose value is 2"},
    {"GreatestId",
     {{kVector}, {Op(Opcode::kSqrt, {UINT32_MAX})}, {kLast}},
     "instructions[0].operands[0] (SQRT): value 4294967295 is not defined "
     "before this instruction, whose value is 1"},
    // (P2): a field of the instruction, and the instruction as a whole.
    {"FieldOfInstruction",
     {{kVector},
      {Op(Opcode::kSqrt, {0}), Op(Opcode::kAbs, {0}),
       Op(Opcode::kSlice, {1}, SliceAttribute{{0}, {3}, {}})},
      {kLast}},
     "instructions[2].slice.limit[0] (SLICE): 3 is past the extent 2 of "
     "dimension 0 of f32[2]"},
    {"WholeInstruction",
     {{kVector, Desc(DType::kF32, {3})}, {Op(Opcode::kAdd, {0, 1})}, {kLast}},
     "instructions[0] (ADD): Binary op add with incompatible shapes: f32[2] "
     "and "
     "f32[3]."},
    // Constants.
    {"ConstantTooShort",
     {{}, {Constant({3}, "ab")}, {kLast}},
     "instructions[0].constant.payload (CONSTANT): 2 bytes; u8[3]{0} implies "
     "3"},
    {"ConstantTooLong",
     {{kVector}, {Constant({3}, "abcd")}, {kLast}},
     "instructions[0].constant.payload (CONSTANT): 4 bytes; u8[3]{0} implies "
     "3"},
    {"ConstantsTooLarge",
     {{}, {Constant({8}, "abcdefgh"), Constant({1}, "a")}, {kLast}},
     "instructions[1].constant.payload (CONSTANT): 9 bytes of constants up to "
     "here; the limit is 8, send larger ones as operands",
     absl::StatusCode::kResourceExhausted},
    // Results.
    {"ResultValue", WithResult(ResultOf(1)),
     "results[0].value: 1 is not in [0,1)"},
    {"SecondResult",
     {{kMatrix}, {}, {kLast, ResultOf(9)}},
     "results[1].value: 9 is not in [0,1)"},
    {"ResultType", WithResult(Stated(DType::kF16, {})),
     "results[0].type: f16 stated, but value 0 is f32[2,3]"},
    {"ResultShape", WithResult(Stated({}, DimVector{3, 2})),
     "results[0].shape: [3,2] stated, but value 0 is f32[2,3]"},
    {"ResultShapeOfScalar", WithResult(Stated({}, DimVector{})),
     "results[0].shape: [] stated, but value 0 is f32[2,3]"},
    {"ResultLayout", WithResult(Result(Order({0}))),
     "results[0].layout.minor_to_major: layout minor_to_major field contains 1 "
     "elements, but shape is rank 2: {0}; shape: f32[2,3]"},
    {"ResultStridesCount", WithResult(Result(Strides({1}))),
     "results[0].strides.strides: 1 entries for rank 2"},
    // (P3)
    {"ResultNegativeStride", WithResult(Result(Strides({3, -1}, 2))),
     "results[0].strides.strides[1]: -1 is negative; results take none"},
    {"ResultRepeats", WithResult(Result(Strides({0, 1}))),
     "results[0].strides.strides: [0,1] on f32[2,3] are not provably "
     "non-overlapping: by ascending stride, each must exceed the reach of all "
     "smaller ones"},
    {"ResultOverlaps", WithResult(Result(Strides({2, 1}))),
     "results[0].strides.strides: [2,1] on f32[2,3] are not provably "
     "non-overlapping: by ascending stride, each must exceed the reach of all "
     "smaller ones"},
    {"ComplexPaddedWithTheLowest",
     {{Desc(DType::kC64, {2})},
      {},
      {Result(Order({0}, {3}, PaddingValue::kLowest))}},
     "results[0].layout.padding_value: LOWEST_PAD is not defined for c64, "
     "complex numbers have no order"},
    {"ComplexPaddedWithTheHighest",
     {{Desc(DType::kC128, {0})},
      {},
      {Result(Order({0}, {1}, PaddingValue::kHighest))}},
     "results[0].layout.padding_value: HIGHEST_PAD is not defined for c128, "
     "complex numbers have no order"},
    // Injective, but interlocked.
    {"ResultInterlocked", WithResult(Result(Strides({3, 2}))),
     "results[0].strides.strides: [3,2] on f32[2,3] are not provably "
     "non-overlapping: by ascending stride, each must exceed the reach of all "
     "smaller ones"},
};

class RefusedTest : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedTest, NamesTheField) {
  const RefusedCase& row = GetParam();
  const auto program = Program::Create(row.signature, kLimits);
  EXPECT_EQ(program.status().code(), row.code);
  EXPECT_EQ(std::string(program.status().message()), row.text);
}

INSTANTIATE_TEST_SUITE_P(Rows, RefusedTest, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(ProgramTest, PaddingThatIsNotThereNeedsNoValue) {
  const TensorDesc operand =
      Desc(DType::kC64, {2}, Order({0}, {3}, PaddingValue::kLowest));
  const auto program = Program::Create(
      {{operand}, {}, {Result(Order({0}, {2}, PaddingValue::kHighest))}},
      kLimits);
  EXPECT_TRUE(program.ok()) << program.status();
}

struct WritableCase {
  const char* name;
  DimVector shape;
  ElementStrides strides;
};

// Strides that are never used break no rule.
const WritableCase kWritable[] = {
    {"Gaps", {2, 3}, Strides({10, 3}, 1, 40)},
    {"ColumnMajor", {2, 3}, Strides({1, 2})},
    {"OneElementAlongRepeated", {1, 3}, Strides({0, 1})},
    {"OneElementAlongNegative", {1, 3}, Strides({-1, 1})},
    {"NoElements", {0, 3}, Strides({-5, 0})},
};

TEST(ProgramTest, TakesWritableStrides) {
  for (const WritableCase& row : kWritable) {
    const auto program = Program::Create(
        {{Desc(DType::kF32, row.shape)}, {}, {Result(row.strides)}}, kLimits);
    EXPECT_TRUE(program.ok()) << row.name << ": " << program.status();
  }
}

TEST(AtInstructionTest, PutsTheOpcodeBehindThePath) {
  EXPECT_EQ(
      AtInstruction(3, Opcode::kAdd, FieldError("operands[1]", "bad")),
      absl::InvalidArgumentError("instructions[3].operands[1] (ADD): bad"));
  EXPECT_EQ(AtInstruction(3, Opcode::kAdd, FieldError("", "a: b")),
            absl::InvalidArgumentError("instructions[3] (ADD): a: b"));
  EXPECT_EQ(AtInstruction(0, Opcode::kPad, absl::UnimplementedError(": x")),
            absl::UnimplementedError("instructions[0] (PAD): x"));
}

}  // namespace
}  // namespace stridecast
