// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How the loops of a pass are cut into blocks and tiles. In all tables the
// tensors are the leaves, then the result, which leads.

#include "core/plan/tiling.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;

// f32 NCHW of 64 channels to NHWC. The result is written along its channels and
// the operand read along its pixels, so a block is a square of both.
TEST(MakeTilingTest, ABlockOfATransposeIsASquare) {
  TilingInput input;
  input.loops = {{8, {802816, 802816}},  // images
                 {3136, {4, 256}},       // pixels
                 {64, {12544, 4}}};      // channels
  input.element_bytes = {4, 4};
  input.lead = 1;
  input.block_elements = 1024;
  input.tile_elements = 100000;
  const Tiling tiling = MakeTiling(input);
  EXPECT_THAT(tiling.block_extents, ElementsAre(1, 32, 32));
  EXPECT_THAT(tiling.tile_extents, ElementsAre(1, 1568, 64));
  EXPECT_FALSE(tiling.flat);
  EXPECT_EQ(tiling.block_elements(), 1024);
}

struct TilingCase {
  const char* name;
  std::vector<Loop> loops;
  std::vector<int64_t> element_bytes;
  DimVector order;  // of the loops, by their place above
  DimVector block;
  DimVector tile;
  bool flat;
};

void PrintTo(const TilingCase& row, std::ostream* out) { *out << row.name; }

// Blocks of 1024 elements, tiles of 100000.
// clang-format off
const TilingCase kCases[] = {
    {"Scalar",      {},                                   {4, 4}, {},  {},     {},       true},
    {"Short",       {{60, {4, 4}}},                       {4, 4}, {0}, {60},   {60},     true},
    {"OneBlock",    {{1024, {4, 4}}},                     {4, 4}, {0}, {1024}, {1024},   false},
    {"Dense",       {{1000000, {4, 4}}},                  {4, 4}, {0}, {1024}, {100352}, true},
    {"Reversed",    {{1000000, {-4, 4}}},                 {4, 4}, {0}, {1024}, {100352}, true},
    {"Strided",     {{1000000, {8, 4}}},                  {4, 4}, {0}, {1024}, {100352}, true},
    // If nothing else is said, rows of at least 64 elements are walked row by row,
    // shorter ones joined.
    {"PaddedRows",  {{1000, {512, 400}}, {100, {4, 4}}},  {4, 4}, {0, 1}, {10, 100},  {1000, 100}, false},
    {"RowsOf64",    {{9999, {512, 256}}, {64, {4, 4}}},   {4, 4}, {0, 1}, {16, 64},   {1568, 64},  false},
    {"RowsOf63",    {{9999, {512, 252}}, {63, {4, 4}}},   {4, 4}, {0, 1}, {16, 63},   {1600, 63},  true},
    {"LongRows",    {{1000, {9000, 8000}}, {2000, {4, 4}}}, {4, 4}, {0, 1}, {1, 1024}, {50, 2000}, true},
    {"ShortRows",   {{100, {24, 20}}, {5, {4, 4}}},       {4, 4}, {0, 1}, {100, 5},   {100, 5},    true},
    {"ThreeShort",  {{99, {999, 120}}, {6, {99, 20}}, {5, {4, 4}}}, {4, 4}, {0, 1, 2}, {34, 6, 5}, {99, 6, 5}, true},
    // A result with gaps between its elements.
    {"StridedResult", {{1000000, {4, 8}}},                {4, 4}, {0}, {1024}, {100352}, true},
    // A row vector over dense rows, and over short ones.
    {"BiasNhwc64",  {{25088, {256, 0, 256}}, {64, {4, 4, 4}}}, {4, 4, 4}, {0, 1}, {16, 64}, {1568, 64},  false},
    {"BiasNhwc3",   {{50176, {12, 0, 12}}, {3, {4, 4, 4}}},    {4, 4, 4}, {0, 1}, {341, 3}, {33418, 3},  true},
    // One number per row: no reason to transpose.
    {"BiasNchw",    {{8, {50176, 0, 50176}}, {64, {784, 4, 784}}, {196, {4, 0, 4}}},
                    {4, 4, 4}, {0, 1, 2}, {1, 5, 196}, {7, 64, 196}, false},
    // Layout changes.
    {"NchwToNhwc3", {{32, {602112, 602112}}, {50176, {4, 12}}, {3, {200704, 4}}},
                    {4, 4}, {0, 1, 2}, {1, 341, 3}, {1, 33418, 3}, true},
    {"NhwcToNchw3", {{32, {602112, 602112}}, {3, {4, 200704}}, {50176, {12, 4}}},
                    {4, 4}, {0, 1, 2}, {1, 3, 320}, {1, 3, 33600}, false},
    {"NhwcToNchw64", {{8, {802816, 802816}}, {64, {4, 12544}}, {3136, {256, 4}}},
                    {4, 4}, {0, 1, 2}, {1, 32, 32}, {1, 32, 3136}, false},
    // (T1) the loop of the dense leaf moves next to the innermost.
    {"AllReversed", {{10, {4, 4000}}, {11, {40, 400}}, {100, {440, 4}}},
                    {4, 4}, {1, 0, 2}, {1, 10, 100}, {11, 10, 100}, false},
    {"SumWithTranspose", {{4096, {16384, 4, 16384}}, {4096, {4, 16384, 4}}},
                    {4, 4, 4}, {0, 1}, {32, 32}, {32, 3136}, false},
    // Of two dense leaves that want different loops, the larger one decides.
    {"LargerLeafDecides", {{20, {0, 4, 40000}}, {30, {4, 80, 4000}}, {100, {120, 2400, 4}}},
                    {4, 4, 4}, {1, 0, 2}, {1, 20, 51}, {30, 20, 100}, false},
};
// clang-format on

