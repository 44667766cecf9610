// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposition where source and result each have one dense direction:
//   result[r][c] = source[c][r],  r < rows, c < cols
// Row r of the result starts at result + r * result_pitch and is dense; line c
// of the source starts at source + c * source_pitch and is dense along r.
// Pitches are in bytes and arbitrary. Nothing else is written: tiles at the
// edges overlap their neighbours.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/kernels/block.h"
#include "core/kernels/fetch_ahead.h"

#if defined(STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#undef STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#endif

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct TransposeArgs {
  int64_t rows;
  int64_t cols;
  const std::byte* source;
  int64_t source_pitch;
  std::byte* result;
  int64_t result_pitch;
  bool fetches = false;  // asks for what is read later: it is in no cache
};

// A tile of kRows x (kRows * kBlocks) elements, with kRows of them in 16 bytes.
// Each vector is loaded as kBlocks blocks of 16 bytes, from source lines kRows
// apart; log2(kRows) rounds of interleaving vector i with vector i + kRows/2
// transpose all blocks at once.
template <class T, size_t kBlocks>
struct Tile {
  using D = hn::FixedTag<T, kBlocks * 16 / sizeof(T)>;
  using D16 = hn::FixedTag<T, 16 / sizeof(T)>;
  using V = hn::Vec<D>;
  static constexpr size_t kRows = 16 / sizeof(T);
  static constexpr int64_t kCols = kRows * kBlocks;

  static HWY_INLINE auto LoadBlock(const std::byte* bytes) {
    return hn::LoadU(D16(), reinterpret_cast<const T*>(bytes));
  }

  // `line_at(i)` is where what is read of source line i begins.
  template <class LineAt>
  static HWY_INLINE V LoadBlocks(const LineAt& line_at, size_t line) {
    const D d;
    if constexpr (kBlocks == 1) {
      return LoadBlock(line_at(line));
    } else if constexpr (kBlocks == 2) {
      return hn::Combine(d, LoadBlock(line_at(line + kRows)),
                         LoadBlock(line_at(line)));
    } else {
      static_assert(kBlocks == 4);
      const hn::Repartition<uint32_t, D> d32;
      const auto block = [&](size_t b) HWY_ATTR {
        return hn::LoadDup128(
            d32, reinterpret_cast<const uint32_t*>(line_at(line + b * kRows)));
      };
      auto v = hn::IfThenElse(hn::FirstN(d32, 12), block(2), block(3));
      v = hn::IfThenElse(hn::FirstN(d32, 8), block(1), v);
      return hn::BitCast(d, hn::IfThenElse(hn::FirstN(d32, 4), block(0), v));
    }
  }

  // rows[r] becomes row r of the result.
  template <class LineAt>
  static HWY_INLINE void Transpose(const LineAt& line_at, V (&rows)[kRows]) {
    const D d;
    for (size_t i = 0; i < kRows; ++i) rows[i] = LoadBlocks(line_at, i);
    for (size_t round = 1; round < kRows; round *= 2) {
      V zipped[kRows];
      for (size_t i = 0; i < kRows / 2; ++i) {
        zipped[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kRows / 2]);
        zipped[2 * i + 1] =
            hn::InterleaveUpper(d, rows[i], rows[i + kRows / 2]);
      }
      for (size_t i = 0; i < kRows; ++i) rows[i] = zipped[i];
    }
  }

  static HWY_INLINE void Store(V row, std::byte* to) {
    hn::StoreU(row, D(), reinterpret_cast<T*>(to));
  }

  static HWY_INLINE void Run(const std::byte* source, int64_t source_pitch,
                             std::byte* result, int64_t result_pitch) {
    V rows[kRows];
    Transpose(
        [=](size_t i) HWY_ATTR {
          return source + static_cast<int64_t>(i) * source_pitch;
        },
        rows);
    for (size_t i = 0; i < kRows; ++i) {
      Store(rows[i], result + static_cast<int64_t>(i) * result_pitch);
    }
  }
};

