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
bool HasF16c() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid_count(1, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx & bit_F16C) != 0;
}

// Arithmetic on f16 in registers of 512 bits; not one of Highway's.
bool HasAvx512Fp16() {
  constexpr unsigned kBit = 1u << 23;
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & kBit) != 0;
}

bool RunsAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         HasF16c() && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul");
}

bool RunsAvx3() {
#ifdef STRIDECAST_AVX512
  return RunsAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
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

bool StoresPastCachesPay() {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0 || MovesPastSharedCachePay();
}

bool MovesPastSharedCachePay() {
  __builtin_cpu_init();
  // Sapphire Rapids was the first to have it.
  return __builtin_cpu_is("intel") != 0 && HasAvx512Fp16();
}

}  // namespace stridecast
