// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The threads that compute, oneTBB's, shared by all requests.

#ifndef STRIDECAST_CORE_EXEC_EXECUTOR_H_
#define STRIDECAST_CORE_EXEC_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"

namespace stridecast {

class Executor {
 public:
  // num_threads >= 1: so many compute for callers of ParallelFor, whose threads
  // are among them, and as many for tasks.
  explicit Executor(int num_threads);
  // Waits for all tasks of Enqueue.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls body(i, worker) for each i in [0, count), in any order, on any of the
  // threads; returns when all calls have returned. `worker` is in
  // [0, num_threads()), and no two calls of one ParallelFor that overlap in
  // time have the same.
  void ParallelFor(int64_t count,
                   absl::FunctionRef<void(int64_t, int)> body) const;

  // Runs `task` soon on one of the threads; a ParallelFor in it uses all of
  // them.
  void Enqueue(std::function<void()> task);

 private:
  struct Threads;
  static thread_local const Executor* task_of_;
  const int num_threads_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_EXECUTOR_H_
