// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Operations of one operand: signs, magnitudes, roots, kinds of numbers.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/unary.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/hypot-inl.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// The least integer stays what it is.
struct AbsoluteInteger : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Abs(x);
  }
};

struct NegateInteger : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Sub(hn::Zero(d), x);
  }
};

struct ClearSign : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::AndNot(hn::SignBit(d), x);
  }
};

struct FlipSign : OnBits, ByParts, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Xor(hn::SignBit(d), x);
  }
};

struct NotPred : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Xor(x, hn::Set(d, 1));
  }
};

struct NotBits : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Not(x);
  }
};

struct SquareRoot : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};

struct Finite : MakesPred {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> operator()(D, V x) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IsFinite(x);
    } else {
      return hn::Eq(x, x);
    }
  }
};

struct NotANumber : MakesPred {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> operator()(D, V x) const {
    // hn::Ne of Highway 1.0 is false of a NaN.
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::IsNaN(x);
    } else {
      return hn::Ne(x, x);
    }
  }
};

struct Infinite : MakesPred {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> operator()(D d, V x) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Eq(hn::Abs(x), hn::Inf(d));
    } else {
      return hn::Ne(x, x);
    }
  }
};

// The one of that sign.
template <int kSign>
struct InfinityOf : MakesPred {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> operator()(D d, V x) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Eq(x, kSign > 0 ? hn::Inf(d) : hn::Neg(hn::Inf(d)));
    } else {
      return hn::Ne(x, x);
    }
  }
};

struct Magnitude {
  template <DType kType>
  using Operand = Values<kType>;
  template <DType kType>
  using Result = Values<kType == DType::kC64 ? DType::kF32 : DType::kF64>;

  template <class D, class V>
  HWY_INLINE V operator()(D d, Pair<V> x) const {
    return Hypot(d, x.re, x.im);
  }
};

}  // namespace

#define STRIDECAST_PART UnaryPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/unary.inc"
#include "core/kernels/part-inl.h"