class TilingTest : public ::testing::TestWithParam<TilingCase> {};

TEST_P(TilingTest, CutsTheLoops) {
  const TilingCase& row = GetParam();
  TilingInput input;
  input.loops = row.loops;
  input.element_bytes.assign(row.element_bytes.begin(),
                             row.element_bytes.end());
  input.lead = static_cast<int>(row.element_bytes.size()) - 1;
  input.block_elements = 1024;
  input.tile_elements = 100000;
  const Tiling tiling = MakeTiling(input);
  ASSERT_EQ(tiling.loops.size(), row.order.size());
  for (size_t k = 0; k < row.order.size(); ++k) {
    const Loop& expected = row.loops[row.order[k]];
    EXPECT_EQ(tiling.loops[k].extent, expected.extent);
    EXPECT_EQ(tiling.loops[k].byte_strides, expected.byte_strides);
  }
  EXPECT_EQ(tiling.block_extents, row.block);
  EXPECT_EQ(tiling.tile_extents, row.tile);
  EXPECT_EQ(tiling.flat, row.flat);
}

INSTANTIATE_TEST_SUITE_P(Rows, TilingTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// f32 [num_rows, num_cols], its rows `row_stride` bytes apart, and a tensor of
// one row for all: whether rows of 20 elements, or 200 if no others have gaps,
// are long enough to be walked one by one.
bool IsFlat(int64_t num_rows, int64_t num_cols, int64_t row_stride) {
  TilingInput input;
  input.loops = {{num_rows, {row_stride, 0, 4 * num_cols}},
                 {num_cols, {4, 4, 4}}};
  input.element_bytes = {4, 4, 4};
  input.lead = 2;
  input.block_elements = 1024;
  input.tile_elements = 100000;
  input.min_row_elements = 20;
  input.min_row_elements_packed_once = 200;
  return MakeTiling(input).flat;
}

TEST(MakeTilingTest, RowsThatAreLongEnoughAreNotJoined) {
  EXPECT_TRUE(IsFlat(10000, 19, 100));
  EXPECT_FALSE(IsFlat(10000, 20, 100));
  EXPECT_TRUE(IsFlat(10000, 20, 80));
  EXPECT_TRUE(IsFlat(10000, 199, 796));
  EXPECT_FALSE(IsFlat(10000, 199, 800));
  EXPECT_FALSE(IsFlat(10000, 200, 800));
  // The row for all is packed once, for 32 blocks or more.
  EXPECT_TRUE(IsFlat(256, 128, 512));
  EXPECT_FALSE(IsFlat(255, 128, 512));
}

// A bias along the second of three loops: where a block is all of those within
// the outermost, it is packed once.
TEST(MakeTilingTest, WhatAllBlocksReadIsPackedForFlatOnes) {
  TilingInput input;
  input.loops = {
      {16384, {9800, 0, 9800}}, {49, {200, 4, 200}}, {50, {4, 0, 4}}};
  input.element_bytes = {4, 4, 4};
  input.lead = 2;
  input.block_elements = 4096;
  input.tile_elements = 100000;
  input.min_row_elements = 16;
  input.min_row_elements_packed_once = 256;
  EXPECT_TRUE(MakeTiling(input).flat);
  input.block_elements = 2449;
  EXPECT_FALSE(MakeTiling(input).flat);
}

// Of u8[4096,512], which becomes row-major: whether blocks are transposed.
bool IsTransposed(int64_t row_stride, int64_t col_stride,
                  int64_t num_cols = 512) {
  TilingInput input;
  input.loops = {{4096, {row_stride, num_cols}}, {num_cols, {col_stride, 1}}};
  input.element_bytes = {1, 1};
  input.lead = 1;
  input.block_elements = 16384;
  input.tile_elements = 100000;
  return MakeTiling(input).transposed;
}

TEST(MakeTilingTest, LinesThatElementsShareAreReadWhole) {
  EXPECT_TRUE(IsTransposed(1, 4096));
  EXPECT_TRUE(IsTransposed(4, 16384));
  EXPECT_TRUE(IsTransposed(-32, 200000));
  // Not two of one row.
  EXPECT_FALSE(IsTransposed(33, 200000));
  // Along the columns are more, or as many.
  EXPECT_FALSE(IsTransposed(2048, 4));
  EXPECT_FALSE(IsTransposed(8, 4));
  EXPECT_FALSE(IsTransposed(3, 1));
  // Rows of a line, and shorter ones.
  EXPECT_TRUE(IsTransposed(4, 16384, 64));
  EXPECT_FALSE(IsTransposed(4, 16384, 63));
  EXPECT_TRUE(IsTransposed(1, 4096, 63));
}

// Of real parts of complex numbers in column-major order.
TEST(MakeTilingTest, TheOutermostLoopIsKept) {
  TilingInput input;
  input.loops = {{600, {2, 490000}}, {700, {1200, 700}}, {700, {840000, 1}}};
  input.element_bytes = {1, 1};
  input.lead = 1;
  input.block_elements = 16384;
  input.tile_elements = 100000;
  EXPECT_EQ(MakeTiling(input).loops[0].extent, 700);
  input.keeps_outermost = true;
  EXPECT_EQ(MakeTiling(input).loops[0].extent, 600);
  EXPECT_FALSE(MakeTiling(input).transposed);
  // Nor for what is dense.
  input.loops[0].byte_strides[0] = 1;
  EXPECT_EQ(MakeTiling(input).loops[0].extent, 600);
}

// Leaves that are dense along many different loops must not grow the tile.
TEST(MakeTilingTest, ManyDenseDirectionsDoNotGrowTheTile) {
  TilingInput input;
  constexpr int kRank = 6;
  for (int k = 0; k < kRank; ++k) {
    Loop loop{64, {}};
    // Tensor t is dense along loop t, the last one is the row-major result.
    for (int t = 0; t < kRank; ++t) {
      const int place = k <= t ? t - k : kRank - 1 - (k - t - 1);
      loop.byte_strides.push_back(int64_t{1} << 6 * place);
    }
    input.loops.push_back(loop);
  }
  std::sort(input.loops.begin(), input.loops.end(),
            [](const Loop& a, const Loop& b) {
              return a.byte_strides.back() > b.byte_strides.back();
            });
  input.element_bytes.assign(kRank, 1);
  input.lead = kRank - 1;
  input.block_elements = 1024;
  input.tile_elements = 100000;
  const Tiling tiling = MakeTiling(input);
  int64_t tile_elements = 1;
  for (int64_t extent : tiling.tile_extents) tile_elements *= extent;
  EXPECT_LE(tile_elements, 4 * input.tile_elements);
}

// A window slides by one element: both loops are dense for the leaf, and the
// inner one is what the kernels need.
TEST(MakeTilingTest, ASlidingWindowIsReadInPlace) {
  TilingInput input;
  input.loops = {{1000, {4, 4000}}, {1000, {4, 4}}};
  input.element_bytes = {4, 4};
  input.lead = 1;
  input.block_elements = 1024;
  input.tile_elements = 100000;
  const Tiling tiling = MakeTiling(input);
  EXPECT_THAT(tiling.block_extents, ElementsAre(1, 1000));
  EXPECT_TRUE(IsInPlace(tiling, 0, 4, true));
}

// What the kernels can take where it lies.

struct InPlaceCase {
  const char* name;
  bool flat;
  std::vector<Loop> loops;  // of one tensor of f32
  DimVector block;
  bool dense;
  bool dense_or_repeated;
};

const InPlaceCase kInPlace[] = {
    {"Scalar", true, {}, {}, true, true},
    {"Dense", true, {{100, {4}}}, {10}, true, true},
    {"Reversed", true, {{100, {-4}}}, {10}, false, false},
    {"Strided", true, {{100, {8}}}, {10}, false, false},
    {"OneElementBlocks", true, {{100, {8}}}, {1}, true, true},
    {"Repeated", true, {{100, {0}}}, {10}, false, true},
    {"FlatDense", true, {{10, {20}}, {5, {4}}}, {3, 5}, true, true},
    {"FlatPadded", true, {{10, {24}}, {5, {4}}}, {3, 5}, false, false},
    {"FlatPaddedBlockOfOneRow",
     true,
     {{10, {24}}, {5, {4}}},
     {1, 5},
     true,
     true},
    {"FlatRepeatedRow", true, {{10, {0}}, {5, {4}}}, {3, 5}, false, false},
    {"FlatRepeatedColumn", true, {{10, {4}}, {5, {0}}}, {3, 5}, false, false},
    {"FlatAllRepeated", true, {{10, {0}}, {5, {0}}}, {3, 5}, false, true},
    {"RowsPadded", false, {{10, {999}}, {5, {4}}}, {3, 5}, true, true},
    {"RowsBackwards", false, {{10, {-20}}, {5, {4}}}, {3, 5}, true, true},
    {"RowsRepeated", false, {{10, {0}}, {5, {4}}}, {3, 5}, true, true},
    {"RowsOfOneNumber", false, {{10, {4}}, {5, {0}}}, {3, 5}, false, true},
    {"RowsReversed", false, {{10, {20}}, {5, {-4}}}, {3, 5}, false, false},
    {"RowsTransposed", false, {{10, {4}}, {5, {40}}}, {3, 5}, false, false},
};

TEST(IsInPlaceTest, DenseOrRepeatedAsTheBlockIsWalked) {
  for (const InPlaceCase& row : kInPlace) {
    Tiling tiling;
    tiling.loops = row.loops;
    tiling.block_extents = row.block;
    tiling.tile_extents = row.block;
    tiling.flat = row.flat;
    EXPECT_EQ(IsInPlace(tiling, 0, 4, /*may_repeat=*/false), row.dense)
        << row.name;
    EXPECT_EQ(IsInPlace(tiling, 0, 4, /*may_repeat=*/true),
              row.dense_or_repeated)
        << row.name;
  }
}

TEST(BlockSpanBytesTest, FromTheLowestToTheHighestByte) {
  Tiling tiling;
  tiling.loops = {{10, {-100}}, {5, {4}}, {7, {0}}};
  tiling.block_extents = {3, 5, 7};
  EXPECT_EQ(BlockSpanBytes(tiling, 0, 4), 2 * 100 + 4 * 4 + 4);
  tiling.block_extents = {1, 1, 1};
  EXPECT_EQ(BlockSpanBytes(tiling, 0, 4), 4);
}

// Properties, on random loops.

class RandomTiling {
 public:
  explicit RandomTiling(uint64_t seed) : random_(seed) {}

  TilingInput Make() {
    const int64_t rank = Below(5);
    DimVector extents(rank);
    for (int64_t& extent : extents) {
      extent = OneIn(4) ? Below(200) + 1 : Below(9) + 1;
    }
    TilingInput input;
    std::vector<DimVector> strides;
    const int64_t num_tensors = Below(3) + 1;
    for (int64_t t = 0; t < num_tensors; ++t) {
      input.element_bytes.push_back(int64_t{1} << Below(5));
      const bool is_lead = t == num_tensors - 1;
      strides.push_back(
          RandomStrides(extents, input.element_bytes.back(), is_lead));
    }
    input.lead = static_cast<int>(num_tensors) - 1;
    input.loops = MakeLoops(extents, strides, input.lead);
    input.block_elements = OneIn(8) ? Below(4) + 1 : Below(400) + 1;
    input.tile_elements = OneIn(8) ? Below(4) + 1 : Below(5000) + 1;
    return input;
  }

 private:
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }

  DimVector RandomStrides(const DimVector& extents, int64_t element_bytes,
                          bool is_lead) {
    std::vector<size_t> order(extents.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (OneIn(2)) std::shuffle(order.begin(), order.end(), random_);
    DimVector strides(extents.size());
    int64_t stride = element_bytes;
    for (size_t k = order.size(); k-- > 0;) {
      strides[order[k]] = stride;
      stride *= extents[order[k]] + (OneIn(6) ? 1 : 0);
    }
    if (is_lead) return strides;
    for (int64_t& s : strides) {
      if (OneIn(6)) s = 0;
      if (OneIn(6)) s = -s;
    }
    return strides;
  }

  std::mt19937_64 random_;
};

// Byte offsets of the elements of one block of a tensor, in compute order.
std::vector<int64_t> BlockOffsets(const Tiling& tiling, int tensor) {
  std::vector<int64_t> offsets = {0};
  for (size_t k = 0; k < tiling.loops.size(); ++k) {
    std::vector<int64_t> next;
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < tiling.block_extents[k]; ++i) {
        next.push_back(offset + i * tiling.loops[k].byte_strides[tensor]);
      }
    }
    offsets = next;
  }
  return offsets;
}

