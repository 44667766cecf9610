// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// From real to complex numbers and back; bits are kept.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/complex.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/loops-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

constexpr DType PartOf(DType type) {
  return type == DType::kC64    ? DType::kF32
         : type == DType::kC128 ? DType::kF64
                                : type;
}

struct JoinParts {
  template <DType kType>
  static constexpr bool kIsDefined =
      kType == DType::kF32 || kType == DType::kF64;
  template <DType kType>
  using Operand = Bits<kType>;
  template <DType kType>
  using Result = PairLanes<Bits<kType>>;

  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D, V re, V im) const {
    return {re, im};
  }
};

struct ToPart {
  template <DType kType>
  using Operand = Bits<kType>;
  template <DType kType>
  using Result = Bits<PartOf(kType)>;
};

struct RealPart : ToPart {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V x) const {
    return RealOf(x);
  }
};

struct ImaginaryPart : ToPart {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V) const {
    return hn::Zero(d);
  }
  template <class D, class V>
  HWY_INLINE V operator()(D, Pair<V> x) const {
    return x.im;
  }
};

struct Conjugate : OnBits {
  template <class D, class V>
  HWY_INLINE Pair<V> operator()(D d, Pair<V> x) const {
    return {x.re, hn::Xor(hn::SignBit(d), x.im)};
  }
};

}  // namespace

#define STRIDECAST_PART ComplexPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/complex.inc"
#include "core/kernels/part-inl.h"
