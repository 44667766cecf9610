// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Transposition (TransposeArgs) of any extents. Nothing but the elements is
// written: tiles at the edges overlap their neighbours.

#include <cstddef>
#include <cstdint>

#include "core/kernels/fetch_ahead.h"

#if defined(STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#undef STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_TRANSPOSE_INL_H_
#endif

#include "core/kernels/narrow-inl.h"
#include "core/kernels/tile-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// All rows of the columns of a tile from `col` on. A tile has to fit.
template <class T>
HWY_INLINE void TransposeColumns(const TransposeArgs& args, int64_t col) {
  using Wide = Tile<T, 2>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kRows = Wide::kRows;
  const std::byte* source = args.source + col * args.source_pitch;
  std::byte* result = args.result + col * kBytes;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t row = r + kRows <= args.rows ? r : args.rows - kRows;
    Wide::Run(source + row * kBytes, args.source_pitch,
              result + row * args.result_pitch, args.result_pitch);
  }
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
// many, of half as many bytes twice as many: each is read to its end before the
// lines of the next tile are, and what comes next is fetched into L2, in whole
// lines. Not where rows of the result are 4 KiB apart: half written lines would
// leave L1.
constexpr int64_t kAliasBytes = 4096;
constexpr int64_t kLinesOfAliases = 8;

template <class T>
HWY_INLINE bool AreAliases(const TransposeArgs& args) {
  if (args.result_pitch % kAliasBytes == 0) return false;
  constexpr int64_t kStrip = kStripCols<T>;
  return (kStrip > kLinesOfAliases && args.source_pitch % kAliasBytes == 0) ||
         (kStrip > 2 * kLinesOfAliases &&
          args.source_pitch % (kAliasBytes / 2) == 0);
}

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

// False if the block is too small for tiles, or narrow with gaps between rows.
template <class T>
HWY_INLINE bool TransposeTiles(const TransposeArgs& args) {
  using Wide = Tile<T, 2>;
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kNarrowCols = 16 / kBytes;
  if (args.rows < static_cast<int64_t>(Wide::kRows)) {
    return TransposeFewRows<T>(args);
  }
  if (args.cols <= kNarrowCols) return TransposeFewCols<T>(args);
  if (args.cols < Wide::kCols) {
    TransposeArgs part = args;
    part.cols = kNarrowCols;
    TransposeFewCols<T>(part);
    part.source += (args.cols - kNarrowCols) * args.source_pitch;
    part.result += (args.cols - kNarrowCols) * kBytes;
    TransposeFewCols<T>(part);
    return true;
  }
  const bool are_aliases = AreAliases<T>(args);
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
    TransposeColumns<T>(args, col);
  }
  if (col < args.cols) {
    TransposeColumns<T>(args, args.cols - Wide::kCols);
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
