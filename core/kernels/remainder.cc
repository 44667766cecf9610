// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Remainders, truncated and floored, and the floored quotient. The truncated
// floating-point remainder is exact.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/remainder.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/integer_division-inl.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

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
struct LongRemainder {
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

// fmod. The rounded quotient is not below a whole number that the quotient
// reaches, and what is left of x for the one above is exact, as for it.
struct FloatRemainder {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    using T = hn::TFromD<D>;
    using Limits = std::numeric_limits<T>;
    constexpr T kExact = T(int64_t{1} << Limits::digits);
    const V x = hn::Abs(a);
    const V y = hn::Abs(b);
    const V quotient = hn::Div(x, y);
    const auto is_usual = hn::And(hn::Lt(quotient, hn::Set(d, kExact)),
                                  hn::Le(y, hn::Set(d, Limits::max())));
    if (HWY_UNLIKELY(!hn::AllTrue(d, is_usual))) {
      return EachLane(d, a, b, LongRemainder());
    }
    const V rest = hn::NegMulAdd(hn::Trunc(quotient), y, x);
    const V added = hn::IfThenElseZero(hn::Lt(rest, hn::Zero(d)), y);
    return hn::CopySign(hn::Add(rest, added), a);
  }
};

template <class D, class V>
HWY_INLINE auto AreOfTwoSigns(D d, V a, V b) {
  const V zero = hn::Zero(d);
  return hn::Xor(hn::Lt(a, zero), hn::Lt(b, zero));
}

struct FloatFlooredRemainder {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    const V zero = hn::Zero(d);
    const V rest = FloatRemainder()(d, a, b);
    const V floored =
        hn::IfThenElse(AreOfTwoSigns(d, rest, b), hn::Add(rest, b), rest);
    return hn::IfThenElse(hn::Eq(rest, zero), hn::CopySign(zero, b), floored);
  }
};

struct FloatFlooredQuotient {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    using T = hn::TFromD<D>;
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, T{1});
    const V ratio = hn::Div(a, b);
    const V rest = FloatRemainder()(d, a, b);
    V quotient = hn::Div(hn::Sub(a, rest), b);
    const auto is_above =
        hn::And(hn::Ne(rest, zero), AreOfTwoSigns(d, rest, b));
    quotient = hn::IfThenElse(is_above, hn::Sub(quotient, one), quotient);
    V floor = hn::Floor(quotient);
    const auto is_over = hn::Gt(hn::Sub(quotient, floor), hn::Set(d, T{0.5}));
    floor = hn::IfThenElse(is_over, hn::Add(floor, one), floor);
    floor = hn::IfThenElse(hn::Eq(quotient, zero), hn::CopySign(zero, ratio),
                           floor);
    return hn::IfThenElse(hn::Eq(b, zero), ratio, floor);
  }
};

template <class OnSigned, class OnFloats>
struct PerKind : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return OnFloats()(d, a, b);
    } else {
      return OnIntegers<OnSigned>()(d, a, b);
    }
  }
};
using TruncatedRemainder = PerKind<IntegerRemainder, FloatRemainder>;
using FlooredRemainder =
    PerKind<IntegerFlooredRemainder, FloatFlooredRemainder>;
using FlooredQuotient = PerKind<IntegerFlooredQuotient, FloatFlooredQuotient>;

}  // namespace

#define STRIDECAST_PART RemainderPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/remainder.inc"
#include "core/kernels/part-inl.h"
