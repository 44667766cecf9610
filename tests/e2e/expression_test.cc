// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What expressions become, instruction by instruction. Errors are in
// expression_errors_test.cc, meanings in expression_values_test.cc.

#include "stridecast/expression.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/signature_text.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::InstructionTexts;

struct OperandCase {
  const char* name;
  const char* shape;
  const char* letters;
};

TEST(ExpressionTest, NormalizesAPhotograph) {
  ProgramBuilder b;
  const ExpressionOperands operands = {
      {"x", {b.Parameter(*ParseShapeString("u8[300,451,3]")), "HWC"}},
      {"mean", {b.Parameter(*ParseShapeString("f32[3]")), "C"}},
      {"std", {b.Parameter(*ParseShapeString("f32[3]")), "C"}}};
  const auto y =
      ParseExpression("transpose((f32(x)/255 - mean)/std, CHW)", operands, b);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->dimensions, "CHW");
  b.Result(y->value);
  EXPECT_THAT(InstructionTexts(*b.Build(), {"x", "mean", "std"}),
              ElementsAre("CONVERT x f32", "CONSTANT f32[] 255", "DIVIDE %0 %1",
                          "SUBTRACT %2 mean dims [2]", "DIVIDE %3 std dims [2]",
                          "TRANSPOSE %4 [2,0,1]"));
}

// As values go: f, g f32[2,3], v f32[3], w f32[2,1], s f32[], i s32[2,3],
// u u8[2,3], p pred[2,3], z c64[2], without letters; image f32[4,5,3] HWC,
// c f32[3] C, planes f32[3,4,5] CHW, wh f32[5,4] WH, row f32[1,5] HW,
// q u8[4,5,3] HWC.
const OperandCase kOperands[] = {
    {"f", "f32[2,3]", ""},     {"g", "f32[2,3]", ""},
    {"v", "f32[3]", ""},       {"w", "f32[2,1]", ""},
    {"s", "f32[]", ""},        {"i", "s32[2,3]", ""},
    {"u", "u8[2,3]", ""},      {"p", "pred[2,3]", ""},
    {"z", "c64[2]", ""},       {"image", "f32[4,5,3]", "HWC"},
    {"c", "f32[3]", "C"},      {"planes", "f32[3,4,5]", "CHW"},
    {"wh", "f32[5,4]", "WH"},  {"row", "f32[1,5]", "HW"},
    {"q", "u8[4,5,3]", "HWC"}, {"b", "bf16[2]", ""},
};

struct ExpressionCase {
  const char* text;
  std::vector<std::string> instructions;
  const char* letters = "";
};

