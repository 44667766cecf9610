// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the tool prints, and how it reads layouts and programs.

#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tool/file_bytes.h"
#include "client/tool/layout_flags.h"
#include "client/tool/program_file.h"
#include "client/tool/tensor_file.h"
#include "client/tool/tensor_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TensorTextTest, MatricesInLogicalOrder) {
  const std::vector<float> column_major = {8, 11, 10, 13, 12, 15};
  const TensorView view =
      *View(column_major, {2, 3}, DimensionOrder{{0, 1}, {}, {}});
  EXPECT_EQ(TensorToText(view), "[[8, 10, 12],\n [11, 13, 15]]");
}

TEST(TensorTextTest, OtherRanks) {
  const std::vector<int32_t> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int32_t> scalar = {7};
  EXPECT_EQ(TensorToText(*View(scalar, {})), "7");
  EXPECT_EQ(TensorToText(*View(numbers, {8})), "[1, 2, 3, 4, 5, 6, 7, 8]");
  EXPECT_EQ(TensorToText(*View(numbers, {2, 2, 2})),
            "[[[1, 2],\n  [3, 4]],\n [[5, 6],\n  [7, 8]]]");
  EXPECT_EQ(TensorToText(*View(numbers, {8}), 3), "[1, 2, 3, ... 5 more");
  EXPECT_EQ(TensorToText(*View(std::span<const float>(), {0, 3})),
            "no elements, shape [0,3]");
}

template <typename T>
std::string Text(T value) {
  return ElementToText(kDTypeOf<T>, reinterpret_cast<const std::byte*>(&value));
}

