// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Powers and roots of floating-point numbers.

#include <limits>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/powers.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/exp-inl.h"
#include "core/kernels/halves-inl.h"
#include "core/kernels/hypot-inl.h"
#include "core/kernels/log-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// x^y of f32 in f64, x positive and finite, y finite: 2^(y log2(x)), within
// 2^-36 of its value.
struct PositivePower {
  // log2((1+s)/(1-s)) / s as a polynomial in s^2; 2^-45.1.
  static constexpr double kLog2[] = {
      0x1.71547652b8252p+1, 0x1.ec709dc53a1cap-1, 0x1.2776c295ae0c7p-1,
      0x1.a61a2cf9f9e38p-2, 0x1.47959c992a71fp-2, 0x1.21ad2d776d25ap-2};
  // 2^r for |r| <= 1/2; 2^-40.2.
  static constexpr double kExp2[] = {1.0,
                                     0x1.62e42fef84cf0p-1,
                                     0x1.ebfbdff823cedp-3,
                                     0x1.c6b08dd6fd234p-5,
                                     0x1.3b2ab7181b755p-7,
                                     0x1.5d8745a728441p-10,
                                     0x1.4308ac85aa947p-13,
                                     0x1.00dc4a532fb8ep-16,
                                     0x1.63d136366db24p-20};
  // Powers of 2 beyond which f32 has infinity or 0.
  static constexpr double kLimit = 200;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const auto [e, f] = LogPartsOf(d, x);
    const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
    const V log2 = hn::MulAdd(s, Polynomial(d, hn::Mul(s, s), kLog2), e);
    V power = hn::Mul(y, log2);
    power = hn::Min(hn::Set(d, kLimit), power);
    power = hn::Max(hn::Set(d, -kLimit), power);
    const V n = hn::Round(power);
    return hn::Mul(Polynomial(d, hn::Sub(power, n), kExp2), PowerOf2(d, n));
  }
};

// C's pow of f32: the rules for infinities, zeros and negative numbers around
// the power of the size.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PowerInF64(D d, V x, V y) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  const V infinity = hn::Inf(d);
  const V size = hn::Abs(x);
  V power = InF64(d, PositivePower(), size, y);
  const auto y_finite = hn::Lt(hn::Abs(y), infinity);
  const auto ordinary =
      hn::And(hn::And(hn::Gt(x, zero), hn::Lt(x, infinity)), y_finite);
  if (HWY_LIKELY(hn::AllTrue(d, ordinary))) return power;

  const auto y_infinite = hn::Eq(hn::Abs(y), infinity);
  // 0 or infinity, as x lies with respect to 1 and y to 0.
  const auto extreme =
      hn::Or(hn::Or(hn::Eq(size, zero), hn::Eq(size, infinity)), y_infinite);
  const auto grows = hn::Not(hn::Xor(hn::Gt(size, one), hn::Gt(y, zero)));
  power = hn::IfThenElse(extreme, hn::IfThenElseZero(grows, infinity), power);
  // A negative x: only whole powers, odd ones keep the sign, also of -0.
  const auto whole = hn::Eq(hn::Round(y), y);
  const V half = hn::Mul(y, hn::Set(d, 0.5f));
  const auto odd = hn::AndNot(hn::Eq(hn::Round(half), half), whole);
  const auto negative = hn::Ne(hn::CopySign(one, x), one);
  power = hn::IfThenElse(hn::And(negative, odd), hn::Neg(power), power);
  const auto undefined = hn::AndNot(hn::Or(extreme, whole), hn::Lt(x, zero));
  const auto nan = hn::Or(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), undefined);
  power = hn::IfThenElse(nan, hn::NaN(d), power);
  const auto is_one = hn::Or(hn::Or(hn::Eq(y, zero), hn::Eq(x, one)),
                             hn::And(hn::Eq(size, one), y_infinite));
  return hn::IfThenElse(is_one, one, power);
}

struct FloatPower : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    if constexpr (sizeof(hn::TFromD<D>) == 4) return PowerInF64(d, x, y);
    const V power = SleefPow()(d, x, y);
    // Of finite numbers SLEEF overflows 4e-9 before the greatest result. The
    // square of the half power is within 2 ULP.
    const V infinity = hn::Inf(d);
    const V size = hn::Abs(x);
    const auto are_finite =
        hn::And(hn::And(hn::Gt(size, hn::Zero(d)), hn::Lt(size, infinity)),
                hn::Lt(hn::Abs(y), infinity));
    const auto check = hn::And(are_finite, hn::Eq(hn::Abs(power), infinity));
    if (HWY_LIKELY(hn::AllFalse(d, check))) return power;
    const V one = hn::Set(d, hn::TFromD<D>{1});
    const V root =
        SleefPow()(d, size, hn::Mul(y, hn::Set(d, hn::TFromD<D>{0.5})));
    const V square = hn::IfThenElse(hn::Eq(y, one), size, hn::Mul(root, root));
    return hn::IfThenElse(check, hn::CopySign(square, power), power);
  }
};

