// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Squares of elements transposed in registers, 16 bytes of each source line.

#include <cstddef>
#include <cstdint>

#if defined(STRIDECAST_CORE_KERNELS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_TILE_INL_H_
#undef STRIDECAST_CORE_KERNELS_TILE_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_TILE_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Transposition where source and result each have one dense direction:
//   result[r][c] = source[c][r],  r < rows, c < cols
// Row r of the result starts at result + r * result_pitch and is dense; line c
// of the source starts at source + c * source_pitch and is dense along r.
// Pitches are in bytes and arbitrary.
struct TransposeArgs {
  int64_t rows;
  int64_t cols;
  const std::byte* source;
  int64_t source_pitch;
  std::byte* result;
  int64_t result_pitch;
  bool fetches = false;  // asks for what is read later: it is in no cache
};

// log2(kFactor) rounds of interleaving vector i with vector i + kCount/2. Each
// moves the highest bit of what numbers the elements of all vectors, 16 bytes
// of each, to the lowest place.
template <size_t kFactor, class D, class V, size_t kCount>
HWY_INLINE void Zip(D d, V (&vectors)[kCount]) {
  for (size_t round = 1; round < kFactor; round *= 2) {
    V zipped[kCount];
    for (size_t i = 0; i < kCount / 2; ++i) {
      zipped[2 * i] =
          hn::InterleaveLower(d, vectors[i], vectors[i + kCount / 2]);
      zipped[2 * i + 1] =
          hn::InterleaveUpper(d, vectors[i], vectors[i + kCount / 2]);
    }
    for (size_t i = 0; i < kCount; ++i) vectors[i] = zipped[i];
  }
}

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
  static constexpr int64_t kReadBytes = 16;

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
    Zip<kRows>(d, rows);
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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_TILE_INL_H_
