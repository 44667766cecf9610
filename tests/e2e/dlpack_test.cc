// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/dlpack.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;

// A DLTensor and the lists that it points to.
struct Made {
  Made(void* data, DLDataType type, std::vector<int64_t> shape_of,
       std::vector<int64_t> strides_of = {}, uint64_t byte_offset = 0)
      : shape(std::move(shape_of)), strides(std::move(strides_of)) {
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(shape.size());
    tensor.dtype = type;
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    tensor.byte_offset = byte_offset;
  }
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  DLTensor tensor;
};

constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

// The elements of a DLTensor of rank 2, as DLPack says where they lie.
std::vector<float> Elements(const DLTensor& tensor) {
  EXPECT_EQ(tensor.ndim, 2);
  std::vector<float> elements;
  for (int64_t i = 0; i < tensor.shape[0]; ++i) {
    for (int64_t j = 0; j < tensor.shape[1]; ++j) {
      float element;
      std::memcpy(&element,
                  static_cast<const char*>(tensor.data) + tensor.byte_offset +
                      4 * (i * tensor.strides[0] + j * tensor.strides[1]),
                  4);
      elements.push_back(element);
    }
  }
  return elements;
}

// The same of a view, as its descriptor says.
std::vector<float> Elements(const TensorView& view) {
  EXPECT_EQ(view.desc.rank(), 2);
  std::vector<float> elements;
  for (int64_t i = 0; i < view.desc.shape().extent(0); ++i) {
    for (int64_t j = 0; j < view.desc.shape().extent(1); ++j) {
      float element;
      std::memcpy(&element, view.data + 4 * view.desc.layout().SlotOf({i, j}),
                  4);
      elements.push_back(element);
    }
  }
  return elements;
}

TEST(FromDLPackTest, IsAViewOfTheMemory) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  const Made made(memory.data(), kFloat32, {2, 3}, {1, 2}, 4);
  const auto view = FromDLPack(made.tensor);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->desc.ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(static_cast<const void*>(view->data), &memory[1]);
  EXPECT_THAT(Elements(*view), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(FromDLPackTest, NoStridesAreRowMajor) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const auto view = FromDLPack(Made(memory.data(), kFloat32, {3, 2}).tensor);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->desc.ToString(), "f32[3,2]{1,0}");
  EXPECT_THAT(Elements(*view), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(FromDLPackTest, NegativeStridesAndRepetitions) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const Made reversed(memory.data(), kFloat32, {2, 3}, {-3, -1}, 5 * 4);
  const auto view = FromDLPack(reversed.tensor);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(static_cast<const void*>(view->data), memory.data());
  EXPECT_THAT(Elements(*view), ElementsAre(5, 4, 3, 2, 1, 0));
  const Made repeated(memory.data(), kFloat32, {2, 2}, {0, 1});
  EXPECT_THAT(Elements(*FromDLPack(repeated.tensor)), ElementsAre(0, 1, 0, 1));
}

TEST(FromDLPackTest, AByteOffsetNeedNotBeWholeElements) {
  std::vector<char> memory(1 + 4 * 2);
  const float kNumbers[] = {7, 8};
  std::memcpy(&memory[1], kNumbers, 8);
  const Made made(memory.data(), kFloat32, {1, 2}, {2, 1}, 1);
  EXPECT_THAT(Elements(*FromDLPack(made.tensor)), ElementsAre(7, 8));
}

TEST(FromDLPackTest, ScalarsAndTensorsOfNoElements) {
  float number = 7;
  const auto scalar = FromDLPack(Made(&number, kFloat32, {}).tensor);
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->desc.ToString(), "f32[]");
  EXPECT_EQ(static_cast<const void*>(scalar->data), &number);
  Made shapeless(&number, kFloat32, {});
  shapeless.tensor.shape = nullptr;
  EXPECT_TRUE(FromDLPack(shapeless.tensor).ok());
  for (const Made& empty :
       {Made(nullptr, kFloat32, {3, 0}), Made(nullptr, kFloat32, {0}, {8}, 4),
        Made(&number, kFloat32, {0, 3}, {-5, 7})}) {
    const auto view = FromDLPack(empty.tensor);
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(view->desc.size_bytes(), 0);
  }
}

