// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs that only move elements, as matrices that are transposed by strips,
// by boxes and as blocks, within the caches and past them.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/random_program.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast {
namespace {

using testing::Bytes;
using testing::Desc;
using testing::Op;
using testing::Program;
using testing::Random;

struct Relayout {
  DType type;
  DimVector shape;
  DimVector permutation;
  DimVector padded;  // of the operand; empty: dense
};

std::string ToString(const Relayout& relayout) {
  return absl::StrCat(DTypeName(relayout.type), "[",
                      absl::StrJoin(relayout.shape, ","), "] by ",
                      absl::StrJoin(relayout.permutation, ","), " padded to ",
                      absl::StrJoin(relayout.padded, ","));
}

// Of 2 to 5 dimensions, the fastest ones of operand and result long enough to
// be a matrix.
Relayout MakeRelayout(Random& random, DType type) {
  Relayout relayout{type, {}, {}, {}};
  const auto rank = static_cast<size_t>(random.Between(2, 5));
  relayout.permutation.resize(rank);
  std::iota(relayout.permutation.begin(), relayout.permutation.end(), 0);
  for (size_t d = rank - 1; d > 0; --d) {
    std::swap(relayout.permutation[d],
              relayout.permutation[random.Below(static_cast<int64_t>(d + 1))]);
  }
  relayout.shape.resize(rank);
  for (int64_t& extent : relayout.shape) extent = random.Between(1, 4);
  const auto fast = static_cast<size_t>(relayout.permutation.back());
  relayout.shape[fast] =
      random.Between(512, 700) / ElementBytes(type) + random.Between(0, 70);
  relayout.shape.back() = random.Between(9, 150);
  if (random.OneIn(4)) {
    // More rows than a run, or a little more than a tile's.
    relayout.shape = {relayout.shape[fast], random.Between(1010, 1090)};
    relayout.permutation = {1, 0};
  }
  if (random.OneIn(3)) {
    relayout.padded = relayout.shape;
    for (int64_t& extent : relayout.padded) extent += random.Between(0, 3);
  }
  return relayout;
}

// Of boxes whose matrices have at most 32 bytes of columns, most of them less
// than 16.
Relayout MakeNarrowRelayout(Random& random, DType type) {
  const int64_t element_bytes = ElementBytes(type);
  if (element_bytes == 1) {
    return {type,
            {random.Between(5, 9), random.Between(9, 15),
             random.Between(20, 40), random.Between(30, 70)},
            {2, 0, 3, 1},
            {}};
  }
  const int64_t cols =
      element_bytes == 2 ? random.Between(5, 8) : random.Between(3, 4);
  return {type,
          {random.Between(99, 130), cols, random.Between(40, 70),
           random.Between(2, cols - 1)},
          {0, 3, 2, 1},
          {}};
}

// Of 2 to 4 dimensions, none of them long.
Relayout MakeSmallRelayout(Random& random, DType type) {
  const auto rank = static_cast<size_t>(random.Between(2, 4));
  Relayout relayout{type, {}, {}, {}};
  for (size_t d = 0; d < rank; ++d) {
    relayout.shape.push_back(random.Between(1, 40));
    relayout.permutation.push_back(static_cast<int64_t>(rank - 1 - d));
  }
  relayout.shape.back() = random.Between(16, 70);
  if (rank > 2 && random.OneIn(2)) {
    std::swap(relayout.permutation[0], relayout.permutation[1]);
  }
  return relayout;
}

// The innermost dimensions of operand and result are followed by the same one
// in both.
Relayout MakeSharedRelayout(Random& random, DType type) {
  return {type,
          {random.Between(1, 3), random.Between(9, 40), random.Between(1, 3),
           random.Between(9, 40), random.Between(9, 40)},
          {0, 2, 4, 3, 1},
          {}};
}

// Rows of the result are a multiple of 4 KiB apart.
Relayout MakeAliasedRelayout(Random& random, DType type) {
  return {type,
          {random.Between(1, 2) * 4096 / ElementBytes(type),
           random.Between(30, 150)},
          {1, 0},
          {}};
}

// Rows of the result begin with lines.
Relayout MakeAlignedRelayout(Random& random, DType type) {
  return {type,
          {random.Between(8, 31) * 64 / ElementBytes(type), 2,
           random.Between(9, 300)},
          {2, 1, 0},
          {}};
}

// Many boxes, of which those along the result are joined.
Relayout MakeManyBoxes(Random& random, DType type) {
  const int64_t bytes = ElementBytes(type);
  const int64_t long_side = random.Between(300, 1200) / bytes;
  const int64_t other = random.Between(300, 900);
  switch (random.Below(4)) {
    case 0:
      return {type, {other, long_side}, {1, 0}, {}};
    case 1:
      return {type, {3, other, long_side}, {0, 2, 1}, {}};
    case 2:
      return {type,
              {random.Between(9, 20), random.Between(9, 20),
               random.Between(9, 20), random.Between(9, 20)},
              {2, 0, 3, 1},
              {}};
    default:
      return {type, {long_side, 5, other}, {2, 1, 0}, {}};
  }
}

// Few planes, interleaved on one side.
Relayout MakePlanes(Random& random, DType type) {
  const int64_t count = random.Between(2, 9);
  const int64_t elements = random.Between(100, 20000);
  if (random.OneIn(2)) return {type, {count, elements}, {1, 0}, {}};
  return {type, {2, elements, count}, {0, 2, 1}, {}};
}

// Pixels of a few channels, which stay together.
Relayout MakePixels(Random& random, DType type) {
  const int64_t channels = random.Between(1, 5);
  const int64_t rows = random.Between(9, 300);
  const int64_t cols = random.Between(9, 300);
  if (random.OneIn(2)) return {type, {rows, cols, channels}, {1, 0, 2}, {}};
  return {type, {2, rows, cols, channels}, {2, 0, 1, 3}, {}};
}

void Fill(Random& random, Bytes& bytes) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    const uint64_t bits = random.Bits();
    std::memcpy(bytes.data() + at, &bits,
                std::min(sizeof(bits), bytes.size() - at));
  }
}

