// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/strip_plan.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;

constexpr bool kPastCache = true;

std::vector<int64_t> Extents(const LoopGroup& group) {
  std::vector<int64_t> extents;
  for (const LoopGroup::Part& part : group.parts) {
    extents.push_back(part.extent);
  }
  return extents;
}

// Loops of f32 with strides {source, result} in bytes.
TEST(StripPlanTest, MatrixOfTwoLoops) {
  const auto plan =
      MakeStripPlan({{300, {4, 1984}}, {496, {1200, 4}}}, 4, kPastCache);
  ASSERT_TRUE(plan);
  EXPECT_THAT(Extents(plan->rows), ElementsAre(300));
  EXPECT_THAT(Extents(plan->cols), ElementsAre(496));
  EXPECT_THAT(Extents(plan->outer), ElementsAre());
  EXPECT_EQ(plan->rows.parts[0].result_stride, 1984);
  EXPECT_EQ(plan->cols.parts[0].source_stride, 1200);
  EXPECT_TRUE(plan->past_cache);
}

// [20,12,40,50] reversed: 50 and 40 follow each other in the source, 20 and 12
// in the result.
TEST(StripPlanTest, GroupsOfLoops) {
  const auto plan = MakeStripPlan(
      {{50, {4, 38400}}, {40, {200, 960}}, {12, {8000, 80}}, {20, {96000, 4}}},
      4, kPastCache);
  ASSERT_TRUE(plan);
  EXPECT_THAT(Extents(plan->rows), ElementsAre(40, 50));
  EXPECT_THAT(Extents(plan->cols), ElementsAre(12, 20));
  EXPECT_THAT(Extents(plan->outer), ElementsAre());
}

// A gap after every source row of 60: the group ends there.
TEST(StripPlanTest, GapsEndGroups) {
  const auto plan = MakeStripPlan({{7, {1 << 20, 1 << 20}},
                                   {60, {4, 41600}},
                                   {50, {256, 832}},
                                   {200, {12800, 4}}},
                                  4, kPastCache);
  ASSERT_TRUE(plan);
  EXPECT_THAT(Extents(plan->rows), ElementsAre(60));
  EXPECT_THAT(Extents(plan->cols), ElementsAre(200));
  EXPECT_THAT(Extents(plan->outer), ElementsAre(7, 50));
}

TEST(StripPlanTest, TilesCoverTheMatrix) {
  const auto plan = MakeStripPlan(
      {{3, {40000000, 40000000}}, {5000, {4, 8000}}, {2000, {20000, 4}}}, 4,
      kPastCache);
  ASSERT_TRUE(plan);
  const int64_t down = (5000 + plan->tile_rows - 1) / plan->tile_rows;
  const int64_t across = (2000 + plan->tile_cols - 1) / plan->tile_cols;
  EXPECT_EQ(plan->num_tiles(), 3 * down * across);
  EXPECT_GT(plan->num_tiles(), 15);
  // Whole lines of the result.
  EXPECT_TRUE(plan->tile_cols % 16 == 0 || plan->tile_cols == 2000);
}

TEST(StripPlanTest, SmallMatricesShareATile) {
  const auto plan = MakeStripPlan(
      {{5000, {20480, 20480}}, {32, {4, 640}}, {160, {128, 4}}}, 4, kPastCache);
  ASSERT_TRUE(plan);
  EXPECT_THAT(Extents(plan->outer), ElementsAre(5000));
  EXPECT_GT(plan->tile_matrices, 20);
  EXPECT_EQ(plan->num_tiles(),
            (5000 + plan->tile_matrices - 1) / plan->tile_matrices);
}

TEST(StripPlanTest, NoneWhereOthersDoBetter) {
  // Both dense along the same loop.
  EXPECT_FALSE(
      MakeStripPlan({{500, {40, 8000}}, {2000, {4, 4}}}, 4, kPastCache));
  // Three interleaved planes.
  EXPECT_FALSE(MakeStripPlan({{3, {4, 8000}}, {2000, {12, 4}}}, 4, kPastCache));
  // Rows of the result of less than 512 bytes, with something between them or
  // without.
  EXPECT_FALSE(
      MakeStripPlan({{2000, {4, 500}}, {100, {8000, 4}}}, 4, kPastCache));
  EXPECT_FALSE(
      MakeStripPlan({{2000, {4, 400}}, {100, {8000, 4}}}, 4, kPastCache));
  // No loop is dense in the source.
  EXPECT_FALSE(
      MakeStripPlan({{300, {8, 2000}}, {500, {2400, 4}}}, 4, kPastCache));
  // Elements of 1, 2 and 16 bytes.
  EXPECT_FALSE(
      MakeStripPlan({{300, {1, 1984}}, {1984, {300, 1}}}, 1, kPastCache));
  EXPECT_FALSE(
      MakeStripPlan({{300, {2, 1984}}, {992, {600, 2}}}, 2, kPastCache));
  EXPECT_FALSE(
      MakeStripPlan({{300, {16, 8000}}, {500, {4800, 16}}}, 16, kPastCache));
  // Rows of the result that do not begin with lines, or are a multiple of 2 KiB
  // and more than 8 KiB apart.
  EXPECT_FALSE(
      MakeStripPlan({{300, {4, 2000}}, {500, {1200, 4}}}, 4, kPastCache));
  EXPECT_FALSE(
      MakeStripPlan({{300, {4, 10240}}, {2560, {1200, 4}}}, 4, kPastCache));
  EXPECT_TRUE(
      MakeStripPlan({{300, {4, 8192}}, {2048, {1200, 4}}}, 4, kPastCache));
  EXPECT_TRUE(
      MakeStripPlan({{300, {4, 2048}}, {512, {1200, 4}}}, 4, kPastCache));
  // A result that stays in a cache, unless its rows are 4 KiB apart and it has
  // at most 4 MiB.
  EXPECT_FALSE(
      MakeStripPlan({{1024, {4, 4000}}, {1000, {4096, 4}}}, 4, !kPastCache));
  EXPECT_TRUE(
      MakeStripPlan({{1024, {4, 4096}}, {1024, {4096, 4}}}, 4, !kPastCache));
  EXPECT_FALSE(
      MakeStripPlan({{1025, {4, 4096}}, {1024, {4100, 4}}}, 4, !kPastCache));
  // Less than a line of it follows each other before the next rows do.
  EXPECT_TRUE(MakeStripPlan({{100, {4, 720}}, {9, {8000, 4}}, {20, {400, 36}}},
                            4, !kPastCache));
  EXPECT_FALSE(MakeStripPlan(
      {{100, {4, 1280}}, {16, {8000, 4}}, {20, {400, 64}}}, 4, !kPastCache));
  // Few rows of such a result.
  EXPECT_FALSE(
      MakeStripPlan({{20, {4, 4096}}, {1024, {80, 4}}}, 4, !kPastCache));
  EXPECT_TRUE(MakeStripPlan({{20, {4, 1984}}, {496, {80, 4}}}, 4, kPastCache));
}

}  // namespace
}  // namespace stridecast
