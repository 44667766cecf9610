// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposition (TransposeArgs) where rows of the result, or source lines, have
// at most 16 bytes: several lines or rows share a vector.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(STRIDECAST_CORE_KERNELS_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_NARROW_INL_H_
#undef STRIDECAST_CORE_KERNELS_NARROW_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_NARROW_INL_H_
#endif

#include "core/kernels/tile-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// kRows rows of the result at once, of kLines / 2 < cols <= kLines elements, or
// of one where kLines is 2. Those that share 16 bytes, a unit of 8 bytes or
// more, follow each other without gaps. Nothing else is written.
template <class T, size_t kLines, size_t kBlocks>
class NarrowTile {
  using D = hn::FixedTag<T, kBlocks * 16 / sizeof(T)>;
  using D8 = hn::Repartition<uint8_t, D>;
  static constexpr int64_t kBlockRows = 16 / sizeof(T);

 public:
  static constexpr int64_t kUnitRows = kBlockRows / kLines;
  static constexpr int64_t kRows = kBlocks * kBlockRows;

  explicit NarrowTile(int64_t cols)
      : unit_bytes_(kUnitRows * cols * static_cast<int64_t>(sizeof(T))) {
    static constexpr uint8_t kPlaces[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                            8, 9, 10, 11, 12, 13, 14, 15};
    constexpr size_t kSlotBytes = 16 / kUnitRows;
    // Of rows without what each slot has behind them.
    uint8_t places[16];
    for (size_t row = 0; row < kUnitRows; ++row) {
      std::memcpy(places + static_cast<int64_t>(row) * unit_bytes_ / kUnitRows,
                  kPlaces + row * kSlotBytes, kSlotBytes);
    }
    for (size_t block = 0; block < kBlocks; ++block) {
      std::memcpy(head_ + block * 16, places, 8);
      std::memcpy(tail_ + block * 16, places + unit_bytes_ - 8, 8);
    }
  }

  // line_at(c) is where row 0 of this tile begins in source line c, of which
  // those from `cols` on only have to be readable; unit_at(row) where that row
  // of the result begins.
  template <class LineAt, class UnitAt>
  HWY_INLINE void Run(const LineAt& line_at, const UnitAt& unit_at) const {
    const D d;
    const D8 d8;
    hn::Vec<D> units[kLines];
    for (size_t i = 0; i < kLines; ++i) {
      units[i] = hn::LoadU(d, reinterpret_cast<const T*>(line_at(i)));
    }
    Zip<kLines>(d, units);
    if (unit_bytes_ == 16) {
      for (size_t i = 0; i < kLines; ++i) {
        StoreBlocks<16>(hn::BitCast(d8, units[i]), RowOf(i), 0, unit_at);
      }
      return;
    }
    const auto head_places = hn::Load(d8, head_);
    const auto tail_places = hn::Load(d8, tail_);
    const int64_t tail_at = unit_bytes_ - 8;
    for (size_t i = 0; i < kLines; ++i) {
      const auto unit = hn::BitCast(d8, units[i]);
      const auto head =
          kUnitRows == 1 ? unit : hn::TableLookupBytes(unit, head_places);
      const auto tail = hn::TableLookupBytes(unit, tail_places);
      StoreBlocks<8>(head, RowOf(i), 0, unit_at);
      StoreBlocks<8>(tail, RowOf(i), tail_at, unit_at);
    }
  }

 private:
  static constexpr int64_t RowOf(size_t unit) {
    return static_cast<int64_t>(unit) * kUnitRows;
  }

  // The first kBytes of each block.
  template <size_t kBytes, class UnitAt>
  static HWY_INLINE void StoreBlocks(hn::Vec<D8> v, int64_t row, int64_t offset,
                                     const UnitAt& unit_at) {
    if constexpr (kBlocks == 1) {
      StoreBlock<kBytes>(v, unit_at(row) + offset);
    } else {
      static_assert(kBlocks == 2);
      const hn::Half<D8> half;
      StoreBlock<kBytes>(hn::LowerHalf(half, v), unit_at(row) + offset);
      StoreBlock<kBytes>(hn::UpperHalf(half, v),
                         unit_at(row + kBlockRows) + offset);
    }
  }
  template <size_t kBytes, class V>
  static HWY_INLINE void StoreBlock(V block, std::byte* to) {
    const hn::FixedTag<uint8_t, kBytes> d;
    auto* const bytes = reinterpret_cast<uint8_t*>(to);
    if constexpr (kBytes == 16) {
      hn::StoreU(block, d, bytes);
    } else {
      hn::StoreU(hn::LowerHalf(d, block), d, bytes);
    }
  }

  const int64_t unit_bytes_;
  // By byte of a unit's first 8 bytes and of its last 8: where in the vector.
  HWY_ALIGN uint8_t head_[kBlocks * 16] = {};
  HWY_ALIGN uint8_t tail_[kBlocks * 16] = {};
};

