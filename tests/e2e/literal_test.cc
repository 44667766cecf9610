// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tensors on the command line: literals, and arguments that stand for files.

#include "client/tool/literal.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tool/file_bytes.h"
#include "client/tool/tensor_argument.h"
#include "client/tool/tensor_text.h"
#include "client/tool/usage_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <typename T>
std::vector<T> Slots(const Literal& literal) {
  std::vector<T> slots(literal.bytes.size() / sizeof(T));
  std::memcpy(slots.data(), literal.bytes.data(), literal.bytes.size());
  return slots;
}

std::string Text(const Literal& literal) {
  return TensorToText(
      {literal.desc, reinterpret_cast<const std::byte*>(literal.bytes.data())});
}

// (T1)
TEST(LiteralTest, ElementsStandInLogicalOrder) {
  const auto literal = ParseLiteral("f32[2,3]{0,1} 1 2 3 4 5 6", {});
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->desc.ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(Text(*literal), "[[1, 2, 3],\n [4, 5, 6]]");
  EXPECT_THAT(Slots<float>(*literal), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(LiteralTest, WhatIsPrintedIsRead) {
  const struct {
    const char* shape;
    const char* elements;
  } kRows[] = {
      {"pred[2]{0}", "[true, false]"},
      {"s8[2]{0}", "[-128, 127]"},
      {"s16[2]{0}", "[-32768, 32767]"},
      {"s32[2]{0}", "[-2147483648, 2147483647]"},
      {"s64[2]{0}", "[-9223372036854775808, 9223372036854775807]"},
      {"u8[2]{0}", "[0, 255]"},
      {"u16[2]{0}", "[0, 65535]"},
      {"u32[2]{0}", "[0, 4294967295]"},
      {"u64[2]{0}", "[0, 18446744073709551615]"},
      {"f16[4]{0}", "[0.1, -0, inf, nan]"},
      {"bf16[4]{0}", "[0.1, -0, -inf, nan]"},
      {"f32[4]{0}", "[0.1, -0, 3.4028235e+38, nan]"},
      {"f64[4]{0}", "[0.1, 1e-300, inf, nan]"},
      {"c64[4]{0}", "[1+2i, 1e-05-2e+10i, nan+infi, -inf-0i]"},
      {"c128[2]{0}", "[0.1+0.2i, -1-1e-300i]"},
      {"f32[]", "1.5"},
      {"s32[2,1,2]{1,0,2}", "[[[1, 2]],\n [[3, 4]]]"},
  };
  for (const auto& row : kRows) {
    const auto literal =
        ParseLiteral(absl::StrCat(row.shape, " ", row.elements), {});
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->desc.ToString(), row.shape);
    EXPECT_EQ(Text(*literal), row.elements);
  }
}

TEST(LiteralTest, OtherSpellings) {
  const struct {
    const char* text;
    const char* shape;
    const char* elements;
  } kRows[] = {
      {"s32 [ 2 ] {0} 1 , 2 ,", "s32[2]{0}", "[1, 2]"},
      {"s32[2] 0x10 -0X10", "s32[2]{0}", "[16, -16]"},
      {"u8[1]\t+7", "u8[1]{0}", "[7]"},
      {"pred[4] 1 0 true false", "pred[4]{0}", "[true, false, true, false]"},
      {"c64[3] 2 3i -1-2j", "c64[3]{0}", "[2+0i, 0+3i, -1-2i]"},
      {"f32[0,3]", "f32[0,3]{1,0}", "no elements, shape [0,3]"},
      {"f32[0,3] []", "f32[0,3]{1,0}", "no elements, shape [0,3]"},
      {"f32[2,0] [[],[]]", "f32[2,0]{1,0}", "no elements, shape [2,0]"},
      {"0.485,0.456,0.406", "f32[3]{0}", "[0.485, 0.456, 0.406]"},
      {"1 2", "f32[2]{0}", "[1, 2]"},
      {"-1.5", "f32[]", "-1.5"},
      {"3,", "f32[1]{0}", "[3]"},
      {"nan", "f32[]", "nan"},
      {"inf,-inf", "f32[2]{0}", "[inf, -inf]"},
  };
  for (const auto& row : kRows) {
    EXPECT_TRUE(LooksLikeLiteral(row.text)) << row.text;
    const auto literal = ParseLiteral(row.text, {});
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->desc.ToString(), row.shape);
    EXPECT_EQ(Text(*literal), row.elements);
  }
}

