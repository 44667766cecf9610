// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The 16-bit floating-point types against exact arithmetic: all of them to
// float, and floats around every place where rounding turns.

#include "stridecast/float16.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "tests/support/numbers.h"

namespace stridecast {
namespace {

using ::stridecast::testing::BitsOfFloat;
using ::stridecast::testing::FloatOf;
using ::stridecast::testing::IsNan;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Float16Test, KnownValues) {
  EXPECT_EQ(ToF16(1.0f).bits, 0x3C00);
  EXPECT_EQ(ToF16(-2.0f).bits, 0xC000);
  EXPECT_EQ(ToF16(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(ToF16(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(ToF16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(ToF16(0x1p-24f).bits, 0x0001);
  EXPECT_EQ(ToF16(0x1p-25f).bits, 0x0000);  // a tie
  EXPECT_EQ(ToF16(-0.0f).bits, 0x8000);
  EXPECT_EQ(ToF16(kInf).bits, 0x7C00);
  EXPECT_EQ(ToF16(-kNan).bits, 0x7E00);
  EXPECT_EQ(ToFloat(F16{0x3555}), 0.333251953125f);
  EXPECT_EQ(ToFloat(F16{0x0001}), 0x1p-24f);

  EXPECT_EQ(ToBF16(1.0f).bits, 0x3F80);
  EXPECT_EQ(ToBF16(1.00390625f).bits, 0x3F80);  // a tie
  EXPECT_EQ(ToBF16(1.01171875f).bits, 0x3F82);  // a tie
  EXPECT_EQ(ToBF16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(ToBF16(0x1p-149f).bits, 0x0000);
  EXPECT_EQ(ToBF16(-0.0f).bits, 0x8000);
  EXPECT_EQ(ToBF16(-kInf).bits, 0xFF80);
  EXPECT_EQ(ToBF16(-kNan).bits, 0x7FC0);
  EXPECT_EQ(ToFloat(BF16{0x4049}), 3.140625f);
}

TEST(Float16Test, EveryNumberWidensExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto bits16 = static_cast<uint16_t>(bits);
    const auto f16 = std::bit_cast<uint32_t>(ToFloat(F16{bits16}));
    const auto bf16 = std::bit_cast<uint32_t>(ToFloat(BF16{bits16}));
    ASSERT_EQ(bf16, bits << 16);
    if (IsNan(DType::kF16, bits)) {
      // Sign, quiet bit and payload are kept.
      ASSERT_EQ(f16, (bits & 0x8000) << 16 | 0x7F800000 | (bits & 0x3FF) << 13);
    } else {
      ASSERT_EQ(f16, std::bit_cast<uint32_t>(FloatOf(DType::kF16, bits)));
    }
  }
}

void ExpectRounded(uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  ASSERT_EQ(ToF16(value).bits, BitsOfFloat(DType::kF16, value)) << bits;
  ASSERT_EQ(ToBF16(value).bits, BitsOfFloat(DType::kBF16, value)) << bits;
}

// Numbers of 16 bits, the middles between them, and the floats next to both.
TEST(Float16Test, RoundsAtEveryTurn) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (uint32_t half : {0x0000u, 0x8000u}) {
      const uint32_t bf16 = bits << 16 | half;
      ExpectRounded(bf16);
      ExpectRounded(bf16 + 1);
      ExpectRounded(bf16 - 1);
    }
    const float f16 = FloatOf(DType::kF16, bits);
    if (!std::isfinite(f16)) continue;
    // Half a step of f16 here; exact in float.
    const float half_step = std::abs(f16) < 0x1p-14f
                                ? 0x1p-25f
                                : std::ldexp(1.0f, std::ilogb(f16) - 11);
    for (float value : {f16, f16 + half_step, f16 - half_step}) {
      ExpectRounded(std::bit_cast<uint32_t>(value));
      ExpectRounded(std::bit_cast<uint32_t>(std::nextafter(value, kInf)));
      ExpectRounded(std::bit_cast<uint32_t>(std::nextafter(value, -kInf)));
    }
  }
}

// All floats at a prime distance: 2^32 / 1009.
TEST(Float16Test, RoundsFloatsOfEveryMagnitude) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1009) {
    ExpectRounded(static_cast<uint32_t>(bits));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace stridecast
