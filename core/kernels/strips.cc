// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposes matrices far larger than L1, a strip of columns at a time, as wide
// as one or two cache lines of the result. A strip is read along its rows,
// where each of its columns is one sequential stream, and each of its rows is
// those lines of the result, made in registers and written at once: memory
// takes whole lines in any order at full speed, but reads far faster along
// streams. Where lines do not begin at the strip's first column, each row keeps
// what it has of its unfinished line until the next strip completes it.

#include <algorithm>
#include <cstring>

#include "core/kernels/parts.h"
#include "hwy/cache_control.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/strips.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/line-inl.h"
#include "core/kernels/tile-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

template <class T, int64_t kMostLines>
class Strip {
 public:
  Strip(const StripArgs& args, int64_t matrix, int64_t col)
      : args_(args),
        source_(args.source + args.source_offsets[matrix]),
        result_(args.result + args.result_offsets[matrix]),
        col_(col),
        end_col_(std::min(args.cols, col + kMostCols)),
        num_lines_((end_col_ - col + kLineCols - 1) / kLineCols),
        num_cols_(num_lines_ * kLineCols) {
    // Columns that are not there repeat the last one.
    for (int64_t i = 0; i < num_cols_; ++i) {
      columns_[i] = Column(std::min(col + i, end_col_ - 1));
    }
  }

  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kLineCols = kLine / kBytes;
  static constexpr int64_t kMostCols = kMostLines * kLineCols;

