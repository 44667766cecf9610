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

  // Within 1.01 ULP.
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    if (HWY_LIKELY(AllNormal(d, x))) return FromParts(d, PartsOf(d, x));
    const auto is_subnormal = hn::Lt(x, hn::Set(d, 0x1p-126f));
    const V normal =
        hn::IfThenElse(is_subnormal, hn::Mul(x, hn::Set(d, 0x1p24f)), x);
    LogParts<V> parts = PartsOf(d, normal);
    parts.exponent =
        hn::Sub(parts.exponent,
                hn::IfThenElseZero(is_subnormal, hn::Set(d, 24 * kUnit)));
    return LogOrLimit(d, x, FromParts(d, parts));
  }

 private:
  // Of the exponents here, which stay in their field.
  static constexpr float kUnit = 0x1p23f;

  // Whether all are positive, normal and finite: as integers from 0x00800000
  // on and below 0x7F800000, here moved to the least ones there are.
  template <class D, class V>
  static HWY_INLINE bool AllNormal(D, V x) {
    const hn::RebindToSigned<D> di;
    const auto moved = hn::Add(hn::BitCast(di, x), hn::Set(di, 0x7F800000));
    return hn::AllTrue(di, hn::Lt(moved, hn::Set(di, -0x01000000)));
  }

  // As LogPartsOf has them, the exponent times kUnit.
  template <class D, class V>
  static HWY_INLINE LogParts<V> PartsOf(D d, V x) {
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(di, x);
    const auto exponent =
        hn::And(hn::Sub(bits, hn::Set(di, LogConstants<float>::kSqrtHalf)),
                hn::Set(di, -0x00800000));
    const V mantissa = hn::BitCast(d, hn::Sub(bits, exponent));
    return {hn::ConvertTo(d, exponent), hn::Sub(mantissa, hn::Set(d, 1.0f))};
  }

  // e log(2) + log(1 + f), the polynomial by pairs, so that fewer steps wait
  // for each other.
  template <class D, class V>
  static HWY_INLINE V FromParts(D d, LogParts<V> parts) {
    using Exp = ExpConstants<float>;
    // (log(1 + f) - f) / f^2; 2^-27.3 of log(1 + f).
    static constexpr float kPairs[][2] = {{-0.5f, 0x1.555554p-2f},
                                          {-0x1.000226p-2f, 0x1.99a01ap-3f},
                                          {-0x1.547288p-3f, 0x1.22d968p-3f},
                                          {-0x1.0d829ep-3f, 0x1.055d1ep-3f}};
    static constexpr float kLast = -0x1.38c346p-4f;
    const V e = parts.exponent;
    const V f = parts.fraction;
    const auto pair = [&](int k) HWY_ATTR {
      return hn::MulAdd(hn::Set(d, kPairs[k][1]), f, hn::Set(d, kPairs[k][0]));
    };
    const V square = hn::Mul(f, f);
    const V low = hn::MulAdd(pair(1), square, pair(0));
    const V high = hn::MulAdd(hn::MulAdd(hn::Set(d, kLast), square, pair(3)),
                              square, pair(2));
    const V series = hn::MulAdd(high, hn::Mul(square, square), low);
    const V rest = hn::MulAdd(e, hn::Set(d, Exp::kLn2Low / kUnit), f);
    return hn::MulAdd(e, hn::Set(d, Exp::kLn2High / kUnit),
                      hn::MulAdd(square, series, rest));
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