// All rows of the kCols columns from `col` on. At least one tile has to fit.
template <class TileOf>
HWY_INLINE void TransposeColumns(const TransposeArgs& args, int64_t col,
                                 int64_t element_bytes) {
  constexpr int64_t kRows = TileOf::kRows;
  const std::byte* source = args.source + col * args.source_pitch;
  std::byte* result = args.result + col * element_bytes;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t row = r + kRows <= args.rows ? r : args.rows - kRows;
    TileOf::Run(source + row * element_bytes, args.source_pitch,
                result + row * args.result_pitch, args.result_pitch);
  }
}

// Fewer rows than a tile has: source lines are read past their ends, but never
// past the end of the last one.
template <class T>
HWY_NOINLINE bool TransposeFewRows(const TransposeArgs& args) {
  using TileOf = Tile<T, hn::MaxLanes(hn::ScalableTag<uint8_t>()) / 16>;
  using V = typename TileOf::V;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kCols = TileOf::kCols;
  if (args.cols < kCols || args.source_pitch <= 0) return false;
  const int64_t line_bytes = args.rows * kBytes;
  const int64_t source_bytes = (args.cols - 1) * args.source_pitch + line_bytes;
  for (int64_t c = 0; c < args.cols; c += kCols) {
    const int64_t col = c + kCols <= args.cols ? c : args.cols - kCols;
    const std::byte* source = args.source + col * args.source_pitch;
    int64_t pitch = args.source_pitch;
    HWY_ALIGN std::byte lines[kCols * 16];
    if ((col + kCols - 1) * pitch + 16 > source_bytes) {
      for (int64_t i = 0; i < kCols; ++i) {
        std::memcpy(lines + i * 16, source + i * pitch,
                    static_cast<size_t>(line_bytes));
      }
      source = lines;
      pitch = 16;
    }
    V rows[TileOf::kRows];
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

// Fewer columns than a tile has, rows of the result without gaps between them:
// each is written past its end, where the next ones follow.
template <class T>
HWY_NOINLINE bool TransposeFewCols(const TransposeArgs& args) {
  using TileOf = Tile<T, 1>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kRows = TileOf::kRows;
  const int64_t row_bytes = args.cols * kBytes;
  if (args.rows < kRows || args.result_pitch != row_bytes) return false;
  const int64_t result_bytes = args.rows * row_bytes;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t begin = r + kRows <= args.rows ? r : args.rows - kRows;
    const std::byte* source = args.source + begin * kBytes;
    typename TileOf::V rows[kRows];
    TileOf::Transpose(
        [&](size_t i) HWY_ATTR {
          const auto line = static_cast<int64_t>(i);
          return source +
                 (line < args.cols ? line : args.cols - 1) * args.source_pitch;
        },
        rows);
    for (int64_t k = 0; k < kRows; ++k) {
      const int64_t at = (begin + k) * row_bytes;
      auto* to = reinterpret_cast<T*>(args.result + at);
      if (at + 16 <= result_bytes) {
        hn::StoreU(rows[k], typename TileOf::D(), to);
      } else {
        HWY_ALIGN T row[kRows];
        hn::StoreU(rows[k], typename TileOf::D(), row);
        std::memcpy(to, row, static_cast<size_t>(row_bytes));
      }
    }
  }
  return true;
}

// Two tiles side by side, so that whole cache lines of the result are written
// before they can leave L1.
template <class T>
inline constexpr int64_t kStripCols = 2 * Tile<T, 2>::kCols;

// All rows of the columns of a strip from `col` on; if there is a next one, the
// lines that it reads and writes are asked for.
template <class T>
HWY_INLINE void TransposeStrip(const TransposeArgs& args, int64_t col,
                               bool has_next) {
  using Wide = Tile<T, 2>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kStrip = kStripCols<T>;
  constexpr int64_t kRows = Wide::kRows;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t row = r + kRows <= args.rows ? r : args.rows - kRows;
    const std::byte* source =
        args.source + col * args.source_pitch + row * kBytes;
    std::byte* result = args.result + row * args.result_pitch + col * kBytes;
    if (r % (kLine / kBytes) == 0 && has_next) {
      for (int64_t i = 0; i < kStrip; ++i) {
        hwy::Prefetch(source + (kStrip + i) * args.source_pitch);
      }
    }
    if (has_next) {
      for (int64_t i = 0; i < kRows; ++i) {
        hwy::Prefetch(result + i * args.result_pitch + kStrip * kBytes);
      }
    }
    Wide::Run(source, args.source_pitch, result, args.result_pitch);
    Wide::Run(source + Wide::kCols * args.source_pitch, args.source_pitch,
              result + Wide::kCols * kBytes, args.result_pitch);
  }
}

