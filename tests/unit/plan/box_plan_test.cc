// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/box_plan.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> Boxes(const BoxPlan& plan) {
  std::vector<int64_t> boxes;
  for (const BoxPlan::Dim& dim : plan.dims) boxes.push_back(dim.box);
  return boxes;
}

std::vector<int64_t> Tiles(const BoxPlan& plan) {
  std::vector<int64_t> tiles;
  for (const BoxPlan::Dim& dim : plan.dims) tiles.push_back(dim.tile);
  return tiles;
}

// Loops of {source, result} strides in bytes: u8[8192,4096] transposed.
TEST(BoxPlanTest, AMatrixIsCutIntoSquares) {
  const auto plan =
      MakeBoxPlan({{4096, {1, 8192}}, {8192, {4096, 1}}}, 1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  // The source's dense dimension is the last.
  EXPECT_EQ(plan->dims[1].extent, 4096);
  EXPECT_THAT(Boxes(*plan), ElementsAre(256, 256));
  EXPECT_EQ(plan->run_bytes, 256);
  EXPECT_EQ(plan->num_runs, 256);
  EXPECT_EQ(plan->joined, 0);
  // 1 KiB of the source; 2 MiB in all.
  EXPECT_THAT(Tiles(*plan), ElementsAre(2048, 1024));
  EXPECT_EQ(plan->num_tiles(), 4 * 4);
  EXPECT_EQ(plan->num_boxes_between(), 4);
}

// f64[37,1000000] transposed: rows of the result are whole, and follow each
// other.
TEST(BoxPlanTest, RunsGoOnOverWholeRows) {
  const auto plan =
      MakeBoxPlan({{1000000, {8, 296}}, {37, {8000000, 8}}}, 8, CacheFit::kNot);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->dims[0].extent, 37);
  EXPECT_EQ(plan->dims[0].box, 37);
  EXPECT_EQ(plan->run_bytes, 37 * 8 * plan->dims[1].box);
  EXPECT_EQ(plan->num_runs, 1);
  EXPECT_EQ(plan->joined, 1);
  // Tiles of 2 MiB, though more than 1 KiB of the source is in a box.
  EXPECT_EQ(plan->dims[1].tile / plan->dims[1].box,
            (2 << 20) / (37 * 8 * plan->dims[1].box));
  EXPECT_EQ(plan->num_boxes_between(), 1);
}

