// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/strided_view.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/layouts.h"
#include "tests/support/random_part.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// 0, 1, 2, ...
template <typename T>
std::vector<T> Count(size_t number) {
  std::vector<T> numbers(number);
  for (size_t i = 0; i < number; ++i) numbers[i] = static_cast<T>(i);
  return numbers;
}

template <typename T>
T At(const TensorView& view, const DimVector& index) {
  T value;
  std::memcpy(&value,
              view.data + view.desc.layout().SlotOf(index) *
                              static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

// All elements of a view, in row-major order.
template <typename T>
std::vector<T> Elements(const TensorView& view) {
  std::vector<T> elements;
  const Shape& shape = view.desc.shape();
  DimVector index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    elements.push_back(At<T>(view, index));
    for (int d = shape.rank(); d-- > 0;) {
      if (++index[static_cast<size_t>(d)] < shape.extent(d)) break;
      index[static_cast<size_t>(d)] = 0;
    }
  }
  return elements;
}

TEST(StridedViewTest, EverySecondColumnBackwards) {
  const auto matrix = Count<double>(2 * 6);
  const auto view = StridedView(&matrix[4], {2, 3}, {6 * 8, -2 * 8});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<double>(*view), ElementsAre(4, 2, 0, 10, 8, 6));
  // From the lowest element to the highest.
  EXPECT_EQ(static_cast<const void*>(view->data), &matrix[0]);
  EXPECT_EQ(view->desc.size_bytes(), 11 * 8);
}

TEST(StridedViewTest, DenseStridesAreAPackedTensor) {
  const auto numbers = Count<int16_t>(6);
  EXPECT_EQ(StridedView(numbers.data(), {2, 3}, {6, 2})->desc.ToString(),
            "s16[2,3]{1,0}");
  EXPECT_EQ(StridedView(numbers.data(), {2, 3}, {2, 4})->desc.ToString(),
            "s16[2,3]{0,1}");
}

TEST(StridedViewTest, OperandsMayRepeatElements) {
  const auto numbers = Count<uint8_t>(3);
  const auto view = StridedView(numbers.data(), {2, 3}, {0, 1});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<uint8_t>(*view), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_EQ(view->desc.size_bytes(), 3);
  // Windows that slide by one.
  EXPECT_THAT(Elements<uint8_t>(*StridedView(numbers.data(), {2, 2}, {1, 1})),
              ElementsAre(0, 1, 1, 2));
}

TEST(StridedViewTest, ScalarsAndTensorsOfNoElements) {
  const float number = 7;
  EXPECT_THAT(Elements<float>(*StridedView(&number, {}, {})), ElementsAre(7));
  const float* none = nullptr;
  const auto empty = StridedView(none, {3, 0}, {-8, kMin});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->desc.size_bytes(), 0);
  EXPECT_EQ(empty->data, nullptr);
}

TEST(StridedViewTest, StridesThatAreNeverUsedMayBeAnyNumber) {
  const auto numbers = Count<float>(3);
  for (int64_t stride : {int64_t{1}, int64_t{-4}, kMin, kMax}) {
    const auto view =
        StridedView(numbers.data(), {1, 3, 1}, {stride, 4, stride});
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_THAT(Elements<float>(*view), ElementsAre(0, 1, 2));
    EXPECT_EQ(static_cast<const void*>(view->data), numbers.data());
    EXPECT_EQ(view->desc.size_bytes(), 12);
  }
}

TEST(StridedViewTest, TheOriginNeedNotBeAligned) {
  std::vector<std::byte> bytes(1 + 4 * 4);
  const float kNumbers[] = {1, 2, 3, 4};
  std::memcpy(&bytes[1], kNumbers, sizeof(kNumbers));
  const auto view = StridedView(&bytes[1], DType::kF32, {4}, {4});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<float>(*view), ElementsAre(1, 2, 3, 4));
}

TEST(StridedViewTest, MutableViewsAreTheSame) {
  auto numbers = Count<int32_t>(6);
  const auto typed = MutableStridedView(&numbers[5], {2, 2}, {-12, -8});
  ASSERT_TRUE(typed.ok()) << typed.status();
  const TensorView view{typed->desc, typed->data};
  EXPECT_THAT(Elements<int32_t>(view), ElementsAre(5, 3, 2, 0));
  const auto untyped = MutableStridedView(static_cast<void*>(&numbers[5]),
                                          DType::kS32, {2, 2}, {-12, -8});
  ASSERT_TRUE(untyped.ok()) << untyped.status();
  EXPECT_EQ(untyped->data, typed->data);
}

