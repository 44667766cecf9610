// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

// Nothing but /sys says more, and it is what is read.
TEST(CacheBytesTest, LevelsGrow) {
  EXPECT_GE(FirstLevelCacheBytes(), int64_t{8} << 10);
  EXPECT_GT(SecondLevelCacheBytes(), FirstLevelCacheBytes());
}

// However much a guest or a container sees of a socket's cache.
TEST(CacheBytesTest, ShareGrowsWithCpusUpToAllThatThereIs) {
  constexpr int64_t kMost = int64_t{24} << 20;
  const int64_t all = SharedCacheBytes(1 << 20);
  EXPECT_GE(all, SecondLevelCacheBytes());
  for (int cpus = 1; cpus < 64; ++cpus) {
    EXPECT_EQ(SharedCacheBytes(cpus), std::min(all, cpus * kMost)) << cpus;
  }
}

TEST(CpuGroupsTest, OwnGroupAndAllAbove) {
  EXPECT_THAT(CpuGroups("0::/\n"), ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(
      CpuGroups("0::/a/b\n"),
      ElementsAre("/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"));
  // Version 1: of the controller alone, or with others.
  EXPECT_THAT(CpuGroups("5:cpu:/c\n4:memory:/d\n"),
              ElementsAre("/sys/fs/cgroup/cpu/c", "/sys/fs/cgroup/cpu"));
  EXPECT_THAT(CpuGroups("5:cpuset:/c\n4:cpu,cpuacct:/\n"),
              ElementsAre("/sys/fs/cgroup/cpu"));
  EXPECT_THAT(CpuGroups(""), IsEmpty());
}

}  // namespace
}  // namespace stridecast
