// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Logarithms, and the inverses of hyperbolic functions, which are logarithms.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/logarithms.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/log-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct LogE : OnValues {
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefLog()(d, x);
  }

  // x = 2^e (1 + f): e log(2) + log(1 + f).
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    // (log(1 + f) - f + f^2/2) / f^3; 2^-27.3 of log(1 + f).
    static constexpr float kPolynomial[] = {
        0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a01ap-3f, -0x1.547288p-3f,
        0x1.22d968p-3f, -0x1.0d829ep-3f, 0x1.055d1ep-3f, -0x1.38c346p-4f};
    const auto is_subnormal = hn::Lt(x, hn::Set(d, 0x1p-126f));
    const V normal =
        hn::IfThenElse(is_subnormal, hn::Mul(x, hn::Set(d, 0x1p24f)), x);
    const auto [exponent, f] = LogPartsOf(d, normal);
    const V e =
        hn::Sub(exponent, hn::IfThenElseZero(is_subnormal, hn::Set(d, 24.0f)));
    const V square = hn::Mul(f, f);
    const V cube = hn::Mul(f, square);
    V rest = hn::MulAdd(e, hn::Set(d, ExpConstants<float>::kLn2Low),
                        hn::Mul(cube, Polynomial(d, f, kPolynomial)));
    rest = hn::NegMulAdd(square, hn::Set(d, 0.5f), rest);
    return LogOrLimit(d, x,
                      hn::MulAdd(e, hn::Set(d, ExpConstants<float>::kLn2High),
                                 hn::Add(f, rest)));
  }
};

struct LogOfOneMore : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Log1pOf(d, x);
  }
};

// log(e^x + e^y) = greater + log1p(e^(less - greater)), the difference with its
// rounding error, which the power would magnify.
struct LogSumExp : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V greater = hn::Max(x, y);
    const V less = hn::Min(x, y);
    Sum2<V> distance = ExactSum(less, hn::Neg(greater));
    // Where the power is 0, also of infinities, the error may be no number.
    const auto counts =
        hn::Lt(hn::Abs(distance.high), hn::Set(d, hn::TFromD<D>{1024}));
    distance.low = hn::IfThenElseZero(counts, distance.low);
    // Of equal infinities 0.
    distance.high = hn::IfThenZeroElse(hn::Eq(less, greater), distance.high);
    const ExpParts<V> e = ExpOf(d, distance.high, distance.low,
                                ExpConstants<hn::TFromD<D>>::kLimit);
    const Sum2<V> power = {Scale(d, e.high, e.n), Scale(d, e.low, e.n)};
    const V sum = hn::Add(greater, Log1pOf(d, power));
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::NaN(d), sum);
  }
};

// log1p(x + x^2/(1 + sqrt(1 + x^2))); where x^2 would overflow, log(2x).
struct AsinhOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T{1});
    const V size = hn::Abs(x);
    const auto is_great = hn::Gt(size, hn::Set(d, T{0x1p30f}));
    const V square = hn::Mul(size, size);
    const V more =
        hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(one, square))));
    const V small = Log1pOf(d, QuickSum(size, more));
    const V great = LogOf(d, Sum2<V>{size, hn::Zero(d)}, one);
    return hn::CopySign(hn::IfThenElse(is_great, great, small), x);
  }
};

// With t = x - 1: log1p(t + sqrt(2t + t^2)); where that would overflow,
// log(2x).
struct AcoshOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T{1});
    const auto is_great = hn::Gt(x, hn::Set(d, T{0x1p30f}));
    const V t = hn::Sub(x, one);
    const V root = hn::Sqrt(hn::MulAdd(t, t, hn::Add(t, t)));
    const V small = Log1pOf(d, ExactSum(t, root));
    const V great = LogOf(d, Sum2<V>{x, hn::Zero(d)}, one);
    const V result = hn::IfThenElse(is_great, great, small);
    return hn::IfThenElse(hn::Ge(x, one), result, hn::NaN(d));
  }
};

// log1p(2x/(1 - x))/2.
struct AtanhOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T{1});
    const V size = hn::Abs(x);
    const Sum2<V> below = QuickSum(one, hn::Neg(size));
    const Sum2<V> ratio =
        Quotient2(d, Sum2<V>{hn::Add(size, size), hn::Zero(d)}, below);
    const V finite = hn::Mul(hn::Set(d, T{0.5}), Log1pOf(d, ratio));
    const V end = hn::IfThenElse(hn::Eq(size, one), hn::Inf(d), hn::NaN(d));
    const V result = hn::IfThenElse(hn::Lt(size, one), finite, end);
    // Half of twice a subnormal is exact; what Log1pOf makes of it is, too.
    return hn::CopySign(result, x);
  }
};

}  // namespace

#define STRIDECAST_PART LogarithmsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/logarithms.inc"
#include "core/kernels/part-inl.h"
