// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Powers of e and 2 and what is made of e^x by a few more steps.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/exponential.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/exp-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct ExpE : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      const RoundedExp<V> e = RoundedExpOf(d, x);
      return ScaleOnce(d, e.value, e.n);
    } else {
      const ExpParts<V> e = ExpOf(d, x);
      return ScaleOnce(d, e.high, e.n);
    }
  }
};

struct ExpLessOne : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return TimesExpM1(d, hn::Set(d, hn::TFromD<D>{1}), x, hn::Zero(d));
  }
};

// 1/(1 + e^-x) = e^x/(1 + e^x), that of them whose power is at most 1.
struct LogisticOf : OnValues {
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    const ScaledSum<V> y = LogisticParts(d, x, hn::Zero(d));
    return ScaleOnce(d, hn::Add(y.high, y.low), y.n);
  }

  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    // 1 and e^-x, the greater scaled to be around 1.
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0f);
    const RoundedExp<V> e = RoundedExpOf(d, hn::Neg(x));
    const V down = hn::Neg(hn::Max(zero, e.n));
    const V a = ScaleOnce(d, one, down);
    const V b = ScaleOnce(d, e.value, hn::Min(zero, e.n));
    const V sum = hn::Add(a, b);
    const V sum_low = hn::Add(hn::Sub(hn::Max(a, b), sum), hn::Min(a, b));
    const V inverse = hn::Div(one, sum);
    const V rest =
        hn::NegMulAdd(inverse, sum_low, hn::NegMulAdd(inverse, sum, one));
    return ScaleOnce(d, hn::MulAdd(inverse, rest, inverse), down);
  }
};

// (N + N/(N+1))/2 of N = e^|x| - 1; where that overflows, e^|x|/2.
struct SinhOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V half = hn::Set(d, T{0.5});
    const V one = hn::Set(d, T{1});
    const V size = hn::Abs(x);
    const auto is_great = hn::Gt(size, hn::Set(d, T{40}));
    const ExpParts<V> e = ExpOf(d, size);
    const V great = ScaleOnce(d, e.high, hn::Sub(e.n, one));
    const Sum2<V> n = LessOne(d, e);
    const V small = hn::Mul(
        half,
        hn::Add(n.high, hn::Add(hn::Div(n.high, hn::Add(n.high, one)), n.low)));
    return hn::CopySign(hn::IfThenElse(is_great, great, small), x);
  }
};

// With h = e^|x|/2: h + 1/(4h).
struct CoshOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const ExpParts<V> e = ExpOf(d, hn::Abs(x));
    const V half = ScaleOnce(d, e.high, hn::Sub(e.n, hn::Set(d, T{1})));
    return hn::Add(half, hn::Div(hn::Set(d, T{0.25}), half));
  }
};

struct TanhOf : OnValues {
  // (E - 1)/(E + 1) of E = e^(2|x|), both as sums of two.
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0);
    // Beyond, the result is 1.
    const V size = hn::Min(hn::Set(d, 20.0), hn::Abs(x));
    const ExpParts<V> e = ExpOf(d, hn::Add(size, size));
    const V scale = PowerOf2(d, e.n);
    Sum2<V> above = QuickSum(hn::Mul(e.high, scale), one);
    above.low = hn::MulAdd(e.low, scale, above.low);
    const Sum2<V> tanh = Quotient2(d, LessOne(d, e), above);
    return hn::CopySign(hn::Add(tanh.high, tanh.low), x);
  }

  // A polynomial below 0.6, else 1 - 2/(E + 1).
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    // (tanh(x)/x - 1)/x^2 as a polynomial in x^2; 2^-26.2 of tanh(x)/x.
    static constexpr float kNear[] = {-0x1.555554p-2f, 0x1.110edap-3f,
                                      -0x1.b95442p-5f, 0x1.59d154p-6f,
                                      -0x1.9a7296p-8f};
    const V one = hn::Set(d, 1.0f);
    const V size = hn::Min(hn::Set(d, 10.0f), hn::Abs(x));
    const RoundedExp<V> e = RoundedExpOf(d, hn::Add(size, size));
    const V power = ScaleOnce(d, e.value, e.n);
    const V far = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(power, one)));
    const V square = hn::Mul(size, size);
    const V near =
        hn::MulAdd(hn::Mul(size, square), Polynomial(d, square, kNear), size);
    const auto is_near = hn::Lt(size, hn::Set(d, 0.6f));
    return hn::CopySign(hn::IfThenElse(is_near, near, far), x);
  }
};

}  // namespace

#define STRIDECAST_PART ExponentialPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/exponential.inc"
#include "core/kernels/part-inl.h"
