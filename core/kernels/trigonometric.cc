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

struct TangentOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // SLEEF rounds the least numbers to 0.
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, hn::TFromD<D>{0x1p-30f}));
    return hn::IfThenElse(tiny, x, SleefTan()(d, x));
  }
};

}  // namespace

#define STRIDECAST_PART TrigonometricPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/trigonometric.inc"
#include "core/kernels/part-inl.h"
