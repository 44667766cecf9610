// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Ends of calls that wait until the kernel has sent their replies. A connection
// whose client was told to leave is closed by gRPC with its last call; what the
// kernel has yet to send is lost if the client wrote anything meanwhile, as
// flow control does. So while the server drains, a call is not the last one
// before its reply has arrived.

#ifndef STRIDECAST_SERVER_HELD_ENDINGS_H_
#define STRIDECAST_SERVER_HELD_ENDINGS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace stridecast {

// Thread-safe.
class HeldEndings {
 public:
  // Until SetHolding(true), and after SetHolding(false), nothing is held.
  void SetHolding(bool is_holding);
  bool is_holding() const;

  // Runs `end`, now or once everything was sent to `peer`, which is as
  // grpc::ServerContextBase::peer() has it.
  void Add(std::string peer, std::function<void()> end);

  // Runs those whose peer has everything.
  void EndThose(const std::function<bool(const std::string& peer)>& is_sent);

 private:
  using Ending = std::pair<std::string, std::function<void()>>;

  mutable absl::Mutex mutex_;
  bool is_holding_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Ending> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_ENDINGS_H_
