// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Division and remainder, truncated and floored. Integers: x/0 is -1 for signed
// and the greatest number for unsigned types, the least integer divided by -1
// is itself; x%0 is x. The truncated floating-point remainder is exact.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/divide.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/words-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

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
struct DivisionOfWords {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Division<V> operator()(D words, V a, V b) const {
    const hn::RebindToFloat<D> floats;
    return WithRest(a, b,
                    hn::ConvertTo(words, hn::Div(hn::ConvertTo(floats, a),
                                                 hn::ConvertTo(floats, b))));
  }
};

struct DivisionOfLongs {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Division<V> operator()(D d, V a, V b) const {
    const hn::Half<D> half;
    const V low = InF64(d, hn::LowerHalf(half, a), hn::LowerHalf(half, b));
    const V high = InF64(d, hn::UpperHalf(half, a), hn::UpperHalf(half, b));
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
  static HWY_INLINE hn::Vec<D> InF64(D d, V a, V b) {
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

struct IntegerRemainder {
  using OfUnsigned = IntegerRemainder;
  template <class D, class V>
  HWY_INLINE V operator()(D, V, Division<V> of) const {
    return of.rest;
  }
  template <class T>
  HWY_INLINE T operator()(T, Division<T> of) const {
    return of.rest;
  }
};

// All ones if the signs of the rest and of b differ.
template <class D, class V>
HWY_INLINE V AreApart(D d, V rest, V b) {
  const auto differ = hn::Lt(hn::Xor(rest, b), hn::Zero(d));
  return hn::VecFromMask(d, hn::And(differ, hn::Ne(rest, hn::Zero(d))));
}

template <class T>
HWY_INLINE bool AreApart(T rest, T b) {
  return rest != 0 && (rest ^ b) < 0;
}

struct IntegerFlooredRemainder {
  using OfUnsigned = IntegerRemainder;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V b, Division<V> of) const {
    return hn::Add(of.rest, hn::And(AreApart(d, of.rest, b), b));
  }
  template <class T>
  HWY_INLINE T operator()(T b, Division<T> of) const {
    return AreApart(of.rest, b) ? of.rest + b : of.rest;
  }
};

struct IntegerFlooredQuotient {
  using OfUnsigned = IntegerQuotient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V b, Division<V> of) const {
    // All ones are -1.
    of.quotient = hn::Add(of.quotient, AreApart(d, of.rest, b));
    return IntegerQuotient()(d, b, of);
  }
  template <class T>
  HWY_INLINE T operator()(T b, Division<T> of) const {
    if (b != 0 && AreApart(of.rest, b)) --of.quotient;
    return IntegerQuotient()(b, of);
  }
};

template <class OnSigned>
struct OnIntegers {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    using T = hn::TFromD<D>;
    using Function = std::conditional_t<std::is_signed_v<T>, OnSigned,
                                        typename OnSigned::OfUnsigned>;
    if constexpr (sizeof(T) < 4) {
      const auto divide = [](auto words, auto x, auto y) HWY_ATTR {
        return Function()(words, y, DivisionOfWords()(words, x, y));
      };
      return ByWords(d, divide, a, b);
    } else if constexpr (sizeof(T) == 4) {
      return Function()(d, b, DivisionOfLongs()(d, a, b));
    } else {
      return EachLane(d, a, b, [](T x, T y) HWY_ATTR {
        return Function()(y, DivisionOfOne(x, y));
      });
    }
  }
};

// The layout of f32 and f64.
template <class T>
struct DivisionFormat;
template <>
struct DivisionFormat<float> {
  using Raw = uint32_t;
  static constexpr int kMantissaBits = 23;
  // How far a remainder can be shifted up and still be divided at once.
  static constexpr int kShift = 40;
  using Wide = uint64_t;
};
template <>
struct DivisionFormat<double> {
  using Raw = uint64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr int kShift = 64;
  using Wide = unsigned __int128;
};