TEST(FromDLPackTest, MutableViewsAreTheSame) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const Made made(memory.data(), kFloat32, {2, 2}, {-3, 2}, 3 * 4);
  const auto view = MutableFromDLPack(made.tensor);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(static_cast<void*>(view->data), memory.data());
  EXPECT_THAT(Elements(TensorView{view->desc, view->data}),
              ElementsAre(3, 5, 0, 2));
}

TEST(FromDLPackTest, PinnedMemoryIsOfTheHost) {
  float number = 7;
  Made made(&number, kFloat32, {1});
  for (DLDeviceType device : {kDLCPU, kDLCUDAHost, kDLROCMHost}) {
    made.tensor.device.device_type = device;
    EXPECT_TRUE(FromDLPack(made.tensor).ok()) << device;
  }
}

TEST(FromDLPackTest, WhatMakesNoSense) {
  float number = 0;
  Made on_device(&number, kFloat32, {1});
  on_device.tensor.device.device_type = kDLCUDA;
  Made managed(&number, kFloat32, {1});
  managed.tensor.device.device_type = kDLCUDAManaged;
  Made negative_rank(&number, kFloat32, {1});
  negative_rank.tensor.ndim = -1;
  Made shapeless(&number, kFloat32, {1});
  shapeless.tensor.shape = nullptr;
  const int64_t kMin = std::numeric_limits<int64_t>::min();
  const struct {
    const Made& made;
    const char* message;
  } kRows[] = {
      {on_device,
       "device.device_type: 2; only memory of the host is sent: copy it there"},
      {managed,
       "device.device_type: 13; only memory of the host is sent: copy it "
       "there"},
      {Made(&number, {kDLFloat, 32, 4}, {1}),
       "dtype.lanes: 4; vectors are no elements of tensors here"},
      {Made(&number, {kDLInt, 4, 1}, {1}),
       "dtype: no element type has code 0 and 4 bits"},
      {Made(&number, {kDLFloat, 8, 1}, {1}),
       "dtype: no element type has code 2 and 8 bits"},
      {Made(&number, {kDLOpaqueHandle, 64, 1}, {1}),
       "dtype: no element type has code 3 and 64 bits"},
      {Made(&number, {6, 1, 1}, {1}),
       "dtype: no element type has code 6 and 1 bits"},
      {negative_rank, "ndim: -1 is not in [0,16]"},
      {Made(&number, kFloat32, std::vector<int64_t>(17, 1)),
       "ndim: 17 is not in [0,16]"},
      {shapeless, "shape: null, of rank 1"},
      {Made(nullptr, kFloat32, {2, 3}),
       "origin: null, for a tensor of shape [2,3]"},
      {Made(nullptr, kFloat32, {1}, {1}, 8),
       "origin: null, for a tensor of shape [1]"},
      {Made(&number, kFloat32, {3, 3}, {kMin, kMin}),
       "strides: the offsets of shape f32[3,3] under strides "
       "[-9223372036854775808,-9223372036854775808] overflow int64"},
  };
  for (const auto& row : kRows) {
    const absl::Status status = FromDLPack(row.made.tensor).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), row.message);
    EXPECT_EQ(MutableFromDLPack(row.made.tensor).status(), status);
  }
}

TEST(DLPackTest, EveryElementTypeBothWays) {
  // Code and bits as dlpack.h of version 1.0 documents them.
  const struct {
    DType type;
    uint8_t code;
    uint8_t bits;
  } kRows[] = {
      {DType::kPred, 6, 8},  {DType::kS8, 0, 8},   {DType::kS16, 0, 16},
      {DType::kS32, 0, 32},  {DType::kS64, 0, 64}, {DType::kU8, 1, 8},
      {DType::kU16, 1, 16},  {DType::kU32, 1, 32}, {DType::kU64, 1, 64},
      {DType::kF16, 2, 16},  {DType::kF32, 2, 32}, {DType::kF64, 2, 64},
      {DType::kBF16, 4, 16}, {DType::kC64, 5, 64}, {DType::kC128, 5, 128},
  };
  ASSERT_EQ(std::size(kRows), std::size(kAllDTypes));
  for (const auto& row : kRows) {
    SCOPED_TRACE(std::string(DTypeName(row.type)));
    std::vector<char> memory(3 * 16);
    const Made made(memory.data(), {row.code, row.bits, 1}, {3});
    const auto view = FromDLPack(made.tensor);
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_EQ(view->desc.type(), row.type);
    BorrowedDLTensor borrowed(*view);
    EXPECT_EQ(borrowed.get()->dtype.code, row.code);
    EXPECT_EQ(borrowed.get()->dtype.bits, row.bits);
    EXPECT_EQ(borrowed.get()->dtype.lanes, 1);
  }
}

