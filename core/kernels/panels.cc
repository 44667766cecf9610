// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposes matrices whose rows are short and follow each other in the result:
// some rows at a time are put together in L1 as the result has them, and then
// written as one run of whole lines. What is left of a run's last line waits
// for the next rows.

#include <algorithm>
#include <cstring>

#include "core/kernels/parts.h"
#include "hwy/cache_control.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/panels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/line-inl.h"
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Of the result, put together before they are written: in L1 beside what is
// read. More where rows are so long that columns would be read in pieces of
// less than a few lines.
constexpr int64_t kPanelBytes = 16 << 10;
constexpr int64_t kMinRunBytes = 4 * kLine;

template <class T, size_t kBlocks>
class Panels {
 public:
  explicit Panels(const RelayoutArgs& args)
      : args_(args), row_bytes_(args.cols * kBytes) {}

  void Run() {
    for (int64_t matrix = 0; matrix < args_.matrices; ++matrix) {
      for (int64_t row = 0; row < args_.rows;) {
        const int64_t end = EndOfRun(row);
        RunTogether(matrix, row, end);
        row = end;
      }
    }
    Write(waiting_);
  }

 private:
  using TileOf = Tile<T, kBlocks>;
  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kRows = TileOf::kRows;
  static constexpr int64_t kCols = TileOf::kCols;
  static_assert(kRows * kMaxPanelRowBytes + 2 * kLine <= kRelayoutStageBytes);

  // Rows from `row` on that follow each other in the result.
  int64_t EndOfRun(int64_t row) const {
    int64_t end = row + 1;
    while (end < args_.rows &&
           args_.row_offsets[end] == args_.row_offsets[end - 1] + row_bytes_) {
      ++end;
    }
    return end;
  }

  void RunTogether(int64_t matrix, int64_t begin, int64_t end) {
    const int64_t panels =
        ((end - begin) * row_bytes_ + kPanelBytes - 1) / kPanelBytes;
    const int64_t rows = std::min(
        std::max((end - begin + panels - 1) / panels, kMinRunBytes / kBytes),
        (kRelayoutStageBytes - 2 * kLine) / row_bytes_);
    std::byte* const to =
        args_.result + args_.result_offsets[matrix] + args_.row_offsets[begin];
    if (to != to_ + waiting_) Begin(to);
    for (int64_t row = begin; row < end; row += rows) {
      const int64_t count = std::min(rows, end - row);
      PutTogether(matrix, row, count, args_.stage + waiting_);
      waiting_ += count * row_bytes_;
      Write(waiting_ / kLine * kLine);
    }
  }

  // A run that begins there. What comes before in the same line was written
  // before, or belongs to another run.
  void Begin(std::byte* to) {
    Write(waiting_);
    written_ = waiting_ = static_cast<int64_t>(PlaceInLine(to));
    to_ = to - waiting_;
  }

  // The first `end` of the bytes that wait; the others move up.
  void Write(int64_t end) {
    if (end <= written_) return;
    int64_t at = written_;
    if (!args_.past_cache) {
      std::memcpy(to_ + at, args_.stage + at, static_cast<size_t>(end - at));
    } else {
      if (at > 0) {
        at = std::min(kLine, end);
        std::memcpy(to_ + written_, args_.stage + written_,
                    static_cast<size_t>(at - written_));
      }
      for (; at + kLine <= end; at += kLine) {
        Line::Load(args_.stage + at).Stream(to_ + at);
      }
      std::memcpy(to_ + at, args_.stage + at, static_cast<size_t>(end - at));
    }
    written_ = 0;
    to_ += end;
    waiting_ -= end;
    Line::Load(args_.stage + end).Store(args_.stage);
  }

  // Rows [row, row + rows), while what comes next is fetched.
  void PutTogether(int64_t matrix, int64_t row, int64_t rows,
                   std::byte* to) const {
    if (rows < kRows) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t col = 0; col < args_.cols; ++col) {
          std::memcpy(to + r * row_bytes_ + col * kBytes,
                      Column(matrix, col) + (row + r) * kBytes, kBytes);
        }
      }
      return;
    }
    for (int64_t c = 0; c < args_.cols; c += kCols) {
      const int64_t col = std::min(c, args_.cols - kCols);
      if (c + kCols < args_.cols) {
        Fetch(matrix, c + kCols, row, rows);
      } else if (row + rows < args_.rows) {
        Fetch(matrix, 0, row + rows, std::min(rows, args_.rows - row - rows));
      } else if (matrix + 1 < args_.matrices) {
        Fetch(matrix + 1, 0, 0, std::min(rows, args_.rows));
      }
      const std::byte* columns[kCols];
      for (int64_t i = 0; i < kCols; ++i) {
        columns[i] = Column(matrix, col + i) + row * kBytes;
      }
      for (int64_t r = 0; r < rows; r += kRows) {
        const int64_t at = std::min(r, rows - kRows);
        typename TileOf::V tile[kRows];
        TileOf::Transpose(
            [&](size_t i) HWY_ATTR { return columns[i] + at * kBytes; }, tile);
        for (int64_t k = 0; k < kRows; ++k) {
          hn::StoreU(
              tile[k], typename TileOf::D(),
              reinterpret_cast<T*>(to + (at + k) * row_bytes_ + col * kBytes));
        }
      }
    }
  }

  const std::byte* Column(int64_t matrix, int64_t col) const {
    return args_.source + args_.source_offsets[matrix] + args_.col_offsets[col];
  }

  // Columns from `col` on, as many as a tile has.
  void Fetch(int64_t matrix, int64_t col, int64_t row, int64_t rows) const {
    const int64_t end = std::min(col + kCols, args_.cols);
    for (int64_t i = col; i < end; ++i) {
      const std::byte* const from = Column(matrix, i) + row * kBytes;
      for (int64_t at = 0; at < rows * kBytes + kLine; at += kLine) {
        hwy::Prefetch(from + at);
      }
    }
  }

  const RelayoutArgs& args_;
  const int64_t row_bytes_;
  // What waits in the stage for being written: its bytes [written_, waiting_),
  // which belong to the same places from `to_` on, where a line begins.
  std::byte* to_ = nullptr;
  int64_t waiting_ = 0;
  int64_t written_ = 0;
};

template <class T>
void RelayoutByPanels(const RelayoutArgs& args) {
  constexpr size_t kMost = hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16;
  if (args.cols >= Tile<T, kMost>::kCols) {
    Panels<T, kMost>(args).Run();
  } else if (args.cols >= Tile<T, 2>::kCols) {
    Panels<T, 2>(args).Run();
  } else {
    Panels<T, 1>(args).Run();
  }
  if (args.past_cache) hwy::FlushStream();
}

constexpr RelayoutPart MakePart() {
  return {{&RelayoutByPanels<uint8_t>, &RelayoutByPanels<uint16_t>,
           &RelayoutByPanels<uint32_t>, &RelayoutByPanels<uint64_t>}};
}

}  // namespace

#define STRIDECAST_PART RelayoutPart
#define STRIDECAST_PART_OF PanelsPartOf
#include "core/kernels/table-inl.h"
