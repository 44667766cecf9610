// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Activation functions made of exponentials.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/smooth_activations.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/log-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/minmax-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct EluOf : OnValues, WithParameters<1> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V a) const {
    const V zero = hn::Zero(d);
    return hn::IfThenElse(hn::Gt(x, zero), x, TimesExpM1(d, a, x, zero));
  }
};

struct SeluOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V alpha = hn::Set(d, static_cast<T>(1.6732632423543772));
    const V lambda = hn::Set(d, static_cast<T>(1.0507009873554805));
    return hn::Mul(lambda, EluOf()(d, x, alpha));
  }
};

// x/a is taken with its rounding error, which e^(x/a) would magnify where it is
// great, as with a negative a. Near 0, a * (e^(x/a) - 1) is x, and from an
// infinite x/a a times infinity, which is NaN where a is 0. The rounding error
// of a subnormal quotient's operands is found after they are scaled up.
struct CeluOf : OnValues, WithParameters<1> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V a) const {
    using T = hn::TFromD<D>;
    const V zero = hn::Zero(d);
    const V ratio = hn::Div(x, a);
    const V size = hn::Abs(ratio);
    const V scale = hn::IfThenElse(
        hn::Lt(hn::Abs(a),
               hn::Set(
                   d, sizeof(T) == 4 ? T{0x1p-80f} : static_cast<T>(0x1p-900))),
        hn::Set(d, T{0x1p100f}), hn::Set(d, T{1}));
    const V scaled = hn::Mul(a, scale);
    const V error =
        hn::Div(hn::NegMulAdd(ratio, scaled, hn::Mul(x, scale)), scaled);
    const V low = hn::IfThenElseZero(
        hn::Lt(size, hn::Set(d, FiniteProductLimit<D>())), error);
    const auto tiny = hn::And(hn::Lt(size, hn::Set(d, T{0x1p-60f})),
                              hn::Lt(hn::Abs(a), hn::Inf(d)));
    V below = hn::IfThenElse(tiny, x, TimesExpM1(d, a, ratio, low));
    below = hn::IfThenElse(hn::Eq(ratio, hn::Inf(d)), hn::Mul(a, ratio), below);
    return hn::Add(Greatest()(d, x, zero), Least()(d, zero, below));
  }
};

// log1p(e^-|x|) + max(x, 0).
struct SoftplusOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const ExpParts<V> e = ExpOf(d, hn::Neg(hn::Abs(x)));
    const Sum2<V> power = {Scale(d, e.high, e.n), Scale(d, e.low, e.n)};
    return hn::Add(Log1pOf(d, power), Greatest()(d, x, hn::Zero(d)));
  }
};

// x * y, where y is 2^n (high + low) and no less than e^x: too small for a
// result other than 0 where x is less than kLimit below 0. y is 1 at infinity
// and 0 at -infinity.
template <class D, class V>
HWY_INLINE V TimesX(D d, V x, const ScaledSum<V>& y) {
  const V least = hn::Set(d, -ExpConstants<hn::TFromD<D>>::kLimit);
  const V factor = hn::Max(least, x);
  const V product = hn::MulAdd(factor, y.high, hn::Mul(factor, y.low));
  const V infinity = hn::Inf(d);
  return hn::IfThenElse(hn::Eq(hn::Abs(x), infinity), hn::Add(x, infinity),
                        hn::CopySign(Scale(d, product, y.n), x));
}

struct SwishOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return TimesX(d, x, LogisticParts(d, x, hn::Zero(d)));
  }
};

template <class T>
struct GeluTanhConstants;

// 0.044715 and 2 sqrt(2/pi), each as a sum of two numbers.
template <>
struct GeluTanhConstants<float> {
  static constexpr float kCubic[2] = {0x1.6e4e260000000p-5f,
                                      0x1.a9003e0000000p-30f};
  static constexpr float kScale[2] = {0x1.9884540000000p+0f,
                                      -0x1.8579360000000p-25f};
};

template <>
struct GeluTanhConstants<double> {
  static constexpr double kCubic[2] = {0x1.6e4e26d4801f7p-5,
                                       0x1.441355475a31ap-59};
  static constexpr double kScale[2] = {0x1.9884533d43651p+0,
                                       -0x1.cbc0d30ebfd15p-54};
};

// (1 + tanh(y))/2 is logistic(2y). 2y is taken as a sum of two numbers, since
// e^2y would magnify its rounding error.
struct GeluTanhOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    // Beyond, the result is x or 0.
    const V most = hn::Set(d, T{100});
    const V bounded = hn::Max(hn::Neg(most), hn::Min(most, x));
    const Sum2<V> cubic = Times(Constant(d, GeluTanhConstants<T>::kCubic),
                                Times(bounded, bounded));
    Sum2<V> factor = ExactSum(hn::Set(d, T{1}), cubic.high);
    factor.low = hn::Add(factor.low, cubic.low);
    const Sum2<V> scaled = Times(Constant(d, GeluTanhConstants<T>::kScale),
                                 Sum2<V>{bounded, hn::Zero(d)});
    const Sum2<V> twice_y = Times(scaled, factor);
    const V result = TimesX(d, x, LogisticParts(d, twice_y.high, twice_y.low));
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }

 private:
  template <class D, class T>
  static HWY_INLINE Sum2<hn::Vec<D>> Constant(D d, const T (&parts)[2]) {
    return {hn::Set(d, parts[0]), hn::Set(d, parts[1])};
  }
  template <class V>
  static HWY_INLINE Sum2<V> Times(V a, V b) {
    const V high = hn::Mul(a, b);
    return {high, hn::MulSub(a, b, high)};
  }
  template <class V>
  static HWY_INLINE Sum2<V> Times(Sum2<V> a, Sum2<V> b) {
    Sum2<V> product = Times(a.high, b.high);
    product.low =
        hn::MulAdd(a.high, b.low, hn::MulAdd(a.low, b.high, product.low));
    return product;
  }
};

// With w = e^x, tanh(log(1 + w)) is w(w+2) / (w(w+2) + 2).
struct MishOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V two = hn::Set(d, T{2});
    // Beyond, the result is x.
    const V most = hn::Set(d, T{40});
    const ExpParts<V> e = ExpOf(d, hn::Min(most, x));
    const V scale = PowerOf2(d, hn::Max(e.n, hn::Set(d, T{-100})));
    Sum2<V> sum = ExactSum(hn::Mul(e.high, scale), two);
    sum.low = hn::MulAdd(e.low, scale, sum.low);
    // Without the factor 2^n that w has.
    Sum2<V> above = {hn::Mul(e.high, sum.high), hn::Zero(d)};
    above.low = hn::MulAdd(
        e.low, sum.high,
        hn::MulAdd(e.high, sum.low, hn::MulSub(e.high, sum.high, above.high)));
    Sum2<V> below = ExactSum(hn::Mul(above.high, scale), two);
    below.low = hn::MulAdd(above.low, scale, below.low);
    const Sum2<V> ratio = Quotient2(d, above, below);
    return hn::IfThenElse(
        hn::Gt(x, most), x,
        TimesX(d, x, ScaledSum<V>{ratio.high, ratio.low, e.n}));
  }
};

}  // namespace

#define STRIDECAST_PART SmoothActivationsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/smooth_activations.inc"
#include "core/kernels/part-inl.h"