const ExpressionCase kCases[] = {
    {"f", {}},
    {"(f)", {}},
    {" f\n", {}},
    {"+f", {}},

    // Operators.
    {"f + g", {"ADD f g"}},
    {"f - g", {"SUBTRACT f g"}},
    {"f * g", {"MULTIPLY f g"}},
    {"f / g", {"DIVIDE f g"}},
    {"f // g", {"FLOOR_DIVIDE f g"}},
    {"f % g", {"REMAINDER f g"}},
    {"f ** g", {"POWER f g"}},
    {"i & i", {"AND i i"}},
    {"i | i", {"OR i i"}},
    {"p ^ p", {"XOR p p"}},
    {"-f", {"NEGATE f"}},
    {"~i", {"NOT i"}},
    {"!p", {"NOT p"}},
    {"f == g", {"COMPARE f g EQ"}},
    {"f != g", {"COMPARE f g NE"}},
    {"f < g", {"COMPARE f g LT"}},
    {"f <= g", {"COMPARE f g LE"}},
    {"f > g", {"COMPARE f g GT"}},
    {"f >= g", {"COMPARE f g GE"}},

    // Precedence and grouping.
    {"f + g * f", {"MULTIPLY g f", "ADD f %0"}},
    {"(f + g) * f", {"ADD f g", "MULTIPLY %0 f"}},
    {"f - g - f", {"SUBTRACT f g", "SUBTRACT %0 f"}},
    {"f - (g - f)", {"SUBTRACT g f", "SUBTRACT f %0"}},
    {"f / g * f % g", {"DIVIDE f g", "MULTIPLY %0 f", "REMAINDER %1 g"}},
    {"f ** g ** f", {"POWER g f", "POWER f %0"}},
    {"-f ** g", {"POWER f g", "NEGATE %0"}},
    {"f ** -g", {"NEGATE g", "POWER f %0"}},
    {"-f * g", {"NEGATE f", "MULTIPLY %0 g"}},
    {"--f", {"NEGATE f", "NEGATE %0"}},
    {"i | i ^ i & i", {"AND i i", "XOR i %0", "OR i %1"}},
    {"i & i + i", {"ADD i i", "AND i %0"}},
    {"i & i == i | i", {"AND i i", "OR i i", "COMPARE %0 %1 EQ"}},
    {"(f < g) & (g < f)", {"COMPARE f g LT", "COMPARE g f LT", "AND %0 %1"}},
    {"(f < g) == p", {"COMPARE f g LT", "COMPARE %0 p EQ"}},
    {"!(f < g)", {"COMPARE f g LT", "NOT %0"}},

    // Numbers take the type of what they meet.
    {"f / 255", {"CONSTANT f32[] 255", "DIVIDE f %0"}},
    {"1 - f", {"CONSTANT f32[] 1", "SUBTRACT %0 f"}},
    {"f * .5", {"CONSTANT f32[] 0.5", "MULTIPLY f %0"}},
    {"f * 1.", {"CONSTANT f32[] 1", "MULTIPLY f %0"}},
    {"f * 25e-2", {"CONSTANT f32[] 0.25", "MULTIPLY f %0"}},
    {"f * 1E+2", {"CONSTANT f32[] 100", "MULTIPLY f %0"}},
    {"u + 255", {"CONSTANT u8[] 255", "ADD u %0"}},
    {"i & 0xFf", {"CONSTANT s32[] 255", "AND i %0"}},
    {"i + -2147483648", {"CONSTANT s32[] -2147483648", "ADD i %0"}},
    {"z * 2", {"CONSTANT c64[] 2+0i", "MULTIPLY z %0"}},
    {"b + 256", {"CONSTANT bf16[] 256", "ADD b %0"}},
    {"f < inf", {"CONSTANT f32[] inf", "COMPARE f %0 LT"}},
    {"f + -inf", {"CONSTANT f32[] -inf", "ADD f %0"}},
    {"f * nan", {"CONSTANT f32[] nan", "MULTIPLY f %0"}},
    {"f * pi", {"CONSTANT f32[] 3.14159", "MULTIPLY f %0"}},
    {"p & true", {"CONSTANT pred[] true", "AND p %0"}},
    {"!false", {"CONSTANT pred[] false", "NOT %0"}},

    // Numbers with types of their own.
    {"1f32", {"CONSTANT f32[] 1"}},
    {"255u8", {"CONSTANT u8[] 255"}},
    {"2.5bf16", {"CONSTANT bf16[] 2.5"}},
    {"1e-3f64", {"CONSTANT f64[] 0.001"}},
    {"0xFFu8", {"CONSTANT u8[] 255"}},
    {"-128s8", {"CONSTANT s8[] -128"}},
    {"- 128s8", {"CONSTANT s8[] -128"}},
    {"-2s8**2", {"CONSTANT s8[] 2", "POWER %0 %0", "NEGATE %1"}},
    {"18446744073709551615u64", {"CONSTANT u64[] 18446744073709551615"}},
    {"f32(0.1)", {"CONSTANT f32[] 0.1"}},
    {"u8(200)", {"CONSTANT u8[] 200"}},
    {"f16(-inf)", {"CONSTANT f16[] -inf"}},
    {"1f32 + 2", {"CONSTANT f32[] 1", "CONSTANT f32[] 2", "ADD %0 %1"}},

    // Numbers without one are computed at once.
    {"f * (1/4)", {"CONSTANT f32[] 0.25", "MULTIPLY f %0"}},
    {"i * (2 + 3 * 4 - 1)", {"CONSTANT s32[] 13", "MULTIPLY i %0"}},
    {"i * 2**3", {"CONSTANT s32[] 8", "MULTIPLY i %0"}},
    {"i * -2**3", {"CONSTANT s32[] -8", "MULTIPLY i %0"}},
    {"f * 2**-1", {"CONSTANT f32[] 0.5", "MULTIPLY f %0"}},
    {"f * 2**0.5", {"CONSTANT f32[] 1.41421", "MULTIPLY f %0"}},
    {"i + (0 - 5)", {"CONSTANT s32[] -5", "ADD i %0"}},
    {"i * 0**0", {"CONSTANT s32[] 1", "MULTIPLY i %0"}},
    {"u64(2**63 - 1 + 2**63)", {"CONSTANT u64[] 18446744073709551615"}},
    {"f + 2 + 3",
     {"CONSTANT f32[] 2", "ADD f %0", "CONSTANT f32[] 3", "ADD %1 %2"}},

    // Functions.
    {"sqrt(f)", {"SQRT f"}},
    {"round_nearest_afz(f)", {"ROUND_NEAREST_AFZ f"}},
    {"atan2(f, g)", {"ATAN2 f g"}},
    {"add(f, g)", {"ADD f g"}},
    {"max(f, 0)", {"CONSTANT f32[] 0", "MAXIMUM f %0"}},
    {"min(0, f)", {"CONSTANT f32[] 0", "MINIMUM %0 f"}},
    {"abs(f)", {"ABS f"}},
    {"pow(f, 2)", {"CONSTANT f32[] 2", "POWER f %0"}},
    {"ln(f)", {"LOG f"}},
    {"mod(f, g)", {"FLOOR_MOD f g"}},
    {"round(f)", {"ROUND_NEAREST_EVEN f"}},
    {"sigmoid(f)", {"LOGISTIC f"}},
    {"isnan(f)", {"IS_NAN f"}},
    {"elu(f)", {"ELU f"}},
    {"elu(f, 0.5)", {"ELU f alpha 0.5"}},
    {"leaky_relu(f, -1/4)", {"LEAKY_RELU f alpha -0.25"}},
    {"hard_sigmoid(f, 1, 2)", {"HARD_SIGMOID f alpha 1 beta 2"}},
    {"isclose(f, g)", {"IS_CLOSE f g"}},
    {"isclose(f, 1, 0.5, 0.25)",
     {"CONSTANT f32[] 1", "IS_CLOSE f %0 alpha 0.5 beta 0.25"}},
    {"reduce_precision(f, 5, 10)", {"REDUCE_PRECISION f e5 m10"}},
    {"where(p, f, g)", {"SELECT p f g"}},
    {"select(p, f, g)", {"SELECT p f g"}},
    {"where(f > 0, f, 0)",
     {"CONSTANT f32[] 0", "COMPARE f %0 GT", "BROADCAST_IN_DIM %0 [2,3] []",
      "SELECT %1 f %2"}},
    {"where(true, f, g)", {"CONSTANT pred[] true", "SELECT %0 f g"}},
    {"where(p, v, w)",
     {"BROADCAST_IN_DIM v [2,3] [1]", "BROADCAST_IN_DIM w [2,3] [0,1]",
      "SELECT p %0 %1"}},
    {"clamp(0, f, 1)",
     {"CONSTANT f32[] 0", "CONSTANT f32[] 1", "CLAMP %0 f %1"}},
    {"clamp(v, f, 1)",
     {"CONSTANT f32[] 1", "BROADCAST_IN_DIM v [2,3] [1]", "CLAMP %1 f %0"}},
    {"clamp(f, s, g)", {"BROADCAST_IN_DIM s [2,3] []", "CLAMP f %0 g"}},
    {"fma(f, 2, v)",
     {"CONSTANT f32[] 2", "BROADCAST_IN_DIM %0 [2,3] []",
      "BROADCAST_IN_DIM v [2,3] [1]", "FMA f %1 %2"}},
    {"quantize(f, 0.5, 3u8)",
     {"CONSTANT u8[] 3", "CONSTANT f32[] 0.5", "QUANTIZE f %1 %0 u8 []"}},
    {"quantize(image, c, s8(c))",
     {"CONVERT c s8", "QUANTIZE image c %0 s8 [2]"},
     "HWC"},
    {"dequantize(u, s, 128)",
     {"CONSTANT u8[] 128", "DEQUANTIZE u s %0 f32 []"}},
    {"f32(u)", {"CONVERT u f32"}},
    {"u8(f, saturate)", {"CONVERT f u8 saturate"}},
    {"u8(i, wrap)", {"CONVERT i u8 wrap"}},
    {"pred(i)", {"CONVERT i pred"}},
    {"bitcast_convert(f, u32)", {"BITCAST_CONVERT f u32"}},
    {"bitcast_convert(image, u8)", {"BITCAST_CONVERT image u8"}},
    {"bitcast_convert(image, u32)", {"BITCAST_CONVERT image u32"}, "HWC"},
    {"transpose(f, 1, 0)", {"TRANSPOSE f [1,0]"}},
    {"transpose(f, -1, 0)", {"TRANSPOSE f [1,0]"}},
    {"transpose(s)", {"TRANSPOSE s []"}},
    {"transpose(image, 2, 0, -2)", {"TRANSPOSE image [2,0,1]"}, "CHW"},
    {"transpose(image, CHW)", {"TRANSPOSE image [2,0,1]"}, "CHW"},
    {"reverse(f, -1)", {"REVERSE f [1]"}},
    {"reverse(image, WH)", {"REVERSE image [1,0]"}, "HWC"},
    {"reshape(f, 3, 2)", {"RESHAPE f [3,2]"}},
    {"reshape(f, -1)", {"RESHAPE f [6]"}},
    {"reshape(image, 20, -1)", {"RESHAPE image [20,3]"}},

    // Shapes without letters: NumPy's rule.
    {"f + v", {"ADD f v dims [1]"}},
    {"v + f", {"ADD v f dims [1]"}},
    {"f + w", {"ADD f w"}},
    {"w + v", {"ADD w v dims [1]"}},
    {"f + s", {"ADD f s"}},
    {"atan2(v, f)", {"ATAN2 v f dims [1]"}},
    {"f < v", {"COMPARE f v LT dims [1]"}},
    {"isclose(f, v)", {"IS_CLOSE f v dims [1]"}},

    // With letters: by letter.
    {"image", {}, "HWC"},
    {"-image", {"NEGATE image"}, "HWC"},
    {"image - c", {"SUBTRACT image c dims [2]"}, "HWC"},
    {"c - image", {"SUBTRACT c image dims [2]"}, "HWC"},
    {"planes - c", {"SUBTRACT planes c dims [0]"}, "CHW"},
    {"image + planes", {"TRANSPOSE planes [1,2,0]", "ADD image %0"}, "HWC"},
    {"planes + image", {"TRANSPOSE image [2,0,1]", "ADD planes %0"}, "CHW"},
    {"image * wh",
     {"TRANSPOSE wh [1,0]", "MULTIPLY image %0 dims [0,1]"},
     "HWC"},
    {"wh * image",
     {"TRANSPOSE wh [1,0]", "MULTIPLY %0 image dims [0,1]"},
     "HWC"},
    {"image + row", {"ADD image row dims [0,1]"}, "HWC"},
    {"image + s", {"ADD image s"}, "HWC"},
    {"image * 2 + c",
     {"CONSTANT f32[] 2", "MULTIPLY image %0", "ADD %1 c dims [2]"},
     "HWC"},
    {"where(image > c, image, wh)",
     {"COMPARE image c GT dims [2]", "BROADCAST_IN_DIM wh [4,5,3] [1,0]",
      "SELECT %0 image %1"},
     "HWC"},
    {"f32(q) + c", {"CONVERT q f32", "ADD %0 c dims [2]"}, "HWC"},
    // Only one has some: NumPy's rule, and they stay.
    {"image + v", {"ADD image v dims [2]"}, "HWC"},
    {"v + c", {"ADD v c"}, "C"},
};

