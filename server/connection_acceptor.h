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

#include "server/listening_socket.h"
#include "server/log.h"
#include "server/open_connections.h"
#include "server/owned_fd.h"

namespace stridecast {

class ConnectionAcceptor {
 public:
  struct Source {
    ListeningSocket socket;
    // Takes each connection's descriptor, and closes it one day.
    std::function<void(int listening_fd, int fd)> take;
  };

  // While `has_memory` says no, connections wait.
  ConnectionAcceptor(std::vector<Source> sources, int64_t max_connections,
                     std::function<bool()> has_memory);
  ~ConnectionAcceptor() { Stop(); }

  // Once. Those who connected before have waited.
  void Start();
  // Closes the listening sockets. Idempotent; by one thread.
  void Stop();

  OpenConnections& open() { return open_; }
  const OpenConnections& open() const { return open_; }
  int64_t num_open() const { return open_.Count(); }
  int64_t capacity() const { return max_connections_; }
  int64_t num_refused() const { return num_refused_; }

 private:
  void Run();
  // Whether the system gave what there was; if not, for the moment.
  bool AcceptAll(const Source& source);
  bool HasRoom();
  // Of a connection that is to be closed; counted before: who sees the end of
  // it finds it counted.
  void Refuse(int fd, const std::string& reason);
  // Closes one that waits, for which there is no descriptor. Whether it could.
  bool RefuseWithSpareFd(const Source& source);

  std::vector<Source> sources_;
  const int64_t max_connections_;
  const std::function<bool()> has_memory_;
  mutable OpenConnections open_;  // counting forgets
  std::atomic<int64_t> num_refused_ = 0;
  RateLimiter refusals_logged_{1};
  std::chrono::steady_clock::time_point last_count_;
  OwnedFd spare_;  // a descriptor that can be had when no other can
  OwnedFd stop_;   // an event
  std::thread thread_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_CONNECTION_ACCEPTOR_H_