TEST(TensorTextTest, ElementsHaveTheFewestDigitsThatGiveThemBack) {
  EXPECT_EQ(Text(0.1f), "0.1");
  EXPECT_EQ(Text(1.0f / 3), "0.33333334");
  EXPECT_EQ(Text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(Text(8.0f), "8");
  EXPECT_EQ(Text(-0.0f), "-0");
  EXPECT_EQ(Text(ToF16(0.1f)), "0.1");
  EXPECT_EQ(Text(ToBF16(3.140625f)), "3.14");
  EXPECT_EQ(Text(ToF16(65504)), "6.55e+04");
  EXPECT_EQ(Text(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(Text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(Text(std::nanf("")), "nan");
  EXPECT_EQ(Text(ToBF16(std::nanf(""))), "nan");
  EXPECT_EQ(Text(true), "true");
  EXPECT_EQ(Text(int8_t{-128}), "-128");
  EXPECT_EQ(Text(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Text(std::complex<float>(1, -2)), "1-2i");
  EXPECT_EQ(Text(std::complex<double>(0.5, 2)), "0.5+2i");
  // Any byte but 0 is true.
  const std::byte two{2};
  EXPECT_EQ(ElementToText(DType::kPred, &two), "true");
}

TEST(TensorTextTest, Json) {
  const std::vector<float> floats = {0.1f, INFINITY, NAN};
  EXPECT_EQ(ElementsToJson(*View(floats, {3})).dump(),
            R"([0.1,"Infinity","NaN"])");
  const std::vector<int64_t> numbers = {-5};
  EXPECT_EQ(ElementsToJson(*View(numbers, {1})).dump(), R"(["-5"])");
  const std::vector<std::complex<float>> complex = {{1, 2}};
  EXPECT_EQ(ElementsToJson(*View(complex, {1})).dump(), "[[1.0,2.0]]");
  const bool preds[] = {true, false};
  EXPECT_EQ(ElementsToJson(*View(preds, {2})).dump(), "[true,false]");
}

TEST(TensorTextTest, Descriptors) {
  const auto text = [](const PhysicalForm& form) {
    return DescToText(*TensorDesc::Create(DType::kF32, {2, 3}, form));
  };
  EXPECT_EQ(text({}), "f32[2,3]{1,0}");
  EXPECT_EQ(text(DimensionOrder{{1, 0}, {2, 5}, {}}),
            "f32[2,3] minor_to_major [1,0] padded to [2,5]");
  EXPECT_EQ(text(ElementStrides{{5, 1}, 1, 12}),
            "f32[2,3] strides [5,1] offset 1 in 12 elements");
  EXPECT_EQ(DescToJson(*TensorDesc::Create(DType::kF32, {2, 3})).dump(),
            R"({"type":"f32","dimensions":[2,3],"minor_to_major":[1,0],)"
            R"("size_bytes":24})");
}

TEST(LayoutFlagsTest, OrdersInAllSpellings) {
  EXPECT_THAT(*ParseOrder("row-major", 3, "", "advice"), ElementsAre(2, 1, 0));
  EXPECT_THAT(*ParseOrder("column-major", 3, "", "advice"),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(*ParseOrder("{0,1}", 2, "", "advice"), ElementsAre(0, 1));
  EXPECT_THAT(*ParseOrder("0, 1", 2, "", "advice"), ElementsAre(0, 1));
  // Letters run from the slowest to the fastest, minor_to_major the other way.
  EXPECT_THAT(*ParseOrder("NCHW", 4, "NHWC", "advice"),
              ElementsAre(2, 1, 3, 0));
  EXPECT_THAT(*ParseOrder("nhwc", 4, "NCHW", "advice"),
              ElementsAre(1, 3, 2, 0));
}

TEST(LayoutFlagsTest, NonsenseIsRefused) {
  EXPECT_THAT(ParseOrder("NCHW", 4, "", "advice").status().message(),
              HasSubstr("needs the names of the dimensions; advice"));
  for (const char* text : {"NCH", "NCHH", "NCHX", "NCHWD"}) {
    EXPECT_THAT(ParseOrder(text, 4, "NHWC", "advice").status().message(),
                HasSubstr("does not name each dimension"))
        << text;
  }
  for (const char* text : {"{0,x}", "{0", "0;1", "0,,1", "{}x"}) {
    EXPECT_THAT(ParseOrder(text, 2, "", "advice").status().message(),
                HasSubstr("is neither row-major nor column-major, nor numbers"))
        << text;
  }
}

absl::StatusOr<PhysicalForm> FormOf(const LayoutFlags& flags) {
  return ParseForm(flags, DType::kF32, *Shape::Create({2, 3}), "");
}

TEST(LayoutFlagsTest, Forms) {
  LayoutFlags flags;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*FormOf(flags)));
  flags.padded = "2,5";
  flags.padding_value = "lowest";
  EXPECT_EQ(std::get<DimensionOrder>(*FormOf(flags)),
            (DimensionOrder{{1, 0}, {2, 5}, PaddingValue::kLowest}));
  flags.strides = "5,1";
  EXPECT_FALSE(FormOf(flags).ok());
  flags = {};
  flags.strides = "-1,3";
  flags.offset = 1;
  EXPECT_EQ(std::get<ElementStrides>(*FormOf(flags)),
            (ElementStrides{{-1, 3}, 1, 0}));
  flags.strides = "";
  EXPECT_FALSE(FormOf(flags).ok());
  flags = {};
  flags.padding_value = "one";
  EXPECT_FALSE(FormOf(flags).ok());
}

TEST(LayoutFlagsTest, AskingForABatch) {
  const auto asks = [](const char* order, const char* names) {
    LayoutFlags flags;
    flags.order = order;
    return AsksForBatch(flags, names);
  };
  EXPECT_TRUE(asks("NCHW", "HWC"));
  EXPECT_TRUE(asks("h w c n", "HWC"));
  EXPECT_TRUE(asks("WHN", "HW"));
  EXPECT_FALSE(asks("CHW", "HWC"));
  EXPECT_FALSE(asks("NCHW", "NHWC"));
  EXPECT_FALSE(asks("NCH", "HWC"));
  EXPECT_FALSE(asks("NNCHW", "HWC"));
  EXPECT_FALSE(asks("N", ""));
  EXPECT_FALSE(asks("row-major", "HWC"));
}

class ProgramFileTest : public testing::Test {
 protected:
  ProgramFileTest()
      : program_(Path("program.json")),
        matrix_(Path("matrix.npy")),
        vector_(Path("vector.npy")) {
    const std::vector<float> numbers(6);
    EXPECT_TRUE(WriteTensorFile(matrix_, *View(numbers, {2, 3})).ok());
    EXPECT_TRUE(
        WriteTensorFile(vector_, *View(std::span(numbers).first(3), {3})).ok());
  }
  ~ProgramFileTest() override {
    for (const std::string& path : {program_, matrix_, vector_}) {
      std::remove(path.c_str());
    }
  }

  static std::string Path(const std::string& name) {
    return absl::StrCat(testing::TempDir(), "/stridecast_tool_text_test_",
                        testing::UnitTest::GetInstance()->random_seed(), name);
  }

  absl::StatusOr<LoadedProgram> Load(const std::string& json,
                                     const std::vector<std::string>& files) {
    EXPECT_TRUE(WriteFile(program_, json).ok());
    return LoadProgram(program_, files);
  }

  std::string program_;
  std::string matrix_;
  std::string vector_;
};

const char kAdd[] =
    R"("instructions": [{"opcode": "ADD", "operands": [0, 1],
                         "broadcastDimensions": [1]}], "results": [{}]})";

