// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How the elements of a type become vectors and back. A codec has
//   Lane                 the lane type that functors compute in
//   kElementBytes        of one element in memory
//   Load(d, bytes)       a vector (or pair of them, or a mask) of the next
//                        Lanes(d) elements, d a tag of Lane
//   Store(d, v, bytes)   the reverse
//   Stream(d, v, bytes)  the same, past the caches, to where such vectors begin
//                        that follow each other from the beginning of a line;
//                        not every codec has it
//   Join(d, v)           a full vector of the elements of kJoined vectors that
//                        follow each other, if that takes less than to store
//                        them one by one
// Addresses need no alignment; nothing beyond these elements is touched.
//
// There are two views of an element type:
//   Values<T>  numbers: f16 and bf16 as f32, rounded once when stored; a NaN is
//              stored as the canonical one. Complex: a Pair of vectors.
//   Bits<T>    unsigned integers of the same size, kept as they are. Complex: a
//              Pair of the parts' bits.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "stridecast/dtype.h"

#if defined(STRIDECAST_CORE_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_LANES_INL_H_
#undef STRIDECAST_CORE_KERNELS_LANES_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Real and imaginary parts.
template <class V>
struct Pair {
  V re;
  V im;
};

// Of two units that follow each other, the even elements and the odd ones.
template <class V>
struct Parities {
  V even;
  V odd;
};

// Any NaN becomes the quiet positive one with payload 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Canonical(D d, V v) {
  const hn::RebindToUnsigned<D> du;
  using T = hn::TFromD<D>;
  constexpr auto kNan = sizeof(T) == 4 ? 0x7FC00000ull : 0x7FF8000000000000ull;
  const V nan = hn::BitCast(
      d, hn::Set(du, static_cast<hn::TFromD<hn::RebindToUnsigned<D>>>(kNan)));
  return hn::IfThenElse(hn::IsNaN(v), nan, v);
}

// NaNs that may be among what is stored become Canonical.
enum class Nans { kPossible, kNone };

// What is known of values that are stored: nothing, that none is in the middle
// between two that can be, that all can be.
enum class Rounding { kAny, kNoTies, kNone };

template <Nans kNans, class D, class V = hn::Vec<D>>
HWY_INLINE V Stored(D d, V v) {
  if constexpr (kNans == Nans::kPossible) {
    return Canonical(d, v);
  } else {
    return v;
  }
}

// Lanes as they lie in memory.
template <class T>
struct RawLanes {
  using Lane = T;
  static constexpr size_t kElementBytes = sizeof(T);
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    return hn::LoadU(d, reinterpret_cast<const T*>(bytes));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, std::byte* bytes) {
    hn::StoreU(v, d, reinterpret_cast<T*>(bytes));
  }
  template <class D>
  static HWY_INLINE void Stream(D d, hn::Vec<D> v, std::byte* bytes) {
    hn::Stream(v, d, reinterpret_cast<T*>(bytes));
  }
};

template <class T, Nans kNans = Nans::kPossible>
struct FloatLanes : RawLanes<T> {
  template <class D>
  static HWY_INLINE void Stream(D d, hn::Vec<D> v, std::byte* bytes) {
    RawLanes<T>::Stream(d, Stored<kNans>(d, v), bytes);
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, std::byte* bytes) {
    RawLanes<T>::Store(d, Stored<kNans>(d, v), bytes);
  }
};

template <Nans kNans = Nans::kPossible>
struct F16Lanes {
  using Lane = float;
  static constexpr size_t kElementBytes = 2;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    const hn::Rebind<hwy::float16_t, D> d16;
    return hn::PromoteTo(
        d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(bytes)));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, std::byte* bytes) {
    const hn::Rebind<hwy::float16_t, D> d16;
    hn::StoreU(Rounded(d, v), d16, reinterpret_cast<hwy::float16_t*>(bytes));
  }
  template <class D>
  static HWY_INLINE void Stream(D d, hn::Vec<D> v, std::byte* bytes) {
    const hn::Rebind<uint16_t, D> d16;
    hn::Stream(hn::BitCast(d16, Rounded(d, v)), d16,
               reinterpret_cast<uint16_t*>(bytes));
  }

 private:
  template <class D>
  static HWY_INLINE auto Rounded(D d, hn::Vec<D> v) {
    return hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), Stored<kNans>(d, v));
  }
};

