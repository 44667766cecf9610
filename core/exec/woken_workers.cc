// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/woken_workers.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

namespace stridecast {
namespace {

std::optional<cpu_set_t> AffinityOf(pid_t thread) {
  cpu_set_t affinity;
  if (sched_getaffinity(thread, sizeof(affinity), &affinity) != 0) return {};
  return affinity;
}

// Of its first thread, which follows what the process may use.
std::optional<cpu_set_t> AffinityOfProcess() { return AffinityOf(getpid()); }

}  // namespace

WokenWorkers& WokenWorkers::Instance() {
  static auto* const workers = new WokenWorkers();
  return *workers;
}

void WokenWorkers::StartWatch() {
  std::lock_guard<std::mutex> lock(mutex_);
  ++num_watches_;
  // So that no run allocates.
  away_.reserve(std::thread::hardware_concurrency() + 1);
}

void WokenWorkers::EndWatch() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--num_watches_ > 0) return;
  for (const Away& worker : away_) Restore(worker);
  away_.clear();
  num_away_ = 0;
}

// oneTBB wakes those first that fell asleep last.
void WokenWorkers::KeepOff(int cpu) {
  if (num_away_.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t count = std::min(away_.size(), kMostMoved);
  std::for_each(away_.rbegin(),
                away_.rbegin() + static_cast<std::ptrdiff_t>(count),
                [cpu](Away& worker) { MoveOff(cpu, worker); });
}

void WokenWorkers::MoveOff(int cpu, Away& worker) {
  if (worker.kept_off == cpu) return;
  if (worker.kept_off == kNoCpu) {
    const std::optional<cpu_set_t> own = AffinityOf(worker.thread);
    const std::optional<cpu_set_t> process = AffinityOfProcess();
    if (!own.has_value()) return;
    worker.affinity = *own;
    worker.is_as_process = process.has_value() && CPU_EQUAL(&*process, &*own);
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
  cpu_set_t affinity = worker.affinity;
  if (worker.is_as_process) {
    affinity = AffinityOfProcess().value_or(affinity);
  }
  sched_setaffinity(worker.thread, sizeof(affinity), &affinity);
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
  away_.push_back({.thread = gettid()});
  num_away_ = away_.size();
}

WokenWorkers::Watch::Watch(tbb::task_arena& arena)
    : tbb::task_scheduler_observer(arena) {
  Instance().StartWatch();
  observe(true);
}

WokenWorkers::Watch::~Watch() {
  observe(false);
  Instance().EndWatch();
}

void WokenWorkers::Watch::on_scheduler_entry(bool is_worker) {
  if (is_worker) Instance().Enter();
}

void WokenWorkers::Watch::on_scheduler_exit(bool is_worker) {
  if (is_worker) Instance().Leave();
}

}  // namespace stridecast
