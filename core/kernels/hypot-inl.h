// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// sqrt(x*x + y*y) without overflow or underflow on the way, within 0.51 ULP (1
// ULP if the result is subnormal). An infinity wins over a NaN, as in C.
// Built from + - * / sqrt alone, so the same bits on every machine.

#if defined(STRIDECAST_CORE_KERNELS_HYPOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_HYPOT_INL_H_
#undef STRIDECAST_CORE_KERNELS_HYPOT_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_HYPOT_INL_H_
#endif

#include "core/kernels/halves-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f32: squares are exact in f64.
template <class D, class V,
          hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
HWY_INLINE V FiniteHypot(D d, V x, V y) {
  return InF64(
      d,
      [](auto, auto x64, auto y64) HWY_ATTR {
        return hn::Sqrt(hn::Add(hn::Mul(x64, x64), hn::Mul(y64, y64)));
      },
      x, y);
}

// The rounding error of x*x, by Veltkamp's splitting.
template <class D, class V>
HWY_INLINE V SquareError(D d, V x, V square) {
  const V scaled = hn::Mul(x, hn::Set(d, 0x1p27 + 1));
  const V high = hn::Sub(scaled, hn::Sub(scaled, x));
  const V low = hn::Sub(x, high);
  const V cross = hn::Mul(high, low);
  return hn::Add(
      hn::Add(hn::Sub(hn::Mul(high, high), square), hn::Add(cross, cross)),
      hn::Mul(low, low));
}

// f64: the sum of squares as a sum of two doubles, then one Newton step.
template <class D, class V,
          hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
HWY_INLINE V FiniteHypot(D d, V x, V y) {
  const V one = hn::Set(d, 1.0);
  const V up = hn::Set(d, 0x1p600);
  const V down = hn::Set(d, 0x1p-600);
  V greater = hn::Max(hn::Abs(x), hn::Abs(y));
  V less = hn::Min(hn::Abs(x), hn::Abs(y));
  const auto huge = hn::Gt(greater, hn::Set(d, 0x1p500));
  const auto tiny = hn::Lt(greater, hn::Set(d, 0x1p-400));
  const V scale = hn::IfThenElse(huge, down, hn::IfThenElse(tiny, up, one));
  const V unscale = hn::IfThenElse(huge, up, hn::IfThenElse(tiny, down, one));
  greater = hn::Mul(greater, scale);
  less = hn::Mul(less, scale);
  const V square1 = hn::Mul(greater, greater);
  const V square2 = hn::Mul(less, less);
  const V sum = hn::Add(square1, square2);
  const V sum_error = hn::Add(
      hn::Sub(square2, hn::Sub(sum, square1)),
      hn::Add(SquareError(d, greater, square1), SquareError(d, less, square2)));
  const V root = hn::Sqrt(sum);
  const V root_square = hn::Mul(root, root);
  const V rest = hn::Add(
      hn::Sub(hn::Sub(sum, root_square), SquareError(d, root, root_square)),
      sum_error);
  const V better = hn::Add(root, hn::Div(rest, hn::Add(root, root)));
  return hn::Mul(hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), root, better),
                 unscale);
}

template <class D, class V>
HWY_INLINE V Hypot(D d, V x, V y) {
  const V infinity = hn::Inf(d);
  const V nan = hn::NaN(d);
  V result = FiniteHypot(d, x, y);
  result = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), nan, result);
  return hn::IfThenElse(
      hn::Or(hn::Eq(hn::Abs(x), infinity), hn::Eq(hn::Abs(y), infinity)),
      infinity, result);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_HYPOT_INL_H_
