// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// e^x as 2^n * (high + low), a little more precise than the lanes, or as
// 2^n * (1 + above), and what follows from it. Polynomials are fitted at
// Chebyshev nodes; the errors stated are relative, of the polynomial alone.

#if defined(STRIDECAST_CORE_KERNELS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_EXP_INL_H_
#undef STRIDECAST_CORE_KERNELS_EXP_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_EXP_INL_H_
#endif

#include "core/kernels/polynomial-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  // |x| beyond which e^x is infinity or 0, and n still a small number.
  static constexpr float kLimit = 110.0f;
  // |x| up to which e^x and e^-x are normal, so that nothing rounds but e^x
  // itself.
  static constexpr float kNormal = 87.3f;
  static constexpr float kLog2E = 0x1.715476p+0f;
  // ln 2 in two parts; n times the first is exact.
  static constexpr float kLn2High = 0x1.62e4p-1f;
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  // (e^r - 1 - r) / r^2 for |r| <= ln(2)/2; 2^-26.9.
  static constexpr float kPolynomial[] = {0x1.000000p-1f, 0x1.5554dcp-3f,
                                          0x1.555518p-5f, 0x1.120ce4p-7f,
                                          0x1.6d127ep-10f};
};

template <>
struct ExpConstants<double> {
  static constexpr double kLimit = 760.0;
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1;
  static constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  // 2^-56.2.
  static constexpr double kPolynomial[] = {
      0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553cd3p-5,
      0x1.1111111110987p-7,  0x1.6c16c178c3c40p-10, 0x1.a01a01a7e6841p-13,
      0x1.a019b83494791p-16, 0x1.71de0d2924871p-19, 0x1.289286301b0dep-22,
      0x1.af39e5ac082a8p-26};
};

// 2^n of a whole number n from 1 - bias to bias.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PowerOf2(D d, V n) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  constexpr int kMantissaBits = sizeof(T) == 4 ? 23 : 52;
  // n + bias stands in the last bits of the sum.
  constexpr T kToInteger =
      sizeof(T) == 4 ? T{0x1.8p23 + 127} : T{0x1.8p52 + 1023};
  return hn::BitCast(d, hn::ShiftLeft<kMantissaBits>(hn::BitCast(
                            du, hn::Add(n, hn::Set(d, kToInteger)))));
}

// v * 2^n for a whole number n up to about twice the bias; rounds at most once
// if v is around 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Scale(D d, V v, V n) {
  const V half = hn::Round(hn::Mul(n, hn::Set(d, hn::TFromD<D>{0.5})));
  const V once = hn::Mul(v, PowerOf2(d, half));
  return hn::Mul(once, PowerOf2(d, hn::Sub(n, half)));
}

// The same of v around 1, in one instruction where there is one. Of others the
// targets would differ: Scale may round them twice.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ScaleOnce(D d, V v, V n) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      return V{_mm512_scalef_ps(v.raw, n.raw)};
    } else {
      return V{_mm512_scalef_pd(v.raw, n.raw)};
    }
  }
#endif
  return Scale(d, v, n);
}

template <class V>
struct Sum2 {
  V high;
  V low;
};

// a + b without error, if |a| >= |b|.
template <class V>
HWY_INLINE Sum2<V> QuickSum(V a, V b) {
  const V high = hn::Add(a, b);
  return {high, hn::Add(hn::Sub(a, high), b)};
}

// a + b without error.
template <class V>
HWY_INLINE Sum2<V> ExactSum(V a, V b) {
  const V high = hn::Add(a, b);
  const V of_b = hn::Sub(high, a);
  const V of_a = hn::Sub(high, of_b);
  return {high, hn::Add(hn::Sub(a, of_a), hn::Sub(b, of_b))};
}

// x * x without error, unless it leaves the range.
template <class V>
HWY_INLINE Sum2<V> ExactSquare(V x) {
  const V high = hn::Mul(x, x);
  return {high, hn::MulSub(x, x, high)};
}

// (a.high + a.low) / (b.high + b.low), the quotient as a sum of two.
template <class D, class V>
HWY_INLINE Sum2<V> Quotient2(D d, Sum2<V> a, Sum2<V> b) {
  const V inverse = hn::Div(hn::Set(d, hn::TFromD<D>{1}), b.high);
  const V quotient = hn::Mul(a.high, inverse);
  const V rest = hn::NegMulAdd(quotient, b.high, a.high);
  return {
      quotient,
      hn::Mul(hn::Add(rest, hn::NegMulAdd(quotient, b.low, a.low)), inverse)};
}

// e^x = 2^n * (1 + above).
template <class V>
struct ExpTerms {
  V above;  // in [-0.3, 0.42]
  V n;
  V power;  // 2^n where |x| <= kNormal
};

