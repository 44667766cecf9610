// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random texts: each is an expression or an error that shows its place.

#include <iterator>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stridecast/expression.h"
#include "tests/e2e/expression_operands.h"

namespace stridecast {
namespace {

// Sequences of tokens, most of them no expression: a value that the library's
// own rules agree with, or an error that shows its place.
TEST(ExpressionAnyTextTest, AnyTokensGiveAValueOrAnError) {
  constexpr const char* kTokens[] = {"x",          "v",
                                     "i",          "u",
                                     "p",          "image",
                                     "c",          "t",
                                     "1",          "0.5",
                                     "255u8",      "2f32",
                                     "1e9",        "0xFF",
                                     "inf",        "true",
                                     "+",          "-",
                                     "*",          "/",
                                     "//",         "%",
                                     "**",         "<",
                                     "==",         "&",
                                     "|",          "^",
                                     "~",          "!",
                                     "(",          ")",
                                     ",",          "sqrt(",
                                     "where(",     "max(",
                                     "u8(",        "f32(",
                                     "fma(",       "clamp(",
                                     "transpose(", "reverse(",
                                     "reshape(",   "elu(",
                                     "wrap",       "bitcast_convert(",
                                     "quantize(",  "CHW",
                                     "\n",         "?"};
  std::mt19937 random(6);
  int num_values = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string text;
    const size_t length = 1 + random() % 10;
    for (size_t k = 0; k < length; ++k) {
      absl::StrAppend(&text, kTokens[random() % std::size(kTokens)], " ");
    }
    ProgramBuilder b;
    const ExpressionOperands operands = MakeOperands(b);
    const auto value = ParseExpression(text, operands, b);
    if (value.ok()) {
      ++num_values;
      ASSERT_TRUE(b.TypeOf(value->value).ok()) << text;
      ASSERT_TRUE(b.Build().ok()) << text;
    } else {
      ASSERT_TRUE(absl::StartsWith(value.status().message(), "expression: "));
      ASSERT_TRUE(absl::EndsWith(value.status().message(), "^"));
      ASSERT_TRUE(b.Build()->instructions.empty());
    }
  }
  EXPECT_GT(num_values, 300);
}

TEST(ExpressionAnyTextTest, AnyBytesGiveAValueOrAnError) {
  std::mt19937 random(7);
  for (int i = 0; i < 30000; ++i) {
    std::string text(random() % 12, ' ');
    for (char& c : text) {
      c = static_cast<char>(random() % 4 != 0 ? 32 + random() % 96
                                              : random() % 256);
    }
    ProgramBuilder b;
    const ExpressionOperands operands = MakeOperands(b);
    const auto value = ParseExpression(text, operands, b);
    ASSERT_TRUE(value.ok() || absl::EndsWith(value.status().message(), "^"));
  }
}

}  // namespace
}  // namespace stridecast
