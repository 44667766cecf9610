// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Sine and its kin, in radians.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/trigonometric.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/halves-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/polynomial-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// The half turns next to x + turn, less the turn, which is a quarter of a full
// one or none. How many there are stands in the last bits of `sum`.
template <class V>
struct HalfTurns {
  V number;
  V sum;
};
template <bool kQuarter, class D, class V = hn::Vec<D>>
HWY_INLINE HalfTurns<V> HalfTurnsNextTo(D d, V x, hn::TFromD<D> inverse_pi) {
  using T = hn::TFromD<D>;
  const V to_integer =
      hn::Set(d, sizeof(T) == 4 ? T{0x1.8p23f} : static_cast<T>(0x1.8p52));
  const V half = hn::Set(d, T{0.5});
  const V inverse = hn::Set(d, inverse_pi);
  const V sum = kQuarter ? hn::Add(hn::MulAdd(x, inverse, half), to_integer)
                         : hn::MulAdd(x, inverse, to_integer);
  const V number = hn::Sub(sum, to_integer);
  return {kQuarter ? hn::Sub(number, half) : number, sum};
}

// `sine`, of what is left of x, with its sign changed by an odd number of them.
template <class D, class V>
HWY_INLINE V SineAfter(D d, const HalfTurns<V>& turns, V sine) {
  const hn::RebindToUnsigned<D> du;
  constexpr int kSignBit = 8 * sizeof(hn::TFromD<D>) - 1;
  return hn::BitCast(
      d, hn::Xor(hn::BitCast(du, sine),
                 hn::ShiftLeft<kSignBit>(hn::BitCast(du, turns.sum))));
}

// Of f32: the sine of x + turn, |x| < kLimit, from what is left of it after its
// half turns, r, at most a quarter of a full one. Within 1.7 ULP.
template <bool kQuarter>
struct SineInF32 {
  static constexpr float kLimit = 0x1p15f;
  // (sin(r) / r - 1) / r^2 + 1/8 in r^2; 2^-27.2 of sin(r).
  static constexpr float kPolynomial[] = {-0x1.55552ep-5f, 0x1.110ec6p-7f,
                                          -0x1.9f6d44p-13f, 0x1.5d9466p-19f};
  // Pi in three parts. x less the half turns times the first is exact for |x|
  // >= 1: both are multiples of 2^-23, as is the difference, which is below 2.
  // All are positive, so that of -0 nothing taken away leaves -0.
  static constexpr float kPi[] = {0x1.921fb4p+1f, 0x1.4442d0p-23f,
                                  0x1.84698ap-47f};
  static constexpr float kInverse = 0x1.45f306p-2f;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const HalfTurns<V> turns = HalfTurnsNextTo<kQuarter>(d, x, kInverse);
    V r = hn::NegMulAdd(turns.number, hn::Set(d, kPi[0]), x);
    r = hn::NegMulAdd(turns.number, hn::Set(d, kPi[1]), r);
    r = hn::NegMulAdd(turns.number, hn::Set(d, kPi[2]), r);
    // sin(r) / r - 1. Its greatest part, -r^2/8, does without the rounding of
    // r^2, and is +0 where r is a zero, so that the sine keeps -0.
    const V square = hn::Mul(r, r);
    const V greatest =
        hn::NegMulAdd(r, hn::Mul(r, hn::Set(d, 0.125f)), hn::Zero(d));
    const V above =
        hn::MulAdd(square, Polynomial(d, square, kPolynomial), greatest);
    return SineAfter(d, turns, hn::MulAdd(r, above, r));
  }
};

// The same in f64, of more numbers. Within 2^-35.
template <bool kQuarter>
struct SineInF64 {
  static constexpr float kLimit = 0x1p40f;
  // (sin(r) / r - 1) / r^2 in r^2; 2^-35.3 of sin(r).
  static constexpr double kPolynomial[] = {
      -0x1.555555474eab4p-3, 0x1.11110c42d2ffap-7, -0x1.a017d73ed385ap-13,
      0x1.717030e1f451cp-19, -0x1.9a61744d34073p-26};
  // Pi in two parts.
  static constexpr double kPiHigh = 0x1.921fb54442d18p+1;
  static constexpr double kPiLow = 0x1.1a62633145c07p-53;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const HalfTurns<V> turns = HalfTurnsNextTo<kQuarter>(d, x, 1 / kPiHigh);
    V r = hn::NegMulAdd(turns.number, hn::Set(d, kPiHigh), x);
    r = hn::NegMulAdd(turns.number, hn::Set(d, kPiLow), r);
    const V square = hn::Mul(r, r);
    // Keeps -0.
    const V sine =
        hn::Mul(r, hn::MulAdd(square, Polynomial(d, square, kPolynomial),
                              hn::Set(d, 1.0)));
    return SineAfter(d, turns, sine);
  }
};

// Of f32 the first that can, by the size of the number; of other types `Exact`.
template <class InF32, class InF64Of, class Exact>
struct BySize : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return Exact()(d, x);
    } else {
      const V result = InF32()(d, x);
      const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, InF32::kLimit));
      if (HWY_LIKELY(hn::AllTrue(d, is_small))) return result;
      return hn::IfThenElse(is_small, result, OfGreat(d, x));
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE V OfGreat(D d, V x) {
    const V result = InF64(d, InF64Of(), x);
    const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, InF64Of::kLimit));
    if (HWY_LIKELY(hn::AllTrue(d, is_small))) return result;
    return hn::IfThenElse(is_small, result, Exact()(d, x));
  }
};

struct SineOf : BySize<SineInF32<false>, SineInF64<false>, SleefSin> {};
struct CosineOf : BySize<SineInF32<true>, SineInF64<true>, SleefCos> {};

struct TangentOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // SLEEF rounds the least numbers to 0.
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, hn::TFromD<D>{0x1p-30f}));
    return hn::IfThenElse(tiny, x, SleefTan()(d, x));
  }
};

}  // namespace

#define STRIDECAST_PART TrigonometricPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/trigonometric.inc"
#include "core/kernels/part-inl.h"
