// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/retry_delay.h"

#include <algorithm>

#include "absl/random/random.h"
#include "proto/wire/status_codec.h"

namespace stridecast {
namespace {

constexpr absl::Duration kFirstBackoff = absl::Milliseconds(100);
constexpr int kMaxDoublings = 10;

}  // namespace

absl::Duration DelayBeforeRepeat(const absl::Status& status, int attempts,
                                 absl::BitGenRef random) {
  const auto asked = RetryDelay(status);
  const int doublings = std::min(attempts - 1, kMaxDoublings);
  const absl::Duration backoff =
      kFirstBackoff * (1 << doublings) * absl::Uniform(random, 0.5, 1.5);
  return std::max(asked.value_or(absl::ZeroDuration()), absl::ZeroDuration()) +
         backoff;
}

}  // namespace stridecast
