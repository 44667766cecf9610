// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/executor.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/exec/handoff.h"

namespace stridecast {

struct Executor::Arena {
  explicit Arena(int num_threads) : arena(num_threads) {}
  tbb::task_arena arena;
  std::mutex mutex;
  std::condition_variable idle;
  int64_t num_pending = 0;  // tasks of Enqueue that have not returned
};

Executor::Executor(int num_threads)
    : num_threads_(num_threads), arena_(std::make_unique<Arena>(num_threads)) {}

Executor::~Executor() {
  std::unique_lock<std::mutex> lock(arena_->mutex);
  arena_->idle.wait(lock, [this] { return arena_->num_pending == 0; });
}

void Executor::ParallelFor(int64_t count,
                           absl::FunctionRef<void(int64_t, int)> body) const {
  if (count <= 1 || num_threads_ == 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  Give(&body);
  arena_->arena.execute([&] {
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
    std::lock_guard<std::mutex> lock(arena_->mutex);
    ++arena_->num_pending;
  }
  // oneTBB destroys what it was given some time after running it, perhaps after
  // the destructor has returned, or never; so it is given a plain pointer.
  auto owned = std::make_unique<std::function<void()>>(std::move(task));
  Give(owned.get());
  arena_->arena.enqueue([arena = arena_.get(), plain = owned.get()] {
    Take(plain);
    std::unique_ptr<std::function<void()>> taken(plain);
    (*taken)();
    taken.reset();
    std::lock_guard<std::mutex> lock(arena->mutex);
    if (--arena->num_pending == 0) arena->idle.notify_all();
  });
  owned.release();
}

}  // namespace stridecast
