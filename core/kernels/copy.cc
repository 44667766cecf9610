// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Copies between strided places, by element size, and the normaliser of preds.
// Bits are never interpreted.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/copy.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/past_cache-inl.h"
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

template <size_t kBytes>
HWY_NOINLINE void CopyRow(const Axis& axis, const std::byte* source,
                          std::byte* result) {
  for (int64_t i = 0; i < axis.extent; ++i) {
    std::memcpy(result + i * axis.result_stride,
                source + i * axis.source_stride, kBytes);
  }
}

template <size_t kBytes>
void CopyDenseRow(int64_t extent, const std::byte* source, std::byte* result) {
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
        const auto* from =
            reinterpret_cast<const T*>(source - (at + kLanes - 1) * kSize);
        FetchLine(reinterpret_cast<const std::byte*>(from) + ahead);
        hn::StoreU(Reversed(d, hn::LoadU(d, from)), d,
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
        FetchLine(reinterpret_cast<const std::byte*>(from) + ahead);
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

// Every kStep-th element of the source, to a dense row.
template <size_t kBytes, int kStep>
HWY_NOINLINE void CopyEveryRow(int64_t extent, const std::byte* source,
                               std::byte* result) {
  constexpr int64_t kSize = kBytes;
  int64_t i = 0;
  if constexpr (kBytes <= 8) {
    using T = hwy::UnsignedFromSize<kBytes>;
    const hn::ScalableTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
    // The elements after the last one of a row are not read.
    for (; i + kLanes < extent; i += kLanes) {
      const auto* from = reinterpret_cast<const T*>(source + i * kStep * kSize);
      hn::Vec<decltype(d)> v, next, third, fourth;
      if constexpr (kStep == 2) {
        hn::LoadInterleaved2(d, from, v, next);
      } else if constexpr (kStep == 3) {
        hn::LoadInterleaved3(d, from, v, next, third);
      } else {
        hn::LoadInterleaved4(d, from, v, next, third, fourth);
      }
      hn::StoreU(v, d, reinterpret_cast<T*>(result + i * kSize));
    }
  }
  CopyRow<kBytes>({extent - i, kStep * kSize, kSize},
                  source + i * kStep * kSize, result + i * kSize);
}

// Rows of at most 16 bytes that follow each other in the result, in which those
// of a row of the source lie within 16, in any order: pixels whose channels are
// reversed, or of which some are left out, or which are mirrored. As many as
// lie within 16 bytes at a time. False if rows are none of that, or few.
template <size_t kBytes>
HWY_NOINLINE bool CopyGroups(const Axis& across, const Axis& along,
                             const std::byte* source, std::byte* result) {
  constexpr int64_t kSize = kBytes;
  constexpr int64_t kMost = 16;
  constexpr int64_t kMinRows = 32;
  const int64_t row_bytes = along.extent * kSize;
  const int64_t reach = (along.extent - 1) * along.source_stride;
  const int64_t span = std::abs(reach) + kSize;
  if (across.extent < kMinRows || row_bytes > kMost || span > kMost ||
      along.result_stride != kSize || across.result_stride != row_bytes) {
    return false;
  }
  const int64_t step = across.source_stride;
  const int64_t most = kMost / row_bytes;
  const int64_t count =
      step == 0 ? most : std::min(most, (kMost - span) / std::abs(step) + 1);
  // Where a group's memory begins, relative to its first element.
  const int64_t begin =
      std::min<int64_t>(reach, 0) + std::min<int64_t>((count - 1) * step, 0);
  // By byte of the result; those of no element become 0.
  HWY_ALIGN uint8_t from[kMost];
  std::memset(from, 0x80, sizeof(from));
  uint8_t* to = from;
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t col = 0; col < along.extent; ++col) {
      const int64_t first = row * step + col * along.source_stride - begin;
      for (int64_t byte = 0; byte < kSize; ++byte) {
        *to++ = static_cast<uint8_t>(first + byte);
      }
    }
  }
  const hn::FixedTag<uint8_t, kMost> d;
  const auto indices = hn::Load(d, from);
  // Vectors reach beyond the group; what lies there belongs to other rows.
  const int64_t last = (across.extent - 1) * step;
  const int64_t lowest =
      std::min<int64_t>(reach, 0) + std::min<int64_t>(last, 0);
  const int64_t highest =
      std::max<int64_t>(reach, 0) + std::max<int64_t>(last, 0) + kSize - kMost;
  int64_t r = 0;
  const auto copy_rows = [&](int64_t until) {
    for (; r < until; ++r) {
      for (int64_t c = 0; c < along.extent; ++c) {
        std::memcpy(result + r * row_bytes + c * kSize,
                    source + r * step + c * along.source_stride, kBytes);
      }
    }
  };
  while (r + count <= across.extent && r * step + begin > highest)
    copy_rows(r + 1);
  for (; r + count <= across.extent &&
         r * row_bytes + kMost <= across.extent * row_bytes;
       r += count) {
    const int64_t at = r * step + begin;
    if (at < lowest || at > highest) break;
    const auto v = hn::LoadU(d, reinterpret_cast<const uint8_t*>(source + at));
    hn::StoreU(hn::TableLookupBytesOr0(v, indices), d,
               reinterpret_cast<uint8_t*>(result + r * row_bytes));
  }
  copy_rows(across.extent);
  return true;
}

