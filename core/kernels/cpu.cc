// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Asks for every extension that Highway's pragma for a target lets the compiler
// use: HWY_TARGET_STR in hwy/ops/set_macros-inl.h.

#include "core/kernels/cpu.h"

#include <cpuid.h>

namespace stridecast {
namespace {

// Features that __builtin_cpu_supports does not know with every compiler. The
// registers that they need come with AVX2 and AVX-512, which it checks.
enum class EcxBit { kF16c = 29 };

bool CpuidHas(unsigned leaf, EcxBit bit) {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx >> static_cast<int>(bit) & 1) != 0;
}

bool RunsAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         CpuidHas(1, EcxBit::kF16c) && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul");
}

bool RunsAvx3() {
  return RunsAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}

}  // namespace

bool CpuRuns(SimdTarget target) {
  __builtin_cpu_init();
  switch (target) {
    case SimdTarget::kAvx2:
      return RunsAvx2();
    case SimdTarget::kAvx3:
      return RunsAvx3();
  }
  return false;
}

}  // namespace stridecast
