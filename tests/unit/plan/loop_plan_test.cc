// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which loops visit a shape, for strides of one or several tensors.

#include "core/plan/loop_plan.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

struct LoopPlanCase {
  const char* name;
  DimVector extents;
  std::vector<DimVector> byte_strides;  // by tensor, the lead first
  std::vector<Loop> loops;
};

void PrintTo(const LoopPlanCase& row, std::ostream* out) { *out << row.name; }

// A row-major f32 tensor is one run of 60 elements.
TEST(MakeLoopsTest, ADenseTensorIsOneLoop) {
  const std::vector<Loop> loops = MakeLoops({3, 4, 5}, {{80, 20, 4}}, 0);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].extent, 60);
  EXPECT_THAT(loops[0].byte_strides, ::testing::ElementsAre(4));
}

// clang-format off
const LoopPlanCase kCases[] = {
    // name                   extents       byte strides per tensor          loops {extent, strides}
    {"Scalar",                {},           {{}},                            {}},
    {"OneElement",            {1, 1},       {{7, 9}},                        {}},                              // (L1)
    {"OnesAreLeftOut",        {1, 5, 1},    {{99, 4, 0}},                    {{5, {4}}}},                      // (L1)
    {"DenseMergesToOne",      {3, 4, 5},    {{80, 20, 4}},                   {{60, {4}}}},                     // (L2)
    {"MergesAcrossOnes",      {3, 1, 5},    {{20, 7, 4}},                    {{15, {4}}}},
    {"ColumnMajorIsSorted",   {3, 4},       {{4, 12}},                       {{12, {4}}}},                     // (L3)
    {"PaddedRowsStay",        {3, 4},       {{20, 4}},                       {{3, {20}}, {4, {4}}}},
    {"BroadcastRowStays",     {3, 4},       {{16, 4}, {0, 4}},               {{3, {16, 0}}, {4, {4, 4}}}},
    {"BroadcastColumnStays",  {3, 4},       {{16, 4}, {4, 0}},               {{3, {16, 4}}, {4, {4, 0}}}},
    {"ScalarLeafMerges",      {3, 4},       {{16, 4}, {0, 0}},               {{12, {4, 0}}}},
    {"MergesOnlyIfAllDo",     {2, 3, 4},    {{48, 16, 4}, {96, 32, 4}},      {{6, {16, 32}}, {4, {4, 4}}}},
    {"BothDenseMerge",        {2, 3},       {{12, 4}, {24, 8}},              {{6, {4, 8}}}},
    {"TransposedStays",       {3, 4},       {{16, 4}, {4, 12}},              {{3, {16, 4}}, {4, {4, 12}}}},
    {"LeadDecidesTheOrder",   {3, 4},       {{4, 12}, {16, 4}},              {{4, {12, 4}}, {3, {4, 16}}}},
    {"BiasOverChannelsNchw",  {2, 3, 4, 5}, {{240, 80, 20, 4}, {0, 4, 0, 0}}, {{2, {240, 0}}, {3, {80, 4}}, {20, {4, 0}}}},
    {"BiasOverChannelsNhwc",  {2, 4, 5, 3}, {{240, 60, 12, 4}, {0, 0, 0, 4}}, {{40, {12, 0}}, {3, {4, 4}}}},
    {"NhwcFromNchw",          {2, 3, 4, 5}, {{60, 1, 15, 3}, {60, 20, 5, 1}}, {{2, {60, 60}}, {20, {3, 1}}, {3, {1, 20}}}},
    // Negative strides: sorted by size, merged with their sign.
    {"AllReversedMerges",     {3, 4},       {{16, 4}, {-16, -4}},            {{12, {4, -4}}}},
    {"OneReversedStays",      {3, 4},       {{16, 4}, {16, -4}},             {{3, {16, 16}}, {4, {4, -4}}}},
    {"OuterReversedStays",    {3, 4},       {{16, 4}, {-16, 4}},             {{3, {16, -16}}, {4, {4, 4}}}},
    {"NegativesDoNotSink",    {3, 4},       {{-16, 4}},                      {{3, {-16}}, {4, {4}}}},
    {"NegativeLeadSorted",    {3, 4},       {{4, -12}},                      {{4, {-12}}, {3, {4}}}},
    {"NegativeLeadMerges",    {3, 4},       {{-4, -12}},                     {{12, {-4}}}},
    // Ties keep the order of the dimensions.
    {"TiesKeepTheirOrder",    {3, 4, 5},    {{4, 4, 4}, {1, 2, 3}},          {{3, {4, 1}}, {4, {4, 2}}, {5, {4, 3}}}},
    {"TiesOfBothSigns",       {3, 4},       {{-4, 4}},                       {{3, {-4}}, {4, {4}}}},
    {"AllZero",               {3, 4},       {{0, 0}},                        {{12, {0}}}},
    // What overflows does not merge.
    {"HugeReachStays",        {2, 4},       {{16, 4}, {0, int64_t{1} << 62}}, {{2, {16, 0}}, {4, {4, int64_t{1} << 62}}}},
};
// clang-format on