TEST(LiteralTest, SixteenBitsRoundToNearestEven) {
  const auto f16 = ParseLiteral("f16[3] 2049 2051 65519", {});
  ASSERT_TRUE(f16.ok()) << f16.status();
  EXPECT_THAT(Slots<uint16_t>(*f16), ElementsAre(0x6800, 0x6802, 0x7BFF));
  // f32 would take the first for a tie.
  const auto past_ties =
      ParseLiteral("f16[2] 1.00048828125001 1.00048828125", {});
  ASSERT_TRUE(past_ties.ok()) << past_ties.status();
  EXPECT_THAT(Slots<uint16_t>(*past_ties), ElementsAre(0x3C01, 0x3C00));
  const auto brain = ParseLiteral("bf16[2] 1.00390625000001 1.00390625", {});
  ASSERT_TRUE(brain.ok()) << brain.status();
  EXPECT_THAT(Slots<uint16_t>(*brain), ElementsAre(0x3F81, 0x3F80));
  const auto bf16 = ParseLiteral("bf16[2] 257 259", {});
  ASSERT_TRUE(bf16.ok()) << bf16.status();
  EXPECT_THAT(Slots<uint16_t>(*bf16), ElementsAre(0x4380, 0x4382));
}

TEST(LiteralTest, FaultsAreNamed) {
  const struct {
    const char* text;
    const char* error;
  } kRows[] = {
      {"f32[2,3] 1 2 3", "3 elements; f32[2,3]{1,0} has 6"},
      {"f32[1000000000000] 1", "1 elements; f32[1000000000000]{0} has"},
      {"f32[2,3", "shape string"},
      {"f32[2]{7} 1 2", "minor_to_major"},
      {"f32[99999999999,99999999999] 1", "overflow"},
      {"u8[2] 1 256", "element 1: 256 is out of range for u8, 0 to 255"},
      {"u8[1] -1", "-1 is out of range for u8"},
      {"s8[1] -129", "out of range for s8, -128 to 127"},
      {"u64[1] 18446744073709551616", "out of range for u64"},
      {"s32[1] 1.5", "\"1.5\" is no s32"},
      {"s32[1] 0x", "\"0x\" is no s32"},
      {"s32[1] --1", "\"--1\" is no s32"},
      {"f32[1] 1e39", "1e39 is out of range for f32"},
      {"f16[1] 65520", "65520 is out of range for f16"},
      {"f64[1] 1e309", "out of range for f64"},
      {"1,,2", "nothing stands before a comma"},
      {"1, ,2", "nothing stands before a comma"},
      {",1", "nothing stands before a comma"},
      {"s32[2] , 1 2", "nothing stands before a comma"},
      {"s32[2] [,1 2]", "nothing stands before a comma"},
      {"s32[1,1] [[1],,]", "nothing stands before a comma"},
      {"f32[1] 1..2", "\"1..2\" is no f32"},
      {"pred[1] 2", "\"2\" is no pred: true, false, 1 or 0"},
      {"c64[1] 1+2", "\"1+2\" is no c64"},
      {"c64[1] i", "is no c64"},
      {"c64[1] 1e39i", "out of range for c64"},
      {"s32[2,2] [[1,2],[3]]", "dimension 1 has extent 2, a bracket 1"},
      {"s32[2,2] [1,2,3,4]", "\"1\" lies in 1 of 2 brackets"},
      {"s32[2] [[1,2]]", "\"[\" lies in 1 of 1 brackets"},
      {"s32[2] [1,2", "a \"]\" is missing"},
      {"s32[2] [1,2]]", "a \"]\" closes nothing"},
      {"s32[1] [1] [1]", "text after the last"},
      {"s32[] [1]", "\"[\" lies in 0 of 0 brackets"},
  };
  for (const auto& row : kRows) {
    const auto literal = ParseLiteral(row.text, {});
    EXPECT_EQ(literal.status().code(), absl::StatusCode::kInvalidArgument)
        << row.text;
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(row.error))
        << row.text;
  }
}

TEST(LiteralTest, NamesOfFilesAreNone) {
  for (const char* text :
       {"", "-", "x.npy", "./1.5", "info", "nano", "f32", "f33[2] 1 2", "1.npy",
        "1,x", "-x", "..", ".", "2024-01-01", "photo.raw:u8[3]"}) {
    EXPECT_FALSE(LooksLikeLiteral(text)) << text;
  }
}

