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
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// The quotient toward zero for b other than 0 and -1. Quotients of numbers of
// up to 16 (32) bits are far enough from the next integer for that to hold of
// the one rounded to float (double).
template <class T>
HWY_INLINE T OrdinaryQuotient(T a, T b) {
  if constexpr (sizeof(T) <= 2) {
    return static_cast<T>(
        static_cast<int32_t>(static_cast<float>(a) / static_cast<float>(b)));
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
  } else {
    return static_cast<T>(a / b);
  }
}

template <class T>
HWY_INLINE T WrappingNegate(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(U{0} - static_cast<U>(a)));
}

struct IntegerQuotient {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    constexpr T kAllOnes = static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      const bool ordinary = b != 0 && b != -1;
      const T quotient = OrdinaryQuotient(a, ordinary ? b : T{1});
      return b == 0 ? kAllOnes : b == -1 ? WrappingNegate(a) : quotient;
    } else {
      const T quotient = OrdinaryQuotient(a, b == 0 ? T{1} : b);
      return b == 0 ? kAllOnes : quotient;
    }
  }
};

struct IntegerRemainder {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    bool ordinary = b != 0;
    if constexpr (std::is_signed_v<T>) ordinary = ordinary && b != -1;
    const T divisor = ordinary ? b : T{1};
    const T quotient = OrdinaryQuotient(a, divisor);
    const T remainder = static_cast<T>(static_cast<U>(
        static_cast<U>(a) - static_cast<U>(static_cast<U>(quotient) *
                                           static_cast<uint64_t>(divisor))));
    return b == 0 ? a : remainder;
  }
};

struct IntegerFlooredRemainder {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    const T rest = IntegerRemainder()(a, b);
    const bool differ = b != 0 && rest != 0 && (rest < T{0}) != (b < T{0});
    return differ ? static_cast<T>(rest + b) : rest;
  }
};

struct IntegerFlooredQuotient {
  template <class T>
  HWY_INLINE T operator()(T a, T b) const {
    const T quotient = IntegerQuotient()(a, b);
    const T rest = IntegerRemainder()(a, b);
    const bool differ = b != 0 && rest != 0 && (rest < T{0}) != (b < T{0});
    return differ ? static_cast<T>(quotient - 1) : quotient;
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
      return EachLane(d, a, b, IntegerQuotient());
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

template <class OnIntegers, class OnFloats>
struct ByLane : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return EachLane(d, a, b, OnFloats());
    } else {
      return EachLane(d, a, b, OnIntegers());
    }
  }
};
using TruncatedRemainder = ByLane<IntegerRemainder, FloatRemainder>;
using FlooredRemainder = ByLane<IntegerFlooredRemainder, FloatFlooredRemainder>;
using FlooredQuotient = ByLane<IntegerFlooredQuotient, FloatFlooredQuotient>;

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
