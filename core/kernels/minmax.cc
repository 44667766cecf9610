// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Maximum and minimum, ignoring NaNs or not; clamp(low, x, high) is
// min(max(x, low), high).

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/minmax.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/minmax-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Of one NaN and a number the number.
template <class Order>
struct IgnoringNan : OnExactValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    const V result = Order()(d, a, b);
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IfThenElse(hn::IsNaN(a), b,
                            hn::IfThenElse(hn::IsNaN(b), a, result));
    } else {
      return result;
    }
  }
};

struct Bound : OnExactValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V low, V x, V high) const {
    return Least()(d, Greatest()(d, x, low), high);
  }
};

}  // namespace

#define STRIDECAST_PART MinMaxPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/minmax.inc"
#include "core/kernels/part-inl.h"
