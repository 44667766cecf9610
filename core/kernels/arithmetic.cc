// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Addition, multiplication, what is made of them alone, and logic.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/arithmetic.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct Sum : OnValues, ByParts, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

struct Difference : OnValues, ByParts, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Sub(a, b);
  }
};

struct Product : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (sizeof(hn::TFromD<D>) == 1) {
      // The low bytes of products of 16-bit lanes, for even and odd bytes.
      const hn::Repartition<uint16_t, D> d16;
      const auto low = hn::Set(d16, 0x00FF);
      const auto a16 = hn::BitCast(d16, a);
      const auto b16 = hn::BitCast(d16, b);
      const auto even = hn::And(hn::Mul(a16, b16), low);
      const auto odd = hn::Mul(hn::ShiftRight<8>(a16), hn::AndNot(low, b16));
      return hn::BitCast(d, hn::Or(even, odd));
    } else {
      return hn::Mul(a, b);
    }
  }

  // (a+bi)(c+di) = (ac-bd) + (ad+bc)i, infinities not recovered.
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D, Pair<V> x, Pair<V> y) const {
    return {hn::Sub(hn::Mul(x.re, y.re), hn::Mul(x.im, y.im)),
            hn::Add(hn::Mul(x.re, y.im), hn::Mul(x.im, y.re))};
  }
};

struct SquareOf : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Product()(d, x, x);
  }
};

struct SquaredDifference : OnValues, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    return SquareOf()(d, hn::Sub(a, b));
  }
};

struct Half : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    using T = hn::TFromD<D>;
    if constexpr (hwy::IsFloat<T>()) {
      return hn::Mul(hn::Add(a, b), hn::Set(d, T{0.5}));
    } else {
      // The bits in common, and half of the others: rounded down, not wrapping.
      const V others = hn::Xor(a, b);
      const V down = hn::Add(hn::And(a, b), hn::ShiftRight<1>(others));
      if constexpr (!hwy::IsSigned<T>()) {
        return down;
      } else {
        const V odd = hn::And(others, hn::Set(d, T{1}));
        return hn::Add(down,
                       hn::IfThenElseZero(hn::Lt(down, hn::Zero(d)), odd));
      }
    }
  }
};

struct Step : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V at_zero) const {
    using T = hn::TFromD<D>;
    const V zero = hn::Zero(d);
    V result = hn::IfThenElse(hn::Gt(x, zero), hn::Set(d, T{1}), x);
    result = hn::IfThenElse(hn::Lt(x, zero), zero, result);
    return hn::IfThenElse(hn::Eq(x, zero), at_zero, result);
  }
};

struct BitAnd : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::And(a, b);
  }
};

struct BitOr : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Or(a, b);
  }
};

struct BitXor : OnBits, Light {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Xor(a, b);
  }
};

}  // namespace

#define STRIDECAST_PART ArithmeticPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/arithmetic.inc"
#include "core/kernels/part-inl.h"