struct HypotOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return Hypot(d, x, y);
  }
};

struct InverseRoot : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(hn::Set(d, hn::TFromD<D>{1}), hn::Sqrt(x));
  }
};

template <class T>
struct CubeRootConstants;

template <>
struct CubeRootConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr float kBias = 127;
  static constexpr float kUp = 0x1p24f;
  static constexpr uint32_t kMantissa = 0x007FFFFF;
  static constexpr uint32_t kOne = 0x3F800000;
  static constexpr uint32_t kToNumber = 0x4B000000;
  static constexpr float kFromNumber = 0x1p23f;
  // m^(-1/3) for m in [1, 2]; 2^-14.4.
  static constexpr float kInverse[] = {0x1.aa913ep+0f, -0x1.2992e0p+0f,
                                       0x1.5e8accp-1f, -0x1.bb1becp-3f,
                                       0x1.c73184p-6f};
};

template <>
struct CubeRootConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr double kBias = 1023;
  static constexpr double kUp = 0x1p54;
  static constexpr uint64_t kMantissa = 0x000FFFFFFFFFFFFF;
  static constexpr uint64_t kOne = 0x3FF0000000000000;
  static constexpr uint64_t kToNumber = 0x4330000000000000;
  static constexpr double kFromNumber = 0x1p52;
  // 2^-17.1.
  static constexpr double kInverse[] = {
      0x1.c713e2847cbe6p+0,  -0x1.8dd4bd7d34771p+0, 0x1.3a267a3d49ad4p+0,
      -0x1.2c4b958d54c08p-1, 0x1.37ce9e9ed0a1dp-3,  -0x1.0e87006cbe6bbp-6};
};

// |x| = m * 2^(3q), m in [1, 8). z near m^(-1/3) makes y = m z^2 near the root,
// and the error of its cube, taken exactly, corrects it.
struct CubeRoot : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    using Constants = CubeRootConstants<T>;
    const hn::RebindToUnsigned<D> du;
    const V third = hn::Set(d, T{1} / T{3});
    const V size = hn::Abs(x);
    // Subnormals are scaled up by a power of 8.
    const auto tiny = hn::Lt(size, hn::Set(d, std::numeric_limits<T>::min()));
    const V up = hn::Set(d, Constants::kUp);
    const auto bits =
        hn::BitCast(du, hn::IfThenElse(tiny, hn::Mul(size, up), size));
    const V field = hn::Sub(
        hn::BitCast(d, hn::Or(hn::ShiftRight<Constants::kMantissaBits>(bits),
                              hn::Set(du, Constants::kToNumber))),
        hn::Set(d, Constants::kFromNumber));
    const V exponent = hn::Sub(field, hn::Set(d, Constants::kBias));
    const V q = hn::Floor(hn::MulAdd(exponent, third, hn::Set(d, T{0.125})));
    const V rest = hn::NegMulAdd(q, hn::Set(d, T{3}), exponent);
    const V mantissa =
        hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, Constants::kMantissa)),
                              hn::Set(du, Constants::kOne)));
    const V m = hn::Mul(mantissa, PowerOf2(d, rest));
    // 2^(-rest/3).
    const V factor = hn::IfThenElse(
        hn::Eq(rest, hn::Zero(d)), hn::Set(d, T{1}),
        hn::IfThenElse(hn::Eq(rest, hn::Set(d, T{1})),
                       hn::Set(d, static_cast<T>(0.79370052598409973738)),
                       hn::Set(d, static_cast<T>(0.62996052494743658238))));
    V z = hn::Mul(factor, Polynomial(d, mantissa, Constants::kInverse));
    // z + z (1 - m z^3) / 3
    const V one = hn::Set(d, T{1});
    const V miss = hn::NegMulAdd(hn::Mul(m, z), hn::Mul(z, z), one);
    z = hn::MulAdd(hn::Mul(z, third), miss, z);
    const V z_square = hn::Mul(z, z);
    const V y = hn::Mul(m, z_square);
    const V y_square = hn::Mul(y, y);
    const V square_low = hn::MulSub(y, y, y_square);
    const V left = hn::NegMulAdd(square_low, y, hn::NegMulAdd(y_square, y, m));
    const V root = hn::MulAdd(hn::Mul(left, third), z_square, y);
    const V down = hn::IfThenElse(
        tiny,
        hn::Set(d, Constants::kMantissaBits == 23 ? T{0x1p-8f}
                                                  : static_cast<T>(0x1p-18)),
        one);
    const V scaled =
        hn::CopySign(hn::Mul(hn::Mul(root, PowerOf2(d, q)), down), x);
    const auto ordinary =
        hn::And(hn::Gt(size, hn::Zero(d)), hn::Lt(size, hn::Inf(d)));
    return hn::IfThenElse(ordinary, scaled, x);
  }
};

}  // namespace

#define STRIDECAST_PART PowersPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/powers.inc"
#include "core/kernels/part-inl.h"
