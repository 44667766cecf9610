// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Copies of rows: dense, of every second to fourth element, both of them
// backwards too, of any stride; dense reversed ones past the caches, too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/kernels/block.h"
#include "core/kernels/fetch_ahead.h"

#if defined(STRIDECAST_CORE_KERNELS_COPY_ROWS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_COPY_ROWS_INL_H_
#undef STRIDECAST_CORE_KERNELS_COPY_ROWS_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_COPY_ROWS_INL_H_
#endif

#include "core/kernels/line-inl.h"
#include "core/kernels/past_cache-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <size_t kBytes>
HWY_NOINLINE void CopyRow(const Axis& axis, const std::byte* source,
                          std::byte* result) {
  for (int64_t i = 0; i < axis.extent; ++i) {
    std::memcpy(result + i * axis.result_stride,
                source + i * axis.source_stride, kBytes);
  }
}

template <size_t kBytes>
HWY_INLINE void CopyDenseRow(int64_t extent, const std::byte* source,
                             std::byte* result) {
  const size_t num_bytes = static_cast<size_t>(extent) * kBytes;
  if (num_bytes <= 128) {
    CopyShort(result, source, num_bytes);
  } else {
    std::memcpy(result, source, num_bytes);
  }
}

template <class D, class V>
HWY_INLINE V Reversed(D d, V v) {
  if constexpr (sizeof(hn::TFromD<D>) > 1) {
    return hn::Reverse(d, v);
  } else {
    const hn::Repartition<uint16_t, D> pairs;
    const auto reversed = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(
        d, hn::Or(hn::ShiftLeft<8>(reversed), hn::ShiftRight<8>(reversed)));
  }
}

// A dense row whose first element is the last one in memory, `source`; asks for
// what lies `ahead` of it.
template <size_t kBytes>
HWY_NOINLINE void CopyReversedRow(int64_t extent, const std::byte* source,
                                  int64_t ahead, std::byte* result) {
  constexpr int64_t kSize = kBytes;
  if constexpr (kBytes <= 8) {
    using T = hwy::UnsignedFromSize<kBytes>;
    const hn::ScalableTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
    if (extent >= kLanes) {
      for (int64_t i = 0; i < extent; i += kLanes) {
        const int64_t at = i + kLanes <= extent ? i : extent - kLanes;
        const std::byte* const from = source - (at + kLanes - 1) * kSize;
        FetchLine(from + ahead);
        const auto v = hn::LoadU(d, reinterpret_cast<const T*>(from));
        hn::StoreU(Reversed(d, v), d,
                   reinterpret_cast<T*>(result + at * kSize));
      }
      return;
    }
  }
  CopyRow<kBytes>({extent, -kSize, kSize}, source, result);
}

// The line that begins with the element at `source`, the others before it.
template <class T>
HWY_INLINE Line ReversedLine(const std::byte* source) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  const T* const first = reinterpret_cast<const T*>(source);
  Line line;
  for (size_t v = 0; v < Line::kVectors; ++v) {
    const auto until = (static_cast<int64_t>(v) + 1) * kLanes;
    line.Set(v, Reversed(d, hn::LoadU(d, first - until + 1)));
  }
  return line;
}

// Such rows past the caches. Where they follow each other in the result, a line
// that has the end of one and the beginning of the next is put together in
// registers. False if lines of the result do not begin with elements, or rows
// are shorter than a line.
template <size_t kBytes>
HWY_NOINLINE bool StreamReversedRows(const Axis& across, int64_t extent,
                                     const std::byte* source,
                                     std::byte* result) {
  constexpr int64_t kSize = kBytes;
  if constexpr (kBytes > 8) {
    return false;
  } else {
    using T = hwy::UnsignedFromSize<kBytes>;
    constexpr int64_t kUnit = kLine / kSize;
    if (extent < kUnit || PlaceIn(kLine, result) % kSize != 0 ||
        across.result_stride % kSize != 0) {
      return false;
    }
    const bool joins = across.result_stride == extent * kSize;
    const int64_t ahead = RowsAhead(across.source_stride);
    int64_t at = 0;  // elements of the row that are done
    for (int64_t r = 0; r < across.extent; ++r) {
      if (r == 0 || !joins) {
        const int64_t place = PlaceIn(kLine, result) / kSize;
        at = place == 0 ? 0 : kUnit - place;
        CopyReversedRow<kBytes>(at, source, ahead, result);
      }
      for (; at + kUnit <= extent; at += kUnit) {
        const std::byte* const from = source - at * kSize;
        FetchLine(from + ahead);
        ReversedLine<T>(from).Stream(result + at * kSize);
      }
      const std::byte* const next = source + across.source_stride;
      const int64_t left = extent - at;
      if (!joins || r + 1 == across.extent) {
        CopyReversedRow<kBytes>(left, source - at * kSize, ahead,
                                result + at * kSize);
      } else {
        if (left > 0) {
          const auto left_bytes = static_cast<size_t>(left * kSize);
          const Line end = ReversedLine<T>(source - (extent - kUnit) * kSize);
          ReversedLine<T>(next)
              .template RotatedUp<T>(left_bytes)
              .After(end.template RotatedUp<T>(left_bytes), left_bytes)
              .Stream(result + at * kSize);
          at += kUnit;
        }
        at -= extent;
      }
      source = next;
      result += across.result_stride;
    }
    return true;
  }
}

