// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Something that is done every so often until its owner is destroyed.

#ifndef STRIDECAST_SERVER_PERIODIC_THREAD_H_
#define STRIDECAST_SERVER_PERIODIC_THREAD_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace stridecast {

// A thread that calls `task` after each `interval`, and once more when it is
// asked to stop, which ends the waiting.
inline std::jthread RunEvery(std::chrono::milliseconds interval,
                             std::function<void()> task) {
  return std::jthread([interval, task = std::move(task)](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    do {
      stopped.wait_for(lock, stop, interval, [] { return false; });
      task();
    } while (!stop.stop_requested());
  });
}

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_PERIODIC_THREAD_H_
