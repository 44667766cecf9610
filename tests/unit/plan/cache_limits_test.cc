// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/cache_limits.h"

#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::AllOf;
using ::testing::Field;

constexpr int64_t kMiB = int64_t{1} << 20;

auto Limits(int64_t computed, int64_t moved, int64_t boxed, bool stores_past) {
  return AllOf(Field(&CacheLimits::computed_bytes, computed),
               Field(&CacheLimits::moved_bytes, moved),
               Field(&CacheLimits::boxed_bytes, boxed),
               Field(&CacheLimits::stores_past, stores_past));
}

TEST(CacheLimitsTest, HalfOfTheCacheWherePlainStoresAreAsFast) {
  EXPECT_THAT(CacheLimitsOf({32 * kMiB, 2 * kMiB, false, false}),
              Limits(16 * kMiB, 16 * kMiB, 16 * kMiB, false));
}

TEST(CacheLimitsTest, AQuarterForBoxesWhereStoresPastCachesPay) {
  EXPECT_THAT(CacheLimitsOf({32 * kMiB, 1 * kMiB, true, false}),
              Limits(16 * kMiB, 16 * kMiB, 8 * kMiB, true));
}

TEST(CacheLimitsTest, SecondLevelWhereMovesPastTheSharedCachePay) {
  EXPECT_THAT(CacheLimitsOf({48 * kMiB, 4 * kMiB, true, true}),
              Limits(24 * kMiB, 6 * kMiB, 6 * kMiB, true));
  // A second level that is larger than the shared one.
  EXPECT_THAT(CacheLimitsOf({8 * kMiB, 4 * kMiB, true, true}),
              Limits(4 * kMiB, 4 * kMiB, 4 * kMiB, true));
}

}  // namespace
}  // namespace stridecast