// Of source lines that are a multiple of so many bytes apart L1 holds but this
// many: each is read to its end before the lines of the next tile are, and what
// comes next is fetched into L2, in whole lines. Not where the result's are,
// too: half written lines would leave L1.
constexpr int64_t kAliasBytes = 4096;
constexpr int64_t kLinesOfAliases = 8;

template <class T>
HWY_INLINE void TransposeAliasedStrip(const TransposeArgs& args, int64_t col,
                                      bool has_next) {
  using Wide = Tile<T, 2>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kStrip = kStripCols<T>;
  constexpr int64_t kRows = Wide::kRows;
  constexpr int64_t kRowsOfLine = kLine / kBytes;
  const int64_t num_lines = (args.rows + kRowsOfLine - 1) / kRowsOfLine;
  for (int64_t line = 0; line < num_lines; ++line) {
    if (has_next) {
      for (int64_t i = kStrip * line / num_lines;
           i < kStrip * (line + 1) / num_lines; ++i) {
        const std::byte* next =
            args.source + (col + kStrip + i) * args.source_pitch;
        for (int64_t k = 0; k < num_lines; ++k) {
          __builtin_prefetch(next + k * kLine, /*rw=*/0, /*locality=*/2);
        }
      }
    }
    const int64_t begin = line * kRowsOfLine;
    const int64_t end = HWY_MIN(begin + kRowsOfLine, args.rows);
    for (int64_t c = col; c < col + kStrip; c += Wide::kCols) {
      for (int64_t r = begin; r < end; r += kRows) {
        const int64_t row = HWY_MIN(r, args.rows - kRows);
        Wide::Run(args.source + c * args.source_pitch + row * kBytes,
                  args.source_pitch,
                  args.result + row * args.result_pitch + c * kBytes,
                  args.result_pitch);
      }
    }
  }
}

// False if the block is too small for tiles.
template <class T>
HWY_INLINE bool TransposeTiles(const TransposeArgs& args) {
  using Wide = Tile<T, 2>;
  using Narrow = Tile<T, 1>;
  constexpr int64_t kBytes = sizeof(T);
  if (args.rows < static_cast<int64_t>(Wide::kRows)) {
    return TransposeFewRows<T>(args);
  }
  if (args.cols < Narrow::kCols) return TransposeFewCols<T>(args);
  if (args.cols < Wide::kCols) {
    TransposeColumns<Narrow>(args, 0, kBytes);
    TransposeColumns<Narrow>(args, args.cols - Narrow::kCols, kBytes);
    return true;
  }
  const bool are_aliases = kStripCols<T> > kLinesOfAliases &&
                           args.source_pitch % kAliasBytes == 0 &&
                           args.result_pitch % kAliasBytes != 0;
  int64_t col = 0;
  for (; col + kStripCols<T> <= args.cols; col += kStripCols<T>) {
    const bool has_next = col + 2 * kStripCols<T> <= args.cols;
    if (are_aliases) {
      TransposeAliasedStrip<T>(args, col, has_next);
    } else {
      TransposeStrip<T>(args, col, has_next);
    }
  }
  for (; col + Wide::kCols <= args.cols; col += Wide::kCols) {
    TransposeColumns<Wide>(args, col, kBytes);
  }
  if (col < args.cols) {
    TransposeColumns<Wide>(args, args.cols - Wide::kCols, kBytes);
  }
  return true;
}

// How far ahead planes and interleaved elements are asked for, in bytes of each
// plane: what is staged is shorter than what CPUs' prefetchers take to get
// going.
constexpr int64_t kPlaneAheadBytes = 1024;

