// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Operations of integers without vector instructions for them: powers, divisors
// and multiples. Everything wraps.

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/integers.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/words-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// Unsigned arithmetic of short types is that of int, which may overflow.
template <class U>
HWY_INLINE U WrappingProduct(U a, U b) {
  return static_cast<U>(static_cast<uint64_t>(a) * b);
}

template <class T>
HWY_INLINE auto MagnitudeOf(T x) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(x);
  return x < T{0} ? static_cast<U>(U{0} - bits) : bits;
}

// By shifts and subtractions.
template <class U>
HWY_INLINE U DivisorOf(U a, U b) {
  if (a == 0) return b;
  if (b == 0) return a;
  const int shift = std::countr_zero(static_cast<U>(a | b));
  a = static_cast<U>(a >> std::countr_zero(a));
  while (b != 0) {
    b = static_cast<U>(b >> std::countr_zero(b));
    if (a > b) std::swap(a, b);
    b = static_cast<U>(b - a);
  }
  return static_cast<U>(a << shift);
}

// By squaring, all lanes until the greatest exponent is used up.
struct PowerOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V base, V exponent) const {
    using T = hn::TFromD<D>;
    const hn::RebindToUnsigned<D> bits;
    const V one = hn::Set(d, T{1});
    V result = one;
    V left = exponent;
    if constexpr (std::is_signed_v<T>) {
      // Of 1 and -1 the power is that of the last bit, of others 0.
      const auto is_unit = hn::Eq(hn::Abs(base), one);
      const auto is_negative = hn::Lt(exponent, hn::Zero(d));
      left = hn::IfThenElse(is_negative, hn::And(exponent, one), exponent);
      result = hn::IfThenZeroElse(hn::AndNot(is_unit, is_negative), result);
    }
    V square = base;
    auto bits_left = hn::BitCast(bits, left);
    while (!hn::AllTrue(bits, hn::Eq(bits_left, hn::Zero(bits)))) {
      const auto is_odd = hn::TestBit(hn::BitCast(d, bits_left), one);
      result = hn::IfThenElse(is_odd, hn::Mul(result, square), result);
      square = hn::Mul(square, square);
      bits_left = hn::ShiftRight<1>(bits_left);
    }
    return result;
  }
};

struct IntegerPower : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return AsWords(d, PowerOf(), x, y);
  }
};

struct GreatestDivisor : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    using T = hn::TFromD<D>;
    return EachLane(d, x, y, [](T a, T b) HWY_ATTR {
      return static_cast<T>(DivisorOf(MagnitudeOf(a), MagnitudeOf(b)));
    });
  }
};

struct LeastMultiple : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    using T = hn::TFromD<D>;
    return EachLane(d, x, y, [](T a, T b) HWY_ATTR {
      if (a == 0 || b == 0) return T{0};
      const auto u = MagnitudeOf(a);
      const auto v = MagnitudeOf(b);
      using U = std::remove_const_t<decltype(u)>;
      return static_cast<T>(
          WrappingProduct(static_cast<U>(u / DivisorOf(u, v)), v));
    });
  }
};

}  // namespace

#define STRIDECAST_PART IntegersPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/integers.inc"
#include "core/kernels/part-inl.h"
