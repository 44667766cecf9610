// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Maximum and minimum as IEEE 754-2019 has them: a NaN wins, +0 is above -0.
// clamp(low, x, high) is min(max(x, low), high).

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/minmax.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Greatest : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      // Equal ones are the same number, or zeros: the signs' intersection. The
      // instruction gives its second operand if any is NaN.
      const V greatest =
          hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b));
      return hn::IfThenElse(hn::IsNaN(a), a, greatest);
    } else {
      return hn::Max(a, b);
    }
  }
};

struct Least : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      const V least = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b));
      return hn::IfThenElse(hn::IsNaN(a), a, least);
    } else {
      return hn::Min(a, b);
    }
  }
};

struct Bound : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V low, V x, V high) const {
    return Least()(d, Greatest()(d, x, low), high);
  }
};

template <Opcode kOpcode>
using FormOf =
    std::conditional_t<kOpcode == Opcode::kClamp, TernaryForm, BinaryForm>;

}  // namespace

absl::Span<const KernelRow> MinMaxPart() {
  using namespace type_letters;  // NOLINT: the letters of kernels.inc
  static constexpr KernelRow kRows[] = {
#define STRIDECAST_MINMAX(operation, types, functor) \
  MakeRow<functor, FormOf<Opcode::k##operation>, (types)>(Opcode::k##operation),
#include "core/kernels/kernels.inc"
  };
  return kRows;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stridecast {

absl::Span<const KernelRow> MinMaxPart(SimdTarget target) {
  return STRIDECAST_FOR_TARGET(MinMaxPart, target);
}

}  // namespace stridecast
#endif