TEST(StridedViewTest, WhatMakesNoSense) {
  const float number = 0;
  float mutable_number = 0;
  const float* null = nullptr;
  const struct {
    absl::Status status;
    const char* message;
  } kRows[] = {
      {StridedView(&number, {2, 3}, {12}).status(),
       "byte_strides: 1 entries for rank 2"},
      {StridedView(&number, {2, 3}, {12, 6}).status(),
       "byte_strides[1]: 6 is no multiple of the 4 bytes of an element of type "
       "f32"},
      {StridedView(&number, {2, 3}, {-13, 4}).status(),
       "byte_strides[0]: -13 is no multiple of the 4 bytes of an element of "
       "type f32"},
      {StridedView(null, {2, 3}, {12, 4}).status(),
       "origin: null, for a tensor of shape [2,3]"},
      {StridedView(&number, {-2}, {4}).status(), "dimensions[0]: "},
      {StridedView(&number, {3, 3}, {kMin, kMin}).status(),
       "strides: the offsets of shape f32[3,3] under strides "
       "[-2305843009213693952,-2305843009213693952] overflow int64"},
      {StridedView(&number, {kMax, 1}, {-8, 4}).status(),
       "strides: the offsets of shape f32[9223372036854775807,1] under strides "
       "[-2,1] overflow int64"},
      {StridedView(&number, {kMax}, {8}).status(),
       "strides.strides: the offsets of shape f32[9223372036854775807] under "
       "strides [2] overflow int64"},
      {StridedView(&number, {kMax}, {4}).status(), "strides.total_elements: "},
      {internal::ElementStridedView(&number, DType::kF32, {2, 3}, {3, 1, 1})
           .status(),
       "strides: 3 entries for rank 2"},
      {MutableStridedView(&mutable_number, {2}, {3}).status(),
       "byte_strides[0]: "},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(row.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(row.status.message()), HasSubstr(row.message));
  }
}

// A slice of an array, as NumPy makes it, against the array itself.
TEST(StridedViewTest, RandomSlices) {
  constexpr uint64_t kSeed = 20261;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  Random random(kSeed);
  int with_elements = 0;
  for (int round = 0; round < 2000; ++round) {
    const ArrayPart part = RandomPart(random, PartOf::kOperand);
    // The array's elements are their own positions in it.
    const auto array = Count<int32_t>(static_cast<size_t>(part.array_size));
    const auto view = StridedView(&array[static_cast<size_t>(part.origin)],
                                  part.extents, part.ByteStrides(4));
    ASSERT_TRUE(view.ok()) << view.status();
    const std::vector<int32_t> expected(part.positions.begin(),
                                        part.positions.end());
    ASSERT_EQ(Elements<int32_t>(*view), expected);
    if (expected.empty()) {
      EXPECT_EQ(view->desc.size_bytes(), 0);
      continue;
    }
    ++with_elements;
    const auto [low, high] =
        std::minmax_element(expected.begin(), expected.end());
    EXPECT_EQ(static_cast<const void*>(view->data), &array[*low]);
    EXPECT_EQ(view->desc.size_bytes(), (*high - *low + 1) * 4);
  }
  EXPECT_GT(with_elements, 1500);
}

TEST(RowPitchViewTest, APictureWithRoomBehindItsRows) {
  // 2 rows of 3 pixels of 2 channels, 8 elements apart.
  const auto memory = Count<uint16_t>(2 * 8);
  const auto view = RowPitchView(memory.data(), {2, 3, 2}, 16);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<uint16_t>(*view),
              ElementsAre(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13));
  // The rest of the last row may not be there.
  EXPECT_EQ(view->desc.size_bytes(), 14 * 2);
}