class LoopPlanTest : public ::testing::TestWithParam<LoopPlanCase> {};

TEST_P(LoopPlanTest, MakesTheLoops) {
  const LoopPlanCase& row = GetParam();
  const std::vector<Loop> loops = MakeLoops(row.extents, row.byte_strides, 0);
  ASSERT_EQ(loops.size(), row.loops.size());
  for (size_t k = 0; k < loops.size(); ++k) {
    EXPECT_EQ(loops[k].extent, row.loops[k].extent) << "loop " << k;
    EXPECT_EQ(loops[k].byte_strides, row.loops[k].byte_strides) << "loop " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, LoopPlanTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

TEST(MakeLoopsTest, AnyTensorMayLead) {
  const std::vector<DimVector> strides = {{16, 4}, {4, 12}};
  EXPECT_EQ(MakeLoops({3, 4}, strides, 0)[0].extent, 3);
  EXPECT_EQ(MakeLoops({3, 4}, strides, 1)[0].extent, 4);
}

// How often each tuple of addresses, one per tensor, is visited.
using Visits = std::map<std::vector<int64_t>, int>;

void Visit(const std::vector<Loop>& loops, size_t k,
           const std::vector<int64_t>& at, Visits& visits) {
  if (k == loops.size()) {
    ++visits[at];
    return;
  }
  for (int64_t i = 0; i < loops[k].extent; ++i) {
    std::vector<int64_t> next = at;
    for (size_t t = 0; t < at.size(); ++t) {
      next[t] += i * loops[k].byte_strides[t];
    }
    Visit(loops, k + 1, next, visits);
  }
}

// Strides as layouts have them, sometimes changed to any number.
DimVector RandomStrides(const DimVector& extents, std::mt19937_64& random) {
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  DimVector order(extents.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
  if (below(2) == 0) std::shuffle(order.begin(), order.end(), random);
  DimVector strides(extents.size());
  int64_t stride = 4;
  for (size_t k = order.size(); k-- > 0;) {
    strides[order[k]] = stride;
    stride *= extents[order[k]] + (below(6) == 0 ? 1 : 0);
  }
  for (int64_t& s : strides) {
    if (below(8) == 0) s = 0;
    if (below(8) == 0) s = -s;
    if (below(16) == 0) s = below(9) - 4;
  }
  if (below(8) == 0) {
    for (int64_t& s : strides) s = -s;
  }
  return strides;
}

TEST(MakeLoopsPropertyTest, VisitsEachIndexOnceAndKeepsTheRules) {
  constexpr uint64_t kSeed = 7;
  for (uint64_t run = 0; run < 2000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    std::mt19937_64 random(kSeed + run);
    DimVector extents(random() % 5);
    for (int64_t& extent : extents) {
      extent = static_cast<int64_t>(random() % 4) + 1;
    }
    std::vector<DimVector> strides(random() % 3 + 1);
    for (DimVector& s : strides) s = RandomStrides(extents, random);
    const int lead = static_cast<int>(random() % strides.size());

    std::vector<Loop> dimensions;
    for (size_t d = 0; d < extents.size(); ++d) {
      Loop loop{extents[d], {}};
      for (const DimVector& s : strides) loop.byte_strides.push_back(s[d]);
      dimensions.push_back(loop);
    }
    const std::vector<Loop> loops = MakeLoops(extents, strides, lead);
    Visits expected;
    Visits visits;
    const std::vector<int64_t> origin(strides.size(), 0);
    Visit(dimensions, 0, origin, expected);
    Visit(loops, 0, origin, visits);
    ASSERT_EQ(visits, expected);

    for (size_t k = 0; k < loops.size(); ++k) {
      EXPECT_GT(loops[k].extent, 1);  // (L1)
      if (k == 0) continue;
      const Loop& outer = loops[k - 1];
      const Loop& inner = loops[k];
      bool merges = true;  // (L2)
      for (size_t t = 0; t < strides.size(); ++t) {
        merges &= outer.byte_strides[t] == inner.byte_strides[t] * inner.extent;
      }
      EXPECT_FALSE(merges) << "loops " << k - 1 << " and " << k;
      EXPECT_GE(std::abs(outer.byte_strides[lead]),  // (L3)
                std::abs(inner.byte_strides[lead]));
    }
  }
}

}  // namespace
}  // namespace stridecast
