// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// SLEEF's functions on whole vectors of this target: SleefExp(d, x) and so on,
// for f32 and f64.

#include "core/kernels/sleef.h"

#if defined(STRIDECAST_CORE_KERNELS_SLEEF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#undef STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2
#define STRIDECAST_SLEEF_F32(name, ulps) Sleef_finz_##name##f8_##ulps##avx2
#define STRIDECAST_SLEEF_F64(name, ulps) Sleef_finz_##name##d4_##ulps##avx2
#else
#define STRIDECAST_SLEEF_F32(name, ulps) Sleef_finz_##name##f16_##ulps##avx512f
#define STRIDECAST_SLEEF_F64(name, ulps) Sleef_finz_##name##d8_##ulps##avx512f
#endif

#define STRIDECAST_SLEEF_UNARY(function, name, ulps)           \
  template <class D, class V = hn::Vec<D>>                     \
  HWY_INLINE V function(D, V x) {                              \
    static_assert(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) == \
                  hn::MaxLanes(hn::ScalableTag<uint8_t>()));   \
    if constexpr (sizeof(hn::TFromD<D>) == 4) {                \
      return V{STRIDECAST_SLEEF_F32(name, ulps)(x.raw)};       \
    } else {                                                   \
      return V{STRIDECAST_SLEEF_F64(name, ulps)(x.raw)};       \
    }                                                          \
  }

#define STRIDECAST_SLEEF_BINARY(function, name, ulps)           \
  template <class D, class V = hn::Vec<D>>                      \
  HWY_INLINE V function(D, V x, V y) {                          \
    static_assert(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) ==  \
                  hn::MaxLanes(hn::ScalableTag<uint8_t>()));    \
    if constexpr (sizeof(hn::TFromD<D>) == 4) {                 \
      return V{STRIDECAST_SLEEF_F32(name, ulps)(x.raw, y.raw)}; \
    } else {                                                    \
      return V{STRIDECAST_SLEEF_F64(name, ulps)(x.raw, y.raw)}; \
    }                                                           \
  }

STRIDECAST_SLEEF_UNARY(SleefExp2, exp2, u10)
STRIDECAST_SLEEF_UNARY(SleefLog, log, u10)
STRIDECAST_SLEEF_UNARY(SleefLog2, log2, u10)
STRIDECAST_SLEEF_UNARY(SleefLog10, log10, u10)
STRIDECAST_SLEEF_UNARY(SleefSin, sin, u10)
STRIDECAST_SLEEF_UNARY(SleefCos, cos, u10)
STRIDECAST_SLEEF_UNARY(SleefTan, tan, u10)
STRIDECAST_SLEEF_UNARY(SleefAsin, asin, u10)
STRIDECAST_SLEEF_UNARY(SleefAcos, acos, u10)
STRIDECAST_SLEEF_UNARY(SleefAtan, atan, u10)
STRIDECAST_SLEEF_UNARY(SleefErf, erf, u10)
STRIDECAST_SLEEF_UNARY(SleefErfc, erfc, u15)
STRIDECAST_SLEEF_BINARY(SleefAtan2, atan2, u10)
STRIDECAST_SLEEF_BINARY(SleefPow, pow, u10)

#undef STRIDECAST_SLEEF_F32
#undef STRIDECAST_SLEEF_F64
#undef STRIDECAST_SLEEF_UNARY
#undef STRIDECAST_SLEEF_BINARY

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