TEST(LiteralTest, WhatIsExpectedDescribesIt) {
  const auto expected = TensorDesc::Create(DType::kS16, {2, 2},
                                           DimensionOrder{{0, 1}, {2, 3}, {}});
  ASSERT_TRUE(expected.ok());
  for (const char* text : {"1 2 3 4", "s16[2,2] 1 2 3 4"}) {
    const auto literal = ParseLiteral(text, *expected);
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_THAT(Slots<int16_t>(*literal), ElementsAre(1, 3, 2, 4, 0, 0));
  }
  EXPECT_THAT(
      std::string(ParseLiteral("s16[4] 1 2 3 4", *expected).status().message()),
      HasSubstr("is s16[4]; wanted is s16[2,2]"));
  const auto repeated =
      TensorDesc::Create(DType::kS16, {2}, ElementStrides{{0}});
  EXPECT_THAT(std::string(ParseLiteral("1 2", *repeated).status().message()),
              HasSubstr("several elements in one place"));
}

class TensorArgumentTest : public testing::Test {
 protected:
  TensorArgumentTest()
      : path_(absl::StrCat(testing::TempDir(), "/stridecast_literal_test_",
                           testing::UnitTest::GetInstance()->random_seed(),
                           ".raw")) {
    EXPECT_TRUE(WriteFile(path_, "abcdef").ok());
  }
  ~TensorArgumentTest() override { std::remove(path_.c_str()); }

  std::string path_;
};

TEST_F(TensorArgumentTest, AFileWithItsShape) {
  const auto loaded = LoadTensor(absl::StrCat(path_, ":u8[2,3]{0,1}"), {});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->desc.ToString(), "u8[2,3]{0,1}");
  EXPECT_EQ(loaded->file.bytes(), "abcdef");
  EXPECT_EQ(PathOfArgument(absl::StrCat(path_, ":u8[2,3]")), path_);
  EXPECT_EQ(PathOfArgument("-:u8[2,3]"), "-");
  EXPECT_EQ(PathOfArgument("1,2"), "");
  EXPECT_EQ(PathOfArgument("C:photo.npy"), "C:photo.npy");
}

TEST_F(TensorArgumentTest, AShapeAloneDescribes) {
  const auto described =
      LoadTensor("f32[2,3]{0,1}", {}, TensorPart::kDescription);
  ASSERT_TRUE(described.ok()) << described.status();
  EXPECT_EQ(described->desc.ToString(), "f32[2,3]{0,1}");
  EXPECT_FALSE(LoadTensor("f32[2,3]{0,1}", {}).ok());
  EXPECT_FALSE(LoadTensor("f32[2] 1", {}, TensorPart::kDescription).ok());
  EXPECT_FALSE(LoadTensor("f32[2]", *TensorDesc::Create(DType::kF32, {3}),
                          TensorPart::kDescription)
                   .ok());
}

// Whose fault it is decides the exit code.
TEST_F(TensorArgumentTest, FaultsOfTheArgumentAreUsageErrors) {
  for (const std::string& argument :
       {std::string("1,,2"), std::string("u8[1] 256"), path_ + ":u8[5",
        std::string("f99[2] 1 2"), path_ + ":f99[6]"}) {
    EXPECT_TRUE(IsUsageError(LoadTensor(argument, {}).status())) << argument;
  }
  for (const std::string& argument :
       {path_, path_ + ":u8[5]", std::string("/nowhere/x[2]"),
        std::string("/nowhere")}) {
    EXPECT_FALSE(IsUsageError(LoadTensor(argument, {}).status())) << argument;
  }
}

TEST_F(TensorArgumentTest, FaultsNameTheArgument) {
  const auto expected = *TensorDesc::Create(DType::kU8, {6});
  const struct {
    std::string argument;
    std::optional<TensorDesc> expected;
    const char* error;
  } kRows[] = {
      {path_, {}, "say the shape: FILE:f32[2,3]"},
      {path_ + ":u8[5]", {}, "6 bytes of elements; u8[5]{0} takes 5"},
      {path_ + ":u8[5", {}, "shape string"},
      {path_ + ":u8[2,3]", expected, "the program states u8[6]{0}"},
      {"u8[7] 1", {}, "'u8[7] 1': 1 elements"},
  };
  for (const auto& row : kRows) {
    const auto loaded = LoadTensor(row.argument, row.expected);
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(row.error));
    if (row.argument[0] == '/') {
      EXPECT_THAT(std::string(loaded.status().message()), StartsWith(path_));
    }
  }
  EXPECT_TRUE(LoadTensor(path_, expected).ok());
  EXPECT_TRUE(LoadTensor(path_ + ":u8[6]", expected).ok());
}

}  // namespace
}  // namespace stridecast
