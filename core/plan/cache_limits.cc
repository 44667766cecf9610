// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/cache_limits.h"

#include <algorithm>

namespace stridecast {

CacheLimits CacheLimitsOf(const CacheFacts& facts) {
  // A result has to share the cache with what it is made of.
  const int64_t half = facts.shared_bytes / 2;
  if (facts.moves_past_pay) {
    const int64_t moved = std::min(half, facts.second_level_bytes * 3 / 2);
    return {half, moved, moved, true};
  }
  if (facts.stores_past_pay) return {half, half, half / 2, true};
  return {half, half, half, false};
}

}  // namespace stridecast
