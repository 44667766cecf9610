// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// select(p, x, y): the bits of x where p is true, of y elsewhere.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/select.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Choose : OnBits, ByParts, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, hn::Mask<D> condition, V x, V y) const {
    return hn::IfThenElse(condition, x, y);
  }
};

}  // namespace

#define STRIDECAST_PART SelectPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/select.inc"
#include "core/kernels/part-inl.h"
