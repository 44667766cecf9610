// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Ends of calls that wait until their replies were read. A connection whose
// client was told to leave is closed by gRPC with its last call; what the
// kernel has yet to send is lost if the client wrote anything meanwhile, as
// flow control does, and a client that writes to a closed connection gives up
// what it has yet to read. So while the server drains, a call does not end
// before what was written until then has arrived, and the last one of a
// connection not before it has been read.

#ifndef STRIDECAST_SERVER_HELD_ENDINGS_H_
#define STRIDECAST_SERVER_HELD_ENDINGS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/open_connections.h"

namespace stridecast {

// A call for which gRPC keeps a connection, because it has yet to end: as long
// as its caller has not left.
class ConnectionKeeper {
 public:
  virtual bool is_keeping() const = 0;
  // Whether others keep it, or it did not. If so, this one does no longer.
  virtual bool LeaveItToOthers() = 0;
  virtual void StopKeeping() = 0;

 protected:
  ~ConnectionKeeper() = default;
};

// Thread-safe, but that one thread alone calls SetHolding and EndThose.
class HeldEndings {
 public:
  // Until SetHolding(true), and after SetHolding(false), nothing is held.
  void SetHolding(bool is_holding);

  struct Ending {
    std::string peer;          // as grpc::ServerContextBase::peer() has it
    ConnectionKeeper* keeper;  // outlives `end`; null: nothing was sent
    std::function<void()> end;
  };

  // Whether a call need not wait. Then it is to end now, and has stopped
  // keeping its connection.
  bool MayEndNow(ConnectionKeeper& keeper) const;

  // Runs it now, or when it need not wait.
  void Add(Ending ending);

  // How far what had been written when these were first looked at has come.
  using ArrivalsOf =
      std::function<std::vector<Arrival>(absl::Span<Written* const>)>;
  // Runs those whose peer has everything, if others keep its connection, and
  // else those whose peer has read it, or had some seconds for that: it may
  // have more to say than that it reads.
  void EndThose(const ArrivalsOf& arrivals_of);
  int64_t num_held() const { return num_held_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    Ending ending;
    Written written;
    std::optional<Clock::time_point> acknowledged;
  };

  // As MayEndNow.
  bool IsFree(ConnectionKeeper* keeper) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static bool MayEnd(Held& held, Arrival arrival, Clock::time_point now);

  mutable absl::Mutex mutex_;
  bool is_holding_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Held> held_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int64_t> num_held_ = 0;  // with those that EndThose looks at
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_ENDINGS_H_
