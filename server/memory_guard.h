// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What keeps the process from being killed for its memory by messages on their
// way: gRPC buffers them before anybody may count them, and its own quota comes
// late. Looks at the memory of the process a hundred times a second; while it
// is short, gives back what nobody uses, and if that does not do, ends calls
// that wait for messages, a part at a time.

#ifndef STRIDECAST_SERVER_MEMORY_GUARD_H_
#define STRIDECAST_SERVER_MEMORY_GUARD_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "server/caller_waits.h"

namespace stridecast {

class MemoryGuard {
 public:
  // `used_bytes` are those of the process now; beyond `max_bytes` memory is
  // short. `waits` outlive the guard.
  MemoryGuard(int64_t max_bytes, std::vector<CallerWaits*> waits,
              std::function<int64_t()> used_bytes,
              std::function<void()> give_back);

  // Calls that were ended.
  int64_t num_ended() const { return num_ended_.load(); }

 private:
  using Clock = std::chrono::steady_clock;

  void Look();

  const int64_t max_bytes_;
  const std::vector<CallerWaits*> waits_;
  const std::function<int64_t()> used_bytes_;
  const std::function<void()> give_back_;
  Clock::time_point give_back_at_;  // not before
  std::atomic<int64_t> num_ended_ = 0;
  std::jthread thread_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_MEMORY_GUARD_H_
