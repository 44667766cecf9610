// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/executor.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/exec/handoff.h"
#include "core/exec/woken_workers.h"

#ifdef STRIDECAST_TSAN
// What oneTBB allocates on one thread and frees on another.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\n";
}
#endif
#ifdef STRIDECAST_ASAN
// Of an observer that has ended oneTBB keeps 40 bytes until the last worker
// that it observed sleeps, in memory of its own that the sanitizer cannot see.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:tbb::detail::r1::observe\n";
}
#endif

namespace stridecast {
namespace {

// oneTBB has a worker less than there are CPUs, for it counts on the thread
// that calls; one that has enqueued a task does not help with it.
size_t ThreadsOf(int num_threads) {
  return std::max(static_cast<size_t>(num_threads),
                  size_t{std::thread::hardware_concurrency()}) +
         1;
}

}  // namespace

struct Executor::Threads {
  explicit Threads(int num_threads)
      : most(tbb::global_control::max_allowed_parallelism,
             ThreadsOf(num_threads)),
        of_callers(num_threads, /*reserved_for_masters=*/1),
        of_tasks(num_threads, /*reserved_for_masters=*/0) {}

  const tbb::global_control most;
  tbb::task_arena of_callers;
  tbb::task_arena of_tasks;
  const WokenWorkers::Watch callers_watch{of_callers};
  const WokenWorkers::Watch tasks_watch{of_tasks};
  std::mutex mutex;
  std::condition_variable idle;
  int64_t num_pending = 0;  // tasks of Enqueue that have not returned
};

// Whose task the thread is in.
thread_local const Executor* Executor::task_of_ = nullptr;

Executor::Executor(int num_threads)
    : num_threads_(num_threads),
      threads_(std::make_unique<Threads>(num_threads)) {}

Executor::~Executor() {
  std::unique_lock<std::mutex> lock(threads_->mutex);
  threads_->idle.wait(lock, [this] { return threads_->num_pending == 0; });
}

void Executor::ParallelFor(int64_t count,
                           absl::FunctionRef<void(int64_t, int)> body) const {
  if (count <= 1 || num_threads_ == 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  Give(&body);
  WokenWorkers::KeepOffThisCpu();
  tbb::task_arena& arena =
      task_of_ == this ? threads_->of_tasks : threads_->of_callers;
  arena.execute([&] {
    // Isolated: a thread that waits here must not pick up another request's
    // work, which would hold this one up and reuse its worker number.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          int64_t{0}, count,
          [&](int64_t i) {
            Take(&body);
            body(i, tbb::this_task_arena::current_thread_index());
            Give(&body);
          },
          tbb::simple_partitioner());
    });
  });
  Take(&body);
}

void Executor::Enqueue(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(threads_->mutex);
    ++threads_->num_pending;
  }
  // oneTBB destroys what it was given some time after running it, perhaps after
  // the destructor has returned, or never; so it is given a plain pointer.
  auto owned = std::make_unique<std::function<void()>>(std::move(task));
  Give(owned.get());
  WokenWorkers::KeepOffThisCpu();
  threads_->of_tasks.enqueue(
      [this, threads = threads_.get(), plain = owned.get()] {
        Take(plain);
        std::unique_ptr<std::function<void()>> taken(plain);
        task_of_ = this;
        (*taken)();
        task_of_ = nullptr;
        taken.reset();
        std::lock_guard<std::mutex> lock(threads->mutex);
        if (--threads->num_pending == 0) threads->idle.notify_all();
      });
  owned.release();
}

}  // namespace stridecast
