// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/service/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "server/listen_address.h"

namespace stridecast::testing {
namespace {

OwnedFd ConnectToPath(const std::string& path) {
  sockaddr_un target{};
  target.sun_family = AF_UNIX;
  path.copy(target.sun_path, sizeof(target.sun_path) - 1);
  OwnedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&target), sizeof(target)) !=
      0) {
    fd.Close();
  }
  return fd;
}

}  // namespace

OwnedFd ConnectTo(const std::string& address) {
  if (address.starts_with("unix:")) return ConnectToPath(address.substr(5));
  const HostPort parts = SplitHostPort(address);
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_port = htons(static_cast<uint16_t>(parts.port));
  OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (inet_pton(AF_INET, parts.host.c_str(), &target.sin_addr) != 1 ||
      connect(fd.get(), reinterpret_cast<sockaddr*>(&target), sizeof(target)) !=
          0) {
    fd.Close();
  }
  return fd;
}

bool IsClosed(int fd, std::chrono::seconds patience) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd waiting = {fd, POLLIN, 0};
    if (left.count() <= 0 ||
        poll(&waiting, 1, static_cast<int>(left.count())) != 1) {
      return false;
    }
    char bytes[4096];
    if (read(fd, bytes, sizeof(bytes)) <= 0) return true;
  }
}

}  // namespace stridecast::testing
