// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The codecs (lanes-inl.h) at both ends of a chain.

#if defined(STRIDECAST_CORE_KERNELS_CHAIN_CODEC_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_CHAIN_CODEC_INL_H_
#undef STRIDECAST_CORE_KERNELS_CHAIN_CODEC_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_CHAIN_CODEC_INL_H_
#endif

#include "core/kernels/integer_lanes-inl.h"
#include "core/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {

// Calls f with the codec of `type`, whose lanes are those of kType, f32 or f64.
template <DType kType, Nans kNans, class F>
HWY_INLINE void WithChainCodec(DType type, F f) {
  if constexpr (kType == DType::kF64) {
    f(FloatLanes<double, kNans>());
  } else {
    switch (type) {
      case DType::kU8:
        return f(IntegersAsF32<uint8_t>());
      case DType::kS8:
        return f(IntegersAsF32<int8_t>());
      case DType::kU16:
        return f(IntegersAsF32<uint16_t>());
      case DType::kS16:
        return f(IntegersAsF32<int16_t>());
      case DType::kF16:
        return f(F16Lanes<kNans>());
      case DType::kBF16:
        return f(BF16Lanes<kNans>());
      default:
        return f(FloatLanes<float, kNans>());
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_CHAIN_CODEC_INL_H_
