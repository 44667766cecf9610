// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What results stay in the caches, and which are written past them.
// Tested by tests/unit/plan/cache_limits_test.cc.

#ifndef STRIDECAST_CORE_PLAN_CACHE_LIMITS_H_
#define STRIDECAST_CORE_PLAN_CACHE_LIMITS_H_

#include <cstdint>
#include <limits>

namespace stridecast {

inline constexpr int64_t kLineBytes = 64;  // of a cache line

// Rows so far apart, in bytes, or a multiple of it, share the sets of a cache.
inline constexpr int64_t kAliasedStride = 2048;

// How a result stays in the caches.
enum class CacheFit : int8_t {
  kFits,
  kBarely,  // with what it is made of it takes more than half of them
  kNot,
};

// What is known of the CPUs that compute.
struct CacheFacts {
  int64_t shared_bytes;        // of the cache next to memory, of all together
  int64_t second_level_bytes;  // of all together
  bool stores_past_pay;        // see kernels/cpu.h
  bool moves_past_pay;
};

struct CacheLimits {
  // Larger results are written past the caches: transposed ones and rows with
  // gaps between them on every CPU, all others if stores_past.
  int64_t computed_bytes = std::numeric_limits<int64_t>::max();
  // The same of those that only move an operand, and of these by boxes.
  int64_t moved_bytes = std::numeric_limits<int64_t>::max();
  int64_t boxed_bytes = std::numeric_limits<int64_t>::max();
  bool stores_past = false;
};

CacheLimits CacheLimitsOf(const CacheFacts& facts);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PLAN_CACHE_LIMITS_H_
