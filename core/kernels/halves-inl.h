// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Functions of f32 computed in f64, half a vector at a time.

#if defined(STRIDECAST_CORE_KERNELS_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#undef STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_HALVES_INL_H_
#endif

#include "core/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V64>
HWY_INLINE hn::Vec<D> JoinHalves(D d, V64 high, V64 low) {
  const hn::Half<D> half;
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

template <class D, class V64>
HWY_INLINE Pair<hn::Vec<D>> JoinHalves(D d, Pair<V64> high, Pair<V64> low) {
  return {JoinHalves(d, high.re, low.re), JoinHalves(d, high.im, low.im)};
}

// f(tag of f64, x...) of f32, each result rounded: a vector or a Pair.
template <class D, class F, class... V>
HWY_INLINE auto InF64(D d, F f, V... x) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  return JoinHalves(d, f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x))...),
                    f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x))...));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_HALVES_INL_H_
