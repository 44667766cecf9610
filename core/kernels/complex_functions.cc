// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// exp, log and sqrt of complex numbers, with C's special values; the error is
// one of the norm. c64 is computed in f64 where that saves scaling.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/complex_functions.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/halves-inl.h"
#include "core/kernels/hypot-inl.h"
#include "core/kernels/log-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// e^a (cos b + i sin b).
struct ComplexExp : OnValues {
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D d, Pair<V> z) const {
    using T = hn::TFromD<D>;
    const V zero = hn::Zero(d);
    const V infinity = hn::Inf(d);
    // As far as e^a times the least sine can be finite.
    const T limit = sizeof(T) == 4 ? T{200} : T{1500};
    const ExpParts<V> e = ExpOf(d, z.re, zero, limit);
    const V cosine = SleefCos()(d, z.im);
    const V sine = SleefSin()(d, z.im);
    Pair<V> result = {Part(d, e, cosine), Part(d, e, sine)};
    const auto is_infinite = hn::Eq(z.re, infinity);
    result.re = hn::IfThenElse(is_infinite, hn::Mul(z.re, cosine), result.re);
    result.im = hn::IfThenElse(is_infinite, hn::Mul(z.re, sine), result.im);
    // Of an angle that is none: infinity keeps its norm, so does 0.
    const auto no_angle = hn::Not(hn::Lt(hn::Abs(z.im), infinity));
    result.re =
        hn::IfThenElse(hn::And(no_angle, is_infinite), infinity, result.re);
    const auto is_zero = hn::And(no_angle, hn::Eq(z.re, hn::Neg(infinity)));
    result.re = hn::IfThenElse(is_zero, zero, result.re);
    result.im = hn::IfThenElse(
        is_zero, zero, hn::IfThenElse(hn::Eq(z.im, zero), z.im, result.im));
    return result;
  }

 private:
  template <class D, class V>
  static HWY_INLINE V Part(D d, const ExpParts<V>& e, V factor) {
    using T = hn::TFromD<D>;
    const V part = hn::MulAdd(e.low, factor, hn::Mul(e.high, factor));
    // In thirds: 2^n alone may be out of range.
    const V third = hn::Round(hn::Mul(e.n, hn::Set(d, T{1} / T{3})));
    return Scale(d, hn::Mul(part, PowerOf2(d, third)), hn::Sub(e.n, third));
  }
};

// (log|z|, angle of z).
struct ComplexLog : OnValues {
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D d, Pair<V> z) const {
    const V infinity = hn::Inf(d);
    V norm;
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      norm = InF64(
          d,
          [](auto wide, auto re, auto im) HWY_ATTR {
            const auto square = hn::MulAdd(re, re, hn::Mul(im, im));
            return hn::Mul(SleefLog()(wide, square), hn::Set(wide, 0.5));
          },
          z.re, z.im);
    } else {
      norm = LogOfNorm(d, z);
    }
    norm = hn::IfThenElse(hn::Or(hn::Eq(hn::Abs(z.re), infinity),
                                 hn::Eq(hn::Abs(z.im), infinity)),
                          infinity, norm);
    return {norm, SleefAtan2()(d, z.im, z.re)};
  }

 private:
  // Of the greater part x and the lesser y, log(x) + log1p((y/x)^2)/2; near 1,
  // where these may cancel, log(x^2 + y^2)/2, the sum kept as two numbers.
  template <class D, class V>
  static HWY_INLINE V LogOfNorm(D d, Pair<V> z) {
    const V zero = hn::Zero(d);
    const V half = hn::Set(d, 0.5);
    const V re = hn::Abs(z.re);
    const V im = hn::Abs(z.im);
    const V x = hn::Max(re, im);
    const V y = hn::Min(re, im);
    const auto is_near = hn::And(hn::Gt(x, half), hn::Lt(x, hn::Set(d, 2.0)));
    const V ratio = hn::Div(y, x);
    const Sum2<V> xx = ExactSquare(x);
    const Sum2<V> yy = ExactSquare(y);
    Sum2<V> sum = QuickSum(xx.high, yy.high);
    sum.low = hn::Add(sum.low, hn::Add(xx.low, yy.low));
    const V near_one = hn::Mul(half, LogOf(d, sum));
    const V apart =
        hn::MulAdd(half, Log1pOf(d, hn::Mul(ratio, ratio)), SleefLog()(d, x));
    const V log = hn::IfThenElse(is_near, near_one, apart);
    const V norm = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(hn::Inf(d)), log);
    return hn::IfThenElse(hn::Or(hn::IsNaN(re), hn::IsNaN(im)), hn::NaN(d),
                          norm);
  }
};

