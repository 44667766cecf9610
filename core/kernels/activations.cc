// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Activation functions that need no transcendental: as their formulas say, each
// operation rounded.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/activations.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/minmax-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Positive : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Greatest()(d, x, hn::Zero(d));
  }
};

// Within [0, high], NaN kept: max(x, 0), then min with `high`.
template <class D, class V>
HWY_INLINE V Within0And(D d, V x, hn::TFromD<D> high) {
  return Least()(d, Greatest()(d, x, hn::Zero(d)), hn::Set(d, high));
}

struct PositiveUpTo6 : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Within0And(d, x, 6);
  }
};

struct ScaledBelow0 : OnValues, WithParameters<1> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V a) const {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(a, x), x);
  }
};

struct LinearIn01 : OnValues, WithParameters<2> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    return Within0And(d, hn::Add(hn::Mul(a, x), b), 1);
  }
};

struct HardSwishOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V factor = Within0And(d, hn::Add(x, hn::Set(d, T{3})), 6);
    return hn::Div(hn::Mul(x, factor), hn::Set(d, T{6}));
  }
};

struct SoftsignOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    return hn::Div(x, hn::Add(hn::Set(d, T{1}), hn::Abs(x)));
  }
};

struct AboveThreshold : OnValues, WithParameters<1> {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V a) const {
    return hn::IfThenElseZero(hn::Or(hn::Gt(x, a), hn::IsNaN(x)), x);
  }
};

// x moved by b toward 0, from [-a, a] to 0.
struct ShrinkOf : OnValues, WithParameters<2> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V a, V b) const {
    const V middle = hn::IfThenElse(hn::IsNaN(x), x, hn::Zero(d));
    const V above = hn::IfThenElse(hn::Gt(x, a), hn::Sub(x, b), middle);
    return hn::IfThenElse(hn::Lt(x, hn::Neg(a)), hn::Add(x, b), above);
  }
};

}  // namespace

#define STRIDECAST_PART ActivationsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/activations.inc"
#include "core/kernels/part-inl.h"
