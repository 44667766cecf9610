// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A cache line in registers, for kernels that write whole lines past the
// caches.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/kernels/block.h"

#if defined(STRIDECAST_CORE_KERNELS_LINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_LINE_INL_H_
#undef STRIDECAST_CORE_KERNELS_LINE_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_LINE_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  return static_cast<size_t>(PlaceIn(kLine, address));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_LINE_INL_H_