template <Nans kNans = Nans::kPossible, Rounding kRounding = Rounding::kAny>
struct BF16Lanes {
  using Lane = float;
  static constexpr size_t kElementBytes = 2;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const std::byte* bytes) {
    const hn::Rebind<uint16_t, D> d16;
    const hn::RebindToUnsigned<D> d32;
    const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(bytes));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, std::byte* bytes) {
    hn::StoreU(Narrowed(d, v), hn::Rebind<uint16_t, D>(),
               reinterpret_cast<uint16_t*>(bytes));
  }
  template <class D>
  static HWY_INLINE void Stream(D d, hn::Vec<D> v, std::byte* bytes) {
    hn::Stream(Narrowed(d, v), hn::Rebind<uint16_t, D>(),
               reinterpret_cast<uint16_t*>(bytes));
  }

  static constexpr size_t kJoined = 2;
  template <class D>
  static HWY_INLINE auto Join(D d, const hn::Vec<D>* v) {
    const hn::Repartition<uint16_t, D> d16;
    return hn::ConcatOdd(d16, hn::BitCast(d16, Rounded(d, v[1])),
                         hn::BitCast(d16, Rounded(d, v[0])));
  }

  // Two units at once, by parity: no element leaves its 32 bits.
  template <class D>
  static HWY_INLINE Parities<hn::Vec<D>> LoadParities(D d,
                                                      const std::byte* bytes) {
    const hn::RebindToUnsigned<D> d32;
    const auto both = hn::LoadU(d32, reinterpret_cast<const uint32_t*>(bytes));
    return {hn::BitCast(d, hn::ShiftLeft<16>(both)),
            hn::BitCast(d, hn::And(both, hn::Set(d32, 0xFFFF0000u)))};
  }
  template <class D>
  static HWY_INLINE auto JoinParities(D d, Parities<hn::Vec<D>> v) {
    const hn::Repartition<uint16_t, D> d16;
    return hn::OddEven(
        hn::BitCast(d16, Rounded(d, v.odd)),
        hn::BitCast(d16, hn::ShiftRight<16>(Rounded(d, v.even))));
  }

 private:
  // In the upper halves, to nearest even: Highway's own conversion truncates.
  template <class D>
  static HWY_INLINE auto Rounded(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> d32;
    const auto bits = hn::BitCast(d32, Stored<kNans>(d, v));
    if constexpr (kRounding == Rounding::kNone) {
      return bits;
    } else if constexpr (kRounding == Rounding::kNoTies) {
      return hn::Add(bits, hn::Set(d32, 0x8000));
    } else {
      const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
      return hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7FFF)));
    }
  }
  template <class D>
  static HWY_INLINE auto Narrowed(D d, hn::Vec<D> v) {
    const hn::RebindToSigned<D> di32;
    const auto rounded = hn::ShiftRight<16>(Rounded(d, v));
    return hn::DemoteTo(hn::Rebind<uint16_t, D>(), hn::BitCast(di32, rounded));
  }
};

template <class Part>
struct PairLanes {
  using Lane = typename Part::Lane;
  static constexpr size_t kElementBytes = 2 * Part::kElementBytes;
  template <class D>
  static HWY_INLINE Pair<hn::Vec<D>> Load(D d, const std::byte* bytes) {
    Pair<hn::Vec<D>> v;
    hn::LoadInterleaved2(d, reinterpret_cast<const Lane*>(bytes), v.re, v.im);
    return v;
  }
  template <class D>
  static HWY_INLINE void Store(D d, Pair<hn::Vec<D>> v, std::byte* bytes) {
    if constexpr (hwy::IsFloat<Lane>()) {
      v = {Canonical(d, v.re), Canonical(d, v.im)};
    }
    hn::StoreInterleaved2(v.re, v.im, d, reinterpret_cast<Lane*>(bytes));
  }
};

// Elements of type pred, 0 or 1 in memory, as a mask over lanes of another
// type.
struct MaskLanes {
  static constexpr size_t kElementBytes = 1;
  template <class D>
  static HWY_INLINE hn::Mask<D> Load(D d, const std::byte* bytes) {
    using T = hn::TFromD<D>;
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<uint8_t, D> d8;
    const auto v = hn::LoadU(d8, reinterpret_cast<const uint8_t*>(bytes));
    const auto zero = hn::Zero(du);
    if constexpr (sizeof(T) == 1) {
      return hn::RebindMask(d, hn::Ne(v, zero));
    } else if constexpr (sizeof(T) == 8) {
      const hn::Rebind<uint32_t, D> d32;
      return hn::RebindMask(
          d, hn::Ne(hn::PromoteTo(du, hn::PromoteTo(d32, v)), zero));
    } else {
      return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, v), zero));
    }
  }
  template <class D>
  static HWY_INLINE void Store(D, hn::Mask<D> mask, std::byte* bytes) {
    using T = hn::TFromD<D>;
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<uint8_t, D> d8;
    const auto ones =
        hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, 1));
    auto* to = reinterpret_cast<uint8_t*>(bytes);
    if constexpr (sizeof(T) == 1) {
      hn::StoreU(ones, d8, to);
    } else {
      hn::StoreU(hn::TruncateTo(d8, ones), d8, to);
    }
  }
};

