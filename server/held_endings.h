// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Ends of calls that wait until their replies were read. A connection whose
// client was told to leave is closed by gRPC with its last call; what the
// kernel has yet to send is lost if the client wrote anything meanwhile, as
// flow control does, and a client that writes to a closed connection gives up
// what it has yet to read. So while the server drains, a call does not end
// before what was written until then has been read. Small ones leave that to
// others of their connection, lest their status waits for all that others are
// sent.

#ifndef STRIDECAST_SERVER_HELD_ENDINGS_H_
#define STRIDECAST_SERVER_HELD_ENDINGS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
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

// Thread-safe.
class HeldEndings {
 public:
  // Until SetHolding(true), and after SetHolding(false), nothing is held.
  void SetHolding(bool is_holding);

  struct Ending {
    std::string peer;          // as grpc::ServerContextBase::peer() has it
    ConnectionKeeper* keeper;  // outlives `end`; null: nothing was sent
    bool is_small;
    std::function<void()> end;
  };

  // Whether a call need not wait. Then it is to end now, and has stopped
  // keeping its connection.
  bool MayEndNow(ConnectionKeeper& keeper, bool is_small) const;

  // Runs it now, or when it need not wait.
  void Add(Ending ending);

  // How far what had been written to `peer` has come, when this was first
  // called with that `written`, which is empty then.
  using ArrivalAt = std::function<Arrival(const std::string& peer,
                                          std::optional<int64_t>& written)>;
  // Runs those that are left to others, or whose peer has read everything, or
  // had a second for that since its system had everything: it may have more to
  // say than that it reads.
  void EndThose(const ArrivalAt& arrival_at);
  int64_t num_held() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    Ending ending;
    std::optional<int64_t> written;
    std::optional<Clock::time_point> acknowledged;
  };

  // As MayEndNow.
  bool IsFree(ConnectionKeeper* keeper, bool is_small) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  bool is_holding_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Held> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_ENDINGS_H_
