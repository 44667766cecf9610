// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The steps that conversions are made of. A stage converts `count` dense
// elements; source and result do not overlap. Most are plain loops: g++ makes
// vectors of them under the target's pragma.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/kernels/block.h"

#if defined(STRIDECAST_CORE_KERNELS_STAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_STAGES_INL_H_
#undef STRIDECAST_CORE_KERNELS_STAGES_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_STAGES_INL_H_
#endif

#include "core/kernels/loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {

using Stage = void (*)(int64_t count, const std::byte* source,
                       std::byte* result);

// The C++ type of integers, f32 and f64.
template <DType kType>
using CppType = typename Values<kType>::Lane;

template <class From, class To, class F>
HWY_INLINE void ForEach(int64_t count, const std::byte* HWY_RESTRICT source,
                        std::byte* HWY_RESTRICT result, F f) {
  for (int64_t i = 0; i < count; ++i) {
    From x;
    std::memcpy(&x, source + i * static_cast<int64_t>(sizeof(From)),
                sizeof(From));
    const To y = f(x);
    std::memcpy(result + i * static_cast<int64_t>(sizeof(To)), &y, sizeof(To));
  }
}

// True if every From is a To.
template <class To, class From>
constexpr bool Holds() {
  return std::cmp_greater_equal(std::numeric_limits<From>::min(),
                                std::numeric_limits<To>::min()) &&
         std::cmp_less_equal(std::numeric_limits<From>::max(),
                             std::numeric_limits<To>::max());
}

// Between views with one lane type: widening and narrowing of f16 and bf16,
// the real part of complex numbers, real numbers as complex ones, canonical
// NaNs.
template <class Source, class Result>
struct ChangeView {
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V x) const {
    if constexpr (kToPair && !IsPair<V>::value) {
      return Pair<V>{x, hn::Zero(d)};
    } else if constexpr (!kToPair) {
      return RealOf(x);
    } else {
      return x;
    }
  }

 private:
  static constexpr bool kToPair =
      Result::kElementBytes == 2 * sizeof(typename Result::Lane);
};

template <class Source, class Result>
HWY_NOINLINE void ViewStage(int64_t count, const std::byte* source,
                            std::byte* result) {
  const BlockOperand operand{source, 0, Source::kElementBytes};
  Elementwise<ChangeView<Source, Result>, Result, Source>::Run(
      1, count, &operand, BlockResult{result, 0});
}

// Integers: the low bits.
template <class From, class To>
HWY_NOINLINE void WrapStage(int64_t count, const std::byte* source,
                            std::byte* result) {
  ForEach<From, To>(count, source, result,
                    [](From x) HWY_ATTR { return static_cast<To>(x); });
}

template <class From, class To>
HWY_NOINLINE void SaturateStage(int64_t count, const std::byte* source,
                                std::byte* result) {
  using FromLimits = std::numeric_limits<From>;
  using ToLimits = std::numeric_limits<To>;
  constexpr From kLeast = std::cmp_less(FromLimits::min(), ToLimits::min())
                              ? static_cast<From>(ToLimits::min())
                              : FromLimits::min();
  constexpr From kGreatest =
      std::cmp_greater(FromLimits::max(), ToLimits::max())
          ? static_cast<From>(ToLimits::max())
          : FromLimits::max();
  ForEach<From, To>(count, source, result, [](From x) HWY_ATTR {
    const From above = x < kLeast ? kLeast : x;
    return static_cast<To>(above > kGreatest ? kGreatest : above);
  });
}

// Rounded to nearest even, NaN canonical.
template <class From, class To>
HWY_NOINLINE void CastStage(int64_t count, const std::byte* source,
                            std::byte* result) {
  ForEach<From, To>(count, source, result, [](From x) HWY_ATTR {
    if constexpr (std::is_same_v<From, uint32_t> && std::is_same_v<To, float>) {
      // The sum alone rounds. What g++ makes of the cast for AVX2 is the same
      // but fused, which our check of the objects does not know to be harmless.
      return static_cast<float>(static_cast<int32_t>(x >> 16)) * 65536.0f +
             static_cast<float>(static_cast<int32_t>(x & 0xFFFF));
    } else {
      const To y = static_cast<To>(x);
      return x == x ? y : std::numeric_limits<To>::quiet_NaN();
    }
  });
}

