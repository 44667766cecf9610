// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Expressions that say nothing: each error with its exact text and place. That
// no text does worse: expression_any_text_test.cc.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stridecast/expression.h"
#include "tests/e2e/expression_operands.h"

namespace stridecast {
namespace {

struct ErrorCase {
  std::string text;
  const char* message;
  const char* carets;
  const char* shown = nullptr;  // null: the text
};

const ErrorCase kErrors[] = {
    {"(x/255 - meen)/std", "unknown name \"meen\"; did you mean \"mean\"?",
     "         ^^^^"},
    {"", "nothing to compute", "^"},
    {"   ", "nothing to compute", "^"},
    {"x +", "expected a value, the expression ends here", "   ^"},
    {"x + )", "expected a value", "    ^"},
    {"x)", "\")\" closes nothing", " ^"},
    {"(x", "\"(\" is not closed", "^"},
    {"sqrt(x, ", "expected a value, the expression ends here", "       ^"},
    {"sqrt(x", "\"(\" is not closed", "    ^"},
    {"x y", "expected an operator", "  ^"},
    {"x, x", "\",\" outside of a function's parentheses", " ^"},
    {"()", "expected a value", " ^"},
    {"sqrt()", "sqrt takes 1 argument, got 0", "^^^^"},
    {"sqrt(x, x)", "sqrt takes 1 argument, got 2", "^^^^"},
    {"elu(x, 1, 2)", "elu takes 1 or 2 arguments, got 3", "^^^"},
    {"hard_sigmoid(x, 1, 2, 3)", "hard_sigmoid takes 1 to 3 arguments, got 4",
     "^^^^^^^^^^^^"},
    {"sqroot(x)", "unknown function \"sqroot\"; did you mean \"sqrt\"?",
     "^^^^^^"},
    {"sqr(x)", "unknown function \"sqr\"; did you mean \"sqrt\"?", "^^^"},
    {"sqrt", "\"sqrt\" is a function: write sqrt(x)", "^^^^"},
    {"x + sqrt x", "\"sqrt\" is a function: write sqrt(x)", "    ^^^^"},
    {"max - x", "\"max\" is a function: write max(x, y)", "^^^"},
    {"where", "\"where\" is a function: write where(x, y, z)", "^^^^^"},
    {"f32 + x", "\"f32\" is a function: write f32(x)", "^^^"},
    {"float32(x)", "unknown function \"float32\"; did you mean \"f32\"?",
     "^^^^^^^"},
    {"uint8(x)", "unknown function \"uint8\"; did you mean \"u8\"?", "^^^^^"},
    {"clip(x, 0, 1)", "unknown function \"clip\"; write clamp(low, x, high)",
     "^^^^"},
    {"sum(x)",
     "unknown function \"sum\"; functions are element by element, none "
     "reduces a dimension",
     "^^^"},
    {"f99(x)",
     "unknown function \"f99\"; element types are pred s8 s16 s32 s64 u8 u16 "
     "u32 u64 f16 f32 f64 c64 bf16 c128",
     "^^^"},
    {"x * 1f99",
     "\"f99\" is no element type; a number may end in one, as 1f32 does; "
     "element types are pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 c64 "
     "bf16 c128",
     "     ^^^"},
    {"foo(x)", "unknown function \"foo\"", "^^^"},
    {"zzz", "unknown name \"zzz\"", "^^^"},
    {"x < x < x", "comparisons do not chain; write (a < b) & (b < c)",
     "      ^"},
    {"x == x != x", "comparisons do not chain; write (a < b) & (b < c)",
     "       ^^"},
    {"x && x",
     "\"&&\" is no operator; write & instead, with comparisons in parentheses",
     "  ^^"},
    {"x || x",
     "\"||\" is no operator; write | instead, with comparisons in parentheses",
     "  ^^"},
    {"x = x", "\"=\" assigns nothing here; == compares", "  ^"},
    {"x << 2", "\"<<\" is no operator; write shift_left(x, y) instead", "  ^^"},
    {"x >> 2",
     "\">>\" is no operator; write shift_right_arithmetic(x, y) or "
     "shift_right_logical(x, y) instead",
     "  ^^"},
    {"x @ x", "unexpected character", "  ^"},
    {"x − x", "unexpected character", "  ^"},
    {"é + x", "unexpected character", "^"},
    {"x + i",
     "\"+\" of f32[2,3] and s32[2,3]: element types differ; convert one, as "
     "f32(x) does",
     "  ^"},
    {"u + x",
     "\"+\" of u8[2,3] and f32[2,3]: element types differ; convert one, as "
     "f32(x) does",
     "  ^"},
    {"p * i",
     "\"*\" of pred[2,3] and s32[2,3]: element types differ; convert one, as "
     "s32(x) does",
     "  ^"},
    {"u - s8(u)",
     "\"-\" of u8[2,3] and s8[2,3]: element types differ; convert one, as "
     "s8(x) does",
     "  ^"},
    {"h - f16(h)",
     "\"-\" of bf16[2] and f16[2]: element types differ; convert both, as "
     "f32(x) does",
     "  ^"},
    {"x + u",
     "\"+\" of f32[2,3] and u8[2,3]: element types differ; convert one, as "
     "f32(x) does",
     "  ^"},
    {"x + v",
     "shapes [2,3] and [4] do not fit: dimension 1 has extents 3 and 4", "  ^"},
    {"image + t", "dimension T of [6] (T) is none of [4,5,3] (HWC)", "      ^"},
    {"image + c",
     "shapes [4,5,3] (HWC) and [4] (C) do not fit: dimension 2 has extents 3 "
     "and 4",
     "      ^"},
    {"bad + x", "\"H\" is not one letter for each dimension of f32[2,3]",
     "^^^"},
    {"twice + x", "\"HH\" is not one letter for each dimension of f32[2,3]",
     "^^^^^"},
    {"u / 255.0",
     "255.0 is no integer, u8 holds nothing else; convert the tensor to a "
     "floating-point type",
     "    ^^^^^"},
    {"u + 300", "300 is not in [0,255], the range of u8", "    ^^^"},
    {"u * -1", "-1 is not in [0,255], the range of u8", "    ^^"},
    {"i * 0.5",
     "0.5 is no integer, s32 holds nothing else; convert the tensor to a "
     "floating-point type",
     "    ^^^"},
    {"h + 257", "257 is not exact in bf16; 257.0 asks for the nearest",
     "    ^^^"},
    {"h * 1e40", "1e+40 is beyond the greatest bf16", "    ^^^^"},
    {"x * 1e-60", "1e-60 is so small that it is 0 in f32", "    ^^^^^"},
    {"p & 1", "1 is no pred; those are true and false", "    ^"},
    {"x & x", "AND is not defined on f32", "  ^"},
    {"x ^ 2", "XOR is not defined on f32; ** is the power", "  ^"},
    {"~x", "NOT is not defined on f32", "^"},
    {"!i", "\"!\" takes a pred, got s32[2,3]; ~ flips the bits of integers",
     "^"},
    {"!x", "\"!\" takes a pred, got f32[2,3]; ~ flips the bits of integers",
     "^"},
    {"!3",
     "\"!\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^"},
    {"1", "a number alone has no element type; give it one, as in 2f32", "^"},
    {"1 + 2", "a number alone has no element type; give it one, as in 2f32",
     "^^^^^"},
    {"sqrt(2)",
     "\"sqrt\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^^"},
    {"x * sqrt(2)",
     "\"sqrt\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "    ^^^^"},
    {"max(1, 2)",
     "\"max\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^"},
    {"1 < 2",
     "\"<\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "  ^"},
    {"2**64", "an integer past 64 bits", " ^^"},
    {"2**10000000000", "an integer past 64 bits", " ^^"},
    {"99999999999999999999", "an integer past 2^64-1", "^^^^^^^^^^^^^^^^^^^^"},
    {"1e999", "a number that f64 cannot hold", "^^^^^"},
    {"1e-999", "a number that f64 cannot hold", "^^^^^^"},
    {"1.5.5", "expected an operator", "   ^^"},
    {"12abc",
     "\"abc\" is no element type; a number may end in one, as 1f32 does",
     "  ^^^"},
    {"300u8", "300 is not in [0,255], the range of u8", "^^^^^"},
    {"-129s8", "-129 is not in [-128,127], the range of s8", "^^^^^^"},
    {"1.5s32",
     "1.5 is no integer, s32 holds nothing else; convert the tensor to a "
     "floating-point type",
     "^^^^^^"},
    {"1pred", "1 is no pred; those are true and false", "^^^^^"},
    {"0x", "\"x\" is no element type; a number may end in one, as 1f32 does",
     " ^"},
    {"0xg", "\"xg\" is no element type; a number may end in one, as 1f32 does",
     " ^^"},
    {"where(x, x, x)", "select takes a pred here, got f32[2,3]", "^^^^^"},
    {"where(p, 1, 2)",
     "\"where\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^^^"},
    {"where(1, x, x)",
     "\"where\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^^^"},
    {"clamp(0, 1, 2)",
     "\"clamp\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^^^"},
    {"elu(x, x)", "expected a number without element type", "       ^"},
    {"elu(x, 1f32)", "expected a number without element type", "       ^^^^"},
    {"reduce_precision(x, 5)", "reduce_precision takes 3 arguments, got 2",
     "^^^^^^^^^^^^^^^^"},
    {"reduce_precision(x, 5, -1)", "expected a number of bits",
     "                       ^^"},
    {"reduce_precision(x, 0, 3)", "0 is less than 1", "^^^^^^^^^^^^^^^^"},
    {"u8(x, sat)", "expected saturate or wrap", "      ^^^"},
    {"u8(x, x, x)", "expected saturate or wrap", "      ^"},
    {"u8()", "expected a value", "   ^"},
    {"f32(x", "\"(\" is not closed", "   ^"},
    {"bitcast_convert(x)",
     "bitcast_convert takes an element type, as in bitcast_convert(x, u32)",
     "                 ^"},
    {"bitcast_convert(x, foo)",
     "bitcast_convert takes an element type, as in bitcast_convert(x, u32)",
     "                   ^^^"},
    {"bitcast_convert(x, f64)",
     "f64 is 2 times as wide as f32; the last dimension must have that extent, "
     "got f32[2,3]",
     "^^^^^^^^^^^^^^^"},
    {"transpose(x, 0, 0)", "0 stands twice in [0,0]", "^^^^^^^^^"},
    {"transpose(x, 0)", "1 entries for operand f32[2,3] of rank 2",
     "^^^^^^^^^"},
    {"transpose(x, 0, 2)",
     "2 is no dimension of f32[2,3]; those are 0 to 1, or from the end -2 to "
     "-1",
     "^^^^^^^^^"},
    {"transpose(x, 0.5, 1)", "expected an integer", "             ^^^"},
    {"transpose(x, HW)", "the value has no letters; number its dimensions",
     "             ^^"},
    {"transpose(image, HWX)", "\"X\" is none of the dimensions HWC",
     "                 ^^^"},
    {"transpose(image, HW)", "2 entries for operand f32[4,5,3] of rank 3",
     "^^^^^^^^^"},
    {"transpose(x, -9223372036854775807, 99999999999999999999)",
     "an integer past 2^64-1",
     "                                   ^^^^^^^^^^^^^^^^^^^^"},
    {"reverse(x, 2)",
     "2 is no dimension of f32[2,3]; those are 0 to 1, or from the end -2 to "
     "-1",
     "^^^^^^^"},
    {"reverse(v, -9)",
     "-9 is no dimension of f32[4]; those are 0 to 0, or from the end -1 to -1",
     "^^^^^^^"},
    {"reverse(1f32, 0)", "0 is no dimension of f32[], which has none",
     "^^^^^^^"},
    {"reshape(x, 4, -1)",
     "nothing that -1 could stand for makes [4,-1] of the 6 elements of "
     "f32[2,3]",
     "^^^^^^^"},
    {"reshape(x, 0, -1)",
     "nothing that -1 could stand for makes [0,-1] of the 6 elements of "
     "f32[2,3]",
     "^^^^^^^"},
    {"reshape(x, 4294967296, 4294967296, -1)",
     "nothing that -1 could stand for makes [4294967296,4294967296,-1] of the "
     "6 elements of f32[2,3]",
     "^^^^^^^"},
    {"reshape(x, -1, -1)", "-1 may stand for one extent", "^^^^^^^"},
    {"reshape(x, -2)",
     "-2 is no extent; -1 stands for what is left of the elements", "^^^^^^^"},
    {"reshape(x, 4, 2)",
     "Reshape operation has mismatched element counts: from=6 (f32[2,3]) to=8 "
     "(f32[4,2])",
     "^^^^^^^"},
    {"quantize(x, 0.5, 3)",
     "\"quantize\" of numbers alone, which have no element type; give one to a "
     "number, as in 2f32",
     "^^^^^^^^"},
    {"quantize(x, i, 3u8)",
     "\"quantize\" of f32[2,3] and s32[2,3]: element types differ; convert "
     "one, as f32(x) does",
     "^^^^^^^^"},
    {"dequantize(x, 0.5f32, 3)", "DEQUANTIZE is not defined on f32",
     "^^^^^^^^^^"},
    {"convert(x, u8)", "unknown function \"convert\"", "^^^^^^^"},
    {"constant(x)", "unknown function \"constant\"", "^^^^^^^^"},
    {"x[0]", "unexpected character", " ^"},
    {"\"x\"", "unexpected character", "^"},
    {"x\n + mean\n + meen\n + 1",
     "unknown name \"meen\"; did you mean \"mean\"?", "   ^^^^", " + meen"},
    {"\t(x/255 -\tmeen)", "unknown name \"meen\"; did you mean \"mean\"?",
     "          ^^^^", " (x/255 - meen)"},
    {"x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "
     "x + x + x + x + meen + x + x + x + x + x + x + x + x + x + x + x + x + x "
     "+ x",
     "unknown name \"meen\"; did you mean \"mean\"?",
     "                                   ^^^^",
     "...x + x + x + x + x + x + x + x + meen + x + x + x + x + x + x + x + x "
     "+ x..."},
    {"meen + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x "
     "+ x + x + x + x + meen + x + x + x + x + x + x + x + x + x + x + x + x + "
     "x + x",
     "unknown name \"meen\"; did you mean \"mean\"?", "^^^^",
     "meen + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "
     "x..."},
    {"x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "
     "x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "
     "meen",
     "unknown name \"meen\"; did you mean \"mean\"?",
     "                                                                       "
     "^^^^",
     "...x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + "
     "meen"},
    {"complex(h, h)", "COMPLEX is not defined on bf16", "^^^^^^^"},
    {"x is x", "expected an operator", "  ^^"},
    {"x and x", "expected an operator", "  ^^^"},
    {"x?x:x", "unexpected character", " ^"},
    {"1_000",
     "\"_000\" is no element type; a number may end in one, as 1f32 does",
     " ^^^^"},
    {"_x", "unknown name \"_x\"; did you mean \"x\"?", "^^"},
    // What is no text is shown as such.
    {"x + \xFF\x01 + x", "unexpected character", "    ^", "x + ?? + x"},
    {std::string("x \0 x", 5), "unexpected character", "  ^", "x ? x"},
    {"\xE2\x88", "unexpected character", "^", "??"},
};

TEST(ExpressionErrorsTest, ShowThePlace) {
  for (const ErrorCase& c : kErrors) {
    ProgramBuilder b;
    const ExpressionOperands operands = MakeOperands(b);
    const auto value = ParseExpression(c.text, operands, b);
    EXPECT_EQ(value.status(),
              absl::InvalidArgumentError(absl::StrCat(
                  "expression: ", c.message, "\n  ",
                  c.shown != nullptr ? c.shown : c.text, "\n  ", c.carets)));
    // And nothing is left behind.
    EXPECT_TRUE(b.Build()->instructions.empty()) << c.text;
  }
}

TEST(ExpressionErrorsTest, AFaultOfTheBuilderIsItsOwn) {
  ProgramBuilder b;
  const ExpressionOperands operands = MakeOperands(b);
  b.Fail(absl::InternalError("before"));
  EXPECT_EQ(ParseExpression("x", operands, b).status(),
            absl::InternalError("before"));
}

TEST(ExpressionErrorsTest, OperandsOfAnotherBuilderAreNamed) {
  ProgramBuilder a, b;
  const ExpressionOperands operands = MakeOperands(a);
  EXPECT_EQ(ParseExpression("1f32 + x", operands, b).status().message(),
            "expression: a value of another ProgramBuilder\n"
            "  1f32 + x\n"
            "         ^");
  EXPECT_TRUE(b.status().ok());
}

TEST(ExpressionErrorsTest, TextIsLimited) {
  ProgramBuilder b;
  const ExpressionOperands operands = MakeOperands(b);
  const std::string longest = absl::StrCat("x", std::string(65535, ' '));
  EXPECT_TRUE(ParseExpression(longest, operands, b).ok());
  EXPECT_EQ(ParseExpression(longest + " ", operands, b).status().message(),
            "expression: 65537 bytes; the limit is 65536");
}

std::string Repeated(absl::string_view text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) absl::StrAppend(&repeated, text);
  return repeated;
}

// Each nests in another way; the last one takes most of the stack.
constexpr const char* kNesting[][2] = {
    {"(", ")"},
    {"-", ""},
    {"!", ""},
    {"x**", ""},
    {"sqrt(", ")"},
    {"f32(", ")"},
    {"max(x, ", ")"},
    {"reverse(", ", 0)"},
    {"x < x | x ^ x & x + x * x ** -max(x, ", ")"}};

TEST(ExpressionErrorsTest, NestingIsLimited) {
  for (const auto& [open, close] : kNesting) {
    ProgramBuilder b;
    const ExpressionOperands operands = MakeOperands(b);
    const auto deepest = ParseExpression(
        absl::StrCat(Repeated(open, 30), "x", Repeated(close, 30)), operands,
        b);
    EXPECT_FALSE(absl::StrContains(deepest.status().message(), "nested"))
        << deepest.status().message();
    for (int levels : {100, 1500}) {
      const auto status =
          ParseExpression(absl::StrCat(Repeated(open, levels), "x"), operands,
                          b)
              .status();
      EXPECT_TRUE(absl::StartsWith(
          status.message(), "expression: nested more than 100 levels deep"))
          << open << status.message();
    }
  }
}

TEST(ExpressionErrorsTest, LengthIsNoNesting) {
  ProgramBuilder b;
  const ExpressionOperands operands = MakeOperands(b);
  EXPECT_TRUE(
      ParseExpression("x" + Repeated(" + x - 1", 2000), operands, b).ok());
  EXPECT_EQ(b.Build()->instructions.size(), 4001u);  // one 1
}

}  // namespace
}  // namespace stridecast
