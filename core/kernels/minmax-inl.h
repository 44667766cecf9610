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

struct Greatest : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      // Equal ones are the same number, or zeros: the signs' intersection. The
      // instruction gives its second operand if any is NaN.
      const V greatest =
          hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b));
      return hn::IfThenElse(hn::IsNaN(a), a, greatest);
    } else {
      return hn::Max(a, b);
    }
  }
};

struct Least : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      const V least = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b));
      return hn::IfThenElse(hn::IsNaN(a), a, least);
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
