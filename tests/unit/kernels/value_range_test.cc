// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/kernels/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

using enum ChainOperation;

TEST(ValueRangeTest, ImagesStayKnown) {
  ValueRange range = ValueRange::OfIntegers(255);
  range = range.After(kDivide, 255);
  EXPECT_TRUE(range.IsWithin(0x1p-9, 2));
  range = range.After(kSubtract, 0.485f);
  EXPECT_TRUE(range.IsWithin(0x1p-60, 0x1p60));
  EXPECT_FALSE(range.IsWithin(0x1p-9, 2));  // 0.4849.. - 0.485
  range = range.After(kDivide, 0.229f);
  EXPECT_TRUE(range.is_known());
}

TEST(ValueRangeTest, WhatMayNotBeANumberIsUnknown) {
  const ValueRange range = ValueRange::OfIntegers(255);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto operation : {kAdd, kSubtract, kSubtractFrom, kMultiply,
                               kDivide, kDivideInto, kMaximum, kMinimum}) {
    EXPECT_FALSE(range.After(operation, infinity).is_known());
    EXPECT_FALSE(range.After(operation, -infinity).is_known());
    EXPECT_FALSE(range.After(operation, std::nanf("")).is_known());
  }
  EXPECT_FALSE(range.After(kDivide, 0).is_known());
  EXPECT_FALSE(range.After(kDivideInto, 1).is_known());
  EXPECT_FALSE(range.After(kSqrt, 0).is_known());
  EXPECT_FALSE(range.After(kMultiply, 3e38f).is_known());  // overflows
  EXPECT_FALSE(range.After(kMultiply, 1e-38f).is_known());
  EXPECT_FALSE(range.After(kAdd, 1e-38f).is_known());
  EXPECT_FALSE(
      ValueRange::Unknown().After(kMultiply, 0).is_known());  // NaN * 0
}

float Computed(ChainOperation operation, float value, float operand) {
  switch (operation) {
    case kAdd:
      return value + operand;
    case kSubtract:
      return value - operand;
    case kSubtractFrom:
      return operand - value;
    case kMultiply:
      return value * operand;
    case kDivide:
      return value / operand;
    case kMaximum:
      return std::max(value, operand);
    default:
      return std::min(value, operand);
  }
}

// (R1), along random chains of constants of all magnitudes.
TEST(ValueRangeTest, HoldsWhateverIsComputed) {
  constexpr ChainOperation kOperations[] = {
      kAdd, kSubtract, kSubtractFrom, kMultiply, kDivide, kMaximum, kMinimum};
  std::mt19937 random(20261124);
  std::uniform_real_distribution<float> exponent(-40, 40);
  int64_t num_known = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<float> values(512);
    for (int i = 0; i < 512; ++i) values[i] = static_cast<float>(i - 256);
    ValueRange range = ValueRange::OfIntegers(256);
    for (int step = 0; step < 6; ++step) {
      const ChainOperation operation =
          kOperations[random() % std::size(kOperations)];
      float operand = std::exp2(exponent(random));
      // Sums that nearly cancel.
      if (random() % 4 == 0) operand = std::abs(values[random() % 512]);
      if (random() % 2 == 0) operand = -operand;
      range = range.After(operation, operand);
      if (!range.is_known()) break;
      ++num_known;
      for (float& value : values) {
        value = Computed(operation, value, operand);
        ASSERT_TRUE(std::isfinite(value));
        if (value != 0) {
          const double magnitude = std::abs(double{value});
          ASSERT_FALSE(
              range.IsWithin(std::nextafter(magnitude, HUGE_VAL), HUGE_VAL));
          ASSERT_FALSE(range.IsWithin(0, std::nextafter(magnitude, 0.0)));
        }
      }
    }
  }
  EXPECT_GT(num_known, 20'000);
}

}  // namespace
}  // namespace stridecast
