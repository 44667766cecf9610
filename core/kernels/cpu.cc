// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Asks for every extension that Highway's pragma for a target lets the compiler
// use (HWY_TARGET_STR in hwy/ops/set_macros-inl.h), but for AVX-VNNI in
// AVX3_DL: Ice Lake and Zen 4 lack it. tests/unit/kernels/check_objects.cmake
// finds no such instruction in our objects.

#include "core/kernels/cpu.h"

namespace stridecast {
namespace {

bool RunsAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul");
}

bool RunsAvx3() {
  return RunsAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}

bool RunsAvx3Dl() {
  return RunsAvx3() && __builtin_cpu_supports("vpclmulqdq") &&
         __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("vaes") &&
         __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}

}  // namespace

bool CpuRuns(SimdTarget target) {
  __builtin_cpu_init();
  switch (target) {
    case SimdTarget::kAvx2:
      return RunsAvx2();
    case SimdTarget::kAvx3:
      return RunsAvx3();
    case SimdTarget::kAvx3Dl:
      return RunsAvx3Dl();
  }
  return false;
}

}  // namespace stridecast
