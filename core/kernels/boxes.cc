// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Boxes of a tensor that are brought into another order: transposed into a
// stage that stays in L2, in the order of the result, and written from there in
// long runs. What the next box reads is asked for all along.

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/kernels/parts.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/boxes.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/line-inl.h"
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// All rows of kTiles tiles side by side, from column `col` on.
template <class TileOf, int64_t kTiles>
HWY_NOINLINE void TransposeBoxColumns(const BoxArgs& args, int64_t col,
                                      int64_t element_bytes) {
  constexpr int64_t kRows = TileOf::kRows;
  // Of each eight lines that are read, three; six of those that are written.
  constexpr int64_t kFetched = kTiles * TileOf::kCols * 16 * 3 / (8 * kLine);
  // Copies: bytes that are stored might be those of `args`.
  const int64_t num_rows = args.rows;
  const int64_t* const col_offsets = args.col_offsets + col;
  const int64_t* const row_offsets = args.row_offsets;
  const std::byte* const first = args.source;
  std::byte* const stage = args.stage + col * element_bytes;
  FetchAhead ahead = *args.ahead;
  for (int64_t r = 0; r < num_rows; r += kRows) {
    const int64_t row = r + kRows <= num_rows ? r : num_rows - kRows;
    const std::byte* const source = first + row * element_bytes;
    ahead.Fetch(kFetched);
    for (int64_t t = 0; t < kTiles; ++t) {
      const int64_t* const from = col_offsets + t * TileOf::kCols;
      std::byte* const to = stage + t * TileOf::kCols * element_bytes;
      typename TileOf::V rows[kRows];
      TileOf::Transpose([=](size_t i) HWY_ATTR { return source + from[i]; },
                        rows);
      for (int64_t k = 0; k < kRows; ++k) {
        TileOf::Store(rows[k], to + row_offsets[row + k]);
      }
    }
  }
  *args.ahead = ahead;
}

template <class T>
bool TransposeBox(const BoxArgs& args) {
  using Wide = Tile<T, 2>;
  using Narrow = Tile<T, 1>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kLineCols = kLine / kBytes;
  static_assert(kLineCols == 2 * Wide::kCols);
  if (args.rows < static_cast<int64_t>(Wide::kRows) ||
      args.cols < Narrow::kCols) {
    return false;
  }
  int64_t col = 0;
  for (; col + kLineCols <= args.cols; col += kLineCols) {
    TransposeBoxColumns<Wide, 2>(args, col, kBytes);
  }
  for (; col + Wide::kCols <= args.cols; col += Wide::kCols) {
    TransposeBoxColumns<Wide, 1>(args, col, kBytes);
  }
  for (; col < args.cols; col += Narrow::kCols) {
    TransposeBoxColumns<Narrow, 1>(
        args, std::min(col, args.cols - Narrow::kCols), kBytes);
  }
  return true;
}

// Past the caches; `run` is in the stage.
HWY_INLINE void StreamRun(const RunsArgs& args, const std::byte* run,
                          std::byte* to, std::byte* unfinished) {
  const std::byte* from = run;
  int64_t left = args.run_bytes;
  const int64_t place = PlaceIn(kLine, to);
  if (args.continues) {
    from -= place;
    to -= place;
    left += place;
  } else if (place != 0) {
    const int64_t head = std::min(left, kLine - place);
    CopyShort(to, from, static_cast<size_t>(head));
    from += head;
    to += head;
    left -= head;
  }
  for (; left >= kLine; left -= kLine) {
    Line::Load(from).Stream(to);
    from += kLine;
    to += kLine;
  }
  if (unfinished != nullptr) {
    Line::Load(run + args.run_bytes - kLine).Store(unfinished);
  } else {
    CopyShort(to, from, static_cast<size_t>(left));
  }
}

void StoreRuns(const RunsArgs& args) {
  FetchAhead ahead = *args.ahead;
  const int64_t fetched = args.run_bytes * 6 / (8 * kLine) + 1;
  for (int64_t r = 0; r < args.num_runs; ++r) {
    const std::byte* const run = args.stage + kLine + r * args.pitch;
    std::byte* const to = args.result + args.offsets[r];
    ahead.Fetch(fetched);
    if (args.past_cache) {
      StreamRun(
          args, run, to,
          args.unfinished == nullptr ? nullptr : args.unfinished + r * kLine);
    } else {
      std::memcpy(to, run, static_cast<size_t>(args.run_bytes));
    }
  }
  ahead.Fetch(std::numeric_limits<int64_t>::max());
  *args.ahead = ahead;
}

constexpr BoxPart MakePart() {
  return {{&TransposeBox<uint8_t>, &TransposeBox<uint16_t>,
           &TransposeBox<uint32_t>, &TransposeBox<uint64_t>},
          &StoreRuns};
}

}  // namespace

#define STRIDECAST_PART BoxPart
#define STRIDECAST_PART_OF BoxesPartOf
#include "core/kernels/table-inl.h"
