// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Sine and its kin, in radians.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/trigonometric.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct SineOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefSin(d, x);
  }
};

struct CosineOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefCos(d, x);
  }
};

struct TangentOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // SLEEF rounds the least numbers to 0.
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, hn::TFromD<D>{0x1p-30f}));
    return hn::IfThenElse(tiny, x, SleefTan(d, x));
  }
};

struct ArcSineOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefAsin(d, x);
  }
};

struct ArcCosineOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefAcos(d, x);
  }
};

struct ArcTangentOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefAtan(d, x);
  }
};

struct AngleOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V x) const {
    return SleefAtan2(d, y, x);
  }
};

}  // namespace

absl::Span<const KernelRow> TrigonometricPart() {
  using namespace type_letters;  // NOLINT: the letters of the rows
  static constexpr KernelRow kRows[] = {
#define STRIDECAST_ELEMENTWISE STRIDECAST_ROW
#include "core/kernels/rows/trigonometric.inc"
#undef STRIDECAST_ELEMENTWISE
  };
  return kRows;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stridecast {

absl::Span<const KernelRow> TrigonometricPart(SimdTarget target) {
  return STRIDECAST_FOR_TARGET(TrigonometricPart, target);
}

}  // namespace stridecast
#endif