void CheckTiling(const TilingInput& input, const Tiling& tiling) {
  const size_t num_loops = input.loops.size();
  ASSERT_EQ(tiling.loops.size(), num_loops);
  ASSERT_EQ(tiling.block_extents.size(), num_loops);
  ASSERT_EQ(tiling.tile_extents.size(), num_loops);
  EXPECT_LE(tiling.block_elements(), input.block_elements);

  // (T1) as given, but for one loop moved next to the innermost.
  const auto equal = [](const Loop& a, const Loop& b) {
    return a.extent == b.extent && a.byte_strides == b.byte_strides;
  };
  bool allowed = std::equal(tiling.loops.begin(), tiling.loops.end(),
                            input.loops.begin(), equal);
  for (size_t moved = 0; !allowed && moved + 1 < num_loops; ++moved) {
    std::vector<Loop> loops = input.loops;
    std::rotate(loops.begin() + static_cast<int64_t>(moved),
                loops.begin() + static_cast<int64_t>(moved) + 1,
                loops.end() - 1);
    allowed = std::equal(tiling.loops.begin(), tiling.loops.end(),
                         loops.begin(), equal);
  }
  EXPECT_TRUE(allowed);

  bool seen_partial = false;
  for (size_t k = num_loops; k-- > 0;) {
    const int64_t extent = tiling.loops[k].extent;
    const int64_t block = tiling.block_extents[k];
    const int64_t tile = tiling.tile_extents[k];
    EXPECT_GE(block, 1);
    EXPECT_LE(block, extent);
    EXPECT_GE(tile, block);
    EXPECT_LE(tile, extent);
    EXPECT_TRUE(tile % block == 0 || tile == extent) << "loop " << k;  // (T4)
    if (tiling.flat) {                                                 // (T2)
      EXPECT_TRUE(!seen_partial || block == 1) << "loop " << k;
      seen_partial |= block != extent;
    } else if (k + 2 < num_loops) {  // (T3)
      EXPECT_EQ(block, 1) << "loop " << k;
    }
  }
}

