// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/cpus.h"

#include <sched.h>

#include <thread>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

TEST(UsableCpusTest, AtLeastOneAndNoMoreThanTheMaskHolds) {
  EXPECT_GE(UsableCpus(), 1);
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  EXPECT_LE(UsableCpus(), CPU_COUNT(&mask));
}

// Of a thread that may run on one CPU alone.
TEST(UsableCpusTest, FollowsTheMask) {
  std::thread([] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(UsableCpus(), 1);
  }).join();
}

}  // namespace
}  // namespace stridecast
