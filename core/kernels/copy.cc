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
#include "core/kernels/copy_rows-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/past_cache-inl.h"
#include "core/kernels/transpose-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Rows of at most 16 bytes that follow each other in the result, in which those
// of a row of the source lie within 16, in any order: pixels whose channels are
// reversed, or of which some are left out, or which are mirrored. As many as
// lie within 16 bytes at a time. Rows of the source are not one row again and
// again. False if they are none of that, or few.
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
  const int64_t count = std::min(most, (kMost - span) / std::abs(step) + 1);
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
  const auto copy_rows = [&](int64_t first, int64_t end) {
    for (int64_t r = first; r < end; ++r) {
      CopyRow<kBytes>(along, source + r * step, result + r * row_bytes);
    }
  };
  // Vectors reach beyond the group; what lies there belongs to other rows.
  const int64_t reach_all = (across.extent - 1) * step;
  const int64_t highest = std::max<int64_t>(reach, 0) +
                          std::max<int64_t>(reach_all, 0) + kSize - kMost;
  int64_t last = across.extent - std::max(count, (kMost - 1) / row_bytes + 1);
  if (step > 0) {
    last = std::min(last, highest < begin ? -1 : (highest - begin) / step);
  }
  int64_t r = 0;
  while (r <= last && r * step + begin > highest) ++r;
  copy_rows(0, r);
  const std::byte* read = source + r * step + begin;
  std::byte* written = result + r * row_bytes;
  for (; r <= last; r += count) {
    const auto v = hn::LoadU(d, reinterpret_cast<const uint8_t*>(read));
    hn::StoreU(hn::TableLookupBytesOr0(v, indices), d,
               reinterpret_cast<uint8_t*>(written));
    read += count * step;
    written += count * row_bytes;
  }
  copy_rows(r, across.extent);
  return true;
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

// Rows of the result that lie backwards in the source, from the last one on.
inline void TakeForwards(Axis& across, const std::byte*& source,
                         std::byte*& result) {
  if (across.source_stride >= 0) return;
  source += (across.extent - 1) * across.source_stride;
  result += (across.extent - 1) * across.result_stride;
  across.source_stride = -across.source_stride;
  across.result_stride = -across.result_stride;
}

// A matrix whose elements share lines of the source across, though they are not
// dense there: some of its lines at a time are made dense in L1, then
// transposed. False if there is no such direction, or little of it.
template <size_t kBytes>
HWY_NOINLINE bool CopyBySourceLines(Axis across, const Axis& along,
                                    const std::byte* source,
                                    std::byte* result) {
  constexpr int64_t kSize = kBytes;
  constexpr int64_t kMinSide = 16;
  constexpr int64_t kLines = 32;
  constexpr int64_t kLineBytes = 512;
  constexpr int64_t kPitch = kLineBytes + kLine;
  constexpr int64_t kElements = kLineBytes / kSize;
  if (across.extent < kMinSide || along.extent < kMinSide ||
      along.result_stride != kSize || std::abs(across.source_stride) >= kLine ||
      std::abs(along.source_stride) < kLine) {
    return false;
  }
  TakeForwards(across, source, result);
  HWY_ALIGN std::byte stage[kLines * kPitch];
  for (int64_t r = 0; r < across.extent; r += kElements) {
    const int64_t rows = std::min(kElements, across.extent - r);
    for (int64_t c = 0; c < along.extent; c += kLines) {
      const int64_t cols = std::min(kLines, along.extent - c);
      CopyRows<kBytes>(
          {cols, along.source_stride, kPitch},
          {rows, across.source_stride, kSize},
          source + r * across.source_stride + c * along.source_stride, stage);
      std::byte* const to = result + r * across.result_stride + c * kSize;
      if (!TransposeOf<kBytes>(
              {rows, cols, stage, kPitch, to, across.result_stride})) {
        CopyRows<kBytes>({rows, kSize, across.result_stride},
                         {cols, kPitch, kSize}, stage, to);
      }
    }
  }
  return true;
}

// The first of so many rows that follow each other becomes all of them.
void RepeatRow(int64_t rows, int64_t row_bytes, std::byte* result) {
  const int64_t num_bytes = rows * row_bytes;
  for (int64_t done = row_bytes; done < num_bytes; done *= 2) {
    const int64_t more = std::min(done, num_bytes - done);
    std::memcpy(result + done, result, static_cast<size_t>(more));
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

// kFetches: of sources that are in no cache.
template <size_t kBytes, bool kFetches = false>
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
  if (across.extent > 1 && across.source_stride == 0 && result_dense &&
      across.result_stride == along.extent * kDense) {
    CopyRows<kBytes>({1, 0, across.result_stride}, along, source, destination,
                     kFetches);
    RepeatRow(across.extent, across.result_stride, destination);
    return;
  }
  if (CopyGroups<kBytes>(across, along, source, destination)) return;
  if (across.extent == 1 || (result_dense && (along.source_stride == kDense ||
                                              along.source_stride == -kDense ||
                                              along.source_stride == 0))) {
    CopyRows<kBytes>(across, along, source, destination, kFetches);
    return;
  }
  if (result_dense && across.source_stride == -kDense) {
    TakeForwards(across, source, destination);
  }
  if (result_dense && across.source_stride == kDense &&
      TransposeOf<kBytes>({across.extent, along.extent, source,
                           along.source_stride, destination,
                           across.result_stride, kFetches})) {
    return;
  }
  if (CopyBySourceLines<kBytes>(across, along, source, destination)) return;
  // The longer direction inside, unless squares pay.
  if (across.extent > 16 && along.extent > 16) {
    CopySquares<kBytes>(across, along, source, destination);
  } else if (across.extent > along.extent) {
    CopyRows<kBytes>(along, across, source, destination, kFetches);
  } else {
    CopyRows<kBytes>(across, along, source, destination, kFetches);
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
        StageRows(across, along, kDense, &Copy<kBytes, true>, source,
                  destination);
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
    TakeForwards(forwards, first, to);
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
    if (StageAndStream(across, along, kDense, &Copy<kBytes, true>, source,
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
          {&Copy<1, true>, &Copy<2, true>, &Copy<4, true>, &Copy<8, true>,
           &Copy<16, true>},
          {&CopyPastCache<1>, &CopyPastCache<2>, &CopyPastCache<4>,
           &CopyPastCache<8>, &CopyPastCache<16>},
          &NormalizePreds};
}

}  // namespace

#define STRIDECAST_PART CopyPart
#define STRIDECAST_PART_OF CopyPartOf
#include "core/kernels/table-inl.h"
