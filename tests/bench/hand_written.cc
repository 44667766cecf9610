// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/hand_written.h"

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#define STRIDECAST_FOR_THIS_MACHINE \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

namespace stridecast::bench {

STRIDECAST_FOR_THIS_MACHINE
void AddLoop(const float* const* operands, float* result, int64_t begin,
             int64_t end) {
  const float* __restrict x = operands[0];
  const float* __restrict y = operands[1];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) to[i] = x[i] + y[i];
}

STRIDECAST_FOR_THIS_MACHINE
void NormLoop(const float* const* operands, float* result, int64_t begin,
              int64_t end) {
  const float* __restrict x = operands[0];
  const float* __restrict y = operands[1];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) {
    to[i] = __builtin_sqrtf(x[i] * x[i] + y[i] * y[i]) * 2.0f - 1.0f;
  }
}

STRIDECAST_FOR_THIS_MACHINE
void MulAddMaxLoop(const float* const* operands, float* result, int64_t begin,
                   int64_t end) {
  const float* __restrict x = operands[0];
  const float* __restrict y = operands[1];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) {
    const float sum = x[i] * y[i] + x[i];
    to[i] = sum > y[i] ? sum : y[i];
  }
}

STRIDECAST_FOR_THIS_MACHINE
void MulPlusLoop(const float* const* operands, float* result, int64_t begin,
                 int64_t end) {
  const float* __restrict x = operands[0];
  const float* __restrict y = operands[1];
  const float* __restrict z = operands[2];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) to[i] = x[i] * y[i] + z[i];
}

STRIDECAST_FOR_THIS_MACHINE
void MulPlusMulLoop(const float* const* operands, float* result, int64_t begin,
                    int64_t end) {
  const float* __restrict x = operands[0];
  const float* __restrict y = operands[1];
  const float* __restrict z = operands[2];
  const float* __restrict w = operands[3];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) to[i] = (x[i] * y[i] + z[i]) * w[i];
}

STRIDECAST_FOR_THIS_MACHINE
void PolynomialLoop(const float* const* operands, float* result, int64_t begin,
                    int64_t end) {
  const float* __restrict x = operands[0];
  float* __restrict to = result;
  for (int64_t i = begin; i < end; ++i) {
    const float v = x[i];
    float sum = 0.1f;
    sum = sum * v + 0.2f;
    sum = sum * v + 0.3f;
    sum = sum * v + 0.4f;
    sum = sum * v + 0.5f;
    sum = sum * v + 0.6f;
    to[i] = sum * v + 0.7f;
  }
}

namespace {

#define STRIDECAST_AVX2 __attribute__((target("avx2")))

STRIDECAST_AVX2 __m256 MulAdd(__m256 x, __m256 y, __m256 z) {
  return _mm256_add_ps(_mm256_mul_ps(x, y), z);
}

struct Norm {
  STRIDECAST_AVX2 static __m256 Of(__m256 x, __m256 y) {
    const __m256 root = _mm256_sqrt_ps(MulAdd(x, x, _mm256_mul_ps(y, y)));
    return _mm256_sub_ps(_mm256_mul_ps(root, _mm256_set1_ps(2.0f)),
                         _mm256_set1_ps(1.0f));
  }
};

struct MulAddMax {
  STRIDECAST_AVX2 static __m256 Of(__m256 x, __m256 y) {
    return _mm256_max_ps(MulAdd(x, y, x), y);
  }
};

struct Polynomial {
  STRIDECAST_AVX2 static __m256 Of(__m256 x) {
    __m256 sum = _mm256_set1_ps(0.1f);
    for (const float c : {0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f}) {
      sum = MulAdd(sum, x, _mm256_set1_ps(c));
    }
    return sum;
  }
};

struct MulPlus {
  STRIDECAST_AVX2 static __m256 Of(__m256 x, __m256 y, __m256 z) {
    return MulAdd(x, y, z);
  }
};

struct MulPlusMul {
  STRIDECAST_AVX2 static __m256 Of(__m256 x, __m256 y, __m256 z, __m256 w) {
    return _mm256_mul_ps(MulAdd(x, y, z), w);
  }
};

// Ends that are not whole vectors of the result are left to `plain`.
template <class Function, size_t... kOperands>
STRIDECAST_AVX2 void PastCache(HandWritten plain, const float* const* operands,
                               float* result, int64_t begin, int64_t end,
                               std::index_sequence<kOperands...>) {
  while (begin < end && reinterpret_cast<uintptr_t>(result + begin) % 32 != 0) {
    plain(operands, result, begin, begin + 1);
    ++begin;
  }
  const float* const from[] = {operands[kOperands]...};
  for (; begin + 8 <= end; begin += 8) {
    _mm256_stream_ps(result + begin,
                     Function::Of(_mm256_loadu_ps(from[kOperands] + begin)...));
  }
  _mm_sfence();
  plain(operands, result, begin, end);
}

}  // namespace

void NormLoopPastCache(const float* const* operands, float* result,
                       int64_t begin, int64_t end) {
  PastCache<Norm>(NormLoop, operands, result, begin, end,
                  std::make_index_sequence<2>());
}

void MulAddMaxLoopPastCache(const float* const* operands, float* result,
                            int64_t begin, int64_t end) {
  PastCache<MulAddMax>(MulAddMaxLoop, operands, result, begin, end,
                       std::make_index_sequence<2>());
}

void MulPlusLoopPastCache(const float* const* operands, float* result,
                          int64_t begin, int64_t end) {
  PastCache<MulPlus>(MulPlusLoop, operands, result, begin, end,
                     std::make_index_sequence<3>());
}

void MulPlusMulLoopPastCache(const float* const* operands, float* result,
                             int64_t begin, int64_t end) {
  PastCache<MulPlusMul>(MulPlusMulLoop, operands, result, begin, end,
                        std::make_index_sequence<4>());
}

void PolynomialLoopPastCache(const float* const* operands, float* result,
                             int64_t begin, int64_t end) {
  PastCache<Polynomial>(PolynomialLoop, operands, result, begin, end,
                        std::make_index_sequence<1>());
}

}  // namespace stridecast::bench
