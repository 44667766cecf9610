// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The error function, its complement, and GELU, which is made of that.

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/error_functions.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "core/kernels/exp-inl.h"
#include "core/kernels/halves-inl.h"
#include "core/kernels/loops-inl.h"
#include "core/kernels/sleef-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace stridecast {
namespace HWY_NAMESPACE {
namespace {

// erfc(|z|), in f64 with the precision of f32: e^-z^2 times a polynomial in
// (|z| - 3)/(|z| + 3). 0 beyond what f32 can show.
template <class D, class V>
HWY_INLINE V ErfcOfSize(D d, V z) {
  // erfc(z) e^(z^2); 2^-33.
  static constexpr double kPolynomial[] = {
      0x1.6e9827d1f737ep-3,  -0x1.4e102b9f76ca4p-2, 0x1.f6ff206222bc2p-3,
      -0x1.336ffaf84cdd5p-3, 0x1.258b0d699fd5cp-4,  -0x1.8fa603e109bd6p-6,
      0x1.17cb51c510afep-8,  0x1.7374bf2082c25p-11, -0x1.394d62263889fp-11,
      0x1.6656e63354a68p-15, 0x1.0ce57f54b269ep-14, -0x1.2afcfac4944afp-17,
      -0x1.ae9f946303605p-18};
  const V size = hn::Abs(z);
  const V three = hn::Set(d, 3.0);
  const V t = hn::Div(hn::Sub(size, three), hn::Add(size, three));
  const V minus_square = hn::Neg(hn::Mul(size, size));
  const ExpParts<V> e = ExpOf(d, minus_square);
  const V power =
      hn::Mul(e.high, PowerOf2(d, hn::Max(e.n, hn::Set(d, -1000.0))));
  const V erfc = hn::Mul(power, Polynomial(d, t, kPolynomial));
  return hn::IfThenZeroElse(hn::Gt(size, hn::Set(d, 10.6)), erfc);
}

template <class D, class V>
HWY_INLINE V ErfcInF64(D d, V z) {
  const V erfc = ErfcOfSize(d, z);
  return hn::IfThenElse(hn::Lt(z, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), erfc),
                        erfc);
}

struct ErfOf : OnValues {
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 8>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    return SleefErf()(d, x);
  }

  // x times a polynomial below 0.92, else 1 - e^(a polynomial).
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    // erf(x)/x - 1 in x^2; 2^-27.
    static constexpr float kNear[] = {
        0x1.06eba8p-3f, -0x1.812744p-2f,  0x1.ce2e2cp-4f, -0x1.b81168p-6f,
        0x1.54e33cp-8f, -0x1.ab3006p-11f, 0x1.5fefb2p-14f};
    // log(erfc(x))/x + 1; 2^-27.9 of erf.
    static constexpr float kFar[] = {
        -0x1.07789cp-3f, -0x1.453284p-1f, -0x1.b329fep-4f, 0x1.856f2ap-6f,
        -0x1.de13eep-9f, 0x1.5430b0p-12f, -0x1.7fa670p-17f};
    // Beyond, the result is 1.
    const V size = hn::Min(hn::Set(d, 4.0f), hn::Abs(x));
    const V square = hn::Mul(size, size);
    const V near = hn::MulAdd(size, Polynomial(d, square, kNear), size);
    const V exponent = hn::MulSub(size, Polynomial(d, size, kFar), size);
    const RoundedExp<V> e = RoundedExpOf(d, exponent);
    const V far = hn::Sub(hn::Set(d, 1.0f), ScaleOnce(d, e.value, e.n));
    const auto is_near = hn::Lt(size, hn::Set(d, 0.92f));
    return hn::CopySign(hn::IfThenElse(is_near, near, far), x);
  }
};

struct ErfcOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return SleefErfc()(d, x);
    } else {
      return InF64(
          d, [](auto wide, auto v) HWY_ATTR { return ErfcInF64(wide, v); }, x);
    }
  }
};

// x/2 * erfc(-x/sqrt(2)).
struct GeluErfOf : OnValues {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return Gelu(d, x, SleefErfc()(d, Inner(d, x)));
    } else {
      return InF64(
          d,
          [](auto wide, auto v) HWY_ATTR {
            return Gelu(wide, v, ErfcInF64(wide, Inner(wide, v)));
          },
          x);
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE V Inner(D d, V x) {
    return hn::Mul(x, hn::Set(d, -0.70710678118654752440));
  }
  template <class D, class V>
  static HWY_INLINE V Gelu(D d, V x, V erfc) {
    return hn::Mul(hn::Mul(x, hn::Set(d, 0.5)), erfc);
  }
};

}  // namespace

#define STRIDECAST_PART ErrorFunctionsPart
#define STRIDECAST_PART_ROWS "core/kernels/rows/error_functions.inc"
#include "core/kernels/part-inl.h"
