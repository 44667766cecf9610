// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/box_fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

struct Dimension {
  int64_t extent;
  int64_t stride;
};

// First and last bytes of the runs that are asked for.
std::vector<std::pair<int64_t, int64_t>> Runs(
    int64_t element_bytes, const std::vector<Dimension>& dimensions) {
  BoxFetch fetch(element_bytes);
  for (const Dimension& dimension : dimensions) {
    fetch.AddDimension(dimension.extent, dimension.stride);
  }
  std::vector<std::pair<int64_t, int64_t>> runs;
  fetch.ForEachRun(
      [&](int64_t first, int64_t last) { runs.emplace_back(first, last); });
  return runs;
}

TEST(BoxFetchTest, LeavesOneRunToTheCpu) {
  EXPECT_THAT(Runs(4, {{1000, 4}}), IsEmpty());
  EXPECT_THAT(Runs(4, {{10, 400}, {100, 4}}), IsEmpty());
  EXPECT_THAT(Runs(4, {{1000, -4}}), IsEmpty());
  EXPECT_THAT(Runs(4, {{5, 0}, {1, 777}, {1000, 4}}), IsEmpty());
}

TEST(BoxFetchTest, AsksForEachRow) {
  EXPECT_THAT(Runs(4, {{3, 1000}, {100, 4}}),
              ElementsAre(Pair(0, 399), Pair(1000, 1399), Pair(2000, 2399)));
  EXPECT_THAT(Runs(2, {{2, 5000}, {2, 1000}, {100, 2}}),
              ElementsAre(Pair(0, 199), Pair(1000, 1199), Pair(5000, 5199),
                          Pair(6000, 6199)));
}

TEST(BoxFetchTest, DimensionsComeInAnyOrder) {
  EXPECT_THAT(Runs(4, {{10, 4}, {3, 1000}, {10, 40}}),
              ElementsAre(Pair(0, 399), Pair(1000, 1399), Pair(2000, 2399)));
}

TEST(BoxFetchTest, RunsBackwardsAreRunsToo) {
  EXPECT_THAT(Runs(4, {{2, 1000}, {100, -4}}),
              ElementsAre(Pair(-396, 3), Pair(604, 1003)));
  EXPECT_THAT(Runs(4, {{2, -1000}, {100, 4}}),
              ElementsAre(Pair(-1000, -601), Pair(0, 399)));
  // Pixels of three channels, mirrored.
  EXPECT_THAT(Runs(1, {{2, 1000}, {100, -3}, {3, 1}}),
              ElementsAre(Pair(-297, 2), Pair(703, 1002)));
}

TEST(BoxFetchTest, ARunLeavesOutNoLine) {
  EXPECT_THAT(Runs(4, {{2, 2000}, {100, 8}}),
              ElementsAre(Pair(0, 795), Pair(2000, 2795)));
  // 63 bytes between rows, and 64.
  EXPECT_THAT(Runs(1, {{3, 263}, {200, 1}}), IsEmpty());
  EXPECT_THAT(Runs(1, {{3, 264}, {200, 1}}), SizeIs(3));
  // Rows that overlap.
  EXPECT_THAT(Runs(4, {{2, 5000}, {3, 100}, {100, 4}}),
              ElementsAre(Pair(0, 599), Pair(5000, 5599)));
}

TEST(BoxFetchTest, LargeBoxesOnlyIfScattered) {
  EXPECT_THAT(Runs(4, {{200, 1000}, {100, 4}}), IsEmpty());
  EXPECT_THAT(Runs(4, {{200, 4096}, {100, 4}}), SizeIs(200));
  EXPECT_THAT(Runs(4, {{200, -4096}, {100, -4}}), SizeIs(200));
}

}  // namespace
}  // namespace stridecast
