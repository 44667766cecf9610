// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Whatever the caller set, we compute with subnormals and round to nearest
// even, and the caller finds its settings again.

#include "core/exec/fp_environment.h"

#include <limits>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kRoundUp = 0x4000;
constexpr unsigned kSubnormalsAreZero = 0x0040;
constexpr unsigned kFlags = 0x003F;

// Half of the least normal number, and 1 / 25.
struct Probe {
  float half;
  float quotient;
};
Probe Compute() {
  volatile float least = std::numeric_limits<float>::min();
  volatile float one = 1.0f;
  volatile float half = least * 0.5f;
  volatile float quotient = one / 25.0f;
  return {half, quotient};
}

TEST(ScopedFpEnvironmentTest, KeepsSubnormalsAndRoundsToNearest) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1F80 | kFlushToZero | kSubnormalsAreZero | kRoundUp);
  const Probe outside = Compute();
  Probe inside;
  {
    const ScopedFpEnvironment environment;
    inside = Compute();
    EXPECT_EQ(_mm_getcsr() & ~kFlags, 0x1F80u);
  }
  const unsigned restored = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(restored & ~kFlags,
            0x1F80 | kFlushToZero | kSubnormalsAreZero | kRoundUp);
  EXPECT_EQ(outside.half, 0.0f);
  EXPECT_EQ(inside.half, 0x1p-127f);
  EXPECT_EQ(outside.quotient, 0x1.47ae16p-5f);
  EXPECT_EQ(inside.quotient, 0x1.47ae14p-5f);
}

// Nested scopes each restore what they found.
TEST(ScopedFpEnvironmentTest, Nests) {
  const unsigned before = _mm_getcsr();
  {
    const ScopedFpEnvironment outer;
    _mm_setcsr(0x1F80 | kRoundUp);
    { const ScopedFpEnvironment inner; }
    EXPECT_EQ(_mm_getcsr() & ~kFlags, 0x1F80 | kRoundUp);
  }
  EXPECT_EQ(_mm_getcsr(), before);
}

// Where nothing has to be set, the flags of what happened stay; where the
// caller's settings are put back, so are its flags.
TEST(ScopedFpEnvironmentTest, FlagsStayUnlessSettingsArePutBack) {
  constexpr unsigned kInexact = 0x0020;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1F80);
  {
    const ScopedFpEnvironment environment;
    Compute();
  }
  const unsigned unchanged = _mm_getcsr();
  _mm_setcsr(0x1F80 | kRoundUp);
  {
    const ScopedFpEnvironment environment;
    Compute();
  }
  const unsigned put_back = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(unchanged & kInexact, kInexact);
  EXPECT_EQ(put_back, 0x1F80 | kRoundUp);
}

}  // namespace
}  // namespace stridecast
