// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Copies whose results are written past the caches. Only whole cache lines are,
// the ends of rows plainly.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/kernels/block.h"
#include "core/kernels/fetch_ahead.h"
#include "core/kernels/kernel.h"

#if defined(STRIDECAST_CORE_KERNELS_PAST_CACHE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_PAST_CACHE_INL_H_
#undef STRIDECAST_CORE_KERNELS_PAST_CACHE_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_PAST_CACHE_INL_H_
#endif

#include "core/kernels/line-inl.h"
#include "core/kernels/tile-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One of the two directions of a block; strides are in bytes.
struct Axis {
  int64_t extent;
  int64_t source_stride;
  int64_t result_stride;
};

HWY_INLINE void StreamRow(int64_t num_bytes, const std::byte* source,
                          std::byte* result) {
  int64_t at = PlaceIn(kLine, result) == 0 ? 0 : kLine - PlaceIn(kLine, result);
  if (num_bytes < at + kLine) {
    CopyShort(result, source, static_cast<size_t>(num_bytes));
    return;
  }
  CopyShort(result, source, static_cast<size_t>(at));
  for (; at + kLine <= num_bytes; at += kLine) {
    Line::Load(source + at).Stream(result + at);
  }
  CopyShort(result + at, source + at, static_cast<size_t>(num_bytes - at));
}

// Rows that follow each other in the result: a line that has the end of one and
// the beginning of the next is put together in registers, so that only the
// first and the last line of all are written plainly. Asks for rows ahead.
// False if rows are shorter than a line, or overlap or go backwards in the
// source.
HWY_INLINE bool StreamJoinedRows(int64_t rows, int64_t row_bytes,
                                 const std::byte* source, int64_t source_stride,
                                 std::byte* result) {
  if (row_bytes < kLine || source_stride < row_bytes) return false;
  const int64_t ahead = RowsAhead(source_stride);
  const int64_t place = PlaceIn(kLine, result);
  int64_t at = place == 0 ? 0 : kLine - place;  // within the row
  CopyShort(result, source, static_cast<size_t>(at));
  for (int64_t r = 0; r < rows; ++r) {
    for (; at + kLine <= row_bytes; at += kLine) {
      FetchLine(source + at + ahead);
      Line::Load(source + at).Stream(result + at);
    }
    const int64_t left = row_bytes - at;
    if (r + 1 == rows) {
      CopyShort(result + at, source + at, static_cast<size_t>(left));
      break;
    }
    const std::byte* const next = source + source_stride;
    if (left > 0) {
      FetchLine(source + at + ahead);
      // Both loads lie within the two rows and the gap between them.
      Line::Load(next - left)
          .After(Line::Load(source + at), static_cast<size_t>(left))
          .Stream(result + at);
      at += kLine;
    }
    at -= row_bytes;
    source = next;
    result += row_bytes;
  }
  return true;
}

// Rows of the result that follow each other, each of at most
// kMaxStagedRowBytes, of which some are put together in L1 at a time.
inline constexpr int64_t kMaxStagedRowBytes = 4096;
inline HWY_NOINLINE void StageRows(const Axis& across, const Axis& along,
                                   int64_t element_bytes, CopyKernel copy,
                                   const std::byte* source, std::byte* result) {
  constexpr int64_t kStageBytes = 8192;
  constexpr int64_t kMaxStageBytes = 2 * kStageBytes;
  static_assert(kMaxStagedRowBytes <= kMaxStageBytes);
  HWY_ALIGN std::byte stage[kMaxStageBytes];
  const int64_t row_bytes = along.extent * element_bytes;
  // Of each line of the source that is read, all.
  const int64_t most =
      std::min(std::max(kStageBytes / row_bytes, kLine / element_bytes),
               kMaxStageBytes / row_bytes);
  for (int64_t r = 0; r < across.extent; r += most) {
    const int64_t rows = std::min(most, across.extent - r);
    copy(rows, along.extent, source + r * across.source_stride,
         across.source_stride, along.source_stride, stage, row_bytes,
         element_bytes);
    StreamRow(rows * row_bytes, stage, result + r * row_bytes);
  }
}

// At most kMaxRows rows of the result, of which a part each is put together in
// L1 at a time. The unfinished line of a part waits there for the next one. Not
// inlined: a load waits for stores a multiple of 4 KiB away, and what the loop
// keeps on the stack lies behind the stage, which is small where few rows are.
template <int64_t kMaxRows, int64_t kPartBytes>
HWY_NOINLINE void StageParts(const Axis& across, const Axis& along,
                             int64_t element_bytes, CopyKernel copy,
                             const std::byte* source, std::byte* result) {
  constexpr int64_t kMinPitch = kPartBytes + 3 * kLine;
  alignas(kLine) std::byte stage[kMaxRows * (kMinPitch + kLine)];
  // Lines of a row are lines of the stage.
  const int64_t pitch = kMinPitch + (across.result_stride & (kLine - 1));
  std::byte* const staged = stage + PlaceIn(kLine, result);
  bool is_last = false;
  for (int64_t at = 0; !is_last; at += kPartBytes) {
    const int64_t left = along.extent * element_bytes - at;
    is_last = left <= kPartBytes + kLine;
    const int64_t part_bytes = is_last ? left : kPartBytes;
    const int64_t cols = part_bytes / element_bytes;
    copy(across.extent, cols, source, across.source_stride, along.source_stride,
         staged, pitch, element_bytes);
    source += cols * along.source_stride;
    for (int64_t r = 0; r < across.extent; ++r) {
      std::byte* const to = result + r * across.result_stride + at;
      const int64_t place = PlaceIn(kLine, to);
      std::byte* const lines = staged + r * pitch - place;
      const int64_t begin = at == 0 ? place : 0;
      const int64_t end = is_last ? place + part_bytes : kPartBytes;
      StreamRow(end - begin, lines + begin, to - place + begin);
      if (!is_last) Line::Load(lines + kPartBytes).Store(lines);
    }
  }
}

