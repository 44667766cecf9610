// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// x*y + z rounded once, by the instruction for it: the one exact operation
// whose file may hold fused multiply-adds.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fma.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct FusedSum : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y, V z) const {
    return hn::MulAdd(x, y, z);
  }
};

}  // namespace

#define STRIDECAST_PART FmaPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/fma.inc"
#include "core/kernels/part-inl.h"
