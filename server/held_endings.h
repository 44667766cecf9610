// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Ends of calls that wait until their replies were read. A connection whose
// client was told to leave is closed by gRPC with its last call; what the
// kernel has yet to send is lost if the client wrote anything meanwhile, as
// flow control does, and a client that writes to a closed connection gives up
// what it has yet to read. So while the server drains, the last call of a
// connection does not end before all has been read.

#ifndef STRIDECAST_SERVER_HELD_ENDINGS_H_
#define STRIDECAST_SERVER_HELD_ENDINGS_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/open_connections.h"

namespace stridecast {

// Thread-safe.
class HeldEndings {
 public:
  // Until SetHolding(true), and after SetHolding(false), nothing is held.
  void SetHolding(bool is_holding);
  bool is_holding() const;

  struct Ending {
    std::string peer;  // as grpc::ServerContextBase::peer() has it
    // Whether another call of the connection waits instead, from now on.
    std::function<bool()> leave_to_others;
    std::function<void()> end;
  };

  // Runs it now, or when it need not wait.
  void Add(Ending ending);

  // Runs those that are left to others, or whose peer has read everything, or
  // had a second for that since its system had everything: it may have more to
  // say than that it reads.
  void EndThose(
      const std::function<Arrival(const std::string& peer)>& arrival_at);

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    Ending ending;
    std::optional<Clock::time_point> acknowledged;
  };

  mutable absl::Mutex mutex_;
  bool is_holding_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Held> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_ENDINGS_H_
