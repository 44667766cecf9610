// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Accepts connections for all listening sockets, at most so many at a time.
// One too many is closed at once: left in the queue of the system it would
// hang until its client gives up. Also where the process has no file
// descriptor left.

#ifndef STRIDECAST_SERVER_CONNECTION_ACCEPTOR_H_
#define STRIDECAST_SERVER_CONNECTION_ACCEPTOR_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "server/listening_socket.h"
#include "server/owned_fd.h"
#include "server/unix_socket.h"

namespace stridecast {

// Sockets that were given to gRPC, which does not say when it closes one. A
// descriptor that is another file now was closed. Thread-safe.
class OpenConnections {
 public:
  void Add(int fd);
  // Forgets those that are closed.
  int64_t Count();
  // As of the last Count() and later additions: never too few.
  int64_t num_known() const;
  // Whether the peers have acknowledged everything that was written to them; of
  // one, as grpc::ServerContextBase::peer() has it, or each at some time since
  // `seen` was empty. Unix sockets have no queue of their own.
  bool IsSent(const std::string& peer) const;
  bool AreAllSent(absl::flat_hash_set<int>& seen) const;

 private:
  struct Connection {
    int fd;
    FileId id;
    std::string peer;
  };
  static bool HasUnsent(const Connection& connection);

  mutable absl::Mutex mutex_;
  std::vector<Connection> known_ ABSL_GUARDED_BY(mutex_);
};

class ConnectionAcceptor {
 public:
  struct Source {
    ListeningSocket socket;
    // Takes each connection's descriptor, and closes it one day.
    std::function<void(int listening_fd, int fd)> take;
  };

  ConnectionAcceptor(std::vector<Source> sources, int64_t max_connections);
  ~ConnectionAcceptor() { Stop(); }

  // Once. Those who connected before have waited.
  void Start();
  // Closes the listening sockets. Idempotent; by one thread.
  void Stop();

  const OpenConnections& open() const { return open_; }
  int64_t num_open() const { return open_.Count(); }
  int64_t capacity() const { return max_connections_; }
  int64_t num_refused() const { return num_refused_; }

 private:
  void Run();
  // Whether the system gave what there was; if not, for the moment.
  bool AcceptAll(const Source& source);
  bool HasRoom();
  // Closes one that waits, for which there is no descriptor. Whether it could.
  bool RefuseWithSpareFd(const Source& source);

  std::vector<Source> sources_;
  const int64_t max_connections_;
  mutable OpenConnections open_;  // counting forgets
  std::atomic<int64_t> num_refused_ = 0;
  std::chrono::steady_clock::time_point last_count_;
  OwnedFd spare_;  // a descriptor that can be had when no other can
  OwnedFd stop_;   // an event
  std::thread thread_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CONNECTION_ACCEPTOR_H_
