// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/copy_elements.h"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;

constexpr uint8_t kBefore = 0xEE;

// What a buffer of kBefore holds after the payload 0, 1, 2, ... was copied to
// it. The payload comes in pieces of `piece` bytes, at once or one by one.
std::vector<uint8_t> Copied(const TensorDesc& desc, int64_t piece) {
  const int64_t size = desc.size_bytes();
  std::vector<uint8_t> sent(static_cast<size_t>(size));
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<uint8_t>(i);
  SegmentedBytes payload;
  for (int64_t begin = 0; begin < size; begin += piece) {
    payload.Append(reinterpret_cast<const std::byte*>(sent.data() + begin),
                   std::min(piece, size - begin));
  }
  std::vector<uint8_t> buffer(sent.size(), kBefore);
  CopyElements(desc, payload, 0, reinterpret_cast<std::byte*>(buffer.data()));

  std::vector<uint8_t> by_pieces(sent.size(), kBefore);
  for (int64_t begin = 0; begin < size; begin += piece) {
    CopyElements(desc, payload.View(begin, std::min(piece, size - begin)),
                 begin, reinterpret_cast<std::byte*>(by_pieces.data()));
  }
  EXPECT_EQ(by_pieces, buffer);
  return buffer;
}

TEST(CopyElementsTest, WhatLiesBetweenRowsStays) {
  const auto desc =
      TensorDesc::Create(DType::kU8, {2, 3}, ElementStrides{{5, 1}, 1, 11});
  EXPECT_THAT(Copied(*desc, 100),
              ElementsAre(kBefore, 1, 2, 3, kBefore, kBefore, 6, 7, 8, kBefore,
                          kBefore));
}

TEST(CopyElementsTest, PaddingIsTheResults) {
  const auto desc = TensorDesc::Create(
      DType::kU8, {2, 2}, DimensionOrder{{1, 0}, {2, 3}, PaddingValue::kOne});
  EXPECT_THAT(Copied(*desc, 100), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(CopyElementsTest, NoElementsTouchNothing) {
  const auto desc =
      TensorDesc::Create(DType::kU8, {0, 3}, ElementStrides{{5, 1}, 0, 2});
  EXPECT_THAT(Copied(*desc, 100), ElementsAre(kBefore, kBefore));
}

TEST(CopyElementsTest, RandomStrides) {
  constexpr uint64_t kSeed = 20262;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 engine(kSeed);
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  };
  int with_gaps = 0;
  for (int round = 0; round < 1000; ++round) {
    // Nested strides in a random order of dimensions and random directions.
    const int64_t rank = between(0, 4);
    DimVector extents, strides;
    ElementStrides form;
    int64_t stride = between(1, 2);
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t extent = between(1, 4);
      const int64_t direction = between(0, 1) == 0 ? -1 : 1;
      const auto at = extents.begin() + between(0, d);
      form.strides.insert(form.strides.begin() + (at - extents.begin()),
                          direction * stride);
      extents.insert(at, extent);
      if (direction < 0) form.offset += (extent - 1) * stride;
      stride = stride * extent + between(0, 2);
    }
    form.offset += between(0, 2);
    const DType type = between(0, 1) == 0 ? DType::kU8 : DType::kU16;
    const auto desc = TensorDesc::Create(type, extents, form);
    ASSERT_TRUE(desc.ok()) << desc.status();
    const std::vector<uint8_t> copied = Copied(*desc, between(1, 20));

    std::set<int64_t> slots;
    DimVector index(extents.size(), 0);
    for (int64_t i = 0; i < desc->num_elements(); ++i) {
      slots.insert(desc->layout().SlotOf(index));
      for (size_t d = extents.size(); d-- > 0;) {
        if (++index[d] < extents[d]) break;
        index[d] = 0;
      }
    }
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < copied.size(); ++i) {
      const auto slot = static_cast<int64_t>(i) / desc->element_bytes();
      expected.push_back(slots.contains(slot) ? static_cast<uint8_t>(i)
                                              : kBefore);
    }
    ASSERT_EQ(copied, expected);
    with_gaps +=
        static_cast<int64_t>(slots.size()) < desc->layout().num_slots();
  }
  EXPECT_GT(with_gaps, 500);
}

}  // namespace
}  // namespace stridecast
