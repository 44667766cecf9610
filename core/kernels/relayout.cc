// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposes matrices far larger than L1, a strip of columns at a time, as wide
// as a cache line of the result. A strip is read along its rows, where each of
// its columns is one sequential stream, and written in whole lines. Where lines
// do not begin at the strip's first column, each row keeps the elements of its
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
// Of each row of a chunk: room before the strip's elements, and these.
constexpr int64_t kRowBytes = 2 * kLine;
// How far ahead of what is read each stream is fetched.
constexpr int64_t kAheadBytes = 4 * kLine;

HWY_INLINE void CopyLine(const std::byte* from, std::byte* to) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kVector = hn::MaxLanes(hn::ScalableTag<uint8_t>());
  for (size_t i = 0; i < kLine; i += kVector) {
    hn::StoreU(hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + i), d,
               reinterpret_cast<uint8_t*>(to) + i);
  }
}

// Past the caches; `to` is the beginning of a line.
HWY_INLINE void StreamLine(const std::byte* from, std::byte* to) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kVector = hn::MaxLanes(hn::ScalableTag<uint8_t>());
  for (size_t i = 0; i < kLine; i += kVector) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + i), d,
               reinterpret_cast<uint8_t*>(to) + i);
  }
}

// The line whose first `num_first` bytes are first[0], ...; the others are
// those of `rest` at their place. Reads whole lines of both.
HWY_INLINE void StreamJoined(const std::byte* first, int64_t num_first,
                             const std::byte* rest, std::byte* to) {
  const hn::ScalableTag<uint8_t> d;
  constexpr int64_t kVector = hn::MaxLanes(hn::ScalableTag<uint8_t>());
  for (int64_t i = 0; i < kLine; i += kVector) {
    const int64_t left = num_first > i ? num_first - i : 0;
    const auto mask =
        hn::FirstN(d, static_cast<size_t>(left < kVector ? left : kVector));
    hn::Stream(
        hn::IfThenElse(
            mask, hn::LoadU(d, reinterpret_cast<const uint8_t*>(first) + i),
            hn::LoadU(d, reinterpret_cast<const uint8_t*>(rest) + i)),
        d, reinterpret_cast<uint8_t*>(to) + i);
  }
}

template <class T>
class Strip {
 public:
  Strip(const RelayoutArgs& args, int64_t col)
      : args_(args), col_(col), num_cols_(NumCols(col)) {
    for (int64_t i = 0; i < num_cols_; ++i) columns_[i] = Column(col + i);
  }

  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kCols = kLine / kBytes;
  using Wide = Tile<T, 2>;
  static constexpr int64_t kRows = Wide::kRows;
  // A chunk has kCols rows; the last one up to kRows - 1 more.
  static_assert((kCols + kRows - 1) * kRowBytes <= kRelayoutChunkBytes);

  void Run() {
    for (int64_t row = 0; row < args_.rows;) {
      const int64_t left = args_.rows - row;
      const int64_t rows = left < kCols + kRows ? left : kCols;
      Fetch(row);
      if (num_cols_ == kCols && rows >= kRows) {
        TransposeWhole(row, rows);
      } else {
        TransposePart(row, rows);
      }
      for (int64_t r = 0; r < rows; ++r) Write(row, r);
      row += rows;
    }
  }

 private:
  int64_t NumCols(int64_t col) const {
    return args_.cols - col < kCols ? args_.cols - col : kCols;
  }
  const std::byte* Column(int64_t col) const {
    return args_.source + args_.col_offsets[col];
  }

  // The strip's elements of a chunk's row.
  std::byte* NewLine(int64_t r) const {
    return args_.chunk + r * kRowBytes + kLine;
  }
  std::byte* Unfinished(int64_t row) const {
    return args_.unfinished + row * kLine;
  }

  // What is read a while later: further along the rows, or of the next strip.
  void Fetch(int64_t row) const {
    const int64_t ahead = row * kBytes + kAheadBytes;
    const int64_t run = args_.rows * kBytes;
    if (ahead < run) {
      for (int64_t i = 0; i < num_cols_; ++i) {
        hwy::Prefetch(columns_[i] + ahead);
      }
      return;
    }
    const int64_t next = col_ + kCols;
    if (next >= args_.cols) return;
    const int64_t at = run <= kAheadBytes ? row * kBytes : ahead - run;
    if (at >= run) return;
    const int64_t num = NumCols(next);
    for (int64_t i = 0; i < num; ++i) hwy::Prefetch(Column(next + i) + at);
  }

  // Lines of the source are copied together first, side by side and each at
  // once: columns a power of two apart drive each other out of L1.
  void TransposeWhole(int64_t row, int64_t rows) const {
    HWY_ALIGN std::byte lines[kCols * kRowBytes];
    for (int64_t i = 0; i < kCols; ++i) {
      TakeRows(columns_[i] + row * kBytes, rows, lines + i * kRowBytes);
    }
    for (int64_t r = 0; r < rows; r += kRows) {
      const int64_t at = r + kRows <= rows ? r : rows - kRows;
      for (int64_t i = 0; i < kCols; i += Wide::kCols) {
        Wide::Run(lines + i * kRowBytes + at * kBytes, kRowBytes,
                  NewLine(at) + i * kBytes, kRowBytes);
      }
    }
  }

  static HWY_INLINE void TakeRows(const std::byte* from, int64_t rows,
                                  std::byte* to) {
    if (rows < kCols) {
      std::memcpy(to, from, static_cast<size_t>(rows * kBytes));
      return;
    }
    CopyLine(from, to);
    const int64_t rest = (rows - kCols) * kBytes;
    if (rest > 0) CopyLine(from + rest, to + rest);
  }

  void TransposePart(int64_t row, int64_t rows) const {
    for (int64_t i = 0; i < num_cols_; ++i) {
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(NewLine(r) + i * kBytes, columns_[i] + (row + r) * kBytes,
                    kBytes);
      }
    }
  }

  HWY_INLINE void Write(int64_t row, int64_t r) const {
    std::byte* const to =
        args_.result + args_.row_offsets[row + r] + col_ * kBytes;
    std::byte* const from = NewLine(r);
    const int64_t num_bytes = num_cols_ * kBytes;
    // Bytes until the next line begins.
    const int64_t head =
        static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & (kLine - 1));
    if (!args_.past_cache || head == 0) {
      if (num_bytes < kLine) {
        std::memcpy(to, from, static_cast<size_t>(num_bytes));
      } else if (args_.past_cache) {
        StreamLine(from, to);
      } else {
        CopyLine(from, to);
      }
      return;
    }
    WriteShifted(from, to, num_bytes, head, Unfinished(row + r));
  }

  HWY_INLINE void WriteShifted(const std::byte* from, std::byte* to,
                               int64_t num_bytes, int64_t head,
                               std::byte* unfinished) const {
    const int64_t old = kLine - head;
    if (col_ > 0 && num_bytes >= head) {
      StreamJoined(unfinished + head, old, from - old, to - old);
    } else {
      // The edges of the tile share their lines with other tiles.
      const int64_t part = num_bytes < head ? num_bytes : head;
      std::memcpy(to, from, static_cast<size_t>(part));
      if (col_ > 0) {
        std::memcpy(to - old, unfinished + head, static_cast<size_t>(old));
      }
    }
    if (col_ + num_cols_ < args_.cols) {
      CopyLine(from, unfinished);
    } else if (num_bytes > head) {
      std::memcpy(to + head, from + head,
                  static_cast<size_t>(num_bytes - head));
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
