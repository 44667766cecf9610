// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/tensor_view.h"

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::HasSubstr;

TEST(TensorViewTest, AVectorIsATensorWithoutACopy) {
  const std::vector<float> buffer = {1, 2, 3, 4, 5, 6};
  const auto view = View(buffer, {2, 3});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->desc.ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(static_cast<const void*>(view->data), buffer.data());
}

TEST(TensorViewTest, ElementTypesAreDeduced) {
  EXPECT_EQ(kDTypeOf<bool>, DType::kPred);
  EXPECT_EQ(kDTypeOf<int8_t>, DType::kS8);
  EXPECT_EQ(kDTypeOf<int16_t>, DType::kS16);
  EXPECT_EQ(kDTypeOf<int32_t>, DType::kS32);
  EXPECT_EQ(kDTypeOf<int64_t>, DType::kS64);
  EXPECT_EQ(kDTypeOf<long long>, DType::kS64);  // NOLINT
  EXPECT_EQ(kDTypeOf<uint8_t>, DType::kU8);
  EXPECT_EQ(kDTypeOf<uint16_t>, DType::kU16);
  EXPECT_EQ(kDTypeOf<uint32_t>, DType::kU32);
  EXPECT_EQ(kDTypeOf<uint64_t>, DType::kU64);
  EXPECT_EQ(kDTypeOf<F16>, DType::kF16);
  EXPECT_EQ(kDTypeOf<BF16>, DType::kBF16);
  EXPECT_EQ(kDTypeOf<float>, DType::kF32);
  EXPECT_EQ(kDTypeOf<double>, DType::kF64);
  EXPECT_EQ(kDTypeOf<std::complex<float>>, DType::kC64);
  EXPECT_EQ(kDTypeOf<std::complex<double>>, DType::kC128);
  // As many bytes as the element type has: the memory is sent as it is.
  static_assert(sizeof(F16) == 2 && sizeof(BF16) == 2 && sizeof(bool) == 1);
}

TEST(TensorViewTest, OnlyRangesThatOutliveTheExpressionHaveViews) {
  static_assert(ElementRange<std::vector<float>&>);
  static_assert(ElementRange<const std::vector<float>&>);
  static_assert(ElementRange<std::span<const float>>);
  static_assert(ElementRange<std::array<BF16, 3>&>);
  static_assert(ElementRange<bool(&)[3]>);
  static_assert(!ElementRange<std::vector<float>>, "dangles");
  static_assert(!ElementRange<std::vector<bool>&>, "has no bools in memory");
  static_assert(!ElementRange<std::vector<char>&>, "not an element");
  static_assert(!ElementRange<std::vector<std::byte>&>, "not an element");
}

TEST(TensorViewTest, LayoutsThatTakeMoreElementsThanTheShape) {
  std::vector<uint16_t> buffer(10);
  const auto padded = MutableView(
      buffer, {2, 3}, DimensionOrder{{1, 0}, {2, 5}, PaddingValue::kOne});
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_EQ(padded->desc.size_bytes(), 20);
  const auto strided =
      MutableView(buffer, {2, 3}, ElementStrides{{5, 1}, 0, 10});
  ASSERT_TRUE(strided.ok()) << strided.status();
}

TEST(TensorViewTest, ABufferOfAnotherSizeIsRefused) {
  const std::vector<float> buffer(5);
  const auto view = View(buffer, {2, 3});
  EXPECT_EQ(view.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(view.status().message(),
              HasSubstr("5 elements for f32[2,3]{1,0}, which takes 6"));
}

TEST(TensorViewTest, AShapeThatBreaksARuleIsRefused) {
  const std::vector<float> buffer(6);
  const auto view = View(buffer, {-2, 3});
  EXPECT_EQ(view.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(view.status().message(), HasSubstr("dimensions[0]"));
}

TEST(OwnedTensorTest, IsAlignedAndKeepsItsBytesWhenMoved) {
  const auto desc = TensorDesc::Create(DType::kF64, {3});
  auto tensor = OwnedTensor::Allocate(*desc);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 256, 0u);
  tensor->slots<double>()[2] = 7;
  const std::byte* before = tensor->data();
  const OwnedTensor moved = *std::move(tensor);
  EXPECT_EQ(moved.data(), before);
  EXPECT_EQ(moved.at<double>({2}), 7);
}

TEST(OwnedTensorTest, IndexesThroughTheLayout) {
  const auto desc =
      TensorDesc::Create(DType::kS32, {2, 3}, DimensionOrder{{0, 1}, {}, {}});
  auto tensor = OwnedTensor::Allocate(*desc);
  ASSERT_TRUE(tensor.ok());
  const std::vector<int32_t> column_major = {1, 4, 2, 5, 3, 6};
  std::copy(column_major.begin(), column_major.end(),
            tensor->slots<int32_t>().begin());
  EXPECT_EQ(tensor->at<int32_t>({0, 2}), 3);
  EXPECT_EQ(tensor->at<int32_t>({1, 0}), 4);
}

TEST(OwnedTensorTest, MayHaveNoElements) {
  const auto desc = TensorDesc::Create(DType::kF32, {0, 3});
  const auto tensor = OwnedTensor::Allocate(*desc);
  ASSERT_TRUE(tensor.ok());
  EXPECT_TRUE(tensor->slots<float>().empty());
}

TEST(OwnedTensorTest, MemoryThatIsNotThereIsAStatus) {
  const auto desc = TensorDesc::Create(DType::kU8, {int64_t{1} << 62});
  EXPECT_EQ(OwnedTensor::Allocate(*desc).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stridecast
