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

// e^x as value * 2^n of f32, value being about 1; rounded once. Powers that
// round to 0 are not left to the product, which takes long to.
template <class D, class V>
HWY_INLINE V ScaledPower(D d, V value, V n, V x) {
  const auto is_zero = hn::Lt(x, hn::Set(d, -104.0f));
  const V power = ScaleOnce(d, hn::IfThenZeroElse(is_zero, value),
                            hn::IfThenZeroElse(is_zero, n));
  const V limit = hn::Set(d, ExpConstants<float>::kLimit);
  return hn::IfThenElse(hn::Gt(x, limit), hn::Inf(d), power);
}

struct ExpE : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      const ExpTerms<V> e = ExpTermsOf(d, x);
      const auto is_normal =
          hn::Le(hn::Abs(x), hn::Set(d, ExpConstants<float>::kNormal));
      if (HWY_LIKELY(hn::AllTrue(d, is_normal))) {
        return hn::MulAdd(e.power, e.above, e.power);
      }
      return ScaledPower(d, hn::Add(hn::Set(d, 1.0f), e.above), e.n, x);
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

// 1/(1 + e^-x).
struct LogisticOf : OnValues {
  // Or e^x/(1 + e^x), that of them whose power is at most 1.
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    const ScaledSum<V> y = LogisticParts(d, x, hn::Zero(d));
    return ScaleOnce(d, hn::Add(y.high, y.low), y.n);
  }

  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0f);
    // Beyond, the result is 1. Min gives its second operand if one is NaN.
    const V limit = hn::Set(d, ExpConstants<float>::kNormal);
    const ExpTerms<V> e = ExpTermsOf(d, hn::Neg(hn::Min(limit, x)));
    const V constant = hn::Add(one, e.power);
    const V inverse = hn::Div(one, hn::MulAdd(e.power, e.above, constant));
    // What the inverse lacks: 1 - inverse * (constant + power * above).
    const V rest = hn::NegMulAdd(hn::Mul(inverse, e.power), e.above,
                                 hn::NegMulAdd(inverse, constant, one));
    const V result = hn::MulAdd(inverse, rest, inverse);
    const auto is_normal = hn::Ge(x, hn::Neg(limit));
    if (HWY_LIKELY(hn::AllTrue(d, is_normal))) return result;
    // The constant counts for nothing.
    const V value = hn::Div(one, hn::Add(one, e.above));
    return hn::IfThenElse(is_normal, result,
                          ScaledPower(d, value, hn::Neg(e.n), x));
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
    const ExpTerms<V> e = ExpTermsOf(d, hn::Add(size, size));
    const V sum = hn::MulAdd(e.power, e.above, hn::Add(e.power, one));
    const V far = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), sum));
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