// The copy of one row at a time; `along` is the direction of a row.
template <size_t kBytes>
void CopyRows(const Axis& across, const Axis& along, const std::byte* source,
              std::byte* result) {
  constexpr int64_t kDense = kBytes;
  for (int64_t i = 0; i < across.extent; ++i) {
    if (along.result_stride == kDense && along.source_stride == kDense) {
      CopyDenseRow<kBytes>(along.extent, source, result);
    } else if (along.result_stride == kDense && along.source_stride == 0) {
      FillRow<kBytes>(result, source, along.extent * kDense);
    } else if (along.result_stride == kDense &&
               along.source_stride == -kDense) {
      CopyReversedRow<kBytes>(along.extent, source,
                              RowsAhead(across.source_stride), result);
    } else if (along.result_stride == kDense &&
               along.source_stride == 2 * kDense) {
      CopyEveryRow<kBytes, 2>(along.extent, source, result);
    } else if (along.result_stride == kDense &&
               along.source_stride == 3 * kDense) {
      CopyEveryRow<kBytes, 3>(along.extent, source, result);
    } else if (along.result_stride == kDense &&
               along.source_stride == 4 * kDense) {
      CopyEveryRow<kBytes, 4>(along.extent, source, result);
    } else {
      CopyRow<kBytes>(along, source, result);
    }
    source += across.source_stride;
    result += across.result_stride;
  }
}

template <size_t kBytes>
bool TransposeOf(const TransposeArgs& args) {
  if constexpr (kBytes == 16) {
    return false;
  } else {
    return Transpose<hwy::UnsignedFromSize<kBytes>>(args);
  }
}

template <size_t kBytes>
bool DeinterleavePastCacheOf(const TransposeArgs& args) {
  if constexpr (kBytes == 16) {
    return false;
  } else {
    return DeinterleavePastCache<hwy::UnsignedFromSize<kBytes>>(args);
  }
}

// Where no vector helps: in squares, so that the lines touched across stay in
// L1 until all of their elements are copied.
template <size_t kBytes>
void CopySquares(const Axis& across, const Axis& along, const std::byte* source,
                 std::byte* result) {
  constexpr int64_t kSide = 64;
  for (int64_t i = 0; i < across.extent; i += kSide) {
    for (int64_t j = 0; j < along.extent; j += kSide) {
      Axis short_across = across;
      Axis short_along = along;
      short_across.extent =
          across.extent - i < kSide ? across.extent - i : kSide;
      short_along.extent = along.extent - j < kSide ? along.extent - j : kSide;
      CopyRows<kBytes>(
          short_across, short_along,
          source + i * across.source_stride + j * along.source_stride,
          result + i * across.result_stride + j * along.result_stride);
    }
  }
}

// Whether the two directions are better swapped: rows run along the result, if
// it is dense anywhere.
inline bool RowsRunAcross(const Axis& across, const Axis& along,
                          int64_t element_bytes) {
  return along.extent == 1 ||
         (across.extent != 1 && along.result_stride != element_bytes &&
          across.result_stride == element_bytes);
}

// Where rows of the result lie backwards in the source, the last one first, so
// that each place of a row begins with what the other rows read there.
inline void TakeForwards(int64_t element_bytes, Axis& across,
                         const std::byte*& source, std::byte*& result) {
  if (across.source_stride != -element_bytes) return;
  source += (across.extent - 1) * across.source_stride;
  result += (across.extent - 1) * across.result_stride;
  across.source_stride = element_bytes;
  across.result_stride = -across.result_stride;
}

