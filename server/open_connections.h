// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The connections of callers, and how far what was sent on them has come.

#ifndef STRIDECAST_SERVER_OPEN_CONNECTIONS_H_
#define STRIDECAST_SERVER_OPEN_CONNECTIONS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "server/owned_fd.h"
#include "server/unix_socket.h"

struct tcp_info;  // of the system

namespace stridecast {

// As gRPC writes the addresses of TCP peers; empty of others.
std::string PeerOf(int fd);

enum class Arrival {
  kUnsent,        // Something is on its way.
  kAcknowledged,  // The peer's system has everything.
  // The peer has read it, presumably: it is silent since. Reading makes a
  // client of HTTP/2 write, for flow control.
  kRead,
};

// What had been written to a peer when it was first looked at, by connection:
// those of one name come to two ports, or one was closed.
struct Written {
  std::string peer;  // as grpc::ServerContextBase::peer() has it
  bool is_known = false;
  absl::InlinedVector<std::pair<FileId, int64_t>, 1> bytes = {};
};

// Sockets that were given to gRPC, which does not say when it closes one. A
// descriptor that is another file now was closed. Thread-safe.
class OpenConnections {
 public:
  void Add(int fd);
  // Forgets those that are closed.
  int64_t Count();
  // As of the last Count() and later additions: never too few.
  int64_t num_known() const;
  // How far each has come, which is made known where it is not. Of Unix
  // sockets nothing is known: kRead.
  std::vector<Arrival> ArrivalsOf(absl::Span<Written* const> written) const;
  // What came so far from those of the TCP peers that are open, by peer; null:
  // from all.
  absl::flat_hash_map<std::string, int64_t> ReceivedBytes(
      const absl::flat_hash_set<std::string>* peers) const;
  // Ends those whose peers have not read for so long what waits for them, of
  // which gRPC holds as much as they asked for. How many.
  int64_t CloseDeaf(std::chrono::milliseconds silence);
  // Ends those of Unix sockets that are full and whose peers have not read for
  // so long, as the system does with TCP's. Called some ten times in that time,
  // or more often. How many.
  int64_t CloseUnread(std::chrono::milliseconds patience);
  // Ends those of a TCP peer. Whether there was any, and not ended already.
  bool Close(const std::string& peer);
  // How many it closed.
  int64_t CloseAll();
  // Whether each peer had everything at some time since `seen` was empty.
  bool AreAllSent(absl::flat_hash_set<int>& seen) const;
  bool AreAllSent() const;  // now

 private:
  struct Connection {
    int fd;
    FileId id;
    std::string peer;
    bool is_closed = false;  // by us
    // Of a Unix socket: what waited for its peer at the last look, since when
    // the peer was not seen to read, and the size of its buffer before it was
    // made smaller; 0: it was not.
    int unread_bytes = 0;
    std::chrono::steady_clock::time_point unread_since = {};
    int usual_buffer_bytes = 0;
  };
  static std::optional<tcp_info> InfoOf(const Connection& connection);
  struct Sending;
  static std::optional<Sending> SendingOf(const Connection& connection);
  static bool Disconnect(Connection& connection);
  // gRPC may close it, and another file take its number: but not that of a
  // copy. Not open if that is so.
  static OwnedFd CopyOf(const Connection& connection);
  // Whether the peer has read, or has little to read. Of the Unix socket `fd`,
  // which is made smaller if it `is_suspect`.
  static bool SeesReading(Connection& connection, int fd, bool is_suspect);

  mutable absl::Mutex mutex_;
  std::vector<Connection> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_OPEN_CONNECTIONS_H_
