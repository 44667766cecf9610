// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What each connection has sent of messages that are not whole yet. gRPC holds
// it and tells nobody how much it is; but the system counts what came on a
// connection, and calls know what they were given of it: the rest is held, or
// was sent for calls that have ended. Thread-safe.

#ifndef STRIDECAST_SERVER_UNDELIVERED_BYTES_H_
#define STRIDECAST_SERVER_UNDELIVERED_BYTES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/server_context.h"
#include "server/raw_service.h"

namespace stridecast {

class UndeliveredBytes {
 public:
  // What came so far from those of the peers whose connections are open and
  // count it; by peer, as grpc::ServerContextBase::peer() has it.
  using ReceivedBytes = std::function<absl::flat_hash_map<std::string, int64_t>(
      const absl::flat_hash_set<std::string>& peers)>;

  explicit UndeliveredBytes(ReceivedBytes received_bytes);
  ~UndeliveredBytes();

  // A call's, for a message; ended once.
  struct Wait {
    ConnectionId connection;
    int64_t epoch;
  };
  Wait BeginWait(grpc::CallbackServerContext& context);
  // With the message that came, or with what is no longer held.
  void EndWait(const Wait& wait, int64_t message_bytes);
  void GiveUpWait(const Wait& wait, int64_t held_bytes);

  // Of one connection, whose calls wait for messages.
  struct Holding {
    ConnectionId connection;
    int64_t bytes;
    int64_t num_waits;
  };
  // The greatest first.
  std::vector<Holding> Holdings();

  // Every second or so: forgets what was sent for calls that ended before the
  // last time, unless one that waits since then might hold it.
  void BeginEpoch();

 private:
  // Of a connection, so far.
  struct Count {
    int64_t received = 0;
    int64_t delivered = 0;
  };
  struct Connection {
    std::shared_ptr<const void> keeper;  // so that its id is nobody else's
    std::string peer;
    int64_t serial;
    Count now = {};
    Count last = {};            // when the epoch began
    Count start = {};           // at which nothing was held
    bool is_known = true;       // to who counts what came
    int64_t num_new_waits = 0;  // since the epoch began
    int64_t num_old_waits = 0;

    int64_t num_waits() const { return num_new_waits + num_old_waits; }
    int64_t held_bytes() const;
  };

  void Remove(const Wait& wait, int64_t delivered_bytes);
  // Reads what came for those that wait, or for all.
  void Read(bool is_for_all) ABSL_LOCKS_EXCLUDED(mutex_);

  const ReceivedBytes received_bytes_;
  absl::Mutex mutex_;
  int64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_connections_ ABSL_GUARDED_BY(mutex_) = 0;  // ever
  absl::flat_hash_map<ConnectionId, std::unique_ptr<Connection>> connections_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_UNDELIVERED_BYTES_H_
