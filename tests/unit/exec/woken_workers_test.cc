// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Workers that sleep may not wake on the caller's CPU, and have their own
// affinity once they are awake.

#include "core/exec/woken_workers.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

cpu_set_t AffinityOf(pid_t thread) {
  cpu_set_t affinity;
  EXPECT_EQ(sched_getaffinity(thread, sizeof(affinity), &affinity), 0);
  return affinity;
}

struct Worker {
  pid_t thread;
  cpu_set_t affinity;
};

// The worker of an arena of two threads, and what it may run on in a task, when
// the caller, who waits for it, has done something.
Worker WorkerAtWork(
    tbb::task_arena& arena, void (*meanwhile)() = [] {}) {
  Worker worker = {};
  std::atomic<int> num_there{0};
  std::atomic<bool> is_done{false};
  arena.execute([&] {
    tbb::parallel_for(
        0, 2,
        [&, caller = gettid()](int) {
          ++num_there;
          while (num_there < 2) std::this_thread::yield();
          if (gettid() == caller) {
            meanwhile();
            is_done = true;
          } else {
            while (!is_done) std::this_thread::yield();
            worker = {gettid(), AffinityOf(0)};
          }
        },
        tbb::simple_partitioner());
  });
  return worker;
}

class WokenWorkersTest : public testing::Test {
 protected:
  // One worker, on machines of many CPUs too.
  const tbb::global_control threads_{
      tbb::global_control::max_allowed_parallelism, 2};
  tbb::task_arena arena_{2};
  const cpu_set_t all_ = AffinityOf(0);
};

TEST_F(WokenWorkersTest, AreKeptOffTheCallersCpuUntilTheyWake) {
  if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "there is but one CPU";
  const WokenWorkers::Watch watch(arena_);
  const Worker worker = WorkerAtWork(arena_);
  EXPECT_TRUE(CPU_EQUAL(&worker.affinity, &all_));

  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all_)) continue;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(cpu, &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);
    cpu_set_t others = all_;
    CPU_CLR(cpu, &others);

    // When the worker leaves its arena is oneTBB's to say.
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    cpu_set_t left = all_;
    while (CPU_EQUAL(&left, &all_) &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      WokenWorkers::KeepOffThisCpu();
      left = AffinityOf(worker.thread);
    }
    EXPECT_TRUE(CPU_EQUAL(&left, &others)) << cpu;
    const Worker again = WorkerAtWork(arena_);
    EXPECT_EQ(again.thread, worker.thread);
    EXPECT_TRUE(CPU_EQUAL(&again.affinity, &all_)) << cpu;
  }
  EXPECT_EQ(sched_setaffinity(0, sizeof(all_), &all_), 0);
}

// Nothing to do, and nothing to go wrong, where none has ever left.
TEST_F(WokenWorkersTest, NobodyIsAwayAtFirst) {
  const WokenWorkers::Watch watch(arena_);
  WokenWorkers::KeepOffThisCpu();
  EXPECT_NE(WorkerAtWork(arena_).thread, 0);
}

// Arenas share their workers: who has left the one may be busy in the other.
TEST_F(WokenWorkersTest, WhoWorksElsewhereIsNotMoved) {
  if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "there is but one CPU";
  tbb::task_arena other(2);
  const WokenWorkers::Watch watch(arena_);
  const WokenWorkers::Watch other_watch(other);
  for (int i = 0; i < 200; ++i) {
    tbb::task_arena& arena = i % 2 == 0 ? arena_ : other;
    const Worker worker = WorkerAtWork(arena, &WokenWorkers::KeepOffThisCpu);
    EXPECT_TRUE(CPU_EQUAL(&worker.affinity, &all_)) << i;
  }
}

TEST_F(WokenWorkersTest, HaveTheirAffinityBackWhenNobodyWatches) {
  if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "there is but one CPU";
  Worker worker;
  bool is_moved = false;
  {
    const WokenWorkers::Watch watch(arena_);
    worker = WorkerAtWork(arena_);
    for (int i = 0; i < 10000 && !is_moved; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      WokenWorkers::KeepOffThisCpu();
      const cpu_set_t left = AffinityOf(worker.thread);
      is_moved = !CPU_EQUAL(&left, &all_);
    }
  }
  EXPECT_TRUE(is_moved);
  const cpu_set_t left = AffinityOf(worker.thread);
  EXPECT_TRUE(CPU_EQUAL(&left, &all_));
}

}  // namespace
}  // namespace stridecast
