// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/tiling.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/plan/cache_limits.h"

namespace stridecast {
namespace {

// A side of a transposed block: at least a cache line's worth of elements of
// most types, so that each line that is fetched is used whole.
constexpr int64_t kMinTransposedExtent = 16;

// Rows of a transposed block are whole, if so many of them fit.
constexpr int64_t kMinRowsOfWhole = 64;

// Small transposed blocks are joined up to about so many bytes.
constexpr int64_t kJoinedBytes = 8 << 10;

// Of a tile that is brought into order: enough along both sides for the CPU's
// prefetchers to follow its streams, and at most about 256 KiB, so that it
// stays in L2.
constexpr int64_t kOrderedSide = 256;
constexpr int64_t kOrderedBytes = 256 << 10;

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Rows that are cut end with whole vectors of all types, if they are long.
int64_t WholeVectors(int64_t cols) {
  constexpr int64_t kVectors = 64;
  return cols < 2 * kVectors ? cols : cols / kVectors * kVectors;
}

bool IsDense(const Loop& loop, int tensor, int64_t element_bytes) {
  return std::abs(loop.byte_strides[tensor]) == element_bytes;
}

// The innermost loop along which the tensor is dense, else the one along which
// the most of its elements share a line; -1 if each has a line of its own.
int FastLoop(const std::vector<Loop>& loops, int tensor,
             int64_t element_bytes) {
  int fast = -1;
  int64_t most = 1;
  for (int k = static_cast<int>(loops.size()) - 1; k >= 0; --k) {
    if (IsDense(loops[k], tensor, element_bytes)) return k;
    const int64_t stride = std::abs(loops[k].byte_strides[tensor]);
    const int64_t sharing =
        stride == 0 ? 1 : std::min(loops[k].extent, kLineBytes / stride);
    if (sharing <= most) continue;
    fast = k;
    most = sharing;
  }
  return fast;
}

// The fast loop of the tensor that has the most distinct elements of those
// whose fast loop is not the innermost; -1 if there is none.
int TransposedLoop(const TilingInput& input) {
  const int innermost = static_cast<int>(input.loops.size()) - 1;
  const bool has_short_rows =
      input.loops[innermost].extent * input.element_bytes[input.lead] <
      kLineBytes;
  // See (T1). Of two loops the outermost one stays where it is in any case.
  const auto may_move = [&](int k, int tensor) {
    return (k > 0 || innermost == 1 || !input.keeps_outermost) &&
           (!has_short_rows ||
            IsDense(input.loops[k], tensor, input.element_bytes[tensor]));
  };
  int best = -1;
  double most_elements = 1;
  for (size_t t = 0; t < input.element_bytes.size(); ++t) {
    const int fast =
        FastLoop(input.loops, static_cast<int>(t), input.element_bytes[t]);
    // Along the innermost loop it may repeat; then no transpose is needed.
    if (fast < 0 || fast == innermost ||
        input.loops[innermost].byte_strides[t] == 0 ||
        !may_move(fast, static_cast<int>(t))) {
      continue;
    }
    double elements = 1;
    for (const Loop& loop : input.loops) {
      if (loop.byte_strides[t] != 0) {
        elements *= static_cast<double>(loop.extent);
      }
    }
    if (elements > most_elements) {
      most_elements = elements;
      best = fast;
    }
  }
  return best;
}

// To a block, while those inside are whole: up to `budget` elements, but only
// one loop of rows if it is not flat.
void AddOuterLoops(int outer, int64_t budget, Tiling& tiling) {
  int64_t elements = tiling.block_elements();
  for (int k = outer; k >= 0; --k) {
    const bool whole_inside =
        tiling.block_extents[k + 1] == tiling.loops[k + 1].extent;
    if (!whole_inside || (!tiling.flat && k < outer)) break;
    const int64_t extent = std::min(tiling.loops[k].extent, budget / elements);
    if (extent <= 1) break;
    tiling.block_extents[k] = extent;
    elements *= extent;
  }
}

// True if the blocks within these extents read the same elements of the tensor.
template <class ExtentOfLoop>
bool IsSameWithin(const Tiling& tiling, int tensor, ExtentOfLoop extent) {
  for (size_t k = 0; k < tiling.loops.size(); ++k) {
    if (tiling.loops[k].byte_strides[tensor] != 0 &&
        tiling.block_extents[k] < extent(k)) {
      return false;
    }
  }
  return true;
}

// True if all tensors lie right or are the same in all blocks, and there are
// blocks enough to be worth packing one of those.
bool PacksOnce(const TilingInput& input, const Tiling& tiling) {
  constexpr double kMinBlocks = 32;
  double elements = 1;
  for (const Loop& loop : tiling.loops) {
    elements *= static_cast<double>(loop.extent);
  }
  if (elements < kMinBlocks * static_cast<double>(input.block_elements)) {
    return false;
  }
  const auto extent = [&](size_t k) { return tiling.loops[k].extent; };
  for (int t = 0; t < static_cast<int>(input.element_bytes.size()); ++t) {
    if (!IsInPlace(tiling, t, input.element_bytes[t], /*may_repeat=*/true) &&
        !IsSameWithin(tiling, t, extent)) {
      return false;
    }
  }
  return true;
}

void ChooseBlock(const TilingInput& input, bool transposed, Tiling& tiling) {
  const int innermost = static_cast<int>(tiling.loops.size()) - 1;
  if (innermost < 0) return;
  const int64_t budget = std::max<int64_t>(input.block_elements, 1);
  const int64_t cols_extent = tiling.loops[innermost].extent;
  int64_t cols = std::min(cols_extent, budget);
  if (transposed) {
    const int64_t rows_extent = tiling.loops[innermost - 1].extent;
    // Near square, in powers of two.
    const auto side = static_cast<int64_t>(
        std::bit_floor(static_cast<uint64_t>(budget)) >>
        (std::bit_width(static_cast<uint64_t>(budget)) / 2));
    int64_t rows = std::min(
        rows_extent, std::max(std::min(side, budget), kMinTransposedExtent));
    rows = std::min(rows, budget);
    cols = cols_extent <= budget / kMinRowsOfWhole
               ? cols_extent
               : std::min(cols_extent,
                          WholeVectors(std::max<int64_t>(budget / rows, 1)));
    rows = std::min(rows_extent, std::max<int64_t>(budget / cols, 1));
    tiling.block_extents[innermost - 1] = rows;
    tiling.block_extents[innermost] = cols;
    tiling.flat = cols == cols_extent && cols < kMinRowElements;
    if (tiling.flat) {
      AddOuterLoops(innermost - 2,
                    std::min(budget, kJoinedBytes / MostBytes(input)), tiling);
    }
    return;
  }
  const auto choose = [&](bool flat) {
    std::fill(tiling.block_extents.begin(), tiling.block_extents.end(), 1);
    tiling.block_extents[innermost] = cols;
    tiling.flat = flat;
    AddOuterLoops(innermost - 1, budget, tiling);
  };
  if (cols < cols_extent || cols < input.min_row_elements) return choose(true);
  if (cols < input.min_row_elements_packed_once) {
    choose(true);
    if (PacksOnce(input, tiling)) return;
  }
  choose(false);
}

// Blocks of whole rows of a tile.
void ChooseOrderedTile(const TilingInput& input, Tiling& tiling) {
  const size_t innermost = tiling.loops.size() - 1;
  const int64_t cols_extent = tiling.loops[innermost].extent;
  tiling.tile_extents.assign(tiling.loops.size(), 1);
  const int64_t elements = kOrderedBytes / MostBytes(input);
  int64_t& cols = tiling.tile_extents[innermost];
  int64_t& rows = tiling.tile_extents[innermost - 1];
  cols = std::min(cols_extent, kOrderedSide);
  rows = std::min(tiling.loops[innermost - 1].extent, elements / cols);
  cols = std::min(cols_extent, elements / rows);
  tiling.block_extents[innermost] = std::min(cols, input.block_elements);
  // A power of two, so that blocks divide a tile that is not cut off.
  tiling.block_extents[innermost - 1] = static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(
          input.block_elements / tiling.block_extents[innermost], 1, rows))));
  cols = RoundUp(cols, tiling.block_extents[innermost]);
  rows = RoundUp(rows, tiling.block_extents[innermost - 1]);
  tiling.flat = tiling.block_extents[innermost] == cols_extent &&
                cols_extent < kMinRowElements;
}

