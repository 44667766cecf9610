// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Integers divided with floating-point numbers. x/0 is -1 for signed and the
// greatest number for unsigned types, the least integer divided by -1 is
// itself; x%0 is x.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(STRIDECAST_CORE_KERNELS_INTEGER_DIVISION_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef STRIDECAST_CORE_KERNELS_INTEGER_DIVISION_INL_H_
#undef STRIDECAST_CORE_KERNELS_INTEGER_DIVISION_INL_H_
#else
#define STRIDECAST_CORE_KERNELS_INTEGER_DIVISION_INL_H_
#endif

#include "core/kernels/loops-inl.h"
#include "core/kernels/words-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The quotient toward zero and what is left of a; of b = 0 any quotient, and a.
template <class V>
struct Division {
  V quotient;
  V rest;
};

template <class V>
HWY_INLINE Division<V> WithRest(V a, V b, V quotient) {
  return {quotient, hn::Sub(a, hn::Mul(quotient, b))};
}

// Of numbers of up to 16 bits. Quotients of those (of up to 32) are far enough
// from the next integer for the one rounded to f32 (to f64) to lie on the same
// side of it.
struct DivisionInF32 {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Division<V> operator()(D words, V a, V b) const {
    const hn::RebindToFloat<D> floats;
    return WithRest(a, b,
                    hn::ConvertTo(words, hn::Div(hn::ConvertTo(floats, a),
                                                 hn::ConvertTo(floats, b))));
  }
};

struct DivisionInF64 {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Division<V> operator()(D d, V a, V b) const {
    const hn::Half<D> half;
    const V low = OfHalf(d, hn::LowerHalf(half, a), hn::LowerHalf(half, b));
    const V high = OfHalf(d, hn::UpperHalf(half, a), hn::UpperHalf(half, b));
    return WithRest(a, b, hn::ConcatEven(d, high, low));
  }

 private:
  template <class D, class V>
  static HWY_INLINE auto Widened(D f64, V v) {
    if constexpr (std::is_signed_v<hn::TFromV<V>>) {
      return hn::PromoteTo(f64, v);
    } else {
      // The number in the mantissa of one that is 2^52 greater.
      const hn::RebindToUnsigned<D> bits;
      const auto offset = hn::Set(f64, 0x1p52);
      const auto mantissa =
          hn::Or(hn::PromoteTo(bits, v), hn::BitCast(bits, offset));
      return hn::Sub(hn::BitCast(f64, mantissa), offset);
    }
  }

  // Quotients of half a vector, in the lower 32 bits of each 64.
  template <class D, class V>
  static HWY_INLINE hn::Vec<D> OfHalf(D d, V a, V b) {
    const hn::Rebind<double, hn::Half<D>> f64;
    const auto quotient = hn::Trunc(hn::Div(Widened(f64, a), Widened(f64, b)));
    // Whole numbers of 33 bits with a sign end in the last bits of the sum.
    return hn::BitCast(d, hn::Add(quotient, hn::Set(f64, 0x1.8p52)));
  }
};

// Of integers of 64 bits.
template <class T>
HWY_INLINE Division<T> DivisionOfOne(T a, T b) {
  using U = std::make_unsigned_t<T>;
  // The least number divided by -1 traps.
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    return {static_cast<T>(U{0} - static_cast<U>(a)), 0};
  }
  const T divisor = b == 0 ? T{1} : b;
  return {static_cast<T>(a / divisor),
          b == 0 ? a : static_cast<T>(a % divisor)};
}

struct IntegerQuotient {
  using OfUnsigned = IntegerQuotient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V b, Division<V> of) const {
    const V ones = hn::VecFromMask(d, hn::Eq(b, hn::Zero(d)));
    return hn::Or(ones, of.quotient);
  }
  template <class T>
  HWY_INLINE T operator()(T b, Division<T> of) const {
    return b == 0 ? static_cast<T>(-1) : of.quotient;
  }
};

// OnSigned, or what it names for unsigned types, takes the tag, b and their
// division, or of 64 bits b and that.
template <class OnSigned>
struct OnIntegers {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    using T = hn::TFromD<D>;
    using Function = std::conditional_t<std::is_signed_v<T>, OnSigned,
                                        typename OnSigned::OfUnsigned>;
    if constexpr (sizeof(T) < 4) {
      const auto divide = [](auto words, auto x, auto y) HWY_ATTR {
        return Function()(words, y, DivisionInF32()(words, x, y));
      };
      return ByWords(d, divide, a, b);
    } else if constexpr (sizeof(T) == 4) {
      return Function()(d, b, DivisionInF64()(d, a, b));
    } else {
      return EachLane(d, a, b, [](T x, T y) HWY_ATTR {
        return Function()(y, DivisionOfOne(x, y));
      });
    }
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace stridecast
HWY_AFTER_NAMESPACE();

#endif  // STRIDECAST_CORE_KERNELS_INTEGER_DIVISION_INL_H_