// Of f32, |x| <= kLimit; of others terms without meaning, of NaN NaN. Rounded
// to 2^n + 2^n * above, e^x is within 1.08 ULP.
template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpTerms<V> ExpTermsOf(D d, V x) {
  using Constants = ExpConstants<float>;
  const hn::RebindToUnsigned<D> du;
  // n + bias stands in the last bits of the sum.
  const V to_integer = hn::Set(d, 0x1.8p23f + 127);
  const V sum = hn::MulAdd(x, hn::Set(d, Constants::kLog2E), to_integer);
  const V n = hn::Sub(sum, to_integer);
  V r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2Low), r);
  const V above =
      hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, Constants::kPolynomial), r);
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, sum)));
  return {above, n, power};
}

template <class V>
struct ExpParts {
  V high;  // in [0.7, 1.42], e^x / 2^n rounded
  V low;
  V n;
};

// e^(x + x_low), x_low being of the size of x's last bit, x kept within `limit`
// of 0. NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> ExpOf(D d, V x, V x_low, hn::TFromD<D> limit) {
  using Constants = ExpConstants<hn::TFromD<D>>;
  // Min and Max give their second operand if one is NaN.
  x = hn::Min(hn::Set(d, limit), x);
  x = hn::Max(hn::Set(d, -limit), x);
  const V n = hn::Round(hn::Mul(x, hn::Set(d, Constants::kLog2E)));
  const V exact = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2High), x);
  const V by_low = hn::Mul(n, hn::Set(d, Constants::kLn2Low));
  const V r = hn::Sub(exact, by_low);
  const V r_low = hn::Add(hn::Sub(hn::Sub(exact, r), by_low), x_low);
  // e^r (1 + r_low), less 1 + r.
  const V above =
      hn::Mul(hn::Mul(r, r), Polynomial(d, r, Constants::kPolynomial));
  const V tail = hn::Add(above, hn::MulAdd(r_low, hn::Add(r, above), r_low));
  const Sum2<V> linear = QuickSum(hn::Set(d, hn::TFromD<D>{1}), r);
  const Sum2<V> sum = QuickSum(linear.high, hn::Add(linear.low, tail));
  return {sum.high, sum.low, n};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> ExpOf(D d, V x) {
  return ExpOf(d, x, hn::Zero(d), ExpConstants<hn::TFromD<D>>::kLimit);
}

// e^x - 1 as a sum of two, e^x being neither infinite nor subnormal; accurate
// near 0.
template <class D, class V>
HWY_INLINE Sum2<V> LessOne(D d, const ExpParts<V>& e) {
  const V scale = PowerOf2(d, e.n);
  const Sum2<V> sum =
      ExactSum(hn::Mul(e.high, scale), hn::Set(d, hn::TFromD<D>{-1}));
  return QuickSum(sum.high, hn::MulAdd(e.low, scale, sum.low));
}

// As far as e^x times the least number can be finite.
template <class D>
constexpr hn::TFromD<D> FiniteProductLimit() {
  using T = hn::TFromD<D>;
  return sizeof(T) == 4 ? T{193} : T{1456};
}

// factor * (e^(x + x_low) - 1), also where the power is infinite or 0 and where
// x is -0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TimesExpM1(D d, V factor, V x, V x_low) {
  using T = hn::TFromD<D>;
  // Below, the power counts for nothing.
  const V bounded = hn::Max(hn::Set(d, T{-50}), x);
  const ExpParts<V> e = ExpOf(d, bounded, x_low, FiniteProductLimit<D>());
  const V small = hn::Mul(factor, hn::CopySign(LessOne(d, e).high, x));
  // From 2^60 on the 1 is rounded away.
  const V sixty = hn::Set(d, T{60});
  const V part = hn::Mul(factor, hn::Mul(e.high, hn::Set(d, T{0x1p60f})));
  const V great = Scale(d, part, hn::Sub(e.n, sixty));
  return hn::IfThenElse(hn::Gt(e.n, sixty), great, small);
}

// 2^n * (high + low).
template <class V>
struct ScaledSum {
  V high;
  V low;
  V n;
};

// Of x + x_low: 1/(1 + e^-x) = e^x/(1 + e^x): that of the two whose power is at
// most 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE ScaledSum<V> LogisticParts(D d, V x, V x_low) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, T{1});
  const auto negative = hn::Lt(x, zero);
  const ExpParts<V> e = ExpOf(d, hn::Neg(hn::Abs(x)),
                              hn::IfThenElse(negative, x_low, hn::Neg(x_low)),
                              ExpConstants<T>::kLimit);
  // Against 1 a smaller power counts for nothing.
  const V scale = PowerOf2(d, hn::Max(e.n, hn::Set(d, T{-100})));
  Sum2<V> below = QuickSum(one, hn::Mul(e.high, scale));
  below.low = hn::MulAdd(e.low, scale, below.low);
  const Sum2<V> above = {hn::IfThenElse(negative, e.high, one),
                         hn::IfThenElseZero(negative, e.low)};
  const Sum2<V> quotient = Quotient2(d, above, below);
  return {quotient.high, quotient.low, hn::IfThenElseZero(negative, e.n)};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_EXP_INL_H_
