// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Ends of calls that wait until their replies were read. A connection whose
// client was told to leave is closed by gRPC with its last call; what the
// kernel has yet to send is lost if the client wrote anything meanwhile, as
// flow control does, and a client that writes to a closed connection gives up
// what it has yet to read. So while the server drains, a call is not the last
// one before its reply has been read.

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

  // Runs `end`, now or when `peer` has what was sent to it, which is as
  // grpc::ServerContextBase::peer() has it.
  void Add(std::string peer, std::function<void()> end);

  // Runs those whose peer has read everything, or had a second for that since
  // its system had everything: other calls may keep a connection busy.
  void EndThose(
      const std::function<Arrival(const std::string& peer)>& arrival_at);

 private:
  using Clock = std::chrono::steady_clock;
  struct Ending {
    std::string peer;
    std::function<void()> end;
    std::optional<Clock::time_point> acknowledged;
  };

  mutable absl::Mutex mutex_;
  bool is_holding_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Ending> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_ENDINGS_H_
