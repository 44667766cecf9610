// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CORE_EXEC_FP_ENVIRONMENT_H_
#define STRIDECAST_CORE_EXEC_FP_ENVIRONMENT_H_

#include <xmmintrin.h>

namespace stridecast {

// While it lives, the thread computes as SEMANTICS asks: round to nearest even,
// subnormals kept, no exception trapped. Restores the caller's settings; the
// flags of exceptions that happened stay where nothing had to be set.
class ScopedFpEnvironment {
 public:
  // Setting costs as much as a kernel's work on 1 KiB.
  ScopedFpEnvironment() : saved_(_mm_getcsr()) {
    if (Differ(saved_, kDefault)) _mm_setcsr(kDefault);
  }
  ~ScopedFpEnvironment() {
    if (Differ(saved_, _mm_getcsr())) _mm_setcsr(saved_);
  }
  ScopedFpEnvironment(const ScopedFpEnvironment&) = delete;
  ScopedFpEnvironment& operator=(const ScopedFpEnvironment&) = delete;

 private:
  // The processor's reset value: all exceptions masked, no flush to zero.
  static constexpr unsigned kDefault = 0x1F80;
  static constexpr unsigned kFlags = 0x3F;

  static bool Differ(unsigned a, unsigned b) {
    return ((a ^ b) & ~kFlags) != 0;
  }

  const unsigned saved_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_FP_ENVIRONMENT_H_