TEST(ExpressionTest, BecomesInstructions) {
  for (const ExpressionCase& c : kCases) {
    ProgramBuilder b;
    ExpressionOperands operands;
    std::vector<std::string> names;
    for (const OperandCase& operand : kOperands) {
      operands.emplace(
          operand.name,
          ExpressionValue{b.Parameter(*ParseShapeString(operand.shape)),
                          operand.letters});
      names.emplace_back(operand.name);
    }
    const auto value = ParseExpression(c.text, operands, b);
    ASSERT_TRUE(value.ok()) << value.status().message();
    EXPECT_EQ(value->dimensions, c.letters) << c.text;
    EXPECT_TRUE(b.TypeOf(value->value).ok()) << c.text;
    const auto signature = b.Build();
    ASSERT_TRUE(signature.ok()) << c.text << signature.status();
    EXPECT_THAT(InstructionTexts(*signature, names),
                ElementsAreArray(c.instructions))
        << c.text;
  }
}

TEST(ExpressionTest, EveryElementwiseOperationHasItsName) {
  for (const Operation& operation : AllOperations()) {
    const std::string name = absl::AsciiStrToLower(operation.label);
    std::string arguments;
    switch (operation.form) {
      case Form::kUnary:
      case Form::kUnaryScalar:
      case Form::kUnaryScalars:
        arguments = "x";
        break;
      case Form::kBinary:
      case Form::kBinaryScalars:
        arguments = "x, x";
        break;
      case Form::kFma:
      case Form::kClamp:
        arguments = "x, x, x";
        break;
      case Form::kSelect:
        arguments = "true, x, x";
        break;
      default:
        continue;
    }
    bool is_defined = false;
    for (DType type : {DType::kF32, DType::kS32, DType::kC64}) {
      if (!operation.IsDefinedOn(type)) continue;
      ProgramBuilder b;
      const Value x = b.Parameter(*TensorDesc::Create(type, {2}));
      const auto value = ParseExpression(
          absl::StrCat(name, "(", arguments, ")"), {{"x", {x, ""}}}, b);
      ASSERT_TRUE(value.ok()) << value.status().message();
      EXPECT_EQ(b.Build()->instructions.back().opcode, operation.opcode);
      is_defined = true;
      break;
    }
    EXPECT_TRUE(is_defined) << name;
  }
}

TEST(ExpressionTest, OperandsHideConstantsAndNoFunctions) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2]"));
  const auto value =
      ParseExpression("max(max, pi)", {{"max", {x, ""}}, {"pi", {x, ""}}}, b);
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_THAT(InstructionTexts(*b.Build(), {"x"}), ElementsAre("MAXIMUM x x"));
}

TEST(ExpressionTest, MayGoOnWithWhatItGave) {
  ProgramBuilder b;
  ExpressionOperands operands = {
      {"x", {b.Parameter(*ParseShapeString("f32[4,3]")), "HC"}}};
  operands.insert({"y", *ParseExpression("transpose(x, CH)", operands, b)});
  const auto value = ParseExpression("x + y", operands, b);
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(value->dimensions, "HC");
  EXPECT_THAT(
      InstructionTexts(*b.Build(), {"x"}),
      ElementsAre("TRANSPOSE x [1,0]", "TRANSPOSE %0 [1,0]", "ADD x %1"));
}

}  // namespace
}  // namespace stridecast