// Rows of the result, which are dense, are put together in L1 first. False if
// they are so short that few whole lines come of them.
inline bool StageAndStream(const Axis& across, const Axis& along,
                           int64_t element_bytes, CopyKernel copy,
                           const std::byte* source, std::byte* result) {
  constexpr int64_t kMinPartedBytes = 256;
  constexpr int64_t kMaxRows = 16;
  const int64_t row_bytes = along.extent * element_bytes;
  if (across.result_stride == row_bytes && row_bytes <= kMaxStagedRowBytes) {
    StageRows(across, along, element_bytes, copy, source, result);
    return true;
  }
  if (row_bytes < kMinPartedBytes) return false;
  for (int64_t r = 0; r < across.extent; r += kMaxRows) {
    Axis rows = across;
    rows.extent = std::min(kMaxRows, across.extent - r);
    const auto stage = rows.extent <= 4   ? &StageParts<4, 512>
                       : rows.extent <= 8 ? &StageParts<8, 1024>
                                          : &StageParts<kMaxRows, 512>;
    stage(rows, along, element_bytes, copy, source + r * across.source_stride,
          result + r * across.result_stride);
  }
  return true;
}

// A plane of the result that is written line by line, wherever its elements
// begin: what did not fill a line waits in a register for the next.
template <class T>
class PlaneWriter {
 public:
  HWY_INLINE void Begin(const Line& first, std::byte* to) {
    place_ = static_cast<size_t>(PlaceIn(kLine, to));
    HWY_ALIGN std::byte bytes[kLine];
    first.Store(bytes);
    CopyShort(to, bytes, kLine - place_);
    to_ = to - place_ + kLine;
    waiting_ = first.template RotatedUp<T>(place_);
  }
  HWY_INLINE void Write(const Line& next) {
    const Line turned = next.template RotatedUp<T>(place_);
    turned.After(waiting_, place_).Stream(to_);
    to_ += kLine;
    waiting_ = turned;
  }
  HWY_INLINE void End() const {
    HWY_ALIGN std::byte bytes[kLine];
    waiting_.Store(bytes);
    CopyShort(to_, bytes, place_);
  }

 private:
  size_t place_;   // of every element 0 of a line that is given, in bytes
  std::byte* to_;  // the next line
  Line waiting_;
};

// Planes from interleaved elements, as Deinterleave; a line is one vector.
template <class T, int kCount>
HWY_INLINE bool DeinterleavePastCacheBy(const TransposeArgs& args) {
  constexpr int64_t kBytes = sizeof(T);
  constexpr int64_t kUnit = kLine / kBytes;
  if (args.cols < 4 * kUnit) return false;
  const auto load = [&](int64_t col, Line(&lines)[kCount]) HWY_ATTR {
    const T* const from =
        reinterpret_cast<const T*>(args.source + col * kCount * kBytes);
    const hn::ScalableTag<T> d;
    hn::Vec<decltype(d)> v0, v1, v2, v3;
    if constexpr (kCount == 2) {
      hn::LoadInterleaved2(d, from, v0, v1);
    } else if constexpr (kCount == 3) {
      hn::LoadInterleaved3(d, from, v0, v1, v2);
      lines[2].Set(0, v2);
    } else {
      hn::LoadInterleaved4(d, from, v0, v1, v2, v3);
      lines[2].Set(0, v2);
      lines[3].Set(0, v3);
    }
    lines[0].Set(0, v0);
    lines[1].Set(0, v1);
  };
  Line lines[kCount];
  PlaneWriter<T> planes[kCount];
  load(0, lines);
  for (int r = 0; r < kCount; ++r) {
    planes[r].Begin(lines[r], args.result + r * args.result_pitch);
  }
  int64_t col = kUnit;
  for (; col + kUnit <= args.cols; col += kUnit) {
    load(col, lines);
    for (int r = 0; r < kCount; ++r) planes[r].Write(lines[r]);
  }
  for (int r = 0; r < kCount; ++r) planes[r].End();
  if (col == args.cols) return true;
  load(args.cols - kUnit, lines);
  for (int r = 0; r < kCount; ++r) {
    lines[r].Store(args.result + r * args.result_pitch +
                   (args.cols - kUnit) * kBytes);
  }
  return true;
}

// False if there are no planes, or too little of them, or a line takes more
// than one register: what waits for the next line then lies on the stack,
// behind what is written past the caches.
template <class T>
HWY_NOINLINE bool DeinterleavePastCache(const TransposeArgs& args) {
  if constexpr (Line::kVectors == 1) {
    if (args.source_pitch != args.rows * static_cast<int64_t>(sizeof(T))) {
      return false;
    }
    switch (args.rows) {
      case 2:
        return DeinterleavePastCacheBy<T, 2>(args);
      case 3:
        return DeinterleavePastCacheBy<T, 3>(args);
      case 4:
        return DeinterleavePastCacheBy<T, 4>(args);
      default:
        break;
    }
  }
  return false;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_PAST_CACHE_INL_H_
