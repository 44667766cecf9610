// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/kernels/fetch_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  FetchAhead::Rows Rows(int64_t at, const std::vector<int64_t>& offsets) const {
    return {memory_.data() + at, offsets.data(),
            static_cast<int64_t>(offsets.size())};
  }

  // Where the next lines are.
  std::vector<int64_t> Next(FetchAhead& ahead, int64_t num_lines) const {
    std::vector<int64_t> places;
    ahead.ForEach(num_lines, [&](const std::byte* at) {
      places.push_back(at - memory_.data());
    });
    return places;
  }

 private:
  std::vector<std::byte> memory_{20'000};
};

TEST_F(FetchAheadTest, AsksForNothing) {
  FetchAhead nothing;
  EXPECT_THAT(Next(nothing, kAll), IsEmpty());
  FetchAhead no_rows({}, {}, 64, 8);
  EXPECT_THAT(Next(no_rows, kAll), IsEmpty());
}

TEST_F(FetchAheadTest, EndsRowsWithTheLineOfTheirLastByte) {
  const std::vector<int64_t> offsets = {0, 1000};
  FetchAhead line(Rows(0, offsets), {}, 64, 1);
  EXPECT_THAT(Next(line, kAll), ElementsAre(0, 63, 1000, 1063));
  FetchAhead byte(Rows(30, offsets), {}, 1, 1);
  EXPECT_THAT(Next(byte, kAll), ElementsAre(30, 1030));
  FetchAhead more(Rows(0, offsets), {}, 65, 1);
  EXPECT_THAT(Next(more, kAll), ElementsAre(0, 64, 1000, 1064));
}

TEST_F(FetchAheadTest, GoesByPartsOfRowsThenByGroups) {
  const std::vector<int64_t> offsets = {0, 2000, 1000};
  FetchAhead ahead(Rows(0, offsets), {}, 300, 2);
  EXPECT_THAT(Next(ahead, kAll),
              ElementsAre(0, 64, 128, 192, 2000, 2064, 2128, 2192, 256, 299,
                          2256, 2299, 1000, 1064, 1128, 1192, 1256, 1299));
}

TEST_F(FetchAheadTest, GoesOnWhereItHasStopped) {
  const std::vector<int64_t> offsets = {0, 5000, 1000, 2000, 4000};
  const int64_t row_bytes = 700;
  FetchAhead whole(Rows(64, offsets), Rows(9000, offsets), row_bytes, 2);
  const std::vector<int64_t> expected = Next(whole, kAll);
  ASSERT_EQ(expected.size(), 2 * 5 * 12);
  for (const int64_t step : {1, 3, 4, 5, 64}) {
    FetchAhead ahead(Rows(64, offsets), Rows(9000, offsets), row_bytes, 2);
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

TEST_F(FetchAheadTest, TakesTheSecondRowsAfterTheFirst) {
  const std::vector<int64_t> offsets = {0, 100, 200};
  FetchAhead both(Rows(0, offsets), Rows(10'000, offsets), 1, 2);
  EXPECT_THAT(Next(both, 4), ElementsAre(0, 100, 200, 10'000));
  EXPECT_THAT(Next(both, kAll), ElementsAre(10'100, 10'200));
  FetchAhead second({}, Rows(10'000, offsets), 1, 2);
  EXPECT_THAT(Next(second, kAll), ElementsAre(10'000, 10'100, 10'200));
  FetchAhead first(Rows(0, offsets), {nullptr, offsets.data(), 0}, 1, 2);
  EXPECT_THAT(Next(first, kAll), ElementsAre(0, 100, 200));
}

}  // namespace
}  // namespace stridecast