TEST_F(ProgramFileTest, OperandsAreDescribedByTheirFiles) {
  const auto program = Load(absl::StrCat("{", kAdd), {matrix_, vector_});
  ASSERT_TRUE(program.ok()) << program.status();
  const Signature& signature = program->signature;
  ASSERT_EQ(signature.operands.size(), 2u);
  EXPECT_EQ(signature.operands[0].ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(signature.operands[1].ToString(), "f32[3]{0}");
  EXPECT_EQ(signature.instructions[0].opcode, Opcode::kAdd);
  EXPECT_EQ(program->operands[1].view().desc.size_bytes(), 12);
}

TEST_F(ProgramFileTest, OperandsMayBeNumberedOrStated) {
  const auto numbered =
      Load(absl::StrCat("{", kAdd), {absl::StrCat("1=", vector_), matrix_});
  ASSERT_TRUE(numbered.ok()) << numbered.status();
  EXPECT_EQ(numbered->signature.operands[1].ToString(), "f32[3]{0}");
  const auto stated =
      Load(absl::StrCat(R"({"operands": [{"type": "F32", "dimensions": [2, 3]},
                                    {}], )",
                        kAdd),
           {matrix_, vector_});
  ASSERT_TRUE(stated.ok()) << stated.status();
}

TEST_F(ProgramFileTest, ProgramsThatDescribeOperandsNeedNoFiles) {
  const auto program =
      Load(absl::StrCat(R"({"operands": [{"type": "F32", "dimensions": ["2"]},
                                         {"type": "F32"}], )",
                        R"("instructions": [{"opcode": "NEGATE",
                                             "operands": [0]}]})"),
           {});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(program->operands.empty());
  EXPECT_EQ(program->signature.operands[0].ToString(), "f32[2]{0}");
}

TEST_F(ProgramFileTest, FaultsAreNamed) {
  const struct {
    std::string json;
    std::vector<std::string> files;
    const char* text;
  } kRows[] = {
      {"{", {}, "no ComputeSpec in JSON"},
      {R"({"instruction": []})", {}, "instruction"},
      {R"({"instructions": [{"opcode": "ADDD"}]})", {}, "ADDD"},
      {absl::StrCat(R"({"operands": [{}], )", kAdd),
       {matrix_, vector_},
       "has 1 operands; files are given for 2"},
      {absl::StrCat("{", kAdd),
       {absl::StrCat("1=", vector_)},
       "no file for operand 0"},
      {absl::StrCat("{", kAdd),
       {absl::StrCat("0=", vector_), absl::StrCat("0=", matrix_)},
       "already has a file"},
      {absl::StrCat("{", kAdd),
       {matrix_, vector_, vector_},
       "does not use operand 2 of the 3 that are given"},
      {absl::StrCat("{", kAdd),
       {absl::StrCat("99999=", vector_)},
       "operand 99999 is too many"},
      {absl::StrCat(R"({"operands": [{"type": "S32", "dimensions": [2, 3]},
                                     {}], )",
                    kAdd),
       {matrix_, vector_},
       "holds f32[2,3]{1,0}; s32[2,3]{1,0}"},
      {absl::StrCat(R"({"operands": [{"dimensions": [2, 3]}, {}], )", kAdd),
       {matrix_, vector_},
       "operands[0].type"},
      {absl::StrCat("{", kAdd), {"/nowhere/a.npy", vector_}, "/nowhere/a.npy"},
  };
  for (const auto& row : kRows) {
    const auto program = Load(row.json, row.files);
    ASSERT_FALSE(program.ok()) << row.text;
    EXPECT_THAT(program.status().message(), HasSubstr(row.text));
  }
  EXPECT_THAT(LoadProgram("/nowhere/p.json", {}).status().message(),
              HasSubstr("/nowhere/p.json"));
}

}  // namespace
}  // namespace stridecast
