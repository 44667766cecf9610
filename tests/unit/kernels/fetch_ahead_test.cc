// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/kernels/fetch_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

class FetchAheadTest : public ::testing::Test {
 protected:
  // At `at` + offsets[i]; place 0 begins a line.
  FetchAhead::Runs Runs(int64_t at, const std::vector<int64_t>& offsets,
                        int64_t run_bytes, int64_t side_by_side) const {
    FetchAhead::Runs runs;
    runs.base = memory_.data() + at;
    runs.offsets = offsets.data();
    runs.end = static_cast<int64_t>(offsets.size());
    runs.run_bytes = run_bytes;
    runs.matrix_runs = runs.end;
    runs.side_by_side = side_by_side;
    return runs;
  }

  // Where the next lines are.
  std::vector<int64_t> Next(FetchAhead& ahead, int64_t num_lines) const {
    std::vector<int64_t> places;
    ahead.ForEach(num_lines, [&](const std::byte* at) {
      places.push_back(at - memory_.data());
    });
    return places;
  }

  std::vector<int64_t> All(const FetchAhead::Runs& runs) const {
    FetchAhead ahead(runs, {});
    return Next(ahead, kAll);
  }

 private:
  alignas(kLine) const std::array<std::byte, 20'000> memory_{};
};

TEST_F(FetchAheadTest, AsksForNothing) { EXPECT_THAT(All({}), IsEmpty()); }

TEST_F(FetchAheadTest, AsksOnceForEachLineThatARunHasAPartOf) {
  const std::vector<int64_t> one = {0};
  EXPECT_THAT(All(Runs(0, one, 1, 1)), ElementsAre(0));
  EXPECT_THAT(All(Runs(0, one, 64, 1)), ElementsAre(0));
  EXPECT_THAT(All(Runs(0, one, 65, 1)), ElementsAre(0, 64));
  EXPECT_THAT(All(Runs(63, one, 1, 1)), ElementsAre(63));
  EXPECT_THAT(All(Runs(63, one, 2, 1)), ElementsAre(63, 64));
  EXPECT_THAT(All(Runs(1, one, 64, 1)), ElementsAre(1, 64));
  EXPECT_THAT(All(Runs(63, one, 66, 1)), ElementsAre(63, 127, 128));
  EXPECT_THAT(All(Runs(0, one, 256, 1)), ElementsAre(0, 64, 128, 192));
  EXPECT_THAT(All(Runs(8, one, 256, 1)), ElementsAre(8, 72, 136, 200, 263));
  EXPECT_THAT(All(Runs(0, one, 257, 1)), ElementsAre(0, 64, 128, 192, 256));
}

TEST_F(FetchAheadTest, TakesPartsOfRunsSideBySide) {
  const std::vector<int64_t> offsets = {0, 2000, 1000};
  EXPECT_THAT(All(Runs(64, offsets, 300, 2)),
              ElementsAre(64, 128, 192, 256, 2064, 2128, 2192, 2256,  //
                          320, 2320,                                  //
                          1064, 1128, 1192, 1256, 1320, 1363));
  EXPECT_THAT(All(Runs(0, offsets, 300, 8)),
              ElementsAre(0, 64, 128, 192, 2000, 2064, 2128, 2192,  //
                          1000, 1064, 1128, 1192,                   //
                          256, 2256, 1256, 1299));
}

TEST_F(FetchAheadTest, TakesOneMatrixAfterTheOther) {
  const std::vector<int64_t> offsets = {0, 512, 1024, 4096, 4608, 5120};
  FetchAhead::Runs runs = Runs(0, offsets, 257, 2);
  runs.matrix_runs = 3;
  runs.begin = 1;
  EXPECT_THAT(All(runs),
              ElementsAre(512, 576, 640, 704, 1024, 1088, 1152, 1216,      //
                          768, 1280,                                       //
                          4096, 4160, 4224, 4288, 4608, 4672, 4736, 4800,  //
                          4352, 4864,                                      //
                          5120, 5184, 5248, 5312, 5376));
  runs.begin = 2;
  runs.end = 4;
  EXPECT_THAT(All(runs), ElementsAre(1024, 1088, 1152, 1216, 1280,  //
                                     4096, 4160, 4224, 4288, 4352));
}

TEST_F(FetchAheadTest, TakesOtherRunsThen) {
  const std::vector<int64_t> offsets = {0, 512, 1024};
  FetchAhead both(Runs(0, offsets, 1, 2), Runs(4096, offsets, 320, 1));
  EXPECT_THAT(Next(both, 2), ElementsAre(0, 512));
  EXPECT_THAT(Next(both, 3), ElementsAre(1024, 4096, 4160));
  EXPECT_THAT(Next(both, 5), ElementsAre(4224, 4288, 4352, 4608, 4672));
  EXPECT_THAT(Next(both, kAll),
              ElementsAre(4736, 4800, 4864, 5120, 5184, 5248, 5312, 5376));
  EXPECT_THAT(Next(both, kAll), IsEmpty());
  FetchAhead second({}, Runs(4096, offsets, 1, 2));
  EXPECT_THAT(Next(second, kAll), ElementsAre(4096, 4608, 5120));
}

TEST_F(FetchAheadTest, GoesOnWhereItHasStopped) {
  const std::vector<int64_t> offsets = {0, 5000, 1000, 2000, 4000};
  const FetchAhead::Runs first = Runs(8, offsets, 700, 2);
  const FetchAhead::Runs then = Runs(9000, offsets, 300, 3);
  std::vector<int64_t> expected = All(first);
  const std::vector<int64_t> more = All(then);
  expected.insert(expected.end(), more.begin(), more.end());
  ASSERT_GT(expected.size(), 5 * (11 + 5));
  for (const int64_t step : {1, 3, 4, 5, 64}) {
    FetchAhead ahead(first, then);
    std::vector<int64_t> places;
    for (;;) {
      const std::vector<int64_t> next = Next(ahead, step);
      if (next.empty()) break;
      ASSERT_LE(next.size(), static_cast<size_t>(step));
      places.insert(places.end(), next.begin(), next.end());
    }
    EXPECT_EQ(places, expected) << step;
  }
}

TEST(LinesOfRunTest, IsTheMostOfAnyPlace) {
  EXPECT_EQ(LinesOfRun(1), 1);
  EXPECT_EQ(LinesOfRun(2), 2);
  EXPECT_EQ(LinesOfRun(65), 2);
  EXPECT_EQ(LinesOfRun(66), 3);
}

}  // namespace
}  // namespace stridecast
