// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Functions of f32 computed in f64, half a vector at a time.

#if defined(STRIDECAST_CORE_KERNELS_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#undef STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f(tag of f64, x, ...) of f32, rounded.
template <class D, class V, class F>
HWY_INLINE V InF64(D d, V x, F f) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto high = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)));
  const auto low = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

template <class D, class V, class F>
HWY_INLINE V InF64(D d, V x, V y, F f) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto high = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)),
                      hn::PromoteTo(wide, hn::UpperHalf(half, y)));
  const auto low = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)),
                     hn::PromoteTo(wide, hn::LowerHalf(half, y)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_HALVES_INL_H_