  void Run() const {
    const bool is_inner = col_ > 0 && col_ + kMostCols < args_.cols;
    if (!args_.past_cache) {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { Put(line, row, col); });
    } else if (!is_inner) {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { StreamEdge(line, row, col); });
    } else {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { StreamInner(line, row, col); });
    }
  }

 private:
  using TileOf = Tile<T, hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16>;
  static constexpr int64_t kRows = TileOf::kRows;
  // What is read of one column before the next one.
  static constexpr int64_t kRunBytes = 4 * kLine;
  static constexpr int64_t kRunRows = kRunBytes / kBytes;

  const std::byte* Column(int64_t col) const {
    return source_ + args_.col_offsets[col];
  }
  std::byte* Unfinished(int64_t row) const {
    return args_.unfinished + row * kLine;
  }

  // Calls emit(line, row, col) for each line of each row, its element 0 being
  // that of column `col`.
  template <class Emit>
  HWY_INLINE void Run(const Emit& emit) const {
    for (int64_t row = 0; row < args_.rows; row += kRunRows) {
      RunTiles(row, RunRows(row), emit);
    }
  }

  // Of the run that begins there.
  int64_t RunRows(int64_t row) const {
    return args_.rows - row < kRunRows ? args_.rows - row : kRunRows;
  }

  // Rows [row, row + rows).
  template <class Emit>
  HWY_INLINE void RunTiles(int64_t row, int64_t rows, const Emit& emit) const {
    if (rows < kRows) {
      FetchNext(row, 0, num_cols_);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t i = 0; i < num_cols_; i += kLineCols) {
          emit(Gathered(row + r, i), row + r, col_ + i);
        }
      }
      return;
    }
    int64_t fetched = 0;
    for (int64_t r = 0; r < rows; r += kRows) {
      const int64_t next = num_cols_ * (r + kRows) / kRunRows;
      FetchNext(row, fetched, next);
      fetched = next;
      // The last tile begins earlier, and leaves out the rows that are done.
      const int64_t begin = r + kRows <= rows ? r : rows - kRows;
      for (int64_t i = 0; i < num_cols_; i += kLineCols) {
        Line lines[kRows];
        for (size_t v = 0; v < Line::kVectors; ++v) {
          typename TileOf::V tile[kRows];
          TileOf::Transpose(
              [&](size_t line) HWY_ATTR {
                return columns_[i + v * TileOf::kCols + line] +
                       (row + begin) * kBytes;
              },
              tile);
          for (int64_t k = 0; k < kRows; ++k) lines[k].Set(v, tile[k]);
        }
        for (int64_t k = r - begin; k < kRows; ++k) {
          emit(lines[k], row + begin + k, col_ + i);
        }
      }
    }
    FetchNext(row, fetched, num_cols_);
  }

  Line Gathered(int64_t row, int64_t first) const {
    HWY_ALIGN std::byte bytes[kLine];
    for (int64_t i = 0; i < kLineCols; ++i) {
      std::memcpy(bytes + i * kBytes, columns_[first + i] + row * kBytes,
                  kBytes);
    }
    return Line::Load(bytes);
  }

  std::byte* To(int64_t row, int64_t col) const {
    return result_ + args_.row_offsets[row] + col * kBytes;
  }

  // Fetches of columns [begin, end) what is read a run later. By and by: all at
  // once would keep the CPU from writing meanwhile.
  HWY_INLINE void FetchNext(int64_t row, int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) FetchRun(row + kRunRows, i);
  }

  // Of column i of this strip, or where `row` is past its end, of the next one.
  HWY_INLINE void FetchRun(int64_t row, int64_t i) const {
    if (row < args_.rows) {
      // The run's first line is also the last one of the run before.
      const std::byte* from = columns_[i] + row * kBytes + kLine - 1;
      const int64_t bytes = RunRows(row) * kBytes;
      for (int64_t at = 0; at < bytes; at += kLine) hwy::Prefetch(from + at);
      return;
    }
    const int64_t col = col_ + num_cols_ + i;
    if (col >= args_.cols) return;
    const std::byte* from = Column(col);
    const int64_t bytes = RunRows(0) * kBytes;
    for (int64_t at = 0; at < bytes + kLine; at += kLine) {
      hwy::Prefetch(from + at);
    }
  }

  // Of the line that begins with that column.
  size_t NumBytes(int64_t col) const {
    return static_cast<size_t>(std::min(end_col_ - col, kLineCols) * kBytes);
  }

  // For results that stay in a cache.
  HWY_INLINE void Put(const Line& line, int64_t row, int64_t col) const {
    std::byte* const to = To(row, col);
    if (end_col_ - col >= kLineCols) {
      line.Store(to);
      return;
    }
    HWY_ALIGN std::byte bytes[kLine];
    line.Store(bytes);
    std::memcpy(to, bytes, NumBytes(col));
  }

  HWY_INLINE void StreamInner(const Line& line, int64_t row,
                              int64_t col) const {
    std::byte* const to = To(row, col);
    const size_t place = PlaceInLine(to);
    if (place == 0) {
      line.Stream(to);
      return;
    }
    const Line rotated = line.RotatedUp<T>(place);
    rotated.After(Line::Load(Unfinished(row)), place).Stream(to - place);
    rotated.Store(Unfinished(row));
  }

  // The edges of the tile share their lines with other tiles.
  HWY_INLINE void StreamEdge(const Line& line, int64_t row, int64_t col) const {
    std::byte* const to = To(row, col);
    const size_t num_bytes = NumBytes(col);
    const size_t place = PlaceInLine(to);
    const size_t head = kLine - place;
    if (place == 0 && num_bytes == kLine) {
      line.Stream(to);
      return;
    }
    HWY_ALIGN std::byte bytes[kLine];
    const Line rotated = line.RotatedUp<T>(place);
    if (col == 0) {
      line.Store(bytes);
      std::memcpy(to, bytes, num_bytes < head ? num_bytes : head);
    } else if (num_bytes >= head) {
      rotated.After(Line::Load(Unfinished(row)), place).Stream(to - place);
    } else {
      rotated.After(Line::Load(Unfinished(row)), place).Store(bytes);
      std::memcpy(to - place, bytes, place + num_bytes);
    }
    if (col + kLineCols < args_.cols) {
      rotated.Store(Unfinished(row));
    } else if (num_bytes > head) {
      rotated.Store(bytes);
      std::memcpy(to + head, bytes, num_bytes - head);
    }
  }

  const StripArgs& args_;
  const std::byte* const source_;
  std::byte* const result_;
  const int64_t col_;
  const int64_t end_col_;
  const int64_t num_lines_;
  const int64_t num_cols_;  // a multiple of a line's
  const std::byte* columns_[kMostCols];
};

template <class StripOf>
void RunStrips(const StripArgs& args) {
  for (int64_t matrix = 0; matrix < args.matrices; ++matrix) {
    for (int64_t col = 0; col < args.cols; col += StripOf::kMostCols) {
      StripOf(args, matrix, col).Run();
    }
  }
}

template <class T>
void RelayoutByStrips(const StripArgs& args) {
  if (!args.past_cache) return RunStrips<Strip<T, 1>>(args);
  // Memory takes two lines side by side sooner than two in different rows.
  RunStrips<Strip<T, 2>>(args);
  hwy::FlushStream();
}

constexpr StripPart MakePart() {
  return {{nullptr, nullptr, &RelayoutByStrips<uint32_t>,
           &RelayoutByStrips<uint64_t>}};
}

}  // namespace

#define STRIDECAST_PART StripPart
#define STRIDECAST_PART_OF StripsPartOf
#include "core/kernels/table-inl.h"
