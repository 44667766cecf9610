// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a buffer pool gives, keeps and lets go.

#include "core/exec/buffer_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

constexpr int64_t kPlenty = int64_t{1} << 30;

// A buffer goes back when it is destroyed and is given out again.
TEST(BufferPoolTest, GivesReturnedBuffersAgain) {
  BufferPool pool(kPlenty);
  const std::byte* first = nullptr;
  {
    const PooledBuffer buffer = pool.Take(1000);
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer.size_bytes(), 1000);
    EXPECT_EQ(buffer.span().size(), 1000u);
    EXPECT_EQ(pool.idle_bytes(), 0);
    first = buffer.data();
  }
  EXPECT_GE(pool.idle_bytes(), 1000);
  const PooledBuffer again = pool.Take(1001);  // of the same size class
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(pool.idle_bytes(), 0);
}

// (B1), and that all of a buffer can be written.
TEST(BufferPoolTest, BuffersAreAlignedAndWhole) {
  BufferPool pool(kPlenty);
  for (int64_t size : {0, 1, 63, 64, 65, 80, 81, 4095, 4096, 4097, 100000,
                       (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 5 << 20}) {
    const PooledBuffer buffer = pool.Take(size);
    ASSERT_TRUE(buffer) << size;
    EXPECT_EQ(buffer.size_bytes(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u) << size;
    std::memset(buffer.data(), 0x5A, static_cast<size_t>(size));
  }
}

// Classes are at most a quarter larger than what they serve.
TEST(BufferPoolTest, ClassesWasteAtMostAQuarter) {
  for (int power = 6; power < 20; ++power) {
    for (int64_t size :
         {(int64_t{1} << power) - 1, int64_t{1} << power,
          (int64_t{1} << power) + 1, (int64_t{5} << power) / 4,
          (int64_t{5} << power) / 4 + 1, (int64_t{7} << power) / 4 + 1}) {
      BufferPool pool(kPlenty);
      pool.Take(size);  // and return
      EXPECT_GE(pool.idle_bytes(), size);
      EXPECT_LE(pool.idle_bytes(), std::max<int64_t>(64, size * 5 / 4));
    }
  }
}

// (B2)
TEST(BufferPoolTest, KeepsNoMoreThanItsBound) {
  BufferPool pool(/*max_idle_bytes=*/4096);
  {
    std::vector<PooledBuffer> buffers;
    for (int i = 0; i < 6; ++i) buffers.push_back(pool.Take(1024));
    EXPECT_EQ(pool.idle_bytes(), 0);
  }
  EXPECT_EQ(pool.idle_bytes(), 4096);
  { const PooledBuffer large = pool.Take(5000); }
  EXPECT_EQ(pool.idle_bytes(), 4096);
  pool.Trim();
  EXPECT_EQ(pool.idle_bytes(), 0);
}

// What nobody took for a whole period goes; what is taken by turns stays.
TEST(BufferPoolTest, FreesWhatIsNotUsed) {
  constexpr int64_t kHuge = int64_t{4} << 20;
  BufferPool pool(kPlenty);
  {
    const PooledBuffer a = pool.Take(kHuge);
    const PooledBuffer b = pool.Take(kHuge);
    const PooledBuffer c = pool.Take(1024);
  }
  EXPECT_EQ(pool.TrimUnused(), 0);  // all were used a moment ago
  const std::byte* used = nullptr;
  {
    const PooledBuffer again = pool.Take(kHuge);
    used = again.data();
  }
  EXPECT_EQ(pool.TrimUnused(), kHuge + 1024);
  EXPECT_EQ(pool.idle_bytes(), kHuge);
  {
    const PooledBuffer again = pool.Take(kHuge);
    EXPECT_EQ(again.data(), used);
    std::memset(again.data(), 1, static_cast<size_t>(kHuge));
    EXPECT_EQ(pool.TrimUnused(), 0);
  }
  EXPECT_EQ(pool.TrimUnused(), 0);  // came back after the last time
  EXPECT_EQ(pool.TrimUnused(), kHuge);
  EXPECT_EQ(pool.idle_bytes(), 0);
  EXPECT_EQ(pool.TrimUnused(), 0);
}

TEST(BufferPoolTest, CountsWhatItLends) {
  BufferPool pool(/*max_idle_bytes=*/4096);
  {
    const PooledBuffer a = pool.Take(1024);
    const PooledBuffer b = pool.Take(8192);
    EXPECT_FALSE(pool.Take(INT64_MAX));
    EXPECT_EQ(pool.stats().num_takes, 2);
    EXPECT_EQ(pool.stats().num_reuses, 0);
    EXPECT_EQ(pool.stats().lent_bytes, 1024 + 8192);
    EXPECT_EQ(pool.stats().idle_bytes, 0);
  }
  EXPECT_EQ(pool.stats().lent_bytes, 0);
  EXPECT_EQ(pool.stats().idle_bytes, 1024);
  PooledBuffer a = pool.Take(1000);
  EXPECT_EQ(pool.stats().num_takes, 3);
  EXPECT_EQ(pool.stats().num_reuses, 1);
  EXPECT_EQ(pool.stats().lent_bytes, 1024);
  a = PooledBuffer();
  EXPECT_EQ(pool.stats().lent_bytes, 0);
}

int64_t PageFaultsOfThisThread() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// What came back has its pages still.
TEST(BufferPoolTest, ReuseCostsNoPageFaults) {
  BufferPool pool(kPlenty);
  constexpr int64_t kBytes = int64_t{16} << 20;
  const auto fill = [&pool] {
    const PooledBuffer buffer = pool.Take(kBytes);
    const int64_t before = PageFaultsOfThisThread();
    std::memset(buffer.data(), 1, static_cast<size_t>(kBytes));
    return PageFaultsOfThisThread() - before;
  };
  EXPECT_GE(fill(), 8);  // a page of 2 MiB each, at least
  EXPECT_EQ(fill(), 0);
}

// The flags that the kernel has for the mapping of an address, such as " hg".
std::string MappingFlags(const std::byte* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  std::ifstream smaps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(smaps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_inside = begin <= address && address < end;
    } else if (is_inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return "";
}

TEST(BufferPoolTest, LargeBuffersAskForHugePages) {
  if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0) {
    GTEST_SKIP() << "the kernel has no transparent huge pages";
  }
  BufferPool pool(kPlenty);
  const PooledBuffer buffer = pool.Take(int64_t{3} << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % (2 << 20), 0u);
  const std::string flags = MappingFlags(buffer.data());
  if (flags.empty()) GTEST_SKIP() << "the kernel does not tell flags";
  EXPECT_NE(flags.find(" hg"), std::string::npos) << flags;
}

TEST(BufferPoolTest, KeepsNothingWithoutABound) {
  BufferPool pool(/*max_idle_bytes=*/0);
  pool.Take(1);
  EXPECT_EQ(pool.idle_bytes(), 0);
}

TEST(BufferPoolTest, GivesDistinctBuffers) {
  BufferPool pool(kPlenty);
  std::set<const std::byte*> seen;
  std::vector<PooledBuffer> buffers;
  for (int i = 0; i < 20; ++i) {
    buffers.push_back(pool.Take(100));
    EXPECT_TRUE(seen.insert(buffers.back().data()).second);
  }
}

TEST(BufferPoolTest, SaysWhenMemoryIsNotToBeHad) {
  BufferPool pool(kPlenty);
  EXPECT_FALSE(pool.Take((int64_t{1} << 60) + 1));
  EXPECT_FALSE(pool.Take(INT64_MAX));
}

TEST(PooledBufferTest, MovesItsLoan) {
  BufferPool pool(kPlenty);
  PooledBuffer none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size_bytes(), 0);

  PooledBuffer a = pool.Take(100);
  const std::byte* data = a.data();
  PooledBuffer b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(pool.idle_bytes(), 0);

  PooledBuffer c = pool.Take(5000);
  c = std::move(b);  // what c had goes back
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size_bytes(), 100);
  EXPECT_GE(pool.idle_bytes(), 5000);

  PooledBuffer& same = c;
  c = std::move(same);
  EXPECT_EQ(c.data(), data);
  const int64_t before = pool.idle_bytes();
  c = PooledBuffer();
  EXPECT_FALSE(c);
  EXPECT_GT(pool.idle_bytes(), before);
}

