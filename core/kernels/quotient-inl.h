// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Many quotients by one divisor, each rounded as its division would be, from
// products, of which several take less than a division.

#include <cstdint>

#if defined(STRIDECAST_CORE_KERNELS_QUOTIENT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_QUOTIENT_INL_H_
#undef STRIDECAST_CORE_KERNELS_QUOTIENT_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_QUOTIENT_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Usual numbers: products and remainders of them stay far from both ends of the
// range.
template <typename T>
struct Usual;
template <>
struct Usual<float> {
  static constexpr float kLeast = 0x1p-60f;
  static constexpr float kGreatest = 0x1p60f;
  static constexpr float kLeastDivisor = 0x1p-40f;
  static constexpr float kGreatestDivisor = 0x1p40f;
  static constexpr int kSteps = 1;
};
template <>
struct Usual<double> {
  static constexpr double kLeast = 0x1p-500;
  static constexpr double kGreatest = 0x1p500;
  static constexpr double kLeastDivisor = 0x1p-300;
  static constexpr double kGreatestDivisor = 0x1p300;
  static constexpr int kSteps = 2;
};

// x / divisor for the `usual` x. With y = 1/divisor rounded, x*y is within 2
// ULP of it; one step by the remainder makes it one of the two numbers beside
// the quotient, another the nearer one, because y is rounded right (Markstein,
// "Computation of elementary functions on the IBM RISC System/6000 processor",
// 1990) and the last remainder exact. Positive divisors keep the sign of a
// zero. Of f32 the first step finds the nearer one already: it could only err
// where the quotient lies within 2^-22 ULP of the middle of two numbers, and
// for all pairs of mantissas where it does, 70 million were tried, it does not.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Quotient(D, V x, V divisor, V inverse) {
  V quotient = hn::Mul(x, inverse);
  for (int step = 0; step < Usual<hn::TFromD<D>>::kSteps; ++step) {
    const V over = hn::MulSub(quotient, divisor, x);
    quotient = hn::NegMulAdd(over, inverse, quotient);
  }
  return quotient;
}

template <typename T>
HWY_INLINE bool IsUsualDivisor(T divisor) {
  return divisor >= Usual<T>::kLeastDivisor &&
         divisor <= Usual<T>::kGreatestDivisor;
}

// True if all lanes of all values are usual or zeros.
template <class D, class... Vs>
HWY_INLINE bool AreUsual(D d, Vs... values) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  const auto one = hn::Set(du, 1);
  auto greatest = hn::Zero(du);
  // Of one less, so that 0 is the greatest of all.
  auto least = hn::Not(hn::Zero(du));
  const auto look_at = [&](hn::Vec<D> v) HWY_ATTR {
    const auto magnitude = hn::BitCast(du, hn::Abs(v));
    greatest = hn::Max(greatest, magnitude);
    least = hn::Min(least, hn::Sub(magnitude, one));
  };
  (look_at(values), ...);
  const auto bits = [&](T number) HWY_ATTR {
    return hn::BitCast(du, hn::Set(d, number));
  };
  return hn::AllFalse(
      du, hn::Or(hn::Gt(greatest, bits(Usual<T>::kGreatest)),
                 hn::Lt(least, hn::Sub(bits(Usual<T>::kLeast), one))));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_QUOTIENT_INL_H_
