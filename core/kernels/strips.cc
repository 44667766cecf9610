// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposes matrices far larger than L1, a strip of columns at a time, as wide
// as a cache line of the result. A strip is read along its rows, where each of
// its columns is one sequential stream, and each of its rows is one line of the
// result, made in registers and written at once: memory takes whole lines in
// any order at full speed, but reads far faster along streams. Where lines do
// not begin at the strip's first column, each row keeps what it has of its
// unfinished line until the next strip completes it.

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

template <class T>
class Strip {
 public:
  Strip(const RelayoutArgs& args, int64_t matrix, int64_t col)
      : args_(args),
        source_(args.source + args.source_offsets[matrix]),
        result_(args.result + args.result_offsets[matrix]),
        col_(col),
        num_cols_(NumCols(col)) {
    // Columns that are not there repeat the last one.
    for (int64_t i = 0; i < kCols; ++i) {
      columns_[i] = Column(col + (i < num_cols_ ? i : num_cols_ - 1));
    }
  }

  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kCols = kLine / kBytes;

  void Run() const {
    const bool is_inner = col_ > 0 && col_ + kCols < args_.cols;
    if (!args_.past_cache) {
      Run([this](const Line& line, int64_t row, std::byte* to)
              HWY_ATTR { Put(line, row, to); });
    } else if (is_inner) {
      Run([this](const Line& line, int64_t row, std::byte* to)
              HWY_ATTR { StreamInner(line, row, to); });
    } else {
      Run([this](const Line& line, int64_t row, std::byte* to)
              HWY_ATTR { StreamEdge(line, row, to); });
    }
  }

 private:
  using TileOf = Tile<T, hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16>;
  static constexpr int64_t kRows = TileOf::kRows;
  // More columns than the CPU can follow as streams, or keep side by side in
  // one set of L1, are copied together first, in longer runs.
  static constexpr bool kStaged = kCols > 16;
  // What is read of one column before the next one.
  static constexpr int64_t kRunBytes = (kStaged ? 16 : 4) * kLine;
  static constexpr int64_t kRunRows = kRunBytes / kBytes;
  static constexpr int64_t kStagePitch = kRunBytes + kLine;
  static_assert(!kStaged || kCols * kStagePitch <= kRelayoutStageBytes);

  int64_t NumCols(int64_t col) const {
    return args_.cols - col < kCols ? args_.cols - col : kCols;
  }
  const std::byte* Column(int64_t col) const {
    return source_ + args_.col_offsets[col];
  }
  std::byte* Unfinished(int64_t row) const {
    return args_.unfinished + row * kLine;
  }

  // Calls emit(line, row, to) for each row, `to` being where its line belongs.
  template <class Emit>
  HWY_INLINE void Run(const Emit& emit) const {
    for (int64_t row = 0; row < args_.rows; row += kRunRows) {
      const int64_t rows = RunRows(row);
      if constexpr (kStaged) {
        Stage(row, rows);
        std::byte* const stage = args_.stage;
        RunTiles(row, rows, emit, [stage](size_t col) HWY_ATTR {
          return stage + col * kStagePitch;
        });
      } else {
        RunTiles(row, rows, emit, [this, row](size_t col) HWY_ATTR {
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
  template <class Emit, class LineAt>
  HWY_INLINE void RunTiles(int64_t row, int64_t rows, const Emit& emit,
                           const LineAt& line_at) const {
    if (rows < kRows) {
      FetchNext(row, 0, kCols);
      for (int64_t r = 0; r < rows; ++r) {
        emit(Gathered(r, line_at), row + r, To(row + r));
      }
      return;
    }
    int64_t fetched = 0;
    for (int64_t r = 0; r < rows; r += kRows) {
      const int64_t next = kCols * (r + kRows) / kRunRows;
      FetchNext(row, fetched, next);
      fetched = next;
      // The last tile begins earlier, and leaves out the rows that are done.
      const int64_t begin = r + kRows <= rows ? r : rows - kRows;
      Line lines[kRows];
      for (size_t i = 0; i < Line::kVectors; ++i) {
        typename TileOf::V tile[kRows];
        TileOf::Transpose(
            [&](size_t line) HWY_ATTR {
              return line_at(i * TileOf::kCols + line) + begin * kBytes;
            },
            tile);
        for (int64_t k = 0; k < kRows; ++k) lines[k].Set(i, tile[k]);
      }
      for (int64_t k = r - begin; k < kRows; ++k) {
        emit(lines[k], row + begin + k, To(row + begin + k));
      }
    }
    FetchNext(row, fetched, kCols);
  }

  template <class LineAt>
  Line Gathered(int64_t row, const LineAt& line_at) const {
    HWY_ALIGN std::byte bytes[kLine];
    for (int64_t i = 0; i < kCols; ++i) {
      std::memcpy(bytes + i * kBytes, line_at(i) + row * kBytes, kBytes);
    }
    return Line::Load(bytes);
  }

  std::byte* To(int64_t row) const {
    return result_ + args_.row_offsets[row] + col_ * kBytes;
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
    const int64_t col = col_ + kCols + i;
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
    for (int64_t i = 0; i < kCols; ++i) {
      if (i + kAhead < kCols) {
        FetchRun(row, i + kAhead);
      } else {
        FetchRun(row + kRunRows, i + kAhead - kCols);
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

  // For results that stay in a cache.
  HWY_INLINE void Put(const Line& line, int64_t, std::byte* to) const {
    if (num_cols_ == kCols) {
      line.Store(to);
      return;
    }
    HWY_ALIGN std::byte bytes[kLine];
    line.Store(bytes);
    std::memcpy(to, bytes, static_cast<size_t>(num_cols_ * kBytes));
  }

  HWY_INLINE void StreamInner(const Line& line, int64_t row,
                              std::byte* to) const {
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
  HWY_INLINE void StreamEdge(const Line& line, int64_t row,
                             std::byte* to) const {
    const size_t num_bytes = static_cast<size_t>(num_cols_ * kBytes);
    const size_t place = PlaceInLine(to);
    const size_t head = kLine - place;
    if (place == 0 && num_bytes == kLine) {
      line.Stream(to);
      return;
    }
    HWY_ALIGN std::byte bytes[kLine];
    const Line rotated = line.RotatedUp<T>(place);
    if (col_ == 0) {
      line.Store(bytes);
      std::memcpy(to, bytes, num_bytes < head ? num_bytes : head);
    } else if (num_bytes >= head) {
      rotated.After(Line::Load(Unfinished(row)), place).Stream(to - place);
    } else {
      rotated.After(Line::Load(Unfinished(row)), place).Store(bytes);
      std::memcpy(to - place, bytes, place + num_bytes);
    }
    if (col_ + num_cols_ < args_.cols) {
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
  const int64_t num_cols_;
  const std::byte* columns_[kCols];
};

template <class T>
void RelayoutByStrips(const RelayoutArgs& args) {
  for (int64_t matrix = 0; matrix < args.matrices; ++matrix) {
    for (int64_t col = 0; col < args.cols; col += Strip<T>::kCols) {
      Strip<T>(args, matrix, col).Run();
    }
  }
  if (args.past_cache) hwy::FlushStream();
}

constexpr RelayoutPart MakePart() {
  return {{&RelayoutByStrips<uint8_t>, &RelayoutByStrips<uint16_t>,
           &RelayoutByStrips<uint32_t>, &RelayoutByStrips<uint64_t>}};
}

}  // namespace

#define STRIDECAST_PART RelayoutPart
#define STRIDECAST_PART_OF StripsPartOf
#include "core/kernels/table-inl.h"
