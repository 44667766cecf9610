// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How long a call waits before it is tried again: bounds and spread, without a
// clock.

#include "client/retry_delay.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"

namespace stridecast {
namespace {

constexpr uint32_t kSeed = 20266;

struct Range {
  absl::Duration low;
  absl::Duration high;
};

// Of the delays of a thousand clients.
Range DelaysOf(const absl::Status& status, int attempts) {
  std::mt19937 random(kSeed);
  Range range{absl::InfiniteDuration(), -absl::InfiniteDuration()};
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration delay = DelayBeforeRepeat(status, attempts, random);
    range.low = std::min(range.low, delay);
    range.high = std::max(range.high, delay);
  }
  return range;
}

TEST(RetryDelayTest, WhatTheServerAsksAndThenARandomBackoff) {
  const absl::Status down = absl::UnavailableError("down");
  const absl::Status full = absl::ResourceExhaustedError("no room");
  const struct {
    absl::Status status;
    int attempts;
    absl::Duration asked;
    absl::Duration backoff;  // give or take a half
  } kRows[] = {{down, 1, absl::ZeroDuration(), absl::Milliseconds(100)},
               {down, 2, absl::ZeroDuration(), absl::Milliseconds(200)},
               {down, 4, absl::ZeroDuration(), absl::Milliseconds(800)},
               {down, 1000, absl::ZeroDuration(), absl::Milliseconds(102'400)},
               {WithRetryDelay(full, absl::Seconds(2)), 1, absl::Seconds(2),
                absl::Milliseconds(100)},
               {WithRetryDelay(full, absl::Seconds(2)), 3, absl::Seconds(2),
                absl::Milliseconds(400)},
               {WithRetryDelay(down, absl::Hours(1)), 2, absl::Hours(1),
                absl::Milliseconds(200)},
               {WithRetryDelay(full, absl::ZeroDuration()), 1,
                absl::ZeroDuration(), absl::Milliseconds(100)},
               // A server that asks for the past is not waited for.
               {WithRetryDelay(full, absl::Seconds(-5)), 1,
                absl::ZeroDuration(), absl::Milliseconds(100)}};
  for (const auto& row : kRows) {
    const Range range = DelaysOf(row.status, row.attempts);
    SCOPED_TRACE(row.status.ToString());
    EXPECT_GE(range.low, row.asked + 0.5 * row.backoff);
    EXPECT_LT(range.high, row.asked + 1.5 * row.backoff);
    // Clients that failed together do not return together.
    EXPECT_GT(range.high - range.low, 0.95 * row.backoff);
  }
}

}  // namespace
}  // namespace stridecast