// The root in the right half-plane: with t = sqrt((|a| + |z|)/2), t and b/(2t),
// the greater being the real part if a >= 0.
struct ComplexSqrt : OnValues {
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D d, Pair<V> z) const {
    const V zero = hn::Zero(d);
    const V infinity = hn::Inf(d);
    const V size = hn::Abs(z.im);
    V great;
    V small;
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      const auto both = InF64(
          d,
          [](auto wide, auto re, auto im) HWY_ATTR {
            const auto norm = hn::Sqrt(hn::MulAdd(re, re, hn::Mul(im, im)));
            const auto root = Root(wide, re, norm);
            return Pair<std::remove_const_t<decltype(norm)>>{
                root, Other(wide, im, root)};
          },
          z.re, z.im);
      great = both.re;
      small = both.im;
    } else {
      // So that neither squares nor sums leave the range.
      const V greater = hn::Max(hn::Abs(z.re), size);
      const auto huge = hn::Gt(greater, hn::Set(d, 0x1p1000));
      const auto tiny = hn::Lt(greater, hn::Set(d, 0x1p-900));
      const V one = hn::Set(d, 1.0);
      const V scale =
          hn::IfThenElse(huge, hn::Set(d, 0x1p-100),
                         hn::IfThenElse(tiny, hn::Set(d, 0x1p200), one));
      const V unscale =
          hn::IfThenElse(huge, hn::Set(d, 0x1p50),
                         hn::IfThenElse(tiny, hn::Set(d, 0x1p-100), one));
      const V re = hn::Mul(z.re, scale);
      const V im = hn::Mul(z.im, scale);
      great = Root(d, re, Hypot(d, re, im));
      small = hn::Mul(unscale, Other(d, im, great));
      great = hn::Mul(unscale, great);
    }
    // Of 0 the other part is its imaginary part.
    small = hn::IfThenElse(hn::Eq(great, zero), size, small);
    // Of an infinite real part it is 0.
    small = hn::IfThenElse(
        hn::And(hn::Eq(hn::Abs(z.re), infinity), hn::Lt(size, infinity)), zero,
        small);
    great = hn::IfThenElse(hn::Eq(hn::Abs(z.re), infinity), infinity, great);
    const auto left = hn::Lt(z.re, zero);
    Pair<V> result = {hn::IfThenElse(left, small, great),
                      hn::CopySign(hn::IfThenElse(left, great, small), z.im)};
    const auto upright = hn::Eq(size, infinity);
    result.re = hn::IfThenElse(upright, infinity, result.re);
    result.im = hn::IfThenElse(upright, z.im, result.im);
    return result;
  }

 private:
  template <class D, class V>
  static HWY_INLINE V Root(D d, V re, V norm) {
    return hn::Sqrt(hn::Mul(hn::Set(d, 0.5), hn::Add(hn::Abs(re), norm)));
  }
  template <class D, class V>
  static HWY_INLINE V Other(D d, V im, V root) {
    return hn::Div(hn::Mul(hn::Abs(im), hn::Set(d, 0.5)), root);
  }
};

}  // namespace

#define STRIDECAST_PART ComplexFunctionsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/complex_functions.inc"
#include "core/kernels/part-inl.h"
