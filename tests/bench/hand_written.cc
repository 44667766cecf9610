// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/hand_written.h"

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

}  // namespace stridecast::bench
