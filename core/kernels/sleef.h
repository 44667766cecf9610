// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The functions of SLEEF that kernels call, declared here since <sleef.h> hides
// those of 512 bits from compilers without -mavx512f. Those of "finz" give the
// same bits whatever the width of the vector: they use fused multiply-add in
// every one, and look at each lane alone.

#ifndef STRIDECAST_CORE_KERNELS_SLEEF_H_
#define STRIDECAST_CORE_KERNELS_SLEEF_H_

#include <immintrin.h>

// Unary functions with an error of at most `ulps` tenths of a unit.
#define STRIDECAST_SLEEF_UNARY(name, ulps)                  \
  __m256 Sleef_finz_##name##f8_u##ulps##avx2(__m256 x);     \
  __m512 Sleef_finz_##name##f16_u##ulps##avx512f(__m512 x); \
  __m256d Sleef_finz_##name##d4_u##ulps##avx2(__m256d x);   \
  __m512d Sleef_finz_##name##d8_u##ulps##avx512f(__m512d x);

#define STRIDECAST_SLEEF_BINARY(name, ulps)                           \
  __m256 Sleef_finz_##name##f8_u##ulps##avx2(__m256 x, __m256 y);     \
  __m512 Sleef_finz_##name##f16_u##ulps##avx512f(__m512 x, __m512 y); \
  __m256d Sleef_finz_##name##d4_u##ulps##avx2(__m256d x, __m256d y);  \
  __m512d Sleef_finz_##name##d8_u##ulps##avx512f(__m512d x, __m512d y);

extern "C" {
STRIDECAST_SLEEF_UNARY(exp2, 10)
STRIDECAST_SLEEF_UNARY(log, 10)
STRIDECAST_SLEEF_UNARY(log2, 10)
STRIDECAST_SLEEF_UNARY(log10, 10)
STRIDECAST_SLEEF_UNARY(sin, 10)
STRIDECAST_SLEEF_UNARY(cos, 10)
STRIDECAST_SLEEF_UNARY(tan, 10)
STRIDECAST_SLEEF_UNARY(asin, 10)
STRIDECAST_SLEEF_UNARY(acos, 10)
STRIDECAST_SLEEF_UNARY(atan, 10)
STRIDECAST_SLEEF_UNARY(erf, 10)
STRIDECAST_SLEEF_UNARY(erfc, 15)
STRIDECAST_SLEEF_BINARY(atan2, 10)
STRIDECAST_SLEEF_BINARY(pow, 10)
}

#undef STRIDECAST_SLEEF_UNARY
#undef STRIDECAST_SLEEF_BINARY

#endif  // STRIDECAST_CORE_KERNELS_SLEEF_H_
