// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Boxes of a tensor that are brought into another order: transposed into the
// result, or into a stage that stays in L2, in the order of the result, and
// written from there in long runs. What is read soon is asked for all along.

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
#include "core/kernels/narrow-inl.h"
#include "core/kernels/tile-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// From offset to offset; 0 if they are not evenly apart.
HWY_INLINE int64_t PitchOf(const int64_t* offsets, int64_t count) {
  const int64_t pitch = offsets[1] - offsets[0];
  int64_t differing = 0;
  for (int64_t i = 2; i < count; ++i) {
    differing |= (offsets[i] - offsets[i - 1]) ^ pitch;
  }
  return differing == 0 ? pitch : 0;
}

// All rows of kTiles tiles side by side, from column `col` on. Of each source
// line, a cache line is read after the other: few pages are read in turn. Lines
// and rows that are evenly apart need no offset of their own, which takes up to
// half as long again.
template <class TileOf, int64_t kTiles, bool kEven>
HWY_NOINLINE void TransposeBoxColumns(const BoxArgs& args, int64_t col,
                                      int64_t line_pitch, int64_t row_pitch,
                                      int64_t element_bytes) {
  constexpr int64_t kRows = TileOf::kRows;
  constexpr int64_t kLineRows = kRows * kLine / 16;
  // Copies: bytes that are stored might be those of `args`.
  const int64_t num_rows = args.rows;
  const int64_t* const line_offsets = args.col_offsets + col;
  const int64_t* const row_offsets = args.row_offsets;
  const std::byte* const first = args.source + (kEven ? line_offsets[0] : 0);
  std::byte* const destination = args.destination + col * element_bytes;
  FetchAhead ahead = *args.ahead;
  // A line of each column is asked for with each line of tiles; but with each
  // tile, of which four read a line, where more at once would keep the CPU
  // waiting. That columns lie across lines is made up for
  // afterwards.
  constexpr int64_t kCols = kTiles * TileOf::kCols;
  constexpr bool kFetchesByTile = kCols > 16;
  for (int64_t line = 0; line < num_rows; line += kLineRows) {
    if constexpr (!kFetchesByTile) ahead.Fetch(kCols);
    const int64_t end = std::min(line + kLineRows, num_rows);
    for (int64_t t = 0; t < kTiles; ++t) {
      std::byte* const tile = destination + t * TileOf::kCols * element_bytes;
      for (int64_t r = line; r < end; r += kRows) {
        if constexpr (kFetchesByTile) ahead.Fetch(TileOf::kCols / 4);
        const int64_t row = std::min(r, num_rows - kRows);
        const std::byte* const source = first + row * element_bytes;
        if constexpr (kEven) {
          TileOf::Run(source + t * TileOf::kCols * line_pitch, line_pitch,
                      tile + row_offsets[row], row_pitch);
        } else {
          const int64_t* const lines = line_offsets + t * TileOf::kCols;
          typename TileOf::V rows[kRows];
          TileOf::Transpose(
              [=](size_t i) HWY_ATTR { return source + lines[i]; }, rows);
          for (int64_t k = 0; k < kRows; ++k) {
            TileOf::Store(rows[k], tile + row_offsets[row + k]);
          }
        }
      }
    }
  }
  *args.ahead = ahead;
}

template <class TileOf, int64_t kTiles>
HWY_INLINE void TransposeBoxColumns(const BoxArgs& args, int64_t col,
                                    int64_t row_pitch, int64_t element_bytes) {
  const int64_t line_pitch =
      PitchOf(args.col_offsets + col, kTiles * TileOf::kCols);
  const auto transpose = line_pitch != 0 && row_pitch != 0
                             ? &TransposeBoxColumns<TileOf, kTiles, true>
                             : &TransposeBoxColumns<TileOf, kTiles, false>;
  transpose(args, col, line_pitch, row_pitch, element_bytes);
}

// Of at most 16 bytes of columns: 16 or 32 bytes of each source line at once.
template <class T, size_t kBlocks>
HWY_NOINLINE void TransposeNarrowBox(const BoxArgs& args) {
  constexpr size_t kLines = 16 / sizeof(T);
  using TileOf = NarrowTile<T, kLines, kBlocks>;
  const TileOf tile(args.cols);
  const std::byte* lines[kLines];
  for (size_t i = 0; i < kLines; ++i) {
    const auto line = std::min(static_cast<int64_t>(i), args.cols - 1);
    lines[i] = args.source + args.col_offsets[line];
  }
  const int64_t num_rows = args.rows;
  const int64_t fetched = args.cols / 2 + 1;
  std::byte* const destination = args.destination;
  FetchAhead ahead = *args.ahead;
  for (int64_t r = 0; r < num_rows; r += TileOf::kRows) {
    ahead.Fetch(fetched);
    const int64_t row = std::min(r, num_rows - TileOf::kRows);
    const int64_t at = row * static_cast<int64_t>(sizeof(T));
    const int64_t* const offsets = args.row_offsets + row;
    tile.Run([&](size_t i) HWY_ATTR { return lines[i] + at; },
             [=](int64_t k) HWY_ATTR { return destination + offsets[k]; });
  }
  *args.ahead = ahead;
}

template <class T>
void TransposeBox(const BoxArgs& args) {
  using Wide = Tile<T, 2>;
  using Narrow = Tile<T, 1>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kLineCols = kLine / kBytes;
  static_assert(kLineCols == 2 * Wide::kCols);
  if (args.cols <= Narrow::kCols) {
    const auto transpose = args.rows < 2 * static_cast<int64_t>(Narrow::kRows)
                               ? &TransposeNarrowBox<T, 1>
                               : &TransposeNarrowBox<T, 2>;
    return transpose(args);
  }
  const int64_t row_pitch = PitchOf(args.row_offsets, args.rows);
  int64_t col = 0;
  for (; col + kLineCols <= args.cols; col += kLineCols) {
    TransposeBoxColumns<Wide, 2>(args, col, row_pitch, kBytes);
  }
  for (; col + Wide::kCols <= args.cols; col += Wide::kCols) {
    TransposeBoxColumns<Wide, 1>(args, col, row_pitch, kBytes);
  }
  for (; col < args.cols; col += Narrow::kCols) {
    TransposeBoxColumns<Narrow, 1>(
        args, std::min(col, args.cols - Narrow::kCols), row_pitch, kBytes);
  }
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
  const int64_t fetched = args.run_bytes / (4 * kLine) + 1;
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