template <size_t kBytes>
void Copy(int64_t rows, int64_t cols, const std::byte* source,
          int64_t source_row_stride, int64_t source_col_stride,
          std::byte* destination, int64_t destination_row_stride,
          int64_t destination_col_stride) {
  constexpr int64_t kDense = kBytes;
  Axis across{rows, source_row_stride, destination_row_stride};
  Axis along{cols, source_col_stride, destination_col_stride};
  if (RowsRunAcross(across, along, kDense)) std::swap(across, along);
  if (across.source_stride == along.extent * along.source_stride &&
      across.result_stride == along.extent * along.result_stride) {
    along.extent *= across.extent;
    across.extent = 1;
  }
  const bool result_dense = along.result_stride == kDense;
  if (CopyGroups<kBytes>(across, along, source, destination)) return;
  if (across.extent == 1 || (result_dense && (along.source_stride == kDense ||
                                              along.source_stride == -kDense ||
                                              along.source_stride == 0))) {
    CopyRows<kBytes>(across, along, source, destination);
    return;
  }
  if (result_dense) TakeForwards(kDense, across, source, destination);
  if (result_dense && across.source_stride == kDense &&
      TransposeOf<kBytes>({across.extent, along.extent, source,
                           along.source_stride, destination,
                           across.result_stride})) {
    return;
  }
  // The longer direction inside, unless squares pay.
  if (across.extent > 16 && along.extent > 16) {
    CopySquares<kBytes>(across, along, source, destination);
  } else if (across.extent > along.extent) {
    CopyRows<kBytes>(along, across, source, destination);
  } else {
    CopyRows<kBytes>(across, along, source, destination);
  }
}

template <size_t kBytes>
void CopyPastCache(int64_t rows, int64_t cols, const std::byte* source,
                   int64_t source_row_stride, int64_t source_col_stride,
                   std::byte* destination, int64_t destination_row_stride,
                   int64_t destination_col_stride) {
  constexpr int64_t kDense = kBytes;
  Axis across{rows, source_row_stride, destination_row_stride};
  Axis along{cols, source_col_stride, destination_col_stride};
  if (RowsRunAcross(across, along, kDense)) std::swap(across, along);
  if (along.result_stride == kDense && along.source_stride == kDense) {
    if (across.source_stride == along.extent * kDense &&
        across.result_stride == along.extent * kDense) {
      along.extent *= across.extent;
      across.extent = 1;
    }
    const int64_t row_bytes = along.extent * kDense;
    if (across.extent > 1 && across.result_stride == row_bytes) {
      if (row_bytes < kLine) {
        StageRows(across, along, kDense, &Copy<kBytes>, source, destination);
        return;
      }
      if (StreamJoinedRows(across.extent, row_bytes, source,
                           across.source_stride, destination)) {
        return;
      }
    }
    for (int64_t i = 0; i < across.extent; ++i) {
      StreamRow(row_bytes, source + i * across.source_stride,
                destination + i * across.result_stride);
    }
    return;
  }
  if (along.result_stride == kDense) {
    Axis forwards = across;
    const std::byte* first = source;
    std::byte* to = destination;
    TakeForwards(kDense, forwards, first, to);
    if (forwards.source_stride == kDense &&
        DeinterleavePastCacheOf<kBytes>({forwards.extent, along.extent, first,
                                         along.source_stride, to,
                                         forwards.result_stride})) {
      return;
    }
    if (along.source_stride == -kDense &&
        StreamReversedRows<kBytes>(across, along.extent, source, destination)) {
      return;
    }
    if (StageAndStream(across, along, kDense, &Copy<kBytes>, source,
                       destination)) {
      return;
    }
  }
  Copy<kBytes>(rows, cols, source, source_row_stride, source_col_stride,
               destination, destination_row_stride, destination_col_stride);
}

struct ToPred : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Min(x, hn::Set(d, 1));
  }
};

void NormalizePreds(int64_t count, const std::byte* source,
                    std::byte* destination) {
  const BlockOperand operand{source, 0, 1};
  KernelOf<ToPred, DType::kPred, Form::kUnary>::Run(
      1, count, &operand, BlockResult{destination, 0});
}

constexpr CopyPart MakePart() {
  return {{&Copy<1>, &Copy<2>, &Copy<4>, &Copy<8>, &Copy<16>},
          {&CopyPastCache<1>, &CopyPastCache<2>, &CopyPastCache<4>,
           &CopyPastCache<8>, &CopyPastCache<16>},
          &NormalizePreds};
}

}  // namespace

#define STRIDECAST_PART CopyPart
#define STRIDECAST_PART_OF CopyPartOf
#include "core/kernels/table-inl.h"