// Planes from interleaved elements: kCount rows of the result, source lines of
// kCount elements without gaps between them. False if too short for vectors.
// Takes a copy of its arguments: stored bytes might be part of another's.
template <class T, int kCount>
HWY_INLINE bool Deinterleave(const TransposeArgs args) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kUnit = hn::MaxLanes(hn::ScalableTag<T>());
  constexpr int64_t kBytes = sizeof(T);
  if (args.cols < kUnit) return false;
  for (int64_t c = 0; c < args.cols; c += kUnit) {
    const int64_t col = c + kUnit <= args.cols ? c : args.cols - kUnit;
    const std::byte* const bytes = args.source + col * kCount * kBytes;
    if (args.fetches) {
      for (int64_t at = 0; at < kCount * kUnit * kBytes; at += kLine) {
        FetchLine(bytes + kCount * kPlaneAheadBytes + at);
      }
    }
    const T* const from = reinterpret_cast<const T*>(bytes);
    const auto to = [&](int row) HWY_ATTR {
      return reinterpret_cast<T*>(args.result + row * args.result_pitch +
                                  col * kBytes);
    };
    hn::Vec<decltype(d)> v0, v1, v2, v3;
    if constexpr (kCount == 2) {
      hn::LoadInterleaved2(d, from, v0, v1);
    } else if constexpr (kCount == 3) {
      hn::LoadInterleaved3(d, from, v0, v1, v2);
      hn::StoreU(v2, d, to(2));
    } else {
      hn::LoadInterleaved4(d, from, v0, v1, v2, v3);
      hn::StoreU(v2, d, to(2));
      hn::StoreU(v3, d, to(3));
    }
    hn::StoreU(v0, d, to(0));
    hn::StoreU(v1, d, to(1));
  }
  return true;
}

// Interleaved elements from kCount planes: rows of the result have kCount
// elements and no gaps between them. False if too short for vectors. Takes a
// copy of its arguments as well.
template <class T, int kCount>
HWY_INLINE bool Interleave(const TransposeArgs args) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kUnit = hn::MaxLanes(hn::ScalableTag<T>());
  constexpr int64_t kBytes = sizeof(T);
  if (args.rows < kUnit) return false;
  for (int64_t r = 0; r < args.rows; r += kUnit) {
    const int64_t row = r + kUnit <= args.rows ? r : args.rows - kUnit;
    const auto from = [&](int line) HWY_ATTR {
      const std::byte* const bytes =
          args.source + line * args.source_pitch + row * kBytes;
      if (args.fetches) FetchLine(bytes + kPlaneAheadBytes);
      return hn::LoadU(d, reinterpret_cast<const T*>(bytes));
    };
    T* const to = reinterpret_cast<T*>(args.result + row * kCount * kBytes);
    if constexpr (kCount == 2) {
      hn::StoreInterleaved2(from(0), from(1), d, to);
    } else if constexpr (kCount == 3) {
      hn::StoreInterleaved3(from(0), from(1), from(2), d, to);
    } else {
      hn::StoreInterleaved4(from(0), from(1), from(2), from(3), d, to);
    }
  }
  return true;
}

// True if it did the work; T is the unsigned integer of the element's size.
template <class T>
HWY_NOINLINE bool Transpose(const TransposeArgs& args) {
  constexpr int64_t kBytes = sizeof(T);
  if (args.source_pitch == args.rows * kBytes) {
    if (args.rows == 2 && Deinterleave<T, 2>(args)) return true;
    if (args.rows == 3 && Deinterleave<T, 3>(args)) return true;
    if (args.rows == 4 && Deinterleave<T, 4>(args)) return true;
  }
  if (args.result_pitch == args.cols * kBytes) {
    if (args.cols == 2 && Interleave<T, 2>(args)) return true;
    if (args.cols == 3 && Interleave<T, 3>(args)) return true;
    if (args.cols == 4 && Interleave<T, 4>(args)) return true;
  }
  return TransposeTiles<T>(args);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
