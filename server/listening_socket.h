// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Sockets that wait for connections. They are ours and not gRPC's, whose
// listeners are bounded by nothing and which, once the process has no file
// descriptor left, never accept again (CVE-2023-4785).

#ifndef STRIDECAST_SERVER_LISTENING_SOCKET_H_
#define STRIDECAST_SERVER_LISTENING_SOCKET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/owned_fd.h"
#include "server/unix_socket.h"

namespace stridecast {

class ListeningSocket {
 public:
  // Those of one address of --listen: a name such as localhost may have more
  // than one. Of Unix sockets the file has the permissions of
  // `unix_socket_mode`; one that nobody serves any more is replaced. A TCP peer
  // that acknowledges nothing for `silence_seconds` is taken for gone.
  // Errors: kUnavailable naming the address and the system's reason.
  static absl::StatusOr<std::vector<ListeningSocket>> Open(
      absl::string_view address, int64_t unix_socket_mode,
      int64_t silence_seconds);

  // The next connection, non-blocking; nothing if none waits or the system
  // refuses, which errno tells.
  std::optional<OwnedFd> Accept() const;

  int fd() const { return fd_.get(); }
  // 0 of Unix sockets.
  int port() const { return port_; }

 private:
  ListeningSocket(OwnedFd fd, int port) : fd_(std::move(fd)), port_(port) {}

  static absl::StatusOr<ListeningSocket> OpenPath(absl::string_view path,
                                                  int64_t mode);
  static absl::StatusOr<ListeningSocket> OpenAbstract(absl::string_view name);
  static absl::StatusOr<std::vector<ListeningSocket>> OpenTcp(
      absl::string_view address, int64_t silence_seconds);
  static absl::StatusOr<std::vector<ListeningSocket>> OpenHost(
      const std::string& host, int port, int64_t silence_seconds);

  // Of a Unix socket's path; goes after the socket is closed.
  std::optional<SocketClaim> claim_;
  OwnedFd fd_;
  int port_;
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_LISTENING_SOCKET_H_
