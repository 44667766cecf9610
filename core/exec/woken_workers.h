// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where oneTBB's workers wake. A kernel may put a woken thread on the CPU of
// the one that woke it though another is idle, and leave it there for
// milliseconds, for which two threads then take as long as one.

#ifndef STRIDECAST_CORE_EXEC_WOKEN_WORKERS_H_
#define STRIDECAST_CORE_EXEC_WOKEN_WORKERS_H_

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace stridecast {

// Of the process, whose arenas share their workers. Thread-safe.
class WokenWorkers {
 public:
  // The workers of an arena, which outlives this and has had none before.
  class Watch final : public tbb::task_scheduler_observer {
   public:
    explicit Watch(tbb::task_arena& arena);
    ~Watch() override;

   private:
    void on_scheduler_entry(bool is_worker) override;
    void on_scheduler_exit(bool is_worker) override;
  };

  // Has those that have left all watched arenas wake on another CPU than the
  // calling thread's, where they may; they get their own affinity back as they
  // wake. At most three system calls each, of at most kMostMoved.
  static void KeepOffThisCpu() { Instance().KeepOff(sched_getcpu()); }

 private:
  static constexpr size_t kMostMoved = 8;
  static constexpr int kNoCpu = -1;

  struct Away {
    pid_t thread;
    int kept_off = kNoCpu;
    // Where that is a CPU: what it had, and whether it was the process's.
    cpu_set_t affinity = {};
    bool is_as_process = false;
  };

  static WokenWorkers& Instance();
  static void MoveOff(int cpu, Away& worker);
  static void Restore(const Away& worker);

  void StartWatch();
  // With the last one workers may end, and their ids be others'.
  void EndWatch();
  void KeepOff(int cpu);
  void Enter();
  void Leave();

  std::mutex mutex_;
  int num_watches_ = 0;
  std::vector<Away> away_;  // the last one to have left last
  std::atomic<size_t> num_away_{0};
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_WOKEN_WORKERS_H_