// u8[18,82,18,19,18,18] by 2,0,4,1,5,3: the source is read along dimensions 5,
// 4 and 3, the result written along 3, 5 and 1.
TEST(BoxPlanTest, ShortExtentsAreTakenTogether) {
  const auto plan = MakeBoxPlan({{18, {6156, 9086256}},
                                 {18, {9086256, 504792}},
                                 {18, {18, 28044}},
                                 {82, {110808, 342}},
                                 {18, {1, 19}},
                                 {19, {324, 1}}},
                                1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  // Dimensions 0, 1, 2, 3, 4, 5.
  EXPECT_THAT(Boxes(*plan), ElementsAre(1, 10, 1, 19, 18, 18));
  EXPECT_EQ(plan->run_bytes, 19 * 18 * 10);
  EXPECT_EQ(plan->num_runs, 18);
  EXPECT_EQ(plan->joined, 1);
}

// u8[18,82,18,19,18,18] by 5,4,3,2,1,0: a tile's 1 KiB of the source goes along
// all of dimensions 5 and 4, then along 3.
TEST(BoxPlanTest, TilesGoAlongAllThatFollowsInTheSource) {
  const auto plan = MakeBoxPlan({{18, {18, 504792}},
                                 {19, {324, 26568}},
                                 {18, {6156, 1476}},
                                 {82, {110808, 18}},
                                 {18, {1, 9086256}},
                                 {18, {9086256, 1}}},
                                1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  EXPECT_THAT(Boxes(*plan), ElementsAre(18, 14, 1, 1, 9, 18));
  EXPECT_THAT(Tiles(*plan), ElementsAre(18, 82, 1, 4, 18, 18));
}

TEST(BoxPlanTest, BoxesAreOfOneSizeAndTilesOfWholeBoxes) {
  for (const int64_t rows : {100, 1000, 1441, 5000}) {
    for (const int64_t cols : {100, 340, 2115}) {
      const auto plan = MakeBoxPlan({{7, {2 * rows * cols, 2 * rows * cols}},
                                     {rows, {2, 2 * cols}},
                                     {cols, {2 * rows, 2}}},
                                    2, CacheFit::kNot);
      ASSERT_TRUE(plan) << rows << " x " << cols;
      int64_t bytes = 2;
      int64_t tiles = 1;
      for (const BoxPlan::Dim& dim : plan->dims) {
        bytes *= dim.box;
        tiles *= (dim.extent + dim.tile - 1) / dim.tile;
        EXPECT_TRUE(dim.tile == dim.extent || dim.tile % dim.box == 0);
        // What is left at the end of few boxes is no sliver.
        const int64_t last = (dim.extent - 1) % dim.box + 1;
        EXPECT_TRUE(dim.extent >= 16 * dim.box || 4 * last >= dim.box)
            << rows << " x " << cols;
      }
      EXPECT_LE(bytes, 65536);
      EXPECT_EQ(plan->num_tiles(), tiles);
      EXPECT_GE(tiles, rows * cols > 100000 ? 7 : 1);
    }
  }
}

// u8[2,3,4,5,6,1000] by 5,3,1,4,2,0: of the result's 720 elements that follow
// each other, 2 do first.
TEST(BoxPlanTest, ManyShortLoopsAreNoPlanes) {
  const auto plan = MakeBoxPlan({{1000, {1, 720}},
                                 {5, {6000, 144}},
                                 {3, {120000, 48}},
                                 {6, {1000, 8}},
                                 {4, {30000, 2}},
                                 {2, {360000, 1}}},
                                1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->run_bytes, 144);
}

// u8[6000,6000,3] by 1,0,2.
TEST(BoxPlanTest, PixelsArePlannedAsElements) {
  const std::vector<Loop> loops = {
      {6000, {3, 18000}}, {6000, {18000, 3}}, {3, {1, 1}}};
  const auto plan = MakeBoxPlan(loops, 1, CacheFit::kNot);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->element_bytes, 1);
  EXPECT_THAT(Boxes(*plan), ElementsAre(168, 126, 3));
  EXPECT_EQ(plan->run_bytes, 168 * 3);
  EXPECT_EQ(plan->num_runs, 126);
  EXPECT_EQ(plan->joined, 0);
  EXPECT_EQ(plan->dims[2].tile, 3);
  // f32[600,600,4] and of 5 channels: 16 bytes are the most.
  EXPECT_TRUE(MakeBoxPlan({{600, {16, 9600}}, {600, {9600, 16}}, {4, {4, 4}}},
                          4, CacheFit::kNot));
  EXPECT_FALSE(
      MakeBoxPlan({{600, {20, 12000}}, {600, {12000, 20}}, {5, {4, 4}}}, 4,
                  CacheFit::kNot));
}

TEST(BoxPlanTest, NothingIsJoinedWithinTheCaches) {
  const auto plan =
      MakeBoxPlan({{1024, {1, 4096}}, {4096, {1024, 1}}}, 1, CacheFit::kFits);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->joined, -1);
  EXPECT_EQ(plan->num_boxes_between(), 0);
}

TEST(BoxPlanTest, NoneWhereBlocksDoBetter) {
  // Both dense along the same loop.
  EXPECT_FALSE(
      MakeBoxPlan({{500, {40, 8000}}, {2000, {4, 4}}}, 4, CacheFit::kNot));
  // Interleaved planes, on either side.
  EXPECT_FALSE(
      MakeBoxPlan({{15, {4, 8000}}, {2000, {60, 4}}}, 4, CacheFit::kNot));
  EXPECT_FALSE(
      MakeBoxPlan({{2000, {4, 32}}, {8, {8000, 4}}}, 4, CacheFit::kNot));
  EXPECT_TRUE(
      MakeBoxPlan({{2000, {4, 36}}, {9, {8000, 4}}}, 4, CacheFit::kNot));
  // No loop is dense in the source.
  EXPECT_FALSE(
      MakeBoxPlan({{300, {8, 2000}}, {500, {2400, 4}}}, 4, CacheFit::kNot));
  // A result that stays in the caches, and whose rows do not share their sets,
  // as every 2 KiB do.
  EXPECT_TRUE(
      MakeBoxPlan({{1024, {1, 2048}}, {2048, {1024, 1}}}, 1, CacheFit::kFits));
  EXPECT_FALSE(
      MakeBoxPlan({{1024, {1, 4000}}, {4000, {1024, 1}}}, 1, CacheFit::kFits));
}

