// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Maximum and minimum as IEEE 754-2019 has them: a NaN wins, +0 is above -0.

#if defined(STRIDECAST_CORE_KERNELS_MINMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_MINMAX_INL_H_
#undef STRIDECAST_CORE_KERNELS_MINMAX_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_MINMAX_INL_H_
#endif

#include "core/kernels/loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The instructions give their second operand where either is NaN or both are
// zeros: so where both orders of operands differ, a NaN is one of them, or they
// are zeros of both signs.
struct Greatest : OnExactValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      // A NaN stays one with more bits set. -0 minus the sign bit is 0.
      const V one = hn::Max(a, b);
      const V other = hn::Max(b, a);
      return hn::Sub(hn::Or(one, other), hn::Xor(one, other));
    } else {
      return hn::Max(a, b);
    }
  }
};

struct Least : OnExactValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Or(hn::Min(a, b), hn::Min(b, a));
    } else {
      return hn::Min(a, b);
    }
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_MINMAX_INL_H_
