// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What keeps the process from being killed for its memory by what callers send,
// or ask for and do not read: gRPC buffers it before anybody may count it, and
// its own quota comes late. Looks at the memory of the process two hundred
// times a second. While it is short, gives back what nobody uses; where what is
// used is too much, closes connections that do not read, and ends calls of
// those that hold most of it; and where they send faster than that helps,
// closes these.

#ifndef STRIDECAST_SERVER_MEMORY_GUARD_H_
#define STRIDECAST_SERVER_MEMORY_GUARD_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/caller_waits.h"
#include "server/held_bytes.h"
#include "server/log.h"
#include "server/raw_service.h"

namespace stridecast {

class MemoryGuard {
  using Clock = std::chrono::steady_clock;

 public:
  struct Memory {
    // Of the process, in RAM.
    std::function<int64_t()> resident_bytes;
    // Of those, what allocators have lent.
    std::function<int64_t()> allocated_bytes;
    // Has allocators give back the rest.
    std::function<void()> give_back;
    // Of the system, for the process.
    std::function<int64_t()> system_bytes;
    // What the process knows that it uses it for, but for what is held for
    // connections that have calls.
    std::function<int64_t()> explained_bytes;
    // Ends connections that have not read for so long what waits for them; how
    // many.
    std::function<int64_t(std::chrono::milliseconds)> close_deaf;
    // Ends that of a peer; whether it had one that was not ended yet.
    std::function<bool(const std::string& peer)> close;
  };

  // Beyond `max_bytes` memory is short. `waits`, which note what they wait for
  // in `held`, outlive the guard, as that does.
  MemoryGuard(int64_t max_bytes, Memory memory, std::vector<CallerWaits*> waits,
              HeldBytes* held);

  int64_t max_bytes() const { return max_bytes_; }
  // Calls that were ended, those of closed connections too, and connections
  // that did not read, or sent what no call accounts for.
  int64_t num_ended() const { return num_ended_.load(); }
  // Ending calls does not do: new connections should wait.
  bool is_growing() const { return is_growing_.load(); }
  // Those who send what no call accounts for were closed just now: all new
  // connections should wait.
  bool is_flooded() const { return Clock::now() < flooded_until_.load(); }

 private:
  void Look();
  // What is_growing() says from now on.
  void SetGrowing(bool is_growing, int64_t used_bytes);
  // So that so much less is held; whether there were any to end.
  bool EndThoseWhoHold(int64_t excess_bytes);
  void EndLongest();
  void CloseDeaf();
  // That so much less is held; whether there were any to close, or are about to
  // be.
  bool CloseThose(int64_t excess_bytes);
  // How much is left.
  int64_t CloseThoseWhoHold(int64_t excess_bytes);
  // Where nobody knows what memory is used for: those who send what no call
  // accounts for.
  void LookForFlood(int64_t resident_bytes);
  // Somebody was closed for it.
  void BeginFlood();
  // What they sent is not free yet.
  void ProlongFlood();
  int64_t UsedBytes(int64_t resident_bytes) const;
  // Those who send what no call accounts for; whether there were any. Who has
  // few calls may be sending their messages, and comes last, or stays.
  bool CloseThoseWhoSend(int64_t excess_bytes, bool with_those_of_few_calls);
  // Those who send much without any call. Where it is urgent, new ones wait.
  void CloseThoseWhoOnlySend(bool is_urgent);
  // Of a peer, which sent or holds so much. Whether it was open.
  bool Close(const std::string& peer, int64_t bytes);
  void LogClosed();
  void GiveBack();
  // At the pace since the last look, until connections that are closed now have
  // given back what they hold.
  int64_t ComingBytes(int64_t used_bytes);
  int64_t OtherBytes() const;

  const int64_t max_bytes_;
  const Memory memory_;
  const std::vector<CallerWaits*> waits_;
  HeldBytes* const held_;
  int64_t other_bytes_;  // resident, but no allocator's
  int64_t last_used_bytes_ = 0;
  Clock::time_point last_used_at_;
  int num_helpless_ = 0;  // looks in a row that found nobody to end
  Clock::time_point epoch_at_;
  Clock::time_point give_back_at_;   // not before
  Clock::time_point close_deaf_at_;  // likewise
  Clock::time_point close_senders_at_;
  Clock::time_point close_nonsense_at_;
  Clock::time_point flood_at_;  // the last one began
  std::optional<Clock::time_point> unexplained_since_;
  // Those that were closed of late and still have calls; and what they held:
  // from then on nothing comes, and nothing of theirs is known.
  struct Closed {
    Clock::time_point at;
    int64_t bytes;
  };
  absl::flat_hash_map<ConnectionId, Closed> closed_;
  // Since the last line of the log: connections that were closed, and whose
  // they were that sent or held most.
  int64_t num_closed_ = 0;
  std::vector<std::pair<int64_t, std::string>> greatest_closed_;
  Clock::time_point log_closed_at_;  // not before
  std::atomic<int64_t> num_ended_ = 0;
  std::atomic<bool> is_growing_ = false;
  std::atomic<Clock::time_point> flooded_until_{};
  RateLimiter log_limit_{1};
  RateLimiter flood_log_limit_{1};
  std::jthread thread_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_MEMORY_GUARD_H_