// Reversed, f32: what blocks transpose at once is a square of one dimension
// each.
TEST(BoxPlanTest, ShortSquaresGoByBoxesWithinTheCaches) {
  const auto reversed = [](int64_t a, int64_t b, int64_t c) {
    return MakeBoxPlan(
        {{c, {4, 4 * a * b}}, {b, {4 * c, 4 * a}}, {a, {4 * b * c, 4}}}, 4,
        CacheFit::kFits);
  };
  const auto plan = reversed(36, 29, 35);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->past_cache);
  EXPECT_FALSE(reversed(37, 29, 35));  // 148 bytes
  EXPECT_FALSE(reversed(36, 29, 37));
  EXPECT_FALSE(reversed(36, 12, 35));  // a single box holds all
  // More on one side alone: of the source, of the result.
  EXPECT_TRUE(MakeBoxPlan(
      {{35, {4, 144}}, {5, {140, 5040}}, {36, {700, 4}}, {99, {25200, 25200}}},
      4, CacheFit::kFits));
  EXPECT_TRUE(MakeBoxPlan(
      {{35, {4, 720}}, {36, {140, 4}}, {5, {5040, 144}}, {99, {25200, 25200}}},
      4, CacheFit::kFits));
  // Nothing but the square.
  EXPECT_FALSE(MakeBoxPlan({{35, {4, 144}}, {36, {140, 4}}, {99, {5040, 5040}}},
                           4, CacheFit::kFits));
}

// Of the result 63 or 64 bytes follow each other, and then more.
TEST(BoxPlanTest, PartsOfLinesGoByBoxesWithinTheCaches) {
  const auto by_0_3_2_1 = [](int64_t cols, CacheFit fit) {
    return MakeBoxPlan({{500, {1, 9 * cols}},
                        {9, {500, cols}},
                        {cols, {4500, 1}},
                        {7, {4500 * cols, 4500 * cols}}},
                       1, fit);
  };
  const auto plan = by_0_3_2_1(63, CacheFit::kFits);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->past_cache);
  EXPECT_FALSE(by_0_3_2_1(64, CacheFit::kFits));
  // Of what barely fits its rows of 567 bytes go past them.
  ASSERT_TRUE(by_0_3_2_1(63, CacheFit::kBarely));
  EXPECT_TRUE(by_0_3_2_1(63, CacheFit::kBarely)->past_cache);
  // No more before the source's row.
  EXPECT_FALSE(
      MakeBoxPlan({{500, {1, 40}}, {40, {500, 1}}, {99, {20000, 20000}}}, 1,
                  CacheFit::kFits));
}

// Matrices of u8, rows of the result 2, 4 and 6 KiB apart.
TEST(BoxPlanTest, WithinTheCachesOnlyRowsThatShareTheirSetsAreStaged) {
  const auto staged = [](int64_t rows, int64_t cols, CacheFit fit) {
    return MakeBoxPlan({{rows, {1, cols}}, {cols, {rows, 1}}}, 1, fit)
        .value()
        .staged;
  };
  EXPECT_FALSE(staged(1000, 2048, CacheFit::kFits));
  EXPECT_TRUE(staged(1000, 4096, CacheFit::kFits));
  EXPECT_FALSE(staged(1000, 6144, CacheFit::kFits));
  EXPECT_FALSE(staged(16, 4096, CacheFit::kFits));
  EXPECT_TRUE(staged(17, 4096, CacheFit::kFits));
  // u8[4096,10,10] by 2,1,0: a hundred rows along two dimensions.
  EXPECT_TRUE(
      MakeBoxPlan({{4096, {100, 1}}, {10, {10, 4096}}, {10, {1, 40960}}}, 1,
                  CacheFit::kFits)
          .value()
          .staged);
  EXPECT_TRUE(staged(1000, 2048, CacheFit::kBarely));
  EXPECT_TRUE(staged(1000, 2048, CacheFit::kNot));
}

// A matrix of u8, and rows of 768 bytes or less.
TEST(BoxPlanTest, WhatBarelyFitsIsWrittenPastTheCachesInLongRows) {
  const auto transposed = [](int64_t cols, CacheFit fit) {
    return MakeBoxPlan({{3001, {1, cols}}, {cols, {3001, 1}}}, 1, fit);
  };
  ASSERT_TRUE(transposed(768, CacheFit::kBarely));
  EXPECT_TRUE(transposed(768, CacheFit::kBarely)->past_cache);
  EXPECT_FALSE(transposed(767, CacheFit::kBarely));
  EXPECT_FALSE(transposed(768, CacheFit::kFits));
  EXPECT_TRUE(transposed(767, CacheFit::kNot));
}

}  // namespace
}  // namespace stridecast
