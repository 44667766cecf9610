// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Quotients: of integers toward zero, of complex numbers without special cases.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/divide.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/integer_division-inl.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Quotient : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Div(a, b);
    } else {
      return OnIntegers<IntegerQuotient>()(d, a, b);
    }
  }

  // (a+bi)/(c+di). If |c| >= |d|: r = d/c, t = c+d*r, ((a+b*r)/t, (b-a*r)/t);
  // else r = c/d, t = c*r+d, ((a*r+b)/t, (b*r-a)/t).
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D, Pair<V> x, Pair<V> y) const {
    const auto c_is_greater = hn::Ge(hn::Abs(y.re), hn::Abs(y.im));
    const V greater = hn::IfThenElse(c_is_greater, y.re, y.im);
    const V less = hn::IfThenElse(c_is_greater, y.im, y.re);
    const V r = hn::Div(less, greater);
    const V t = hn::Add(greater, hn::Mul(less, r));
    const V by_one = hn::IfThenElse(c_is_greater, x.re, x.im);
    const V by_r = hn::IfThenElse(c_is_greater, x.im, x.re);
    const V re = hn::Add(by_one, hn::Mul(by_r, r));
    const V im = hn::IfThenElse(c_is_greater, hn::Sub(x.im, hn::Mul(x.re, r)),
                                hn::Sub(hn::Mul(x.im, r), x.re));
    return {hn::Div(re, t), hn::Div(im, t)};
  }
};

struct Inverse : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, hn::TFromD<D>{1}), x);
  }
};

}  // namespace

#define STRIDECAST_PART DividePart
#define STRIDECAST_PART_ROWS "core/kernels/rows/divide.inc"
#include "core/kernels/part-inl.h"
