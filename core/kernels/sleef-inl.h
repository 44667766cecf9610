// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// SLEEF's functions on whole vectors of this target as functors: SleefLog()(d,
// x) and so on, for f32 and f64.

#include "core/kernels/sleef.h"

#if defined(STRIDECAST_CORE_KERNELS_SLEEF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#undef STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
#endif

#include "core/kernels/loops-inl.h"
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

#define STRIDECAST_SLEEF(function, name, ulps)                         \
  struct function : OnValues {                                         \
    template <class D, class... V>                                     \
    HWY_INLINE hn::Vec<D> operator()(D, V... x) const {                \
      static_assert(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) ==       \
                    hn::MaxLanes(hn::ScalableTag<uint8_t>()));         \
      if constexpr (sizeof(hn::TFromD<D>) == 4) {                      \
        return hn::Vec<D>{STRIDECAST_SLEEF_F32(name, ulps)(x.raw...)}; \
      } else {                                                         \
        return hn::Vec<D>{STRIDECAST_SLEEF_F64(name, ulps)(x.raw...)}; \
      }                                                                \
    }                                                                  \
  };

STRIDECAST_SLEEF(SleefExp2, exp2, u10)
STRIDECAST_SLEEF(SleefLog, log, u10)
STRIDECAST_SLEEF(SleefLog2, log2, u10)
STRIDECAST_SLEEF(SleefLog10, log10, u10)
STRIDECAST_SLEEF(SleefSin, sin, u10)
STRIDECAST_SLEEF(SleefCos, cos, u10)
STRIDECAST_SLEEF(SleefTan, tan, u10)
STRIDECAST_SLEEF(SleefAsin, asin, u10)
STRIDECAST_SLEEF(SleefAcos, acos, u10)
STRIDECAST_SLEEF(SleefAtan, atan, u10)
STRIDECAST_SLEEF(SleefErf, erf, u10)
STRIDECAST_SLEEF(SleefErfc, erfc, u15)
STRIDECAST_SLEEF(SleefAtan2, atan2, u10)
STRIDECAST_SLEEF(SleefPow, pow, u10)

#undef STRIDECAST_SLEEF_F32
#undef STRIDECAST_SLEEF_F64
#undef STRIDECAST_SLEEF

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_SLEEF_INL_H_
