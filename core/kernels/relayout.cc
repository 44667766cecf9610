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
#define HWY_TARGET_INCLUDE "core/kernels/relayout.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kLine = 64;

// A cache line in registers.
class Line {
 public:
  using D = hn::ScalableTag<uint32_t>;
  using V = hn::Vec<D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());
  static constexpr size_t kVectors = kLine / 4 / kLanes;

  static HWY_INLINE Line Load(const std::byte* from) {
    Line line;
    for (size_t i = 0; i < kVectors; ++i) {
      line.v_[i] =
          hn::LoadU(D(), reinterpret_cast<const uint32_t*>(from) + i * kLanes);
    }
    return line;
  }
  HWY_INLINE void Store(std::byte* to) const {
    for (size_t i = 0; i < kVectors; ++i) {
      hn::StoreU(v_[i], D(), reinterpret_cast<uint32_t*>(to) + i * kLanes);
    }
  }
  // Past the caches; `to` is the beginning of a line.
  HWY_INLINE void Stream(std::byte* to) const {
    for (size_t i = 0; i < kVectors; ++i) {
      hn::Stream(v_[i], D(), reinterpret_cast<uint32_t*>(to) + i * kLanes);
    }
  }
  template <class Vector>
  HWY_INLINE void Set(size_t i, Vector v) {
    v_[i] = hn::BitCast(D(), v);
  }

  // Byte i becomes byte (i + count) % 64; count < 64. T is the element's type.
  template <class T>
  HWY_INLINE Line RotatedUp(size_t count) const {
    const Line lanes = LanesRotatedUp(count / 4);
    if (sizeof(T) % 4 == 0 && count % 4 == 0) return lanes;
    // The upper bytes of each lane come from its own lane, the lower ones from
    // the lane below.
    const Line below = LanesRotatedUp(count / 4 + 1);
    const int bits = static_cast<int>(count % 4 * 8);
    Line line;
    for (size_t i = 0; i < kVectors; ++i) {
      const V low = hn::ShiftRightSame(below.v_[i], 31 - bits);
      line.v_[i] =
          hn::Or(hn::ShiftLeftSame(lanes.v_[i], bits), hn::ShiftRight<1>(low));
    }
    return line;
  }

  // The first `count` bytes of `first`, the others of this.
  HWY_INLINE Line After(const Line& first, size_t count) const {
    const hn::Repartition<uint8_t, D> d8;
    constexpr size_t kBytes = kLanes * 4;
    Line line;
    for (size_t i = 0; i < kVectors; ++i) {
      const size_t left = count > i * kBytes ? count - i * kBytes : 0;
      const auto mask = hn::FirstN(d8, left < kBytes ? left : kBytes);
      line.v_[i] =
          hn::BitCast(D(), hn::IfThenElse(mask, hn::BitCast(d8, first.v_[i]),
                                          hn::BitCast(d8, v_[i])));
    }
    return line;
  }

 private:
  using DI = hn::RebindToSigned<D>;

  // Lane i becomes lane (i + count) % 16; count <= 16.
  HWY_INLINE Line LanesRotatedUp(size_t count) const {
    // Element 16 + i - count is the lane that becomes lane i.
    alignas(kLine) static constexpr uint32_t kFrom[32] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Line line;
    if constexpr (kVectors == 1) {
      const V from = hn::LoadU(D(), kFrom + 16 - count);
      line.v_[0] = hn::TableLookupLanes(v_[0], hn::IndicesFromVec(D(), from));
    } else {
      const V top = hn::Set(D(), kLanes - 1);
      for (size_t i = 0; i < kVectors; ++i) {
        const V from = hn::LoadU(D(), kFrom + 16 - count + i * kLanes);
        const auto indices = hn::IndicesFromVec(D(), hn::And(from, top));
        line.v_[i] = hn::IfThenElse(
            hn::RebindMask(
                D(), hn::Gt(hn::BitCast(DI(), from), hn::BitCast(DI(), top))),
            hn::TableLookupLanes(v_[kVectors - 1], indices),
            hn::TableLookupLanes(v_[0], indices));
      }
    }
    return line;
  }

  V v_[kVectors];
};

// In bytes, from the beginning of its cache line.
HWY_INLINE size_t PlaceInLine(const std::byte* address) {
  return reinterpret_cast<uintptr_t>(address) % kLine;
}

template <class T>
class Strip {
 public:
  Strip(const RelayoutArgs& args, int64_t col)
      : args_(args), col_(col), num_cols_(NumCols(col)) {
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
    return args_.source + args_.col_offsets[col];
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
        FetchNext(row);
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
      for (int64_t r = 0; r < rows; ++r) {
        emit(Gathered(r, line_at), row + r, To(row + r));
      }
      return;
    }
    for (int64_t r = 0; r < rows; r += kRows) {
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
    return args_.result + args_.row_offsets[row] + col_ * kBytes;
  }

  // Fetches what is read a run later: further along the rows, or the first run
  // of the next strip.
  HWY_INLINE void FetchNext(int64_t row) const {
    const int64_t next = row + kRunRows;
    for (int64_t i = 0; i < kCols; ++i) FetchRun(next, i);
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
      std::memcpy(to, from, bytes);
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
  const int64_t col_;
  const int64_t num_cols_;
  const std::byte* columns_[kCols];
};

template <class T>
void Relayout(const RelayoutArgs& args) {
  for (int64_t col = 0; col < args.cols; col += Strip<T>::kCols) {
    Strip<T>(args, col).Run();
  }
  if (args.past_cache) hwy::FlushStream();
}

constexpr RelayoutPart MakePart() {
  return {{&Relayout<uint8_t>, &Relayout<uint16_t>, &Relayout<uint32_t>,
           &Relayout<uint64_t>}};
}

}  // namespace

#define STRIDECAST_PART RelayoutPart
#define STRIDECAST_PART_OF RelayoutPartOf
#include "core/kernels/table-inl.h"
