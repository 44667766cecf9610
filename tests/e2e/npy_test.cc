// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/npy.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::HasSubstr;

// A file of that version whose dictionary is `text`.
std::string File(const std::string& text, int version = 1) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(text.size() >> 8 * i);
  }
  return file + text;
}

absl::StatusOr<NpyHeader> Parse(const std::string& file) {
  size_t offset = 0;
  return ParseNpyHeader(file, &offset);
}

TEST(NpyTest, ReadsWhatNumPyWrites) {
  // np.save of np.zeros((2, 3), 'f4'), NumPy 1.24.
  const std::string text =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
      std::string(58, ' ') + "\n";
  size_t offset = 0;
  const auto header = ParseNpyHeader(File(text), &offset);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(*header, (NpyHeader{DType::kF32, {2, 3}, false}));
  EXPECT_EQ(offset, 128u);
  EXPECT_EQ(DescOfNpy(*header)->ToString(), "f32[2,3]{1,0}");
}

TEST(NpyTest, EveryElementTypeComesBack) {
  for (DType type : kAllDTypes) {
    const NpyHeader header{type, {4, 5}, true};
    const std::string file = FormatNpyHeader(header);
    EXPECT_EQ(file.size() % 64, 0u);
    size_t offset = 0;
    const auto parsed = ParseNpyHeader(file, &offset);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, header) << DTypeName(type);
    EXPECT_EQ(offset, file.size());
  }
}

TEST(NpyTest, WritesTheTextThatNumPyWrites) {
  EXPECT_THAT(FormatNpyHeader({DType::kPred, {3}, false}),
              HasSubstr("{'descr': '|b1', 'fortran_order': False, "
                        "'shape': (3,), }"));
  EXPECT_THAT(FormatNpyHeader({DType::kBF16, {}, false}),
              HasSubstr("{'descr': '<V2', 'fortran_order': False, "
                        "'shape': (), }"));
}

struct GoodCase {
  const char* name;
  const char* text;
  int version;
  NpyHeader expected;
};

class GoodNpyTest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodNpyTest, IsRead) {
  const auto header = Parse(File(GetParam().text, GetParam().version));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(*header, GetParam().expected);
}

const GoodCase kGood[] = {
    {"Scalar",
     "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n",
     1,
     {DType::kF64, {}, false}},
    {"Vector",
     "{'descr': '<i8', 'fortran_order': False, 'shape': (7,), }\n",
     1,
     {DType::kS64, {7}, false}},
    {"Fortran",
     "{'descr': '<c8', 'fortran_order': True, 'shape': (2, 3), }",
     1,
     {DType::kC64, {2, 3}, true}},
    {"Version2",
     "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }",
     2,
     {DType::kU8, {2, 3}, false}},
    {"Version3",
     "{'descr': '<f2', 'fortran_order': False, 'shape': (0, 3), }",
     3,
     {DType::kF16, {0, 3}, false}},
    {"OtherOrderAndSpaces",
     "{ \"shape\":(2,3) ,'fortran_order':False,'descr':'<u2'}  \n",
     1,
     {DType::kU16, {2, 3}, false}},
    {"Python2Longs",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }",
     1,
     {DType::kF32, {2, 3}, false}},
    {"VoidIsBf16",
     "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }",
     1,
     {DType::kBF16, {2}, false}},
    {"NativeOrder",
     "{'descr': '=i4', 'fortran_order': False, 'shape': (2,), }",
     1,
     {DType::kS32, {2}, false}},
    {"OneByteHasNoOrder",
     "{'descr': '>i1', 'fortran_order': False, 'shape': (2,), }",
     1,
     {DType::kS8, {2}, false}},
};

INSTANTIATE_TEST_SUITE_P(All, GoodNpyTest, testing::ValuesIn(kGood),
                         [](const auto& test) { return test.param.name; });

TEST(NpyTest, BigEndianIsSaidAndTurned) {
  const auto header =
      Parse(File("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }"));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(*header, (NpyHeader{DType::kC64, {1}, false, true}));
  const struct {
    DType type;
    const char* turned;
  } kRows[] = {
      {DType::kU8, "0123456789abcdef"},  {DType::kU16, "1032547698badcfe"},
      {DType::kF16, "1032547698badcfe"}, {DType::kF32, "32107654ba98fedc"},
      {DType::kC64, "32107654ba98fedc"}, {DType::kC128, "76543210fedcba98"}};
  for (const auto& row : kRows) {
    std::string bytes = "0123456789abcdef";
    SwapByteOrder(row.type, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, row.turned) << DTypeName(row.type);
  }
}

struct BadCase {
  const char* name;
  std::string file;
  const char* text;
};

class BadNpyTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadNpyTest, IsRefused) {
  const auto header = Parse(GetParam().file);
  ASSERT_FALSE(header.ok());
  EXPECT_EQ(header.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(header.status().message(), HasSubstr(GetParam().text));
}

const char kRest[] = "'fortran_order': False, 'shape': (2,), }";

const BadCase kBad[] = {
    {"Empty", "", "does not begin"},
    {"NoVersion", std::string("\x93NUMPY", 6), "cut short"},
    {"NoLength", std::string("\x93NUMPY\x01\x00\x10", 9), "cut short"},
    {"Version0", File("{}", 0), "version 0"},
    {"Version4", File("{}", 4), "version 4"},
    {"LengthPastTheEnd", std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{}", 14),
     "states 4294967295 bytes; the file has 2"},
    {"NoDictionary", File("(1, 2)"), "no dictionary"},
    {"NoEnd", File("{'descr': '<f4'"), "no end"},
    {"NoColon", File("{'descr' '<f4'}"), "no key"},
    {"OpenString", File("{'descr': '<f4"), "descr is no string"},
    {"Structured", File(absl::StrCat("{'descr': [('a', '<f4')], ", kRest)),
     "structured"},
    {"Object", File(absl::StrCat("{'descr': '|O', ", kRest)),
     "'|O': Python objects are no numbers"},
    {"Text", File(absl::StrCat("{'descr': '<U3', ", kRest)),
     "'<U3': text is no number"},
    {"Date", File(absl::StrCat("{'descr': '<M8[ns]', ", kRest)),
     "save a.view('i8')"},
    {"Float128", File(absl::StrCat("{'descr': '<f16', ", kRest)),
     "'<f16': this float is wider than f64"},
    {"Void", File(absl::StrCat("{'descr': '|V3', ", kRest)), "2-byte voids"},
    {"NoOrder", File(absl::StrCat("{'descr': 'f4', ", kRest)), "'f4'"},
    {"EmptyDescr", File(absl::StrCat("{'descr': '', ", kRest)), "''"},
    {"Missing", File("{'descr': '<f4', 'shape': (2,)}"), "is missing"},
    {"UnknownKey", File(absl::StrCat("{'descr': '<f4', 'x': 1, ", kRest)),
     "unknown key 'x'"},
    {"NeitherTrueNorFalse", File("{'fortran_order': 1}"), "fortran_order"},
    {"NegativeExtent", File("{'shape': (-1,)}"), "shape is no tuple"},
    {"HugeExtent", File("{'shape': (99999999999999999999,)}"),
     "shape is no tuple"},
    {"OpenTuple", File("{'shape': (2, 3"), "shape is no tuple"},
    {"NoComma", File("{'shape': (2 3)}"), "shape is no tuple"},
    {"TextBehind", File(absl::StrCat("{'descr': '<f4', ", kRest, " import os")),
     "text after"},
};

INSTANTIATE_TEST_SUITE_P(All, BadNpyTest, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(NpyTest, ShapesThatNoTensorHasAreRefused) {
  EXPECT_FALSE(DescOfNpy({DType::kF32, DimVector(17, 1), false}).ok());
  EXPECT_FALSE(
      DescOfNpy({DType::kF32, {int64_t{1} << 40, int64_t{1} << 40}, false})
          .ok());
}

// (N1)
struct PhysicalCase {
  const char* name;
  DimVector extents;
  PhysicalForm form;
  NpyHeader expected;
};

class PhysicalNpyTest : public testing::TestWithParam<PhysicalCase> {};

TEST_P(PhysicalNpyTest, HasTheShapeOfTheMemory) {
  const auto desc =
      TensorDesc::Create(DType::kF32, GetParam().extents, GetParam().form);
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(NpyHeaderOf(*desc), GetParam().expected);
}

const PhysicalCase kPhysical[] = {
    {"RowMajor", {2, 3}, {}, {DType::kF32, {2, 3}, false}},
    {"ColumnMajor",
     {2, 3},
     DimensionOrder{{0, 1}, {}, {}},
     {DType::kF32, {2, 3}, true}},
    {"ColumnMajorStrides",
     {2, 3},
     ElementStrides{{1, 2}},
     {DType::kF32, {2, 3}, true}},
    {"NchwInNhwcOrder",
     {8, 3, 4, 5},
     DimensionOrder{{1, 3, 2, 0}, {}, {}},
     {DType::kF32, {8, 4, 5, 3}, false}},
    {"NchwInNhwcOrderByStrides",
     {8, 3, 4, 5},
     ElementStrides{{60, 1, 15, 3}},
     {DType::kF32, {8, 4, 5, 3}, false}},
    {"Padded",
     {2, 3},
     DimensionOrder{{1, 0}, {2, 5}, {}},
     {DType::kF32, {2, 5}, false}},
    {"PaddedColumnMajor",
     {2, 3},
     DimensionOrder{{0, 1}, {4, 3}, {}},
     {DType::kF32, {3, 4}, false}},
    {"StridesWithGaps",
     {2, 3},
     ElementStrides{{5, 1}},
     {DType::kF32, {8}, false}},
    {"Backwards", {3}, ElementStrides{{-1}, 2}, {DType::kF32, {3}, false}},
    {"Scalar", {}, {}, {DType::kF32, {}, false}},
    {"NoElements", {0, 3}, {}, {DType::kF32, {0, 3}, false}},
};

INSTANTIATE_TEST_SUITE_P(All, PhysicalNpyTest, testing::ValuesIn(kPhysical),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace stridecast
