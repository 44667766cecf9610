// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Descriptors, shape strings in XLA's notation, padding values.

#include "stridecast/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using enum DType;

TEST(TensorDescTest, ElementTypesThatAreNoneAreRefused) {
  for (const int number : {-1, 0, 12, 13, 14, 77}) {
    const auto desc = TensorDesc::Create(static_cast<DType>(number), {2});
    EXPECT_EQ(desc.ok(), IsDType(number)) << number;
    if (desc.ok()) continue;
    EXPECT_EQ(desc.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(desc.status().message(), HasSubstr("is no element type"));
  }
}

TEST(TensorDescTest, SaysAllAboutATensorButItsBytes) {
  const auto desc = TensorDesc::Create(kF32, {2, 3}, Order({0, 1}, {4, 3}));
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(desc->type(), kF32);
  EXPECT_EQ(desc->rank(), 2);
  EXPECT_EQ(desc->num_elements(), 6);
  EXPECT_EQ(desc->element_bytes(), 4);
  EXPECT_EQ(desc->size_bytes(), 48);
  EXPECT_THAT(desc->byte_strides(), ElementsAre(4, 16));
  EXPECT_EQ(desc->byte_offset(), 0);
}

TEST(TensorDescTest, StridesCountBytes) {
  const TensorDesc desc = Desc(kC128, {2, 3}, Strides({-4, 1}, 4));
  EXPECT_THAT(desc.byte_strides(), ElementsAre(-64, 16));
  EXPECT_EQ(desc.byte_offset(), 64);
  EXPECT_EQ(desc.size_bytes(), 7 * 16);
}

TEST(TensorDescTest, TheDefaultIsAnF32Scalar) {
  EXPECT_EQ(TensorDesc().ToString(), "f32[]");
  EXPECT_EQ(TensorDesc().size_bytes(), 4);
  EXPECT_EQ(TensorDesc::Create(kF32, {})->ToString(), "f32[]");
}

struct StringRow {
  DType type;
  DimVector shape;
  PhysicalForm form;
  const char* text;
};

TEST(ShapeStringTest, BracesHoldMinorToMajor) {
  const StringRow kRows[] = {
      {kF32, {2, 3}, {}, "f32[2,3]{1,0}"},
      {kF32, {2, 3}, Order({0, 1}), "f32[2,3]{0,1}"},
      {kPred, {}, {}, "pred[]"},
      {kBF16, {7}, {}, "bf16[7]{0}"},
      {kU8, {1, 3, 2, 2}, Order({1, 3, 2, 0}), "u8[1,3,2,2]{1,3,2,0}"},
      {kS64, {0, 2}, {}, "s64[0,2]{1,0}"},
      {kF32, {2, 3}, Order({0, 1}, {2, 3}), "f32[2,3]{0,1}"},
      {kF32, {2, 3}, Strides({3, 1}), "f32[2,3]{1,0}"},
      {kF32, {2, 3}, Strides({1, 2}), "f32[2,3]{0,1}"},
      {kC64, {2, 3, 4}, Strides({1, 8, 2}), "c64[2,3,4]{0,2,1}"},
      // No notation for these in XLA.
      {kF32, {2, 3}, Order({0, 1}, {3, 5}), "f32[2,3]"},
      {kF32, {2, 3}, Strides({5, 1}), "f32[2,3]"},
      {kF32, {2, 3}, Strides({0, 1}), "f32[2,3]"},
      {kF32, {4}, Strides({-1}, 3), "f32[4]"},
      {kF32, {4}, Strides({1}, 0, 5), "f32[4]"},
      {kF32, {}, Strides({}, 1), "f32[]"},
  };
  for (const StringRow& row : kRows) {
    EXPECT_EQ(Desc(row.type, row.shape, row.form).ToString(), row.text);
  }
  EXPECT_EQ(ShapeToString(kF16, *Shape::Create({2, 3})), "f16[2,3]");
  EXPECT_EQ(ShapeToString(kF16, Shape()), "f16[]");
}

TEST(ShapeStringTest, ParsesWhatItPrints) {
  for (DType type : kAllDTypes) {
    DimVector order = ColumnMajorOrder(4);
    do {
      const TensorDesc desc = Desc(type, {2, 3, 1, 5}, Order(order));
      const auto parsed = ParseShapeString(desc.ToString());
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      EXPECT_EQ(parsed->ToString(), desc.ToString());
      EXPECT_EQ(parsed->type(), type);
      EXPECT_EQ(parsed->shape(), desc.shape());
      EXPECT_EQ(
          std::get<DimensionOrder>(parsed->layout().form()).minor_to_major,
          order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(ShapeStringTest, BracesAndSpacesAreOptional) {
  for (const char* text :
       {"f32[2,3]", "f32[2,3]{1,0}", " f32 [ 2 , 3 ] { 1 , 0 } "}) {
    const auto parsed = ParseShapeString(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status();
    EXPECT_EQ(parsed->ToString(), "f32[2,3]{1,0}");
  }
  for (const char* text : {"u8[]", "u8[]{}"}) {
    const auto parsed = ParseShapeString(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status();
    EXPECT_EQ(parsed->ToString(), "u8[]");
  }
}

TEST(ShapeStringTest, RefusesOtherTexts) {
  const std::pair<const char*, const char*> kRows[] = {
      {"", "element type"},
      {"[2,3]", "element type"},
      {"float[2]", "element type"},
      {"F32[2]", "element type"},
      {"f32", "[ at column 4"},
      {"f32{0}", "[ at column 4"},
      {"f32[2,3", "] at column 8"},
      {"f32[2,]", "number at column 7"},
      {"f32[,2]", "number at column 5"},
      {"f32[-1]", "number at column 5"},
      {"f32[99999999999999999999]", "number at column 5"},
      {"f32[0x2]", "number at column 5"},
      {"f32[2,3]{0,1", "} at column 13"},
      {"f32[2]{0}x", "the end at column 10"},
      {"f32[2,3]{0}",
       "layout.minor_to_major: layout minor_to_major field contains 1 "
       "elements, but shape is rank 2"},
      {"f32[4294967296,4294967296]", "overflow"},
  };
  for (const auto& [text, expected] : kRows) {
    const absl::Status status = ParseShapeString(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), StartsWith("shape string: "));
    EXPECT_THAT(std::string(status.message()), HasSubstr(expected)) << text;
  }
}

// Against the oracle: what it writes beside the one element of [1] in [2].
TEST(PaddingPatternTest, IsTheValueInEveryType) {
  for (DType type : kAllDTypes) {
    for (PaddingValue value :
         {PaddingValue::kUnspecified, PaddingValue::kZero, PaddingValue::kOne,
          PaddingValue::kLowest, PaddingValue::kHighest,
          PaddingValue::kUnknown}) {
      if (IsComplex(type) &&
          (value == PaddingValue::kLowest || value == PaddingValue::kHighest)) {
        continue;  // none
      }
      const Bytes buffer =
          WriteTensor({type, {1}, {Element{}}}, Order({0}, {2}, value));
      const ElementPattern pattern = PaddingPattern(type, value);
      const auto size = static_cast<size_t>(ElementBytes(type));
      EXPECT_EQ(std::memcmp(pattern.bytes, buffer.data() + size, size), 0)
          << DTypeName(type) << " " << static_cast<int>(value);
    }
  }
}

TEST(PaddingPatternTest, InfinitiesAndLimits) {
  const auto word = [](DType type, PaddingValue value) {
    uint64_t bits = 0;
    const ElementPattern pattern = PaddingPattern(type, value);
    std::memcpy(&bits, pattern.bytes, static_cast<size_t>(ElementBytes(type)));
    return bits;
  };
  EXPECT_EQ(word(kF32, PaddingValue::kLowest), 0xFF800000u);
  EXPECT_EQ(word(kF16, PaddingValue::kHighest), 0x7C00u);
  EXPECT_EQ(word(kBF16, PaddingValue::kOne), 0x3F80u);
  EXPECT_EQ(word(kF64, PaddingValue::kOne), 0x3FF0000000000000u);
  EXPECT_EQ(word(kC64, PaddingValue::kOne), 0x3F800000u);
  EXPECT_EQ(word(kS16, PaddingValue::kLowest), 0x8000u);
  EXPECT_EQ(word(kS64, PaddingValue::kHighest), 0x7FFFFFFFFFFFFFFFu);
  EXPECT_EQ(word(kU32, PaddingValue::kHighest), 0xFFFFFFFFu);
  EXPECT_EQ(word(kU32, PaddingValue::kLowest), 0u);
  EXPECT_EQ(word(kPred, PaddingValue::kHighest), 1u);
  EXPECT_EQ(word(kPred, PaddingValue::kLowest), 0u);
  EXPECT_EQ(word(kPred, PaddingValue::kUnknown), 0u);
}

}  // namespace
}  // namespace stridecast::testing