// Those that are whole huge pages, lent or idle.
TEST(BufferPoolTest, WhatTheSystemHasIsCounted) {
  BufferPool pool(kPlenty);
  const auto mapped = [&pool] {
    const BufferPoolStats stats = pool.stats();
    return std::pair(stats.lent_mapped_bytes, stats.idle_mapped_bytes);
  };
  using Bytes = std::pair<int64_t, int64_t>;
  PooledBuffer small = pool.Take(1 << 20);
  EXPECT_EQ(mapped(), Bytes(0, 0));
  PooledBuffer great = pool.Take(8 << 20);
  EXPECT_EQ(mapped(), Bytes(8 << 20, 0));
  small = PooledBuffer();
  great = PooledBuffer();
  EXPECT_EQ(mapped(), Bytes(0, 8 << 20));
  EXPECT_EQ(pool.stats().idle_bytes, 9 << 20);
  great = pool.Take(8 << 20);
  EXPECT_EQ(mapped(), Bytes(8 << 20, 0));
  great = PooledBuffer();
  pool.Trim();
  EXPECT_EQ(mapped(), Bytes(0, 0));
}

// Nobody else holds a buffer at the same time.
TEST(BufferPoolTest, ServesManyThreads) {
  BufferPool pool(/*max_idle_bytes=*/100000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 500; ++i) {
        const int64_t size = 1 + (i * 37 + t * 11) % 3000;
        const PooledBuffer buffer = pool.Take(size);
        const int mark = t * 61 + i % 50;
        std::memset(buffer.data(), mark, static_cast<size_t>(size));
        std::this_thread::yield();
        for (std::byte b : buffer.span()) {
          ASSERT_EQ(b, static_cast<std::byte>(mark));
        }
        if (i % 100 == 99) pool.Trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool.idle_bytes(), 100000);
}

}  // namespace
}  // namespace stridecast