// The elements that `strides`, in elements, lead to from `offset`, in row-major
// order of `shape`.
Bytes Gather(const Bytes& operand, size_t element_bytes, int64_t offset,
             const DimVector& strides, const DimVector& shape) {
  const auto count = static_cast<size_t>(std::accumulate(
      shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
  Bytes result(count * element_bytes);
  const int64_t row = shape.back();
  const int64_t step = strides.back() * static_cast<int64_t>(element_bytes);
  DimVector index(shape.size() - 1, 0);  // of the row
  std::byte* to = result.data();
  const std::byte* const end = to + result.size();
  while (to < end) {
    int64_t first = offset;
    for (size_t d = 0; d < index.size(); ++d) first += index[d] * strides[d];
    const std::byte* from =
        operand.data() + first * static_cast<int64_t>(element_bytes);
    for (int64_t i = 0; i < row; ++i, from += step, to += element_bytes) {
      std::memcpy(to, from, element_bytes);
    }
    for (size_t d = index.size(); d-- > 0 && ++index[d] == shape[d];) {
      index[d] = 0;
    }
  }
  return result;
}

Bytes Expected(const Relayout& relayout, const Bytes& operand) {
  const DimVector& places =
      relayout.padded.empty() ? relayout.shape : relayout.padded;
  DimVector strides(places.size(), 1);
  for (size_t d = places.size() - 1; d > 0; --d) {
    strides[d - 1] = strides[d] * places[d];
  }
  DimVector result_strides;
  DimVector result_shape;
  for (const int64_t d : relayout.permutation) {
    result_strides.push_back(strides[static_cast<size_t>(d)]);
    result_shape.push_back(relayout.shape[static_cast<size_t>(d)]);
  }
  return Gather(operand, static_cast<size_t>(ElementBytes(relayout.type)), 0,
                result_strides, result_shape);
}

// By size of the last-level cache: of 1 byte, all results are too large for it.
class RelayoutTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(RelayoutTest, MovesEveryElement) {
  Random random(20261122);
  int strips = 0;
  int boxes = 0;
  int narrow_boxes = 0;
  int staged_boxes = 0;
  int blocks_past_cache = 0;
  for (const char* target : {"", "AVX2"}) {
    for (const DType type :
         {DType::kU8, DType::kBF16, DType::kF32, DType::kF64, DType::kC128}) {
      EngineOptions options;
      options.cache_bytes = GetParam();
      options.simd_target = target;
      const auto engine = Engine::Create(options).value();
      for (int i = 0; i < 108; ++i) {
        const Relayout relayout = i < 12   ? MakeRelayout(random, type)
                                  : i < 24 ? MakeSmallRelayout(random, type)
                                  : i < 36 ? MakeSharedRelayout(random, type)
                                  : i < 48 ? MakeAliasedRelayout(random, type)
                                  : i < 60 ? MakeManyBoxes(random, type)
                                  : i < 72 ? MakeAlignedRelayout(random, type)
                                  : i < 84 ? MakePlanes(random, type)
                                  : i < 96 ? MakePixels(random, type)
                                           : MakeNarrowRelayout(random, type);
        SCOPED_TRACE(ToString(relayout));
        PhysicalForm form;
        if (!relayout.padded.empty()) {
          form = testing::Order(
              RowMajorOrder(static_cast<int>(relayout.shape.size())),
              relayout.padded);
        }
        const auto plan = engine->Prepare(
            Program({Desc(type, relayout.shape, form)},
                    {Op(Opcode::kTranspose, {0},
                        DimensionsAttribute{relayout.permutation})}));
        ASSERT_TRUE(plan.ok()) << plan.status();
        const std::string text = (*plan)->ToString();
        const bool by_strips = absl::StrContains(text, "transposed by strips");
        const bool by_boxes = absl::StrContains(text, "by boxes of");
        if (by_strips) ++strips;
        if (by_boxes) ++boxes;
        if (by_boxes && i >= 96) ++narrow_boxes;
        if (by_boxes && absl::StrContains(text, ", staged")) ++staged_boxes;
        if (!by_strips && !by_boxes &&
            absl::StrContains(text, "past the caches")) {
          ++blocks_past_cache;
        }
        Bytes operand(static_cast<size_t>((*plan)->operands()[0].size_bytes()));
        Fill(random, operand);
        ASSERT_EQ(testing::RunWhole(**plan, {operand})[0],
                  Expected(relayout, operand));
      }
    }
  }
  const bool past_cache = GetParam() == 1;
  EXPECT_GT(strips, past_cache ? 50 : 40);
  EXPECT_GT(boxes, past_cache ? 400 : 100);
  EXPECT_GT(narrow_boxes, 90);
  // All of those that are written past the caches are, without saying so.
  EXPECT_EQ(staged_boxes > 10, !past_cache);
  EXPECT_GT(blocks_past_cache, past_cache ? 100 : -1);
}

// Views with steps, backwards, repeated, in any order, which no relayout is.
TEST_P(RelayoutTest, TakesAnyStrides) {
  Random random(20261127);
  EngineOptions options;
  options.cache_bytes = GetParam();
  const auto engine = Engine::Create(options).value();
  for (const DType type :
       {DType::kU8, DType::kBF16, DType::kF32, DType::kF64}) {
    const auto bytes = static_cast<size_t>(ElementBytes(type));
    for (int i = 0; i < 100; ++i) {
      const auto rank = static_cast<size_t>(random.Between(2, 4));
      DimVector shape(rank);
      for (int64_t& extent : shape) extent = random.Between(1, 18);
      shape[static_cast<size_t>(random.Below(static_cast<int64_t>(rank)))] =
          random.Between(60, 300);
      // From the last dimension in memory to the first.
      std::vector<size_t> order(rank);
      std::iota(order.begin(), order.end(), 0);
      for (size_t d = rank - 1; d > 0; --d) {
        std::swap(order[d], order[static_cast<size_t>(
                                random.Below(static_cast<int64_t>(d + 1)))]);
      }
      DimVector strides(rank);
      int64_t next = random.Between(1, 4);
      int64_t offset = 0;
      for (const size_t d : order) {
        strides[d] = random.OneIn(8) ? 0 : next;
        if (strides[d] != 0) next *= shape[d];
        if (random.OneIn(4)) next += random.Between(1, 70);
        if (random.OneIn(3)) {
          offset += strides[d] * (shape[d] - 1);
          strides[d] = -strides[d];
        }
      }
      SCOPED_TRACE(absl::StrCat(DTypeName(type), "[", absl::StrJoin(shape, ","),
                                "] strides ", absl::StrJoin(strides, ",")));
      const auto plan = engine->Prepare(
          Program({Desc(type, shape, testing::Strides(strides, offset))},
                  {Op(Opcode::kIdentity, {0})}));
      ASSERT_TRUE(plan.ok()) << plan.status();
      Bytes operand(static_cast<size_t>((*plan)->operands()[0].size_bytes()));
      Fill(random, operand);
      const Bytes expected = Gather(operand, bytes, offset, strides, shape);
      ASSERT_EQ(testing::RunWhole(**plan, {operand})[0], expected);
    }
  }
}

// x + transpose(y), of more than one tile that is brought into order.
TEST(OrderedTilesTest, SumWithATranspose) {
  constexpr int64_t kRows = 301;
  constexpr int64_t kCols = 1100;
  Random random(1);
  for (const DType type : {DType::kU8, DType::kU32}) {
    const auto bytes = static_cast<size_t>(ElementBytes(type));
    const auto engine = Engine::Create({}).value();
    const auto plan = engine->Prepare(
        Program({Desc(type, {kRows, kCols}), Desc(type, {kCols, kRows})},
                {Op(Opcode::kTranspose, {1}, DimensionsAttribute{{1, 0}}),
                 testing::BinaryOp(Opcode::kAdd, 0, 2)}));
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(absl::StrContains((*plan)->ToString(), "packed by tiles"));
    std::vector<Bytes> operands(2, Bytes(kRows * kCols * bytes));
    for (Bytes& operand : operands) {
      Fill(random, operand);
    }
    const auto number = [&](const Bytes& tensor, int64_t i) {
      uint32_t value = 0;
      std::memcpy(&value, tensor.data() + static_cast<size_t>(i) * bytes,
                  bytes);
      return value;
    };
    const Bytes result = testing::RunWhole(**plan, operands)[0];
    const uint32_t mask = type == DType::kU8 ? 0xFF : 0xFFFFFFFF;
    int64_t wrong = 0;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kCols; ++c) {
        const uint32_t sum = number(operands[0], r * kCols + c) +
                             number(operands[1], c * kRows + r);
        wrong += number(result, r * kCols + c) != (sum & mask) ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0) << DTypeName(type);
  }
}

INSTANTIATE_TEST_SUITE_P(Cache, RelayoutTest, ::testing::Values(0, 1));

}  // namespace
}  // namespace stridecast
