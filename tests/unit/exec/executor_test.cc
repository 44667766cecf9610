// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Every index once, worker numbers that nobody shares, and an end that waits.

#include "core/exec/executor.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

TEST(ExecutorTest, CallsTheBodyForEachIndex) {
  const Executor executor(2);
  EXPECT_EQ(executor.num_threads(), 2);
  std::vector<int> squares(100);
  executor.ParallelFor(
      100, [&](int64_t i, int) { squares[i] = static_cast<int>(i * i); });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(squares[i], i * i);
}

// Runs `count` indices and expects each once, and that no two calls that
// overlap in time have one worker number.
void ExpectOnceAndApart(const Executor& executor, int64_t count) {
  std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
  std::vector<std::atomic<bool>> busy(
      static_cast<size_t>(executor.num_threads()));
  std::atomic<bool> shared{false};
  std::atomic<bool> out_of_range{false};
  executor.ParallelFor(count, [&](int64_t i, int worker) {
    ++calls[i];
    if (worker < 0 || worker >= executor.num_threads()) {
      out_of_range = true;
      return;
    }
    if (busy[worker].exchange(true)) shared = true;
    if (i % 7 == 0) std::this_thread::yield();
    busy[worker] = false;
  });
  EXPECT_FALSE(shared);
  EXPECT_FALSE(out_of_range);
  for (int64_t i = 0; i < count; ++i) EXPECT_EQ(calls[i], 1) << i;
}

TEST(ExecutorTest, EveryIndexOnceOnWorkersOfTheirOwn) {
  for (int num_threads : {1, 2, 3, 8}) {
    const Executor executor(num_threads);
    for (int64_t count : {0, 1, 2, 3, 1000}) {
      ExpectOnceAndApart(executor, count);
    }
  }
}

// More callers than threads.
TEST(ExecutorTest, ServesManyCallersAtOnce) {
  const Executor executor(2);
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&executor] {
      for (int i = 0; i < 30; ++i) ExpectOnceAndApart(executor, 50);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// A task may use the other threads too.
TEST(ExecutorTest, TasksMayCallParallelFor) {
  for (int num_threads : {1, 2, 4}) {
    std::atomic<int> done{0};
    {
      Executor executor(num_threads);
      for (int t = 0; t < 20; ++t) {
        executor.Enqueue([&executor, &done] {
          ExpectOnceAndApart(executor, 40);
          ++done;
        });
      }
      ExpectOnceAndApart(executor, 200);
    }
    EXPECT_EQ(done, 20) << num_threads;
  }
}

// Returns when two calls of one ParallelFor have met, or never.
void Meet(const Executor& executor) {
  std::atomic<int> num_there{0};
  executor.ParallelFor(2, [&num_there](int64_t, int) {
    ++num_there;
    while (num_there < 2) std::this_thread::yield();
  });
}

TEST(ExecutorTest, TwoThreadsComputeForACaller) {
  const Executor executor(2);
  for (int i = 0; i < 20; ++i) Meet(executor);
}

TEST(ExecutorTest, TwoThreadsComputeForATask) {
  Executor executor(2);
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> is_done{false};
    executor.Enqueue([&executor, &is_done] {
      Meet(executor);
      is_done = true;
    });
    while (!is_done) std::this_thread::yield();
  }
}

TEST(ExecutorTest, TheDestructorWaitsForTasks) {
  std::atomic<int> done{0};
  {
    Executor executor(2);
    for (int t = 0; t < 50; ++t) {
      executor.Enqueue([&done] {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 50);
}

// What a task holds, say a buffer of a pool that dies next, is gone too.
TEST(ExecutorTest, TheDestructorWaitsForWhatTasksHold) {
  for (int run = 0; run < 200; ++run) {
    const auto held = std::make_shared<const int>(7);
    {
      Executor executor(2);
      for (int t = 0; t < 4; ++t) {
        executor.Enqueue([copy = held] { EXPECT_EQ(*copy, 7); });
      }
    }
    EXPECT_EQ(held.use_count(), 1);
  }
}

}  // namespace
}  // namespace stridecast