TEST(ToDLPackTest, GivesTheMemoryAway) {
  auto tensor = OwnedTensor::Allocate(
      *TensorDesc::Create(DType::kF32, {2, 3}, ElementStrides{{-1, 4}, 2, 12}));
  ASSERT_TRUE(tensor.ok());
  for (size_t i = 0; i < 12; ++i) {
    tensor->slots<float>()[i] = static_cast<float>(i);
  }
  const void* memory = tensor->data();
  DLManagedTensorPtr managed = ToDLPack(*std::move(tensor));
  const DLTensor& given = managed->dl_tensor;
  EXPECT_EQ(given.data, memory);
  EXPECT_EQ(given.device.device_type, kDLCPU);
  EXPECT_EQ(given.device.device_id, 0);
  EXPECT_EQ(given.byte_offset, 8u);
  EXPECT_THAT(Elements(given), ElementsAre(2, 6, 10, 1, 5, 9));
  // And back again: the same elements of the same memory.
  EXPECT_THAT(Elements(*FromDLPack(given)), ElementsAre(2, 6, 10, 1, 5, 9));
  // A consumer ends it where and when it likes.
  DLManagedTensor* consumed = managed.release();
  std::thread([consumed] { consumed->deleter(consumed); }).join();
}

TEST(ToDLPackTest, PaddingIsStrides) {
  auto tensor = OwnedTensor::Allocate(*TensorDesc::Create(
      DType::kF32, {2, 3}, DimensionOrder{{0, 1}, {4, 3}, {}}));
  ASSERT_TRUE(tensor.ok());
  for (size_t i = 0; i < 12; ++i) {
    tensor->slots<float>()[i] = static_cast<float>(i);
  }
  const DLManagedTensorPtr managed = ToDLPack(*std::move(tensor));
  EXPECT_THAT(Elements(managed->dl_tensor), ElementsAre(0, 4, 8, 1, 5, 9));
}

TEST(ToDLPackTest, NoElementsAreNull) {
  const DLManagedTensorPtr managed = ToDLPack(*OwnedTensor::Allocate(
      *TensorDesc::Create(DType::kF32, {0, 3}, ElementStrides{{3, 1}, 5, 9})));
  EXPECT_EQ(managed->dl_tensor.data, nullptr);
  EXPECT_EQ(managed->dl_tensor.byte_offset, 0u);
  EXPECT_EQ(managed->dl_tensor.ndim, 2);
  EXPECT_EQ(FromDLPack(managed->dl_tensor)->desc.size_bytes(), 0);
}

TEST(ToDLPackTest, ADeleterMayBeMissing) {
  DLManagedTensor unowned = {};
  const DLManagedTensorPtr pointer(&unowned);
}

TEST(BorrowedDLTensorTest, LooksAtTheViewsMemory) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const ElementStrides reversed{{-3, -1}, 5, 6};
  BorrowedDLTensor borrowed(*View(memory, {2, 3}, reversed));
  EXPECT_EQ(borrowed.get()->data, memory.data());
  EXPECT_EQ(borrowed.get()->byte_offset, 20u);
  EXPECT_THAT(Elements(*borrowed.get()), ElementsAre(5, 4, 3, 2, 1, 0));
  BorrowedDLTensor target(*MutableView(memory, {2, 3}));
  EXPECT_THAT(Elements(*target.get()), ElementsAre(0, 1, 2, 3, 4, 5));
  static_assert(!std::is_move_constructible_v<BorrowedDLTensor>);
}

}  // namespace
}  // namespace stridecast
