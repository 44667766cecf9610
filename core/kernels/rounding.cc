// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Sign, and the whole numbers near a number; -0 and the sign of what becomes 0
// are kept.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rounding.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct SignOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T{1});
    if constexpr (hwy::IsFloat<T>()) {
      const auto has_sign = hn::Gt(hn::Abs(x), hn::Zero(d));
      return hn::IfThenElse(has_sign, hn::CopySign(one, x), x);
    } else if constexpr (hwy::IsSigned<T>()) {
      return hn::Max(hn::Min(x, one), hn::Set(d, T{-1}));
    } else {
      return hn::Min(x, one);
    }
  }
};

struct Upward : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Ceil(x);
  }
};

struct Downward : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Floor(x);
  }
};

struct TowardZero : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Trunc(x);
  }
};

struct HalvesToEven : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Round(x);
  }
};

// Not Floor(x + 0.5), which rounds the sum: 0.49999997 would become 1.
struct HalvesAway : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V whole = hn::Trunc(x);
    const auto away = hn::Ge(hn::Abs(hn::Sub(x, whole)), hn::Set(d, T{0.5}));
    const V step = hn::IfThenElseZero(away, hn::Set(d, T{1}));
    return hn::CopySign(hn::Add(hn::Abs(whole), step), x);
  }
};

}  // namespace

#define STRIDECAST_PART RoundingPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/rounding.inc"
#include "core/kernels/part-inl.h"
