// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which values of a block share scratch memory.

#include "core/plan/scratch.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;

// Three steps in a row, each reading what the one before it wrote: two slots
// serve in turn.
TEST(AssignScratchTest, AChainNeedsTwoSlots) {
  const ScratchPlan plan =
      AssignScratch({{0, 1, 256}, {1, 2, 256}, {2, 3, 256}});
  EXPECT_THAT(plan.offsets, ElementsAre(0, 256, 0));
  EXPECT_EQ(plan.size_bytes, 512);
}

struct ScratchCase {
  const char* name;
  std::vector<Lifetime> lifetimes;  // {first step, last step, bytes}
  std::vector<int64_t> offsets;
  int64_t size_bytes;
  int64_t peak_bytes;
};

const ScratchCase kCases[] = {
    {"Nothing", {}, {}, 0, 0},
    {"RoundedTo64", {{0, 1, 1}, {0, 1, 65}}, {0, 64}, 192, 66},
    {"ZeroBytes", {{0, 0, 0}, {0, 0, 64}}, {0, 0}, 64, 64},
    // (R1) free only after the last step that reads it
    {"StillRead", {{0, 2, 64}, {2, 3, 64}}, {0, 64}, 128, 128},
    // (R2) the step that reads it last does not write it
    {"ReadLastByTheWriter", {{0, 1, 64}, {1, 1, 64}}, {0, 64}, 128, 128},
    {"FreeAfterIt", {{0, 1, 64}, {2, 2, 64}}, {0, 0}, 64, 64},
    {"TooSmall", {{0, 0, 64}, {1, 1, 128}}, {0, 64}, 192, 128},
    {"SmallestThatFits",
     {{0, 0, 256}, {0, 0, 128}, {1, 1, 100}, {1, 1, 200}},
     {0, 256, 256, 0},
     384,
     384},
    {"SlotKeepsItsSize",
     {{0, 0, 256}, {1, 1, 64}, {2, 2, 256}},
     {0, 0, 0},
     256,
     256},
};

TEST(AssignScratchTest, GivesTheOffsets) {
  for (const ScratchCase& row : kCases) {
    const ScratchPlan plan = AssignScratch(row.lifetimes);
    EXPECT_EQ(absl::MakeConstSpan(plan.offsets),
              absl::MakeConstSpan(row.offsets))
        << row.name;
    EXPECT_EQ(plan.size_bytes, row.size_bytes) << row.name;
    EXPECT_EQ(PeakBytes(row.lifetimes), row.peak_bytes) << row.name;
  }
}

TEST(AssignScratchPropertyTest, WhatIsAliveTogetherLiesApart) {
  constexpr uint64_t kSeed = 3;
  for (uint64_t run = 0; run < 1000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    std::mt19937_64 random(kSeed + run);
    const auto below = [&](int64_t limit) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
    };
    std::vector<Lifetime> lifetimes(random() % 30);
    for (Lifetime& lifetime : lifetimes) {
      lifetime.first = static_cast<int>(below(12));
      lifetime.last = lifetime.first + static_cast<int>(below(5));
      lifetime.size_bytes = below(300) + 1;
    }
    std::sort(
        lifetimes.begin(), lifetimes.end(),
        [](const Lifetime& a, const Lifetime& b) { return a.first < b.first; });
    const ScratchPlan plan = AssignScratch(lifetimes);
    ASSERT_EQ(plan.offsets.size(), lifetimes.size());
    std::vector<int64_t> alive(20, 0);
    int64_t all_bytes = 0;
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      const Lifetime& mine = lifetimes[a];
      EXPECT_EQ(plan.offsets[a] % 64, 0);
      EXPECT_LE(plan.offsets[a] + mine.size_bytes, plan.size_bytes);
      for (size_t b = 0; b < a; ++b) {
        const Lifetime& other = lifetimes[b];
        const bool together =
            mine.first <= other.last && other.first <= mine.last;
        const bool apart =
            plan.offsets[a] + mine.size_bytes <= plan.offsets[b] ||
            plan.offsets[b] + other.size_bytes <= plan.offsets[a];
        EXPECT_TRUE(apart || !together) << a << " and " << b;
      }
      for (int step = mine.first; step <= mine.last; ++step) {
        alive[step] += mine.size_bytes;
      }
      all_bytes += (mine.size_bytes + 63) / 64 * 64;
    }
    EXPECT_EQ(PeakBytes(lifetimes),
              *std::max_element(alive.begin(), alive.end()));
    EXPECT_LE(plan.size_bytes, all_bytes);
  }
}

}  // namespace
}  // namespace stridecast