// Of kStep times as many elements from `from` on, those at place kPlace of each
// kStep.
template <int kStep, int kPlace, class D, class T>
HWY_INLINE auto LoadEvery(D d, const T* from) {
  hn::Vec<D> v[kStep];
  if constexpr (kStep == 2) {
    hn::LoadInterleaved2(d, from, v[0], v[1]);
  } else if constexpr (kStep == 3) {
    hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  } else {
    hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
  }
  return v[kPlace];
}

// How far ahead elements with gaps are asked for, in bytes, where they are in
// no cache: what is done with a part of them keeps CPUs' prefetchers waiting.
constexpr int64_t kEveryAheadBytes = 1024;

// Every kStep-th element of the source, to a dense row: those after `source`,
// which are asked for ahead if it `fetches`, or, kBackwards, those before it.
// False if the row has no more elements than a vector.
template <int kStep, bool kBackwards, class D, class T>
HWY_INLINE bool CopyEveryBy(D d, int64_t extent, const T* source, T* result,
                            bool fetches) {
  constexpr int64_t kLanes = hn::MaxLanes(D());
  if (extent <= kLanes) return false;
  const int64_t last = extent - kLanes;
  // Nothing is read beyond the row's elements: at its upper end vectors end
  // with an element, elsewhere they begin with one.
  if constexpr (kBackwards) {
    const auto put = [&](int64_t i, auto every) HWY_ATTR {
      hn::StoreU(Reversed(d, every), d, result + i);
    };
    put(0, LoadEvery<kStep, kStep - 1>(d, source - kLanes * kStep + 1));
    const T* const from = source - (kLanes - 1) * kStep;
    for (int64_t i = kLanes; i < last; i += kLanes) {
      put(i, LoadEvery<kStep, 0>(d, from - i * kStep));
    }
    put(last, LoadEvery<kStep, 0>(d, from - last * kStep));
  } else {
    constexpr int64_t kVectorBytes = kLanes * kStep * int64_t{sizeof(T)};
    for (int64_t i = 0; i < last; i += kLanes) {
      const T* const from = source + i * kStep;
      if (fetches) {
        const auto* const ahead =
            reinterpret_cast<const std::byte*>(from) + kEveryAheadBytes;
        for (int64_t at = 0; at < kVectorBytes; at += kLine) {
          FetchLine(ahead + at);
        }
      }
      hn::StoreU(LoadEvery<kStep, 0>(d, from), d, result + i);
    }
    hn::StoreU(
        LoadEvery<kStep, kStep - 1>(d, source + last * kStep - (kStep - 1)), d,
        result + last);
  }
  return true;
}

template <size_t kBytes, int kStep, bool kBackwards>
HWY_NOINLINE void CopyEveryRow(int64_t extent, const std::byte* source,
                               std::byte* result, bool fetches) {
  if constexpr (kBytes <= 8) {
    using T = hwy::UnsignedFromSize<kBytes>;
    const auto* from = reinterpret_cast<const T*>(source);
    auto* to = reinterpret_cast<T*>(result);
    const auto copy = [&](auto d) HWY_ATTR {
      return CopyEveryBy<kStep, kBackwards>(d, extent, from, to, fetches);
    };
    if (copy(hn::ScalableTag<T>()) || copy(hn::FixedTag<T, 16 / kBytes>()) ||
        copy(hn::FixedTag<T, 8 / kBytes>())) {
      return;
    }
  }
  constexpr int64_t kSize = kBytes;
  constexpr int64_t kStride = (kBackwards ? -kStep : kStep) * kSize;
  CopyRow<kBytes>({extent, kStride, kSize}, source, result);
}

// A row whose elements are dense in the result.
template <size_t kBytes>
HWY_INLINE void CopyToDenseRow(const Axis& along, int64_t ahead,
                               const std::byte* source, std::byte* result,
                               bool fetches) {
  constexpr int64_t kDense = kBytes;
  if (along.source_stride == kDense) {
    return CopyDenseRow<kBytes>(along.extent, source, result);
  }
  switch (along.source_stride) {
    case 0:
      return FillRow<kBytes>(result, source, along.extent * kDense);
    case -kDense:
      return CopyReversedRow<kBytes>(along.extent, source, ahead, result);
    case 2 * kDense:
      return CopyEveryRow<kBytes, 2, false>(along.extent, source, result,
                                            fetches);
    case 3 * kDense:
      return CopyEveryRow<kBytes, 3, false>(along.extent, source, result,
                                            fetches);
    case 4 * kDense:
      return CopyEveryRow<kBytes, 4, false>(along.extent, source, result,
                                            fetches);
    case -2 * kDense:
      return CopyEveryRow<kBytes, 2, true>(along.extent, source, result,
                                           fetches);
    case -3 * kDense:
      return CopyEveryRow<kBytes, 3, true>(along.extent, source, result,
                                           fetches);
    case -4 * kDense:
      return CopyEveryRow<kBytes, 4, true>(along.extent, source, result,
                                           fetches);
    default:
      return CopyRow<kBytes>(along, source, result);
  }
}

// The copy of one row at a time; `along` is the direction of a row, `fetches`
// says that the source is in no cache.
template <size_t kBytes>
void CopyRows(const Axis& across, const Axis& along, const std::byte* source,
              std::byte* result, bool fetches = false) {
  constexpr int64_t kDense = kBytes;
  const int64_t ahead = RowsAhead(across.source_stride);
  for (int64_t i = 0; i < across.extent; ++i) {
    if (along.result_stride == kDense) {
      CopyToDenseRow<kBytes>(along, ahead, source, result, fetches);
    } else {
      CopyRow<kBytes>(along, source, result);
    }
    source += across.source_stride;
    result += across.result_stride;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_COPY_ROWS_INL_H_
