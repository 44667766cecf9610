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
#include <list>
#include <mutex>
#include <vector>

namespace stridecast {

class WokenWorkers {
 public:
  WokenWorkers() = default;
  ~WokenWorkers();
  WokenWorkers(const WokenWorkers&) = delete;
  WokenWorkers& operator=(const WokenWorkers&) = delete;

  // To be called before workers enter the arena, which has to outlive this.
  void Watch(tbb::task_arena& arena);

  // Has those that have left all arenas wake on another CPU than the calling
  // thread's, where they may; they get their own affinity back as they wake.
  // A system call each, of at most kMostMoved.
  void KeepOffThisCpu();

 private:
  static constexpr size_t kMostMoved = 8;
  static constexpr int kNoCpu = -1;

  struct Away {
    pid_t thread;
    cpu_set_t affinity;  // where kept_off is a CPU: what the thread had
    int kept_off;
  };

  class Observer : public tbb::task_scheduler_observer {
   public:
    Observer(WokenWorkers& workers, tbb::task_arena& arena)
        : tbb::task_scheduler_observer(arena), workers_(workers) {}
    void on_scheduler_entry(bool is_worker) override;
    void on_scheduler_exit(bool is_worker) override;

   private:
    WokenWorkers& workers_;
  };

  static void MoveOff(int cpu, Away& worker);
  static void Restore(const Away& worker);

  void Enter();
  void Leave();

  std::mutex mutex_;
  std::vector<Away> away_;
  std::atomic<size_t> num_away_{0};
  std::list<Observer> observers_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_EXEC_WOKEN_WORKERS_H_