void ChooseTile(const TilingInput& input, Tiling& tiling) {
  tiling.tile_extents = tiling.block_extents;
  const int num_loops = static_cast<int>(tiling.loops.size());
  int64_t elements = tiling.block_elements();
  // Lines fetched for one block are used by its neighbours along the fast
  // loops: keep those in one tile, the results' first, while there is room in
  // it.
  const size_t num_tensors = input.element_bytes.size();
  for (size_t i = 0; i < num_tensors; ++i) {
    const size_t t = (static_cast<size_t>(input.lead) + i) % num_tensors;
    const int fast =
        FastLoop(tiling.loops, static_cast<int>(t), input.element_bytes[t]);
    if (fast < 0) continue;
    const int64_t line =
        kLineBytes / std::abs(tiling.loops[fast].byte_strides[t]);
    const int64_t wanted =
        std::max(tiling.tile_extents[fast],
                 std::min(tiling.loops[fast].extent,
                          RoundUp(line, tiling.block_extents[fast])));
    const int64_t others = elements / tiling.tile_extents[fast];
    if (wanted > input.tile_elements / others) continue;
    tiling.tile_extents[fast] = wanted;
    elements = others * wanted;
  }
  for (int k = num_loops - 1; k >= 0; --k) {
    if (elements >= input.tile_elements) break;
    const int64_t extent = tiling.loops[k].extent;
    const int64_t block = tiling.block_extents[k];
    const int64_t others = elements / tiling.tile_extents[k];
    const int64_t wanted =
        RoundUp(std::max<int64_t>(input.tile_elements / others, 1), block);
    tiling.tile_extents[k] =
        std::min(extent, std::max(wanted, tiling.tile_extents[k]));
    elements = others * tiling.tile_extents[k];
  }
}

}  // namespace

