// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Polynomials by Horner's rule with fused multiply-adds.

#include <cstddef>

#if defined(STRIDECAST_CORE_KERNELS_POLYNOMIAL_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_POLYNOMIAL_INL_H_
#undef STRIDECAST_CORE_KERNELS_POLYNOMIAL_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_POLYNOMIAL_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// coefficients[0] + coefficients[1] * x + ...
template <class D, class V, size_t kCount>
HWY_INLINE V Polynomial(D d, V x, const hn::TFromD<D> (&coefficients)[kCount]) {
  V sum = hn::Set(d, coefficients[kCount - 1]);
  for (size_t k = kCount - 1; k-- > 0;) {
    sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[k]));
  }
  return sum;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_POLYNOMIAL_INL_H_
