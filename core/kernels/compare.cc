// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Comparisons, exact and with a tolerance; their result is a pred.

#include <limits>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/compare.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Equal : MakesPred, Light {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Eq(a, b);
  }
  template <class D, class V>
  HWY_INLINE auto operator()(D, Pair<V> a, Pair<V> b) const {
    return hn::And(hn::Eq(a.re, b.re), hn::Eq(a.im, b.im));
  }
};

struct NotEqual : MakesPred, Light {
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    return hn::Not(Equal()(d, a, b));
  }
};

struct Less : MakesPred, Light {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return hn::Lt(a, b);
  }
};

struct LessEqual : MakesPred, Light {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Le(a, b);
    } else {
      return hn::Not(hn::Lt(b, a));
    }
  }
};

// |x - y| <= b + a|y|; infinities are close to themselves alone.
struct Close : MakesPred, WithParameters<2> {
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V x, V y, V a, V b) const {
    const V infinity = hn::Inf(d);
    const V y_size = hn::Abs(y);
    const auto infinite =
        hn::Or(hn::Eq(hn::Abs(x), infinity), hn::Eq(y_size, infinity));
    const auto near =
        hn::Le(hn::Abs(hn::Sub(x, y)), hn::Add(b, hn::Mul(a, y_size)));
    return hn::Or(hn::And(infinite, hn::Eq(x, y)), hn::AndNot(infinite, near));
  }
};

// a > b as b < a: no kernel of its own.
template <class Order>
struct Swapped {};

// -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, NaNs by payload: the bits as
// signed integers, the magnitude's inverted where negative.
template <class Order>
struct TotalOrder {
  template <DType kType>
  using Operand = Bits<kType>;
  template <DType kType>
  using Result = MaskLanes;

  template <class D, class V>
  HWY_INLINE auto operator()(D d, V a, V b) const {
    const hn::RebindToSigned<D> di;
    return hn::RebindMask(d, Order()(di, Key(di, a), Key(di, b)));
  }

 private:
  template <class DI, class V>
  static HWY_INLINE auto Key(DI di, V bits) {
    const auto x = hn::BitCast(di, bits);
    const auto greatest =
        hn::Set(di, std::numeric_limits<hn::TFromD<DI>>::max());
    return hn::IfThenElse(hn::Lt(x, hn::Zero(di)), hn::Xor(x, greatest), x);
  }
};

}  // namespace

template <class Order, DType kType>
struct KernelOf<Swapped<Order>, kType, Form::kCompare> {
  static void Run(int64_t rows, int64_t cols, const BlockOperand* operands,
                  BlockResult result) {
    const BlockOperand swapped[2] = {operands[1], operands[0]};
    KernelOf<Order, kType, Form::kCompare>::Run(rows, cols, swapped, result);
  }
};

namespace {

template <class Op, unsigned kTypes>
constexpr CompareRow MakeCompareRow(CompareAttribute::Direction direction,
                                    bool total_order) {
  CompareRow row{direction, total_order, {}};
  FillByType<Op, Form::kCompare, kTypes>(
      row.by_type, std::make_index_sequence<std::size(kAllDTypes)>());
  return row;
}

}  // namespace

absl::Span<const CompareRow> ComparePart() {
  using namespace type_letters;  // NOLINT: the letters of the rows
  static constexpr CompareRow kRows[] = {
#define STRIDECAST_COMPARE(direction, total_order, types, functor)            \
  MakeCompareRow<functor, (types)>(CompareAttribute::Direction::k##direction, \
                                   total_order),
#include "core/kernels/rows/compare.inc"
#undef STRIDECAST_COMPARE
  };
  return kRows;
}

#define STRIDECAST_PART ClosenessPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/closeness.inc"
#include "core/kernels/part-inl.h"

#if HWY_ONCE
namespace stridecast {

absl::Span<const CompareRow> ComparePart(SimdTarget target) {
  return STRIDECAST_FOR_TARGET(ComparePart, target);
}

}  // namespace stridecast
#endif
