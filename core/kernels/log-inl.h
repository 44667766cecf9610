// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Logarithms of sums: log(a + b) where b is small against a and still counts,
// so that log1p and what is made of it are accurate near 0.

#if defined(STRIDECAST_CORE_KERNELS_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_LOG_INL_H_
#undef STRIDECAST_CORE_KERNELS_LOG_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_LOG_INL_H_
#endif

#include "core/kernels/exp-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct LogConstants;

template <>
struct LogConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr uint32_t kOne = 0x3F800000;
  static constexpr uint32_t kSqrtHalf = 0x3F3504F3;
  // The exponent's field is 2^23 less than the number with these bits more.
  static constexpr uint32_t kToNumber = 0x4B000000;
  static constexpr float kFromNumber = 0x1p23f + 127;
  // Of normal numbers.
  static constexpr float kLeast = -126;
  // (log((1+s)/(1-s))/s - 2) / s^2 as a polynomial in s^2; 2^-30.6.
  static constexpr float kPolynomial[] = {0x1.555556p-1f, 0x1.9999ecp-2f,
                                          0x1.245beep-2f, 0x1.dde0e2p-3f};
};

template <>
struct LogConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr uint64_t kOne = 0x3FF0000000000000;
  static constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  static constexpr uint64_t kToNumber = 0x4330000000000000;
  static constexpr double kFromNumber = 0x1p52 + 1023;
  static constexpr double kLeast = -1022;
  // 2^-56.5.
  static constexpr double kPolynomial[] = {
      0x1.5555555555558p-1, 0x1.9999999995194p-2, 0x1.2492492e16297p-2,
      0x1.c71c62b68a4d3p-3, 0x1.7462c203810fcp-3, 0x1.39fca5793de10p-3,
      0x1.2b6da53267624p-3};
};

// x = 2^exponent * (1 + fraction), 1 + fraction from sqrt(1/2) to sqrt(2).
template <class V>
struct LogParts {
  V exponent;
  V fraction;
};

// Of a positive normal number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<V> LogPartsOf(D d, V x) {
  using Constants = LogConstants<hn::TFromD<D>>;
  constexpr int kBits = Constants::kMantissaBits;
  const hn::RebindToUnsigned<D> du;
  const auto above = hn::Add(
      hn::BitCast(du, x), hn::Set(du, Constants::kOne - Constants::kSqrtHalf));
  const V exponent =
      hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftRight<kBits>(above),
                                    hn::Set(du, Constants::kToNumber))),
              hn::Set(d, Constants::kFromNumber));
  const auto mantissa = hn::Add(
      hn::And(above, hn::Set(du, (decltype(Constants::kOne){1} << kBits) - 1)),
      hn::Set(du, Constants::kSqrtHalf));
  return {exponent,
          hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, hn::TFromD<D>{1}))};
}

// `log`, the logarithm of x, where x is positive and finite; else what stands
// in its place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOrLimit(D d, V x, V log) {
  const V zero = hn::Zero(d);
  log = hn::IfThenElse(hn::Eq(x, hn::Inf(d)), x, log);
  log = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(hn::Inf(d)), log);
  return hn::IfThenElse(hn::Ge(x, zero), log, hn::NaN(d));
}

// log(2^n * (a.high + a.low)), a.high being normal or 0, |a.low| at most about
// its last bit. Within 1 ULP.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOf(D d, Sum2<V> a, V n) {
  using T = hn::TFromD<D>;
  using Constants = LogConstants<T>;
  using Exp = ExpConstants<T>;
  const auto [e, f] = LogPartsOf(d, a.high);
  const V one = hn::Set(d, T{1});
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, T{2})));
  // a.low / a.high; 1 / (1 + f) is about 1 - 2s + 2s^2.
  const V inverse = hn::MulAdd(hn::Add(s, s), hn::Sub(s, one), one);
  // From the bias on, a.low is nothing against a.high.
  const V down =
      PowerOf2(d, hn::Max(hn::Neg(e), hn::Set(d, Constants::kLeast)));
  const V low = hn::Mul(hn::Mul(a.low, down), inverse);
  const V z = hn::Mul(s, s);
  const V series = hn::Mul(z, Polynomial(d, z, Constants::kPolynomial));
  const V half_square = hn::Mul(hn::Mul(f, hn::Set(d, T{0.5})), f);
  const V exponent = hn::Add(e, n);
  const V rest =
      hn::MulAdd(s, hn::Add(half_square, series),
                 hn::MulAdd(exponent, hn::Set(d, Exp::kLn2Low), low));
  const V fraction = hn::Sub(f, hn::Sub(half_square, rest));
  return LogOrLimit(d, a.high,
                    hn::MulAdd(exponent, hn::Set(d, Exp::kLn2High), fraction));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOf(D d, Sum2<V> a) {
  return LogOf(d, a, hn::Zero(d));
}

// log(1 + x.high + x.low), x.low being at most about the last bit of x.high.
template <class D, class V>
HWY_INLINE V Log1pOf(D d, Sum2<V> x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  Sum2<V> sum = ExactSum(x.high, one);
  sum.low = hn::Add(sum.low, x.low);
  // Infinite or no number: nothing to add.
  sum.low = hn::IfThenElseZero(hn::Lt(hn::Abs(sum.high), hn::Inf(d)), sum.low);
  const V result = LogOf(d, sum);
  // Keeps -0, and subnormals as they are.
  const V tiny = hn::Set(d, hn::TFromD<D>{0x1p-60f});
  return hn::IfThenElse(hn::Lt(hn::Abs(x.high), tiny), x.high, result);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1pOf(D d, V x) {
  return Log1pOf(d, Sum2<V>{x, hn::Zero(d)});
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_LOG_INL_H_