template <DType kType>
struct Views;
template <>
struct Views<DType::kPred> {
  using Values = RawLanes<uint8_t>;
  using Bits = RawLanes<uint8_t>;
};
template <>
struct Views<DType::kS8> {
  using Values = RawLanes<int8_t>;
  using Bits = RawLanes<uint8_t>;
};
template <>
struct Views<DType::kS16> {
  using Values = RawLanes<int16_t>;
  using Bits = RawLanes<uint16_t>;
};
template <>
struct Views<DType::kS32> {
  using Values = RawLanes<int32_t>;
  using Bits = RawLanes<uint32_t>;
};
template <>
struct Views<DType::kS64> {
  using Values = RawLanes<int64_t>;
  using Bits = RawLanes<uint64_t>;
};
template <>
struct Views<DType::kU8> : Views<DType::kPred> {};
template <>
struct Views<DType::kU16> {
  using Values = RawLanes<uint16_t>;
  using Bits = RawLanes<uint16_t>;
};
template <>
struct Views<DType::kU32> {
  using Values = RawLanes<uint32_t>;
  using Bits = RawLanes<uint32_t>;
};
template <>
struct Views<DType::kU64> {
  using Values = RawLanes<uint64_t>;
  using Bits = RawLanes<uint64_t>;
};
template <>
struct Views<DType::kF16> {
  using Values = F16Lanes<>;
  using Bits = RawLanes<uint16_t>;
};
template <>
struct Views<DType::kBF16> {
  using Values = BF16Lanes<>;
  using Bits = RawLanes<uint16_t>;
};
template <>
struct Views<DType::kF32> {
  using Values = FloatLanes<float>;
  using Bits = RawLanes<uint32_t>;
};
template <>
struct Views<DType::kF64> {
  using Values = FloatLanes<double>;
  using Bits = RawLanes<uint64_t>;
};
template <>
struct Views<DType::kC64> {
  using Values = PairLanes<FloatLanes<float>>;
  using Bits = PairLanes<RawLanes<uint32_t>>;
};
template <>
struct Views<DType::kC128> {
  using Values = PairLanes<FloatLanes<double>>;
  using Bits = PairLanes<RawLanes<uint64_t>>;
};

// Of units that follow each other, how many are stored together.
template <class Codec>
constexpr size_t JoinedUnits() {
  if constexpr (requires { Codec::kJoined; }) {
    return Codec::kJoined;
  } else {
    return 1;
  }
}

// Whether two units of a type are taken by parity: both are then converted by
// fewer instructions than one after the other.
template <class Codec, class D>
constexpr bool HasParities() {
  return requires(D d, const std::byte* from) { Codec::LoadParities(d, from); };
}

template <bool kPastCache, class V>
HWY_INLINE void PutVector(V v, std::byte* to) {
  const hn::DFromV<V> d;
  using Raw = RawLanes<hn::TFromD<hn::DFromV<V>>>;
  if constexpr (kPastCache) {
    Raw::Stream(d, v, to);
  } else {
    Raw::Store(d, v, to);
  }
}

template <class Codec, bool kPastCache, class D, class V>
HWY_INLINE void PutUnit(D d, V unit, std::byte* to) {
  if constexpr (kPastCache) {
    Codec::Stream(d, unit, to);
  } else {
    Codec::Store(d, unit, to);
  }
}

// Units that follow each other in memory.
template <class Codec, bool kPastCache, class D, class V, size_t kCount>
HWY_INLINE void PutUnits(D d, const V (&units)[kCount], std::byte* to) {
  constexpr size_t kUnitBytes = hn::MaxLanes(D()) * Codec::kElementBytes;
  constexpr size_t kJoined = JoinedUnits<Codec>();
  if constexpr (kJoined > 1 && kCount % kJoined == 0) {
    for (size_t i = 0; i < kCount; i += kJoined) {
      PutVector<kPastCache>(Codec::Join(d, units + i), to + i * kUnitBytes);
    }
  } else {
    // Not in a loop: g++ 12 unrolls one only after it has put the units into
    // memory, and copies them from there by quarters.
    const auto put_all = [&]<size_t... i>(std::index_sequence<i...>) HWY_ATTR {
      (PutUnit<Codec, kPastCache>(d, units[i], to + i * kUnitBytes), ...);
    };
    put_all(std::make_index_sequence<kCount>());
  }
}

template <DType kType>
using Values = typename Views<kType>::Values;
template <DType kType>
using Bits = typename Views<kType>::Bits;

// Values that need not be rounded.
template <DType kType>
struct ExactView {
  using Type = Values<kType>;
};
template <>
struct ExactView<DType::kBF16> {
  using Type = BF16Lanes<Nans::kPossible, Rounding::kNone>;
};
template <DType kType>
using ExactValues = typename ExactView<kType>::Type;

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_LANES_INL_H_
