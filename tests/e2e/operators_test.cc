// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What expressions of C++ become, instruction by instruction.

#include "stridecast/operators.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/signature_text.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::InstructionTexts;

TEST(OperatorsTest, NormalizesAnImage) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("u8[8,4,4,3]"));
  const Value mean = b.Parameter(*ParseShapeString("f32[3]"));
  auto [y, m] = NumPyBroadcast(Convert(x, DType::kF32) / 255, mean);
  b.Result(Transpose((y - m) / 0.25, {0, 3, 1, 2}));
  ASSERT_TRUE(b.Build().ok()) << b.status();
  EXPECT_THAT(InstructionTexts(*b.Build()),
              ElementsAre("CONVERT 0 f32",                     // 2
                          "CONSTANT f32[] 255",                // 3
                          "DIVIDE 2 3",                        // 4
                          "BROADCAST_IN_DIM 1 [8,4,4,3] [3]",  // 5
                          "SUBTRACT 4 5",                      // 6
                          "CONSTANT f32[] 0.25",               // 7
                          "DIVIDE 6 7",                        // 8
                          "TRANSPOSE 8 [0,3,1,2]"));
}

struct OperatorCase {
  const char* name;
  std::function<Value(Value x, Value y, Value i, Value p)> build;
  std::vector<std::string> expected;
};

#define EXPRESSION(expression)                                    \
  [](Value x, [[maybe_unused]] Value y, [[maybe_unused]] Value i, \
     [[maybe_unused]] Value p) {                                  \
    static_cast<void>(x);                                         \
    return expression;                                            \
  }

// Parameters 0 to 3: x f32[2,3], y f32[2,3], i s32[2,3], p pred[2,3].
const OperatorCase kCases[] = {
    {"Add", EXPRESSION(x + y), {"ADD 0 1"}},
    {"Subtract", EXPRESSION(x - y), {"SUBTRACT 0 1"}},
    {"Multiply", EXPRESSION(x* y), {"MULTIPLY 0 1"}},
    {"Divide", EXPRESSION(x / y), {"DIVIDE 0 1"}},
    {"Remainder", EXPRESSION(x % y), {"REMAINDER 0 1"}},
    {"And", EXPRESSION(p& p), {"AND 3 3"}},
    {"Or", EXPRESSION(i | i), {"OR 2 2"}},
    {"Xor", EXPRESSION(i ^ i), {"XOR 2 2"}},
    {"Plus", EXPRESSION(+x), {}},
    {"Negate", EXPRESSION(-x), {"NEGATE 0"}},
    {"BitwiseNot", EXPRESSION(~i), {"NOT 2"}},
    {"LogicalNot", EXPRESSION(!p), {"NOT 3"}},
    {"Less", EXPRESSION(x < y), {"COMPARE 0 1 LT"}},
    {"LessEqual", EXPRESSION(x <= y), {"COMPARE 0 1 LE"}},
    {"Greater", EXPRESSION(x > y), {"COMPARE 0 1 GT"}},
    {"GreaterEqual", EXPRESSION(x >= y), {"COMPARE 0 1 GE"}},
    {"Equal", EXPRESSION(Eq(x, y)), {"COMPARE 0 1 EQ"}},
    {"NotEqual", EXPRESSION(Ne(x, 1)), {"CONSTANT f32[] 1", "COMPARE 0 4 NE"}},

    // Numbers on either side take the type of the tensor.
    {"FloatAndInteger",
     EXPRESSION(x / 255),
     {"CONSTANT f32[] 255", "DIVIDE 0 4"}},
    {"IntegerAndFloat",
     EXPRESSION(1 - x),
     {"CONSTANT f32[] 1", "SUBTRACT 4 0"}},
    {"FloatAndDouble",
     EXPRESSION(x * 0.1),
     {"CONSTANT f32[] 0.1", "MULTIPLY 0 4"}},
    {"IntegerAndInteger",
     EXPRESSION(i & 0xFFL),
     {"CONSTANT s32[] 255", "AND 2 4"}},
    {"PredAndBool", EXPRESSION(p ^ true), {"CONSTANT pred[] true", "XOR 3 4"}},
    {"NumberLessThanTensor",
     EXPRESSION(0 < i),
     {"CONSTANT s32[] 0", "COMPARE 4 2 LT"}},

    // As in C++, whose precedence and grouping they have.
    {"Precedence",
     EXPRESSION(x + y * -x),
     {"NEGATE 0", "MULTIPLY 1 4", "ADD 0 5"}},

    // Functions.
    {"Sqrt", EXPRESSION(Sqrt(x)), {"SQRT 0"}},
    {"LeakyRelu", EXPRESSION(LeakyRelu(x, 0.25)), {"LEAKY_RELU 0 alpha 0.25"}},
    {"Shrink",
     EXPRESSION(Shrink(x, 0.25, 0.5)),
     {"SHRINK 0 alpha 0.25 beta 0.5"}},
    {"Max", EXPRESSION(Max(x, 0)), {"CONSTANT f32[] 0", "MAXIMUM 0 4"}},
    {"Min", EXPRESSION(Min(0.5, x)), {"CONSTANT f32[] 0.5", "MINIMUM 4 0"}},
    {"Pow", EXPRESSION(Pow(x, y)), {"POWER 0 1"}},
    {"Atan2", EXPRESSION(Atan2(x, y, {-2, -1})), {"ATAN2 0 1 dims [0,1]"}},
    {"Convert",
     EXPRESSION(Convert(x, DType::kU8, Overflow::kWrap)),
     {"CONVERT 0 u8 wrap"}},
    {"BitcastConvert",
     EXPRESSION(BitcastConvert(x, DType::kU32)),
     {"BITCAST_CONVERT 0 u32"}},
    {"Reverse", EXPRESSION(Reverse(x, {-1})), {"REVERSE 0 [1]"}},
    {"Reshape", EXPRESSION(Reshape(x, {-1})), {"RESHAPE 0 [6]"}},
    {"Slice", EXPRESSION(Slice(x, {0, 0}, {1, 2})), {"SLICE 0 [0,0] [1,2] []"}},
    {"Where",
     EXPRESSION(Where(x > y, x, y)),
     {"COMPARE 0 1 GT", "SELECT 4 0 1"}},
    {"WhereNumber",
     EXPRESSION(Where(p, x, 0)),
     {"CONSTANT f32[] 0", "BROADCAST_IN_DIM 4 [2,3] []", "SELECT 3 0 5"}},
    {"WhereScalars",
     EXPRESSION(Where(p, x.builder().Constant(1.0f), 0)),
     {"CONSTANT f32[] 1", "CONSTANT f32[] 0", "BROADCAST_IN_DIM 4 [2,3] []",
      "BROADCAST_IN_DIM 5 [2,3] []", "SELECT 3 6 7"}},
    {"Clamp", EXPRESSION(Clamp(0, x, y)), {"CONSTANT f32[] 0", "CLAMP 4 0 1"}},
    {"Fma",
     EXPRESSION(Fma(x, 2, y)),
     {"CONSTANT f32[] 2", "BROADCAST_IN_DIM 4 [2,3] []", "FMA 0 5 1"}},
};

class OperatorTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(OperatorTest, IsWritten) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value y = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value i = b.Parameter(*ParseShapeString("s32[2,3]"));
  const Value p = b.Parameter(*ParseShapeString("pred[2,3]"));
  const Value result = GetParam().build(x, y, i, p);
  EXPECT_TRUE(b.TypeOf(result).ok()) << b.TypeOf(result).status();
  const auto signature = b.Build();
  ASSERT_TRUE(signature.ok()) << signature.status();
  EXPECT_THAT(InstructionTexts(*signature),
              ElementsAreArray(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(All, OperatorTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

// Every function of elementwise.inc makes the operation of its name.
TEST(OperatorsTest, FunctionsAreCalledAsTheirOperations) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2]"));
  std::vector<Opcode> expected;
#define STRIDECAST_UNARY(name) \
  name(x);                     \
  expected.push_back(Opcode::k##name);
#define STRIDECAST_UNARY_SCALAR STRIDECAST_UNARY
#define STRIDECAST_UNARY_SCALARS STRIDECAST_UNARY
#define STRIDECAST_BINARY(name) \
  name(x, x);                   \
  expected.push_back(Opcode::k##name);
#include "stridecast/elementwise.inc"
#undef STRIDECAST_UNARY
#undef STRIDECAST_UNARY_SCALAR
#undef STRIDECAST_UNARY_SCALARS
#undef STRIDECAST_BINARY
  std::vector<Opcode> actual;
  const Signature signature = *b.Build();
  for (const Instruction& instruction : signature.instructions) {
    actual.push_back(instruction.opcode);
  }
  EXPECT_EQ(actual, expected);
}

struct FaultCase {
  const char* name;
  std::function<Value(Value x, Value y, Value i, Value p)> build;
  const char* expected;
};

const FaultCase kFaults[] = {
    {"Fraction", EXPRESSION(i * 0.5),
     "0.5 is no integer, s32 holds nothing else; convert the tensor to a "
     "floating-point type"},
    {"OutOfRange", EXPRESSION(i + 2147483648u),
     "2147483648 is not in [-2147483648,2147483647], the range of s32"},
    {"NotExact", EXPRESSION(x - 16777217),
     "16777217 is not exact in f32; 16777217.0 asks for the nearest"},
    {"NumberAndPred", EXPRESSION(p & 1),
     "1 is no pred; those are true and false"},
    {"LogicalNotOfIntegers", EXPRESSION(!i),
     "! takes a pred, got s32[2,3]; ~ flips the bits of integers"},
    {"WhereNumbers", EXPRESSION(Where(p, 1, 0)),
     "Where: two numbers have no element type; make one a Scalar"},
    {"NumberBesideABrokenValue", EXPRESSION((x + i) * 2),
     "instructions[0] (ADD): Binary op add with different element types: "
     "f32[2,3] and s32[2,3]."},
};

class FaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FaultTest, IsReportedByBuild) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value y = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value i = b.Parameter(*ParseShapeString("s32[2,3]"));
  const Value p = b.Parameter(*ParseShapeString("pred[2,3]"));
  b.Result(GetParam().build(x, y, i, p));
  EXPECT_EQ(b.Build().status(),
            absl::InvalidArgumentError(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(All, FaultTest, ::testing::ValuesIn(kFaults),
                         [](const auto& test) { return test.param.name; });

TEST(OperatorsTest, ValuesOfTwoBuildersAreAFaultOfTheFirst) {
  ProgramBuilder a, b;
  const Value x = a.Parameter(TensorDesc());
  const Value y = b.Parameter(TensorDesc());
  static_cast<void>(x + y);
  EXPECT_FALSE(a.status().ok());
  EXPECT_TRUE(b.status().ok());
  NumPyBroadcast(y, x);
  EXPECT_EQ(b.status().message(),
            "NumPyBroadcast: a value of another ProgramBuilder");
}

struct BroadcastCase {
  std::vector<const char*> shapes;
  std::vector<std::string> instructions;
};

// NumPy's answers, as explicit broadcasting.
const BroadcastCase kBroadcasts[] = {
    {{"f32[2,3]", "f32[3]"}, {"BROADCAST_IN_DIM 1 [2,3] [1]"}},
    {{"f32[3]", "f32[2,3]"}, {"BROADCAST_IN_DIM 0 [2,3] [1]"}},
    {{"f32[2,3]", "f32[2,3]"}, {}},
    {{"f32[2,3]", "f32[]"}, {}},
    {{"f32[]", "f32[]"}, {}},
    {{"f32[2,1]", "f32[1,3]"},
     {"BROADCAST_IN_DIM 0 [2,3] [0,1]", "BROADCAST_IN_DIM 1 [2,3] [0,1]"}},
    {{"f32[8,1,6,1]", "f32[7,1,5]"},
     {"BROADCAST_IN_DIM 0 [8,7,6,5] [0,1,2,3]",
      "BROADCAST_IN_DIM 1 [8,7,6,5] [1,2,3]"}},
    {{"f32[1]", "f32[0]"}, {"BROADCAST_IN_DIM 0 [0] [0]"}},
    {{"f32[0,3]", "f32[1,3]"}, {"BROADCAST_IN_DIM 1 [0,3] [0,1]"}},
    {{"f32[4,1]", "f32[3]", "f32[]", "u8[5,1,1]"},
     {"BROADCAST_IN_DIM 0 [5,4,3] [1,2]", "BROADCAST_IN_DIM 1 [5,4,3] [2]",
      "BROADCAST_IN_DIM 3 [5,4,3] [0,1,2]"}},
    {{"f32[7]"}, {}},
};

TEST(NumPyBroadcastTest, WritesDimensionsOut) {
  for (const BroadcastCase& c : kBroadcasts) {
    ProgramBuilder b;
    std::vector<Value> values;
    for (const char* shape : c.shapes) {
      values.push_back(b.Parameter(*ParseShapeString(shape)));
    }
    const std::vector<Value> broadcast = NumPyBroadcast(values);
    ASSERT_TRUE(b.Build().ok()) << b.status();
    EXPECT_THAT(InstructionTexts(*b.Build()), ElementsAreArray(c.instructions))
        << c.shapes[0];
    for (Value value : broadcast) {
      EXPECT_TRUE(b.TypeOf(value).ok()) << b.TypeOf(value).status();
    }
  }
}

TEST(NumPyBroadcastTest, ShapesThatDoNotFitAreAFault) {
  const struct {
    std::vector<const char*> shapes;
    const char* text;
  } kUnfit[] = {
      {{"f32[2,3]", "f32[2]"},
       "NumPyBroadcast: shapes [2,3] and [2] do not fit: dimension 1 has "
       "extents 3 and 2"},
      {{"f32[0]", "f32[2]"},
       "NumPyBroadcast: shapes [0] and [2] do not fit: dimension 0 has extents "
       "0 and 2"},
      {{"f32[1,3]", "f32[2,3]", "f32[4,3]"},
       "NumPyBroadcast: shapes [1,3] and [2,3] and [4,3] do not fit: dimension "
       "0 has extents 2 and 4"},
  };
  for (const auto& c : kUnfit) {
    ProgramBuilder b;
    std::vector<Value> values;
    for (const char* shape : c.shapes) {
      values.push_back(b.Parameter(*ParseShapeString(shape)));
    }
    EXPECT_EQ(NumPyBroadcast(values).size(), values.size());
    EXPECT_EQ(b.Build().status(), absl::InvalidArgumentError(c.text));
  }
}

}  // namespace
}  // namespace stridecast
