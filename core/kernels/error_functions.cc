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

  // x + x * p(|x|) below 0.8, else 1 + p(|x|): p is a polynomial for each of
  // eight intervals of |x|. Within 1.07 ULP.
  template <class D, class V,
            hwy::EnableIf<sizeof(hn::TFromD<D>) == 4>* = nullptr>
  HWY_INLINE V operator()(D d, V x) const {
    // Of the intervals' middles, which are this far apart from 0 on.
    static constexpr float kStep = 0x1.1p-1f;
    // Coefficients of p in |x| less the middle, by interval: erf(x)/x - 1 of
    // the first two, then erf(x) - 1. 2^-25.4 of erf(x).
    static constexpr float kPolynomials[][8] = {
        {0x1.06eba8p-3f, 0x1.f608f0p-6f, -0x1.1043c0p-3f, -0x1.8c87b8p-6f,
         -0x1.5bde78p-9f, -0x1.695876p-13f, -0x1.b79216p-18f, -0x1.36da0ap-23f},
        {0x1.0de4d6p-22f, -0x1.5a6e2cp-2f, 0x1.75a938p-2f, 0x1.6c7e2ap-4f,
         0x1.9461b2p-7f, 0x1.fe4540p-11f, 0x1.6e3580p-15f, 0x1.2b04a2p-20f},
        {-0x1.812a0ap-2f, -0x1.b67638p-3f, -0x1.8d0416p-2f, -0x1.2274bep-3f,
         -0x1.ada79ap-6f, -0x1.52d7aep-9f, -0x1.23cb5ep-13f, -0x1.15ec44p-18f},
        {0x1.4f9daap-13f, 0x1.5d0104p-3f, 0x1.3938f6p-3f, 0x1.efd304p-4f,
         0x1.0eb5cep-5f, 0x1.169096p-8f, 0x1.25bf72p-12f, 0x1.48f2f6p-17f},
        {0x1.c9c9c6p-4f, 0x1.92462cp-6f, 0x1.8976dep-5f, -0x1.92bd18p-5f,
         -0x1.b01584p-6f, -0x1.39c052p-8f, -0x1.a44d44p-12f, -0x1.1b9754p-16f},
        {0x1.9ae526p-9f, -0x1.8e025cp-5f, -0x1.09418ep-4f, -0x1.74a032p-8f,
         0x1.91ca3ep-7f, 0x1.fe5d40p-9f, 0x1.dca620p-12f, 0x1.a01f70p-16f},
        {-0x1.e6ad96p-6f, 0x1.1c5f3ap-9f, 0x1.399adcp-7f, 0x1.ffa594p-7f,
         -0x1.a38aa6p-10f, -0x1.12dbf0p-9f, -0x1.7c5664p-12f, -0x1.a7e828p-16f},
    };
    const hn::RebindToSigned<D> di;
    // Beyond, p is less than half an ULP of 1. Min gives its second operand if
    // one is NaN.
    const V size = hn::Min(hn::Set(d, 3.95f), hn::Abs(x));
    // The interval's number stands in the last bits of the sum.
    const V to_integer = hn::Set(d, 0x1.8p23f);
    const V sum = hn::MulAdd(size, hn::Set(d, 1 / kStep), to_integer);
    const V interval = hn::Sub(sum, to_integer);
    const V t = hn::NegMulAdd(interval, hn::Set(d, kStep), size);
    const auto lanes =
        hn::IndicesFromVec(d, hn::And(hn::BitCast(di, sum), hn::Set(di, 7)));
    V p = Lookup(d, kPolynomials[6], lanes);
    for (size_t k = 6; k-- > 0;) {
      p = hn::MulAdd(p, t, Lookup(d, kPolynomials[k], lanes));
    }
    const V one = hn::CopySign(hn::Set(d, 1.0f), x);
    const auto is_near = hn::Lt(interval, hn::Set(d, 2.0f));
    const V factor = hn::IfThenElse(is_near, x, one);
    return hn::MulAdd(factor, p, factor);
  }

 private:
  // The entries of `table` that the indices, from 0 to 7, name.
  template <class D, class Indices>
  static HWY_INLINE hn::Vec<D> Lookup(D d, const float (&table)[8],
                                      Indices indices) {
    if constexpr (hn::MaxLanes(D()) == 8) {
      return hn::TableLookupLanes(hn::LoadU(d, table), indices);
    } else {
      const auto half = hn::LoadU(hn::Half<D>(), table);
      return hn::TableLookupLanes(hn::Combine(d, half, half), indices);
    }
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