template <class T, size_t kLines, size_t kBlocks>
HWY_NOINLINE void TransposeNarrowRows(const TransposeArgs& args) {
  using TileOf = NarrowTile<T, kLines, kBlocks>;
  const TileOf tile(args.cols);
  const std::byte* lines[kLines];
  for (size_t i = 0; i < kLines; ++i) {
    const auto line = HWY_MIN(static_cast<int64_t>(i), args.cols - 1);
    lines[i] = args.source + line * args.source_pitch;
  }
  const int64_t num_rows = args.rows;
  const int64_t pitch = args.result_pitch;
  for (int64_t r = 0; r < num_rows; r += TileOf::kRows) {
    const int64_t row = HWY_MIN(r, num_rows - TileOf::kRows);
    const int64_t at = row * static_cast<int64_t>(sizeof(T));
    std::byte* const result = args.result + row * pitch;
    tile.Run([&](size_t i) HWY_ATTR { return lines[i] + at; },
             [=](int64_t k) HWY_ATTR { return result + k * pitch; });
  }
}

// At most as many columns, and at least as many rows, as fill 16 bytes. False
// if rows that share a unit have gaps between them.
template <class T, size_t kLines = 16 / sizeof(T)>
HWY_INLINE bool TransposeFewCols(const TransposeArgs& args) {
  using TileOf = NarrowTile<T, kLines, 2>;
  if constexpr (kLines > 2) {
    if (args.cols <= static_cast<int64_t>(kLines / 2)) {
      return TransposeFewCols<T, kLines / 2>(args);
    }
  }
  const int64_t row_bytes = args.cols * static_cast<int64_t>(sizeof(T));
  if (TileOf::kUnitRows > 1 && args.result_pitch != row_bytes) return false;
  if (args.rows < TileOf::kRows) {
    TransposeNarrowRows<T, kLines, 1>(args);
  } else {
    TransposeNarrowRows<T, kLines, 2>(args);
  }
  return true;
}

// As a Tile, of source lines of at most 8 bytes: each vector is loaded as
// blocks of two lines that follow each other.
template <class T>
struct HalfTile {
  using D = hn::FixedTag<T, 32 / sizeof(T)>;
  using V = hn::Vec<D>;
  static constexpr size_t kRows = 8 / sizeof(T);
  static constexpr int64_t kCols = 32 / sizeof(T);
  static constexpr int64_t kReadBytes = 8;

  template <class LineAt>
  static HWY_INLINE V LoadBlocks(const LineAt& line_at, size_t line) {
    const D d;
    const hn::FixedTag<uint64_t, 2> d64;
    const auto block = [&](size_t first) HWY_ATTR {
      uint64_t lines[2];
      std::memcpy(&lines[0], line_at(first), 8);
      std::memcpy(&lines[1], line_at(first + 1), 8);
      return hn::BitCast(hn::FixedTag<T, 16 / sizeof(T)>(),
                         hn::InterleaveLower(d64, hn::Set(d64, lines[0]),
                                             hn::Set(d64, lines[1])));
    };
    return hn::Combine(d, block(line + kCols / 2), block(line));
  }

  template <class LineAt>
  static HWY_INLINE void Transpose(const LineAt& line_at, V (&rows)[kRows]) {
    for (size_t i = 0; i < kRows; ++i) rows[i] = LoadBlocks(line_at, 2 * i);
    Zip<2 * kRows>(D(), rows);
  }

  static HWY_INLINE void Store(V row, std::byte* to) {
    hn::StoreU(row, D(), reinterpret_cast<T*>(to));
  }
};

// Source lines are read to the end of 8 or 16 bytes, but never past the end of
// the last one.
template <class T, class TileOf>
HWY_NOINLINE bool TransposeNarrowLines(const TransposeArgs& args) {
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kCols = TileOf::kCols;
  constexpr int64_t kReadBytes = TileOf::kReadBytes;
  if (args.cols < kCols || args.source_pitch <= 0) return false;
  const int64_t line_bytes = args.rows * kBytes;
  const int64_t source_bytes = (args.cols - 1) * args.source_pitch + line_bytes;
  for (int64_t c = 0; c < args.cols; c += kCols) {
    const int64_t col = HWY_MIN(c, args.cols - kCols);
    const std::byte* source = args.source + col * args.source_pitch;
    int64_t pitch = args.source_pitch;
    HWY_ALIGN std::byte lines[kCols * kReadBytes];
    if ((col + kCols - 1) * pitch + kReadBytes > source_bytes) {
      for (int64_t i = 0; i < kCols; ++i) {
        std::memcpy(lines + i * kReadBytes, source + i * pitch,
                    static_cast<size_t>(line_bytes));
      }
      source = lines;
      pitch = kReadBytes;
    }
    typename TileOf::V rows[TileOf::kRows];
    TileOf::Transpose(
        [=](size_t i)
            HWY_ATTR { return source + static_cast<int64_t>(i) * pitch; },
        rows);
    for (int64_t r = 0; r < args.rows; ++r) {
      TileOf::Store(rows[r],
                    args.result + r * args.result_pitch + col * kBytes);
    }
  }
  return true;
}

// Fewer rows than fill 16 bytes. False if a tile has more columns, or if lines
// follow each other backwards.
template <class T>
HWY_INLINE bool TransposeFewRows(const TransposeArgs& args) {
  if constexpr (sizeof(T) < 8) {
    if (args.rows * static_cast<int64_t>(sizeof(T)) <= 8) {
      return TransposeNarrowLines<T, HalfTile<T>>(args);
    }
  }
  constexpr size_t kBlocks = hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16;
  return TransposeNarrowLines<T, Tile<T, kBlocks>>(args);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_NARROW_INL_H_