TEST(RowPitchViewTest, ShapesOfAllRanks) {
  const auto memory = Count<uint8_t>(64);
  EXPECT_THAT(Elements<uint8_t>(*RowPitchView(memory.data(), {3}, 10)),
              ElementsAre(0, 10, 20));
  EXPECT_THAT(Elements<uint8_t>(*RowPitchView(memory.data(), {2, 3}, 10)),
              ElementsAre(0, 1, 2, 10, 11, 12));
  EXPECT_THAT(
      Elements<uint8_t>(*RowPitchView(memory.data(), {2, 2, 2}, 10, 30)),
      ElementsAre(0, 1, 10, 11, 30, 31, 40, 41));
  EXPECT_THAT(
      Elements<uint8_t>(*RowPitchView(memory.data(), {2, 1, 2, 2}, 10, 30)),
      ElementsAre(0, 1, 2, 3, 30, 31, 32, 33));
  const auto dense = RowPitchView(memory.data(), {2, 2, 3, 4}, 12, 24);
  EXPECT_EQ(dense->desc.ToString(), "u8[2,2,3,4]{3,2,1,0}");
}

TEST(RowPitchViewTest, BottomUp) {
  const auto memory = Count<uint8_t>(30);
  const auto view = RowPitchView(&memory[20], {3, 2}, -10);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<uint8_t>(*view), ElementsAre(20, 21, 10, 11, 0, 1));
  EXPECT_EQ(static_cast<const void*>(view->data), memory.data());
}

TEST(RowPitchViewTest, PitchesOfOneRowOrNoneAreNotUsed) {
  const auto memory = Count<float>(3);
  for (int64_t pitch : {int64_t{0}, int64_t{3}, kMin, kMax}) {
    EXPECT_THAT(
        Elements<float>(*RowPitchView(memory.data(), {1, 1, 3}, pitch, pitch)),
        ElementsAre(0, 1, 2));
    EXPECT_TRUE(RowPitchView(memory.data(), {0, 3}, pitch).ok());
    EXPECT_TRUE(RowPitchView(memory.data(), {4, 0}, pitch).ok());
  }
}

TEST(RowPitchViewTest, MutableViewsAreTheSame) {
  auto memory = Count<float>(12);
  const auto typed = MutableRowPitchView(memory.data(), {2, 3}, 24);
  const auto untyped = MutableRowPitchView(static_cast<void*>(memory.data()),
                                           DType::kF32, {2, 3}, 24);
  for (const auto& view : {typed, untyped}) {
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_THAT(Elements<float>(TensorView{view->desc, view->data}),
                ElementsAre(0, 1, 2, 6, 7, 8));
  }
}

TEST(RowPitchViewTest, WhatMakesNoSense) {
  const float number = 0;
  const struct {
    absl::Status status;
    const char* message;
  } kRows[] = {
      {RowPitchView(&number, {480, 640, 3}, 640).status(),
       "row_pitch_bytes: 640 is less than the 7680 bytes of f32[640,3]"},
      {RowPitchView(&number, {480, 640, 3}, -7676).status(),
       "row_pitch_bytes: -7676 is less than the 7680 bytes of f32[640,3]"},
      {RowPitchView(&number, {2, 3}, 13).status(),
       "row_pitch_bytes: 13 is no multiple of the 4 bytes of an element of "
       "type f32"},
      {RowPitchView(&number, {2, 2, 3}, 16, 24).status(),
       "layer_pitch_bytes: 24 is less than the 28 bytes of f32[2,3]"},
      {RowPitchView(&number, {2, 2, 3}, 16, 33).status(),
       "layer_pitch_bytes: 33 is no multiple of the 4 bytes of an element of "
       "type f32"},
      {RowPitchView(&number, {}, 4).status(),
       "extents: 0 entries; there must be one of rows"},
      {RowPitchView(&number, {4}, 4, 4).status(),
       "extents: 1 entries; there must be one of layers and one of rows"},
      {RowPitchView(&number, {-1, 3}, 12).status(), "dimensions[0]: "},
      {RowPitchView(&number, {kMax, kMax}, 12).status(), "dimensions: "},
      {RowPitchView(&number, {kMax, 3}, 12).status(), "overflow"},
      {RowPitchView(static_cast<const float*>(nullptr), {2, 3}, 12).status(),
       "origin: null, for a tensor of shape [2,3]"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(row.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(row.status.message()), HasSubstr(row.message));
  }
}

}  // namespace
}  // namespace stridecast::testing