// fmod, by long division of the mantissas. Our own, since that of the C library
// takes a step for every bit by which the exponents differ.
struct FloatRemainder {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    using Format = DivisionFormat<T>;
    using Raw = typename Format::Raw;
    using Wide = typename Format::Wide;
    constexpr Raw kSign = Raw{1} << (sizeof(T) * 8 - 1);
    constexpr Raw kHidden = Raw{1} << Format::kMantissaBits;
    constexpr Raw kInfinity = (kSign - 1) & ~(kHidden - 1);
    Raw x;
    Raw y;
    std::memcpy(&x, &a, sizeof(T));
    std::memcpy(&y, &b, sizeof(T));
    const Raw sign = x & kSign;
    x &= ~kSign;
    y &= ~kSign;
    // Not a number, or an infinite dividend, or a divisor of zero.
    if (y == 0 || x >= kInfinity || y > kInfinity) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    if (x < y) return a;
    // mantissa * 2^exponent, in units of the least subnormal.
    const int x_field = static_cast<int>(x >> Format::kMantissaBits);
    const int y_field = static_cast<int>(y >> Format::kMantissaBits);
    Raw rest = (x & (kHidden - 1)) | (x_field != 0 ? kHidden : 0);
    const Raw divisor = (y & (kHidden - 1)) | (y_field != 0 ? kHidden : 0);
    const int y_exponent = y_field == 0 ? 0 : y_field - 1;
    int shift = (x_field == 0 ? 0 : x_field - 1) - y_exponent;
    rest %= divisor;
    while (shift > 0 && rest != 0) {
      const int step = shift < Format::kShift ? shift : Format::kShift;
      rest = static_cast<Raw>((static_cast<Wide>(rest) << step) % divisor);
      shift -= step;
    }
    Raw bits = rest;
    if (rest != 0) {
      // To normal form: the hidden bit up, as far as the exponent allows.
      const int top =
          Format::kMantissaBits + 1 - static_cast<int>(std::bit_width(rest));
      const int up = top < y_exponent ? top : y_exponent;
      bits = rest << up;
      if (bits >= kHidden) {
        bits += static_cast<Raw>(y_exponent - up) << Format::kMantissaBits;
      }
    }
    bits |= sign;
    T result;
    std::memcpy(&result, &bits, sizeof(T));
    return result;
  }
};

struct FloatFlooredRemainder {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    const T rest = FloatRemainder()(a, b);
    if (rest == 0) return std::copysign(T{0}, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  }
};

struct FloatFlooredQuotient {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    if (b == 0) return a / b;
    const T rest = FloatRemainder()(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= T{1};
    if (quotient == 0) return std::copysign(T{0}, a / b);
    const T floor = std::floor(quotient);
    return quotient - floor > T{0.5} ? floor + T{1} : floor;
  }
};

struct Quotient : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return hn::Div(a, b);
    } else {
      return OnIntegers<IntegerQuotient>()(d, a, b);
    }
  }

  // (a+bi)/(c+di). If |c| >= |d|: r = d/c, t = c+d*r, ((a+b*r)/t, (b-a*r)/t);
  // else r = c/d, t = c*r+d, ((a*r+b)/t, (b*r-a)/t).
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D, Pair<V> x, Pair<V> y) const {
    const auto c_is_greater = hn::Ge(hn::Abs(y.re), hn::Abs(y.im));
    const V greater = hn::IfThenElse(c_is_greater, y.re, y.im);
    const V less = hn::IfThenElse(c_is_greater, y.im, y.re);
    const V r = hn::Div(less, greater);
    const V t = hn::Add(greater, hn::Mul(less, r));
    const V by_one = hn::IfThenElse(c_is_greater, x.re, x.im);
    const V by_r = hn::IfThenElse(c_is_greater, x.im, x.re);
    const V re = hn::Add(by_one, hn::Mul(by_r, r));
    const V im = hn::IfThenElse(c_is_greater, hn::Sub(x.im, hn::Mul(x.re, r)),
                                hn::Sub(hn::Mul(x.im, r), x.re));
    return {hn::Div(re, t), hn::Div(im, t)};
  }
};

template <class OnSigned, class OnFloats>
struct PerKind : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return EachLane(d, a, b, OnFloats());
    } else {
      return OnIntegers<OnSigned>()(d, a, b);
    }
  }
};
using TruncatedRemainder = PerKind<IntegerRemainder, FloatRemainder>;
using FlooredRemainder =
    PerKind<IntegerFlooredRemainder, FloatFlooredRemainder>;
using FlooredQuotient = PerKind<IntegerFlooredQuotient, FloatFlooredQuotient>;

struct Inverse : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, hn::TFromD<D>{1}), x);
  }
};

}  // namespace

#define STRIDECAST_PART DividePart
#define STRIDECAST_PART_ROWS "core/kernels/rows/divide.inc"
#include "core/kernels/part-inl.h"