// f32 or f64 to an integer: toward zero, saturating, NaN to 0.
template <class From, class To>
HWY_NOINLINE void TruncateStage(int64_t count, const std::byte* source,
                                std::byte* result) {
  using Limits = std::numeric_limits<To>;
  // Powers of two, so exact. Everything between them and the limits truncates
  // to a To.
  constexpr From kBelow = static_cast<From>(Limits::min());
  constexpr From kAbove = static_cast<From>(Limits::max() / 2 + 1) * From{2};
  ForEach<From, To>(count, source, result, [](From x) HWY_ATTR {
    const bool is_inside = x > kBelow && x < kAbove;
    const To inside = static_cast<To>(is_inside ? x : From{0});
    return x >= kAbove ? Limits::max() : x <= kBelow ? Limits::min() : inside;
  });
}

// f64 to the low 64 bits of the integer toward zero; infinities and NaN to 0.
inline HWY_NOINLINE void ModularStage(int64_t count, const std::byte* source,
                                      std::byte* result) {
  ForEach<uint64_t, uint64_t>(count, source, result, [](uint64_t x) HWY_ATTR {
    const int exponent = static_cast<int>(x >> 52 & 0x7FF) - 1075;
    const uint64_t mantissa = (x & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull;
    // Infinities and NaN have the greatest exponent; 64 leaves no low bit.
    const uint64_t magnitude = exponent >= 64    ? 0
                               : exponent >= 0   ? mantissa << exponent
                               : exponent >= -63 ? mantissa >> -exponent
                                                 : 0;
    return x >> 63 != 0 ? uint64_t{0} - magnitude : magnitude;
  });
}

// Rounding to odd: an inexact result is the neighbour with an odd last bit. A
// second rounding, to a format at least two bits shorter, then gives what a
// single one would.
inline HWY_NOINLINE void ToOddFloatStage(int64_t count, const std::byte* source,
                                         std::byte* result) {
  ForEach<double, uint32_t>(count, source, result, [](double x) HWY_ATTR {
    const float nearest = static_cast<float>(x);
    const double back = static_cast<double>(nearest);
    uint32_t bits;
    std::memcpy(&bits, &nearest, 4);
    // Toward zero first; an infinity made of a number is one step too far, too.
    bits -= std::fabs(back) > std::fabs(x) ? 1u : 0u;
    return bits | (back != x ? 1u : 0u);
  });
}

// Integers of 32 and 64 bits; those of up to 53 bits are exact.
template <class From>
HWY_NOINLINE void ToOddDoubleStage(int64_t count, const std::byte* source,
                                   std::byte* result) {
  if constexpr (sizeof(From) == 4) {
    CastStage<From, double>(count, source, result);
  } else {
    ForEach<From, double>(count, source, result, [](From x) HWY_ATTR {
      const bool is_negative = x < From{0};
      uint64_t magnitude = static_cast<uint64_t>(x);
      if (is_negative) magnitude = uint64_t{0} - magnitude;
      const uint64_t odd =
          (magnitude & ~uint64_t{0x7FF}) |
          ((magnitude & 0x7FF) != 0 ? uint64_t{0x800} : uint64_t{0});
      const double y =
          static_cast<double>(magnitude >> 53 != 0 ? odd : magnitude);
      return is_negative ? -y : y;
    });
  }
}

template <class From>
HWY_NOINLINE void NonZeroStage(int64_t count, const std::byte* source,
                               std::byte* result) {
  ForEach<From, uint8_t>(count, source, result, [](From x) HWY_ATTR {
    return static_cast<uint8_t>(x != From{0} ? 1 : 0);
  });
}

HWY_INLINE void FillRowOf(int64_t element_bytes, std::byte* to,
                          const std::byte* element, int64_t num_bytes) {
  switch (element_bytes) {
    case 1:
      return FillRow<1>(to, element, num_bytes);
    case 2:
      return FillRow<2>(to, element, num_bytes);
    case 4:
      return FillRow<4>(to, element, num_bytes);
    case 8:
      return FillRow<8>(to, element, num_bytes);
    default:
      return FillRow<16>(to, element, num_bytes);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_STAGES_INL_H_
