// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// g++ 12 has no <mdspan>: small types with its interface stand for it.

#include "stridecast/mdspan.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;

// The mapping of std::layout_stride, and with an offset that of layouts that
// walk backwards.
template <size_t kRank>
struct StridedMapping {
  std::array<int, kRank> strides;
  int offset = 0;
  bool strided = true;

  template <typename... Index>
  int operator()(Index... index) const {
    const std::array<int, kRank> indices = {static_cast<int>(index)...};
    return std::inner_product(indices.begin(), indices.end(), strides.begin(),
                              offset);
  }
};

template <typename T, size_t kRank>
struct Span {
  using element_type = T;
  using reference = T&;
  using data_handle_type = T*;

  static constexpr size_t rank() { return kRank; }
  int extent(size_t r) const { return extents[r]; }
  int stride(size_t r) const { return map.strides[r]; }
  const data_handle_type& data_handle() const { return handle; }
  const StridedMapping<kRank>& mapping() const { return map; }
  bool is_strided() const { return map.strided; }

  T* handle;
  std::array<int, kRank> extents;
  StridedMapping<kRank> map;
};

// As little as will do.
struct Column {
  using element_type = const uint8_t;
  using reference = const uint8_t&;
  static constexpr int rank() { return 1; }
  size_t extent(int) const { return 3; }
  size_t stride(int) const { return 4; }
  const uint8_t* data_handle() const { return handle; }
  const uint8_t* handle;
};

// std::linalg::scaled: the elements are not those in memory.
struct Scaled : Column {
  using reference = uint8_t;
};

struct OfCharacters : Column {
  using element_type = const char;
  using reference = const char&;
  const char* data_handle() const { return nullptr; }
};

template <typename T>
std::vector<T> Elements(const TensorView& view) {
  EXPECT_LE(view.desc.rank(), 2);
  std::vector<T> elements;
  const Shape& shape = view.desc.shape();
  const int64_t rows = shape.rank() < 2 ? 1 : shape.extent(0);
  const int64_t columns = shape.rank() < 1 ? 1 : shape.extent(shape.rank() - 1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t index[] = {i, j};
      const auto used =
          absl::MakeConstSpan(index).last(static_cast<size_t>(shape.rank()));
      T value;
      std::memcpy(&value,
                  view.data + view.desc.layout().SlotOf(used) *
                                  static_cast<int64_t>(sizeof(T)),
                  sizeof(T));
      elements.push_back(value);
    }
  }
  return elements;
}

TEST(MdspanTest, IsAViewOfItsElements) {
  const std::vector<float> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  const Span<const float, 2> columns{memory.data(), {3, 2}, {{1, 4}}};
  const auto view = View(columns);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(Elements<float>(*view), ElementsAre(0, 4, 1, 5, 2, 6));
  EXPECT_EQ(view->desc.size_bytes(), 7 * 4);
  EXPECT_EQ(static_cast<const void*>(view->data), memory.data());
}

TEST(MdspanTest, MayWalkBackwardsFromAnOffset) {
  std::vector<int16_t> memory = {0, 1, 2, 3, 4, 5};
  const Span<int16_t, 2> reversed{&memory[0], {2, 3}, {{3, -1}, 2}};
  const auto view = MutableView(reversed);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(static_cast<void*>(view->data), memory.data());
  EXPECT_THAT(Elements<int16_t>(TensorView{view->desc, view->data}),
              ElementsAre(2, 1, 0, 5, 4, 3));
}

TEST(MdspanTest, ScalarsAndSpansOfNoElements) {
  const double number = 7;
  EXPECT_THAT(Elements<double>(*View(Span<const double, 0>{&number, {}, {}})),
              ElementsAre(7));
  // Its mapping must not be asked for an element.
  const Span<const double, 1> empty{nullptr, {0}, {{1}, 1 << 30}};
  const auto view = View(empty);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->desc.size_bytes(), 0);
  EXPECT_EQ(view->data, nullptr);
}

TEST(MdspanTest, NeedsNeitherMappingNorIsStrided) {
  const std::vector<uint8_t> memory = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(Elements<uint8_t>(*View(Column{memory.data()})),
              ElementsAre(0, 4, 8));
}

TEST(MdspanTest, WhatIsNoTensorInMemory) {
  static_assert(Mdspan<Column>);
  static_assert(Mdspan<Span<std::complex<double>, 3>>);
  static_assert(!Mdspan<Scaled>);
  static_assert(!Mdspan<OfCharacters>);
  static_assert(!Mdspan<std::vector<float>>);
  const float number = 0;
  const Span<const float, 1> tiled{&number, {1}, {{1}, 0, false}};
  EXPECT_EQ(View(tiled).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(View(tiled).status().message(),
            "an mdspan whose mapping is not strided");
  const Span<const float, 1> null{nullptr, {2}, {{1}}};
  EXPECT_EQ(View(null).status().message(),
            "origin: null, for a tensor of shape [2]");
}

}  // namespace
}  // namespace stridecast
