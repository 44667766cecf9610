// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/woken_workers.h"

#include <unistd.h>

#include <algorithm>

namespace stridecast {
WokenWorkers::~WokenWorkers() {
  for (Observer& observer : observers_) observer.observe(false);
  for (const Away& worker : away_) Restore(worker);
}

void WokenWorkers::Watch(tbb::task_arena& arena) {
  observers_.emplace_back(*this, arena).observe(true);
}

void WokenWorkers::KeepOffThisCpu() {
  if (num_away_.load(std::memory_order_relaxed) == 0) return;
  const int cpu = sched_getcpu();
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t count = std::min(away_.size(), kMostMoved);
  for (size_t i = 0; i < count; ++i) MoveOff(cpu, away_[i]);
}

void WokenWorkers::MoveOff(int cpu, Away& worker) {
  if (worker.kept_off == cpu) return;
  if (worker.kept_off == kNoCpu &&
      sched_getaffinity(worker.thread, sizeof(worker.affinity),
                        &worker.affinity) != 0) {
    return;
  }
  cpu_set_t others = worker.affinity;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0) return;
  if (sched_setaffinity(worker.thread, sizeof(others), &others) == 0) {
    worker.kept_off = cpu;
  }
}

void WokenWorkers::Restore(const Away& worker) {
  if (worker.kept_off == kNoCpu) return;
  sched_setaffinity(worker.thread, sizeof(worker.affinity), &worker.affinity);
}

void WokenWorkers::Enter() {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto self = std::find_if(
      away_.begin(), away_.end(),
      [thread = gettid()](const Away& away) { return away.thread == thread; });
  if (self == away_.end()) return;
  Restore(*self);
  away_.erase(self);
  num_away_ = away_.size();
}

void WokenWorkers::Leave() {
  std::lock_guard<std::mutex> lock(mutex_);
  away_.push_back({.thread = gettid(), .affinity = {}, .kept_off = kNoCpu});
  num_away_ = away_.size();
}

void WokenWorkers::Observer::on_scheduler_entry(bool is_worker) {
  if (is_worker) workers_.Enter();
}

void WokenWorkers::Observer::on_scheduler_exit(bool is_worker) {
  if (is_worker) workers_.Leave();
}

}  // namespace stridecast
