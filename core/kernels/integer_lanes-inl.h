// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A codec (lanes-inl.h) of integers of 1 and 2 bytes as f32 lanes, which hold
// all of them. Stored as CONVERT does: toward zero, saturating, NaN as 0.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(STRIDECAST_CORE_KERNELS_INTEGER_LANES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_INTEGER_LANES_INL_H_
#undef STRIDECAST_CORE_KERNELS_INTEGER_LANES_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_INTEGER_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2
#define STRIDECAST_X86(name) _mm256_##name
#else
#define STRIDECAST_X86(name) _mm512_##name
#endif

template <class T>
struct IntegersAsF32 {
  using Lane = float;
  static constexpr size_t kElementBytes = sizeof(T);
  static constexpr size_t kJoined = 4 / sizeof(T);

  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<T, D> narrow;
    return hn::ConvertTo(
        d, hn::PromoteTo(d32,
                         hn::LoadU(narrow, reinterpret_cast<const T*>(bytes))));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, std::byte* bytes) {
    const hn::Rebind<T, D> narrow;
    hn::StoreU(hn::DemoteTo(narrow, Whole32(d, v)), narrow,
               reinterpret_cast<T*>(bytes));
  }
  template <class D>
  static HWY_INLINE auto Join(D d, const hn::Vec<D>* v) {
    const hn::Repartition<T, D> narrow;
    if constexpr (sizeof(T) == 2) {
      return hn::BitCast(narrow, InOrder(d, PackedPair<T>(d, v)));
    } else {
      const auto low = PackedPair<int16_t>(d, v);
      const auto high = PackedPair<int16_t>(d, v + 2);
      return hn::BitCast(narrow, InOrder(d, Packed<T>(low, high)));
    }
  }

 private:
  using Limits = std::numeric_limits<T>;

  // At most the greatest T; may be below the least one. Of a NaN MINPS is its
  // second operand, and the conversion of what 32 bits do not hold the least
  // number, which becomes 0 of an unsigned T.
  template <class D>
  static HWY_INLINE hn::Vec<hn::RebindToSigned<D>> Whole32(D d, hn::Vec<D> v) {
    if constexpr (std::is_signed_v<T>) {
      v = hn::IfThenElseZero(hn::Eq(v, v), v);
    }
    const auto most = hn::Set(d, float{Limits::max()});
    return {
        STRIDECAST_X86(cvttps_epi32)(STRIDECAST_X86(min_ps)(most.raw, v.raw))};
  }

  // Each 128 bits of a and b, saturated to numbers of half their size.
  template <class To, class V>
  static HWY_INLINE V Packed(V a, V b) {
    if constexpr (sizeof(To) == 2) {
      return {std::is_signed_v<To>
                  ? STRIDECAST_X86(packs_epi32)(a.raw, b.raw)
                  : STRIDECAST_X86(packus_epi32)(a.raw, b.raw)};
    } else {
      return {std::is_signed_v<To>
                  ? STRIDECAST_X86(packs_epi16)(a.raw, b.raw)
                  : STRIDECAST_X86(packus_epi16)(a.raw, b.raw)};
    }
  }
  template <class To, class D>
  static HWY_INLINE hn::Vec<hn::RebindToSigned<D>> PackedPair(
      D d, const hn::Vec<D>* v) {
    return Packed<To>(Whole32(d, v[0]), Whole32(d, v[1]));
  }

  // Packs leave in each 128 bits a part of every vector.
  template <class D>
  static HWY_INLINE hn::Vec<hn::RebindToSigned<D>> InOrder(
      D, hn::Vec<hn::RebindToSigned<D>> packed) {
    const hn::RebindToSigned<D> d32;
    constexpr int kLanes = hn::MaxLanes(D());
    constexpr int kPartLanes = sizeof(T);
    HWY_ALIGN static constexpr auto kFrom = [] {
      std::array<int32_t, kLanes> from{};
      for (int i = 0; i < kLanes; ++i) {
        const int part = i / kPartLanes;
        const int vector = part / (kLanes / 4);
        const int block = part % (kLanes / 4);
        from[i] = block * 4 + vector * kPartLanes + i % kPartLanes;
      }
      return from;
    }();
    return hn::TableLookupLanes(packed, hn::SetTableIndices(d32, kFrom.data()));
  }
};

#undef STRIDECAST_X86

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_INTEGER_LANES_INL_H_
