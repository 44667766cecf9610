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

struct PowerOf {
  template <class T>
  HWY_INLINE T operator()(T base, T exponent) const {
    using U = std::make_unsigned_t<T>;
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == -1) return (exponent & 1) != 0 ? T{-1} : T{1};
        return 0;
      }
    }
    U result = 1;
    U square = static_cast<U>(base);
    for (U left = static_cast<U>(exponent); left != 0; left >>= 1) {
      if ((left & 1) != 0) result = WrappingProduct(result, square);
      square = WrappingProduct(square, square);
    }
    return static_cast<T>(result);
  }
};

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

struct IntegerPower : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return EachLane(d, x, y, PowerOf());
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