TEST(TilingPropertyTest, KeepsTheRules) {
  constexpr uint64_t kSeed = 11;
  for (uint64_t run = 0; run < 5000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    const TilingInput input = RandomTiling(kSeed + run).Make();
    const Tiling tiling = MakeTiling(input);
    CheckTiling(input, tiling);
    for (size_t t = 0; t < input.element_bytes.size(); ++t) {
      const int tensor = static_cast<int>(t);
      const int64_t bytes = input.element_bytes[t];
      const std::vector<int64_t> offsets = BlockOffsets(tiling, tensor);
      const auto [low, high] =
          std::minmax_element(offsets.begin(), offsets.end());
      EXPECT_EQ(BlockSpanBytes(tiling, tensor, bytes), *high - *low + bytes);

      const int64_t row_elements = tiling.flat || tiling.loops.empty()
                                       ? tiling.block_elements()
                                       : tiling.block_extents.back();
      bool dense = true;
      bool repeated = true;
      for (size_t i = 0; i < offsets.size(); ++i) {
        const int64_t col = static_cast<int64_t>(i) % row_elements;
        const int64_t row_start = offsets[i - static_cast<size_t>(col)];
        dense &= offsets[i] == row_start + col * bytes;
        repeated &= offsets[i] == row_start;
      }
      EXPECT_EQ(IsInPlace(tiling, tensor, bytes, false), dense);
      EXPECT_EQ(IsInPlace(tiling, tensor, bytes, true), dense || repeated);
    }
    if (HasFailure()) FAIL();
  }
}

}  // namespace
}  // namespace stridecast