int64_t Tiling::block_elements() const {
  int64_t elements = 1;
  for (int64_t extent : block_extents) elements *= extent;
  return elements;
}

int64_t Tiling::tile_elements() const {
  int64_t elements = 1;
  for (int64_t extent : tile_extents) elements *= extent;
  return elements;
}

int64_t MostBytes(const TilingInput& input) {
  int64_t most = 1;
  for (int64_t bytes : input.element_bytes) most = std::max(most, bytes);
  return most;
}

Tiling MakeTiling(const TilingInput& input) {
  Tiling tiling;
  tiling.loops = input.loops;
  tiling.block_extents.resize(input.loops.size(), 1);
  const int transposed = input.loops.size() < 2 ? -1 : TransposedLoop(input);
  if (transposed >= 0) {
    const auto moved = tiling.loops.begin() + transposed;
    std::rotate(moved, moved + 1, tiling.loops.end() - 1);
    tiling.transposed = true;
    if (input.orders_tiles) {
      ChooseOrderedTile(input, tiling);
      return tiling;
    }
  }
  ChooseBlock(input, transposed >= 0, tiling);
  ChooseTile(input, tiling);
  return tiling;
}

bool IsInPlace(const Tiling& tiling, int tensor, int64_t element_bytes,
               bool may_repeat) {
  const int num_loops = static_cast<int>(tiling.loops.size());
  int64_t dense_stride = element_bytes;
  bool dense = true;
  bool repeated = may_repeat;
  const int outermost = tiling.flat ? 0 : num_loops - 1;
  for (int k = num_loops - 1; k >= std::max(outermost, 0); --k) {
    if (tiling.block_extents[k] == 1) continue;
    const int64_t stride = tiling.loops[k].byte_strides[tensor];
    dense &= stride == dense_stride;
    repeated &= stride == 0;
    dense_stride *= tiling.block_extents[k];
  }
  return dense || repeated;
}

bool IsSameInAllBlocks(const Tiling& tiling, int tensor) {
  return IsSameWithin(tiling, tensor,
                      [&](size_t k) { return tiling.tile_extents[k]; });
}

int64_t BlockSpanBytes(const Tiling& tiling, int tensor,
                       int64_t element_bytes) {
  int64_t span = element_bytes;
  for (size_t k = 0; k < tiling.loops.size(); ++k) {
    span += (tiling.block_extents[k] - 1) *
            std::abs(tiling.loops[k].byte_strides[tensor]);
  }
  return span;
}

}  // namespace stridecast
