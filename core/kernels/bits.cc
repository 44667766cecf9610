// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Operations on the bits of elements: signs, neighbours, shifts, counts, fewer
// bits of precision.

#include <type_traits>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/bits.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/words-inl.h"
#include "core/kernels/float_format.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

struct TakeSign : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V sign = hn::SignBit(d);
    return hn::Or(hn::AndNot(sign, x), hn::And(sign, y));
  }
};

// From x one step toward y: the magnitude grows if y has the same sign and a
// greater one.
template <DType kType>
struct Neighbour : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    using T = hn::TFromD<D>;
    constexpr FloatFormat kFormat = FloatFormatOf(kType);
    const V sign = hn::SignBit(d);
    const V one = hn::Set(d, 1);
    const V x_size = hn::AndNot(sign, x);
    const V y_size = hn::AndNot(sign, y);
    const V x_sign = hn::And(sign, x);
    const V y_sign = hn::And(sign, y);
    const auto grows = hn::And(hn::Eq(x_sign, y_sign), hn::Gt(y_size, x_size));
    V result = hn::IfThenElse(grows, hn::Add(x, one), hn::Sub(x, one));
    result = hn::IfThenElse(hn::Eq(x_size, hn::Zero(d)), hn::Or(y_sign, one),
                            result);
    const auto equal =
        hn::Or(hn::Eq(x, y), hn::Eq(hn::Or(x_size, y_size), hn::Zero(d)));
    result = hn::IfThenElse(equal, y, result);
    const V infinity = hn::Set(d, static_cast<T>(kFormat.infinity()));
    return hn::IfThenElse(hn::Gt(hn::Max(x_size, y_size), infinity),
                          hn::Set(d, static_cast<T>(kFormat.canonical_nan())),
                          result);
  }
};

// x86 shifts in zeros for all counts of the width and more.
struct ShiftUp : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V count) const {
    const auto shift = [](auto, auto v, auto by)
                           HWY_ATTR { return hn::Shl(v, by); };
    return AsWords(d, shift, x, count);
  }
};

struct ShiftDown : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V count) const {
    const auto shift = [](auto tag, auto v, auto by) HWY_ATTR {
      // Of an unsigned lane the word is not negative.
      const hn::RebindToUnsigned<decltype(tag)> bits;
      return hn::Shr(hn::BitCast(bits, v), hn::BitCast(bits, by));
    };
    return AsWords(d, shift, x, count);
  }
};

struct ShiftSignDown : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V count) const {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> numbers;
    constexpr T kGreatest = sizeof(T) * 8 - 1;
    // As a signed number a great count would be negative.
    const auto by = hn::Min(count, hn::Set(d, kGreatest));
    const auto shift = [](auto, auto v, auto least)
                           HWY_ATTR { return hn::Shr(v, least); };
    return hn::BitCast(d, AsWords(numbers, shift, hn::BitCast(numbers, x),
                                  hn::BitCast(numbers, by)));
  }
};

struct CountOnes : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::PopulationCount(x);
  }
};

// What is not below the highest 1.
struct CountZerosAbove : OnBits {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    constexpr size_t kWidth = sizeof(hn::TFromD<D>) * 8;
    x = hn::Or(x, hn::ShiftRight<1>(x));
    x = hn::Or(x, hn::ShiftRight<2>(x));
    x = hn::Or(x, hn::ShiftRight<4>(x));
    if constexpr (kWidth > 8) x = hn::Or(x, hn::ShiftRight<8>(x));
    if constexpr (kWidth > 16) x = hn::Or(x, hn::ShiftRight<16>(x));
    if constexpr (kWidth > 32) x = hn::Or(x, hn::ShiftRight<32>(x));
    return hn::PopulationCount(hn::Not(x));
  }
};

// `last` is the last bit kept if any is dropped, `half` what makes a carry of
// more than a tie, `kept` the bits kept. Magnitudes from `overflow` on become
// infinity, below `underflow` 0. The canonical NaN without its mantissa is
// infinity.
template <DType kType>
struct ReduceTo : OnBits, WithParameters<5> {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V last, V half, V kept, V overflow,
                          V underflow) const {
    using T = hn::TFromD<D>;
    constexpr FloatFormat kFormat = FloatFormatOf(kType);
    const V zero = hn::Zero(d);
    const V infinity = hn::Set(d, static_cast<T>(kFormat.infinity()));
    const V nan = hn::Set(d, static_cast<T>(kFormat.canonical_nan()));
    const V sign = hn::And(x, hn::SignBit(d));
    const V size = hn::Xor(x, sign);
    const V odd =
        hn::IfThenElseZero(hn::Ne(hn::And(size, last), zero), hn::Set(d, 1));
    V reduced = hn::And(hn::Add(hn::Add(size, half), odd), kept);
    reduced = hn::IfThenElse(hn::Lt(reduced, overflow), reduced, infinity);
    reduced = hn::IfThenElse(hn::Lt(reduced, underflow), zero, reduced);
    return hn::IfThenElse(hn::Gt(size, infinity), hn::And(nan, kept),
                          hn::Or(sign, reduced));
  }
};

}  // namespace

#define STRIDECAST_PART BitsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/bits.inc"
#include "core/kernels/part-inl.h"
