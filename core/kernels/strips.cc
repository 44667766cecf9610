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
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

template <class T, int64_t kMostLines>
class Strip {
 public:
  Strip(const RelayoutArgs& args, int64_t matrix, int64_t col)
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
    const auto nothing = [](int64_t, int64_t) {};
    if (!args_.past_cache) {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { Put(line, row, col); },
          nothing);
    } else if (!is_inner) {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { StreamEdge(line, row, col); },
          nothing);
    } else if constexpr (Line::kVectors == 1 || kStaged) {
      Run([this](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { StreamInner(line, row, col); },
          nothing);
    } else {
      HWY_ALIGN std::byte rows[kShiftedRows * kShiftedPitch];
      Run([this, &rows](const Line& line, int64_t row, int64_t col)
              HWY_ATTR { Shift(line, row, col, rows); },
          [this, &rows](int64_t row, int64_t end)
              HWY_ATTR { StreamShifted(row, end, rows); });
    }
  }

 private:
  using TileOf = Tile<T, hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16>;
  static constexpr int64_t kRows = TileOf::kRows;
  // More columns than the CPU can follow as streams, or keep side by side in
  // one set of L1, are copied together first, in longer runs.
  static constexpr bool kStaged = kLineCols > 16;
  // What is read of one column before the next one.
  static constexpr int64_t kRunBytes = (kStaged ? 16 : 4) * kLine;
  static constexpr int64_t kRunRows = kRunBytes / kBytes;
  static constexpr int64_t kStagePitch = kRunBytes + kLine;
  // Rows that wait in L1 until they are streamed, with what was unfinished
  // before them.
  static constexpr int64_t kShiftedRows = 32;
  static constexpr int64_t kShiftedPitch = (kMostLines + 1) * kLine;
  static_assert(kRunRows % kShiftedRows == 0);
  static_assert(!kStaged || kMostCols * kStagePitch <= kRelayoutStageBytes);

  const std::byte* Column(int64_t col) const {
    return source_ + args_.col_offsets[col];
  }
  std::byte* Unfinished(int64_t row) const {
    return args_.unfinished + row * kLine;
  }

  // Calls emit(line, row, col) for each line of each row, its element 0 being
  // that of column `col`; and flush(row, end) for at most kShiftedRows at a
  // time.
  template <class Emit, class Flush>
  HWY_INLINE void Run(const Emit& emit, const Flush& flush) const {
    for (int64_t row = 0; row < args_.rows; row += kRunRows) {
      const int64_t rows = RunRows(row);
      if constexpr (kStaged) {
        Stage(row, rows);
        std::byte* const stage = args_.stage;
        RunTiles(row, rows, emit, flush, [stage](size_t col) HWY_ATTR {
          return stage + col * kStagePitch;
        });
      } else {
        RunTiles(row, rows, emit, flush, [this, row](size_t col) HWY_ATTR {
          return columns_[col] + row * kBytes;
        });
      }
    }
  }

  // Of the run that begins there.
  int64_t RunRows(int64_t row) const {
    return args_.rows - row < kRunRows ? args_.rows - row : kRunRows;
  }

  // Rows [row, row + rows); `line_at(col)` is row `row` of that column.
  template <class Emit, class Flush, class LineAt>
  HWY_INLINE void RunTiles(int64_t row, int64_t rows, const Emit& emit,
                           const Flush& flush, const LineAt& line_at) const {
    if (rows < kRows) {
      FetchNext(row, 0, num_cols_);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t i = 0; i < num_cols_; i += kLineCols) {
          emit(Gathered(r, i, line_at), row + r, col_ + i);
        }
      }
      flush(row, row + rows);
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
                return line_at(i + v * TileOf::kCols + line) + begin * kBytes;
              },
              tile);
          for (int64_t k = 0; k < kRows; ++k) lines[k].Set(v, tile[k]);
        }
        for (int64_t k = r - begin; k < kRows; ++k) {
          emit(lines[k], row + begin + k, col_ + i);
        }
      }
      const int64_t end = r + kRows;
      if (end % kShiftedRows == 0 && end <= rows) {
        flush(row + end - kShiftedRows, row + end);
      }
    }
    flush(row + rows / kShiftedRows * kShiftedRows, row + rows);
    FetchNext(row, fetched, num_cols_);
  }

  template <class LineAt>
  Line Gathered(int64_t row, int64_t first, const LineAt& line_at) const {
    HWY_ALIGN std::byte bytes[kLine];
    for (int64_t i = 0; i < kLineCols; ++i) {
      std::memcpy(bytes + i * kBytes, line_at(first + i) + row * kBytes,
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
    if constexpr (!kStaged) {
      for (int64_t i = begin; i < end; ++i) FetchRun(row + kRunRows, i);
    }
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

  HWY_INLINE void Stage(int64_t row, int64_t rows) const {
    // Ahead of the one that is copied, in columns.
    constexpr int64_t kAhead = 2;
    const size_t bytes = static_cast<size_t>(rows * kBytes);
    for (int64_t i = 0; i < num_cols_; ++i) {
      if (i + kAhead < num_cols_) {
        FetchRun(row, i + kAhead);
      } else {
        FetchRun(row + kRunRows, i + kAhead - num_cols_);
      }
      CopyRun(columns_[i] + row * kBytes, bytes, args_.stage + i * kStagePitch);
    }
  }

  static HWY_INLINE void CopyRun(const std::byte* from, size_t bytes,
                                 std::byte* to) {
    if (bytes < kLine) {
      // As one store: what is loaded of two, soon after them, waits until all
      // stores before are written, past the caches too.
      Line::CopyFirst(from, bytes, to);
      return;
    }
    for (size_t at = 0; at + kLine <= bytes; at += kLine) {
      Line::Load(from + at).Store(to + at);
    }
    const size_t last = bytes - kLine;
    Line::Load(from + last).Store(to + last);
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

  // Where a line is more than one register, turning it takes longer than a way
  // through L1. What is loaded is stored long before, or it would wait for
  // stores past the caches.
  HWY_INLINE void Shift(const Line& line, int64_t row, int64_t col,
                        std::byte* rows) const {
    std::byte* const to = To(row, col);
    const size_t place = PlaceInLine(to);
    if (place == 0) {
      line.Stream(to);
      return;
    }
    std::byte* const shifted = rows + row % kShiftedRows * kShiftedPitch;
    if (col == col_) Line::Load(Unfinished(row)).Store(shifted);
    line.Store(shifted + (col - col_) * kBytes + place);
  }

  HWY_INLINE void StreamShifted(int64_t row, int64_t end,
                                const std::byte* rows) const {
    for (; row < end; ++row) {
      std::byte* const to = To(row, col_);
      const size_t place = PlaceInLine(to);
      if (place == 0) continue;
      const std::byte* const shifted =
          rows + row % kShiftedRows * kShiftedPitch;
      for (int64_t at = 0; at < kMostLines * kLine; at += kLine) {
        Line::Load(shifted + at).Stream(to - place + at);
      }
      Line::Load(shifted + kMostLines * kLine).Store(Unfinished(row));
    }
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

  const RelayoutArgs& args_;
  const std::byte* const source_;
  std::byte* const result_;
  const int64_t col_;
  const int64_t end_col_;
  const int64_t num_lines_;
  const int64_t num_cols_;  // a multiple of a line's
  const std::byte* columns_[kMostCols];
};

template <class StripOf>
void RunStrips(const RelayoutArgs& args) {
  for (int64_t matrix = 0; matrix < args.matrices; ++matrix) {
    for (int64_t col = 0; col < args.cols; col += StripOf::kMostCols) {
      StripOf(args, matrix, col).Run();
    }
  }
}

template <class T>
void RelayoutByStrips(const RelayoutArgs& args) {
  if (!args.past_cache) return RunStrips<Strip<T, 1>>(args);
  // Memory takes two lines side by side sooner than two in different rows.
  constexpr int64_t kLines = sizeof(T) < 4 ? 1 : 2;
  RunStrips<Strip<T, kLines>>(args);
  hwy::FlushStream();
}

constexpr RelayoutPart MakePart() {
  return {{&RelayoutByStrips<uint8_t>, &RelayoutByStrips<uint16_t>,
           &RelayoutByStrips<uint32_t>, &RelayoutByStrips<uint64_t>}};
}

}  // namespace

#define STRIDECAST_PART RelayoutPart
#define STRIDECAST_PART_OF StripsPartOf
#include "core/kernels/table-inl.h"
