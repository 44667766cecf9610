// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "absl/types/span.h"
#include "core/kernels/kernel.h"
#include "core/plan/box_plan.h"

namespace stridecast {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Lt;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

const KernelTable& Kernels() { return *KernelTables().front(); }

// Lines are counted from here; nothing is read.
const std::byte* const kSource = reinterpret_cast<const std::byte*>(4096);

std::vector<int64_t> Lines(const FetchAhead::Runs& runs) {
  FetchAhead ahead(runs, {});
  std::vector<int64_t> lines;
  ahead.ForEach(kAll, [&](const std::byte* at) {
    lines.push_back(
        (reinterpret_cast<intptr_t>(at) - reinterpret_cast<intptr_t>(kSource)) /
        kLine);
  });
  return lines;
}

DimVector WholeBox(const BoxPlan& plan) {
  DimVector extents;
  for (const BoxPlan::Dim& dim : plan.dims) extents.push_back(dim.box);
  return extents;
}

// Of all elements of a box.
std::set<int64_t> LinesOf(const BoxPlan& plan, const DimVector& extents) {
  std::vector<int64_t> places = {0};
  for (size_t d = 0; d < extents.size(); ++d) {
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t i = 0; i < extents[d]; ++i) {
        next.push_back(place + i * plan.dims[d].source_stride);
      }
    }
    places = next;
  }
  std::set<int64_t> lines;
  for (const int64_t place : places) {
    lines.insert(place / kLine);
    lines.insert((place + plan.element_bytes - 1) / kLine);
  }
  return lines;
}

struct Reads {
  std::vector<int64_t> first;
  std::vector<int64_t> other;
};

// Fails if not all lines of the box are asked for, and no others.
Reads ReadsOf(const BoxPlan& plan, const DimVector& extents) {
  const BoxShape shape(plan, Kernels(), extents);
  const Reads reads = {Lines(shape.FirstReads(kSource)),
                       Lines(shape.OtherReads(kSource))};
  std::set<int64_t> lines(reads.first.begin(), reads.first.end());
  lines.insert(reads.other.begin(), reads.other.end());
  EXPECT_EQ(lines, LinesOf(plan, extents));
  return reads;
}

TEST(BoxShapeTest, ReadsColumnsThatFillALineSideBySide) {
  // f32[4096,2048] transposed, by boxes of 128 x 128.
  const auto plan =
      MakeBoxPlan({{2048, {4, 16384}}, {4096, {8192, 4}}}, 4, CacheFit::kNot);
  ASSERT_TRUE(plan);
  ASSERT_THAT(WholeBox(*plan), ElementsAre(128, 128));
  const Reads reads = ReadsOf(*plan, WholeBox(*plan));
  // 384 lines, of three times 16 columns.
  ASSERT_EQ(reads.first.size(), 48 * 8);
  ASSERT_EQ(reads.other.size(), 80 * 8);
  constexpr int64_t kColumn = 8192 / kLine;
  for (int64_t i = 0; i < 48 * 8; ++i) {
    const int64_t column = i / 128 * 16 + i % 64 / 4;
    const int64_t line = i % 128 / 64 * 4 + i % 4;
    ASSERT_EQ(reads.first[static_cast<size_t>(i)], column * kColumn + line);
  }
  EXPECT_EQ(reads.other.front(), 48 * kColumn);
  EXPECT_EQ(reads.other.back(), 127 * kColumn + 7);
}

TEST(BoxShapeTest, ReadsLessAtTheEnds) {
  const auto plan =
      MakeBoxPlan({{600, {1, 20000}}, {20000, {600, 1}}}, 1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  for (const DimVector& extents :
       {WholeBox(*plan), DimVector{7, 88}, DimVector{20, 88}, DimVector{88, 20},
        DimVector{1, 88}, DimVector{88, 1}, DimVector{1, 1}}) {
    ReadsOf(*plan, extents);
  }
}

TEST(BoxShapeTest, ReadsOneMatrixAfterTheOther) {
  // 90 x 300 of each of 40 matrices of u8[100,800], transposed.
  const auto plan =
      MakeBoxPlan({{40, {80000, 27000}}, {90, {800, 1}}, {300, {1, 90}}}, 1,
                  CacheFit::kNot);
  ASSERT_TRUE(plan);
  ASSERT_THAT(WholeBox(*plan), ElementsAre(2, 90, 300));
  const Reads reads = ReadsOf(*plan, WholeBox(*plan));
  constexpr int64_t kSecond = 80000 / kLine;
  EXPECT_THAT(reads.first, Each(Lt(kSecond)));
  EXPECT_LT(reads.other.front(), kSecond);
  EXPECT_TRUE(std::is_partitioned(reads.other.begin(), reads.other.end(),
                                  [](int64_t line) { return line < kSecond; }));
}

TEST(BoxShapeTest, ReadsWhatLiesTogetherByTurns) {
  // u8[64,80,88,365] by 1,0,3,2: two matrices of 88 x 365 a box.
  const auto plan = MakeBoxPlan({{80, {32120, 2055680}},
                                 {64, {2569600, 32120}},
                                 {365, {1, 88}},
                                 {88, {365, 1}}},
                                1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->run_bytes, 2 * 32120);
  const Reads reads = ReadsOf(*plan, WholeBox(*plan));
  EXPECT_TRUE(reads.other.empty());
  constexpr int64_t kSecond = 2569600 / kLine;
  ASSERT_EQ(reads.first.size(), 2 * 502);
  EXPECT_THAT(absl::MakeSpan(reads.first).first(12),
              ElementsAre(0, 1, 2, 3, kSecond, kSecond + 1, kSecond + 2,
                          kSecond + 3, 4, 5, 6, 7));
}

// Matrices of 9 columns that do not follow each other in the box.
TEST(BoxShapeTest, ReadsNarrowColumnsSideBySide) {
  // u8[20,9,100,18,18] by 2,3,0,4,1.
  const auto plan = MakeBoxPlan({{20, {291600, 162}},
                                 {9, {32400, 1}},
                                 {100, {324, 58320}},
                                 {18, {18, 3240}},
                                 {18, {1, 9}}},
                                1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  const Reads reads = ReadsOf(*plan, WholeBox(*plan));
  // 256 bytes of each column, then the next ones of each; copies would take
  // those of all matrices first.
  constexpr int64_t kSecond = 32400 / kLine;
  EXPECT_THAT(absl::MakeSpan(reads.first).first(6),
              ElementsAre(0, 1, 2, 3, kSecond, kSecond + 1));
  EXPECT_THAT(absl::MakeSpan(reads.first).subspan(9 * 4, 4),
              ElementsAre(4, 5, 6, 7));
}

TEST(BoxShapeTest, AsksForAllThatIsCopiedFirst) {
  // u8[600,600,3] by 1,0,2, and 16 bytes.
  const auto pixels = MakeBoxPlan(
      {{600, {3, 1800}}, {600, {1800, 3}}, {3, {1, 1}}}, 1, CacheFit::kNot);
  ASSERT_TRUE(pixels);
  EXPECT_TRUE(ReadsOf(*pixels, WholeBox(*pixels)).other.empty());
  const auto wide =
      MakeBoxPlan({{640, {16, 10240}}, {640, {10240, 16}}}, 16, CacheFit::kNot);
  ASSERT_TRUE(wide);
  EXPECT_TRUE(ReadsOf(*wide, WholeBox(*wide)).other.empty());
}

}  // namespace
}  // namespace stridecast
