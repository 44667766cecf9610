// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What element-wise kernels compute. A functor Op is a struct without state
// that says how it wants its elements (derive from OnValues, OnExactValues,
// OnBits or MakesPred) and computes one unit, a vector of Lanes(d) elements:
//   template <class D, class V> V operator()(D d, V x, V y) const
// Complex operands come as Pair<V>: give an overload, or derive from ByParts to
// have real and imaginary parts computed apart. Derive from WithParameters to
// get the constants of the instruction (parameters.cc) after the operands. An
// Op that must know the type, not only its lanes, is a template Op<DType>, and
// the functor is PerType<Op>.

#include <cstddef>
#include <type_traits>

#include "core/kernels/block.h"

#if defined(STRIDECAST_CORE_KERNELS_FUNCTORS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_FUNCTORS_INL_H_
#undef STRIDECAST_CORE_KERNELS_FUNCTORS_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_FUNCTORS_INL_H_
#endif

#include "core/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct OnValues {
  template <DType kType>
  using Operand = Values<kType>;
  template <DType kType>
  using Result = Values<kType>;
};
// Whose results can be stored as they are, as those that are one of the
// operands.
struct OnExactValues {
  template <DType kType>
  using Operand = Values<kType>;
  template <DType kType>
  using Result = ExactValues<kType>;
};
struct OnBits {
  template <DType kType>
  using Operand = Bits<kType>;
  template <DType kType>
  using Result = Bits<kType>;
};
struct MakesPred {
  template <DType kType>
  using Operand = Values<kType>;
  template <DType kType>
  using Result = MaskLanes;
};
struct ByParts {};
// Derive from it where the loop costs as much as its body: then the CPU itself
// reads far enough ahead, unless elements are converted; for others operands
// are prefetched.
struct Light {};

template <int kCount>
struct WithParameters {
  static constexpr int kParameters = kCount;
};

template <template <DType> class Op>
struct PerType {};

template <class V>
HWY_INLINE V RealOf(V v) {
  return v;
}
template <class V>
HWY_INLINE V RealOf(Pair<V> v) {
  return v.re;
}
template <class V>
HWY_INLINE V ImagOf(V v) {
  return v;
}
template <class V>
HWY_INLINE V ImagOf(Pair<V> v) {
  return v.im;
}
template <class T>
struct IsPair : std::false_type {};
template <class V>
struct IsPair<Pair<V>> : std::true_type {};

template <class Op, class D, class... V>
HWY_INLINE auto Apply(D d, V... operands) {
  if constexpr (std::is_base_of_v<ByParts, Op> && (IsPair<V>::value || ...)) {
    const auto re = Op()(d, RealOf(operands)...);
    const auto im = Op()(d, ImagOf(operands)...);
    return Pair<std::remove_const_t<decltype(re)>>{re, im};
  } else {
    return Op()(d, operands...);
  }
}

// Of many operations, on some types.
struct Keep : OnBits, ByParts {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

// For functors without a vector instruction: f on each lane.
template <class D, class F, class V = hn::Vec<D>>
HWY_INLINE V EachLane(D d, V a, V b, F f) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN T x[kLanes];
  HWY_ALIGN T y[kLanes];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  for (size_t i = 0; i < kLanes; ++i) x[i] = f(x[i], y[i]);
  return hn::Load(d, x);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_FUNCTORS_INL_H_
