// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/listen_address.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

// kNotFound: the machine has no such address, of that family.
absl::Status CannotListen(int error) {
  const char* const why = std::strerror(error);
  return error == EADDRNOTAVAIL || error == EAFNOSUPPORT
             ? absl::NotFoundError(why)
             : absl::UnavailableError(why);
}

bool SetOption(const OwnedFd& fd, int level, int name, int value) {
  return setsockopt(fd.get(), level, name, &value, sizeof(value)) == 0;
}

absl::Status BindAndListen(const OwnedFd& fd, const sockaddr* address,
                           socklen_t size) {
  if (bind(fd.get(), address, size) != 0 || listen(fd.get(), SOMAXCONN) != 0) {
    return CannotListen(errno);
  }
  return absl::OkStatus();
}

// `name` with its leading zero byte if it is an abstract one.
absl::Status BindUnix(const OwnedFd& fd, absl::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  return BindAndListen(
      fd, reinterpret_cast<const sockaddr*>(&address),
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<AddressList> Resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), "0", &hints, &found);
  if (error != 0) return absl::UnavailableError(gai_strerror(error));
  return AddressList(found, &freeaddrinfo);
}

void SetPort(sockaddr* address, int port) {
  // At the same place for both families.
  static_assert(offsetof(sockaddr_in, sin_port) ==
                offsetof(sockaddr_in6, sin6_port));
  reinterpret_cast<sockaddr_in*>(address)->sin_port =
      htons(static_cast<uint16_t>(port));
}

int BoundPort(const OwnedFd& fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) !=
      0) {
    return 0;
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

// Connections inherit the options.
absl::StatusOr<OwnedFd> ListenTcp(const addrinfo& where, int port,
                                  int64_t silence_seconds) {
  OwnedFd fd(socket(where.ai_family, kSocketFlags, 0));
  if (!fd.is_open()) return CannotListen(errno);
  const auto silence_millis = static_cast<int>(silence_seconds * 1000);
  if (!SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1) ||
      !SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1) ||
      !SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, silence_millis) ||
      // [::] is any address of either family.
      (where.ai_family == AF_INET6 &&
       !SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0))) {
    return CannotListen(errno);
  }
  SetPort(where.ai_addr, port);
  RETURN_IF_ERROR(BindAndListen(fd, where.ai_addr, where.ai_addrlen));
  return fd;
}

}  // namespace

absl::StatusOr<std::vector<ListeningSocket>> ListeningSocket::Open(
    absl::string_view address, int64_t unix_socket_mode,
    int64_t silence_seconds) {
  const auto open = [&]() -> absl::StatusOr<std::vector<ListeningSocket>> {
    if (!IsUnixSocket(address)) return OpenTcp(address, silence_seconds);
    const auto path = SocketPathOf(address);
    ASSIGN_OR_RETURN(ListeningSocket socket,
                     path ? OpenPath(*path, unix_socket_mode)
                          : OpenAbstract(AbstractNameOf(address)));
    std::vector<ListeningSocket> sockets;
    sockets.push_back(std::move(socket));
    return sockets;
  };
  auto sockets = open();
  if (sockets.ok()) return sockets;
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ",
                                             sockets.status().message()));
}

absl::StatusOr<ListeningSocket> ListeningSocket::OpenPath(
    absl::string_view path, int64_t mode) {
  ASSIGN_OR_RETURN(SocketClaim claim, SocketClaim::Take(path));
  const std::string file(path);
  unlink(file.c_str());  // one left behind: Take() has looked at it
  OwnedFd fd(socket(AF_UNIX, kSocketFlags, 0));
  // The file begins with the socket's mode less the umask: never with more
  // than it shall have.
  if (!fd.is_open() || fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) {
    return CannotListen(errno);
  }
  RETURN_IF_ERROR(BindUnix(fd, path));
  claim.OwnSocketFile();
  if (chmod(file.c_str(), static_cast<mode_t>(mode)) != 0) {
    return CannotListen(errno);
  }
  ListeningSocket listening(std::move(fd), 0);
  listening.claim_.emplace(std::move(claim));
  return listening;
}

absl::StatusOr<ListeningSocket> ListeningSocket::OpenAbstract(
    absl::string_view name) {
  OwnedFd fd(socket(AF_UNIX, kSocketFlags, 0));
  if (!fd.is_open()) return CannotListen(errno);
  RETURN_IF_ERROR(BindUnix(fd, absl::StrCat(absl::string_view("\0", 1), name)));
  return ListeningSocket(std::move(fd), 0);
}

absl::StatusOr<std::vector<ListeningSocket>> ListeningSocket::OpenTcp(
    absl::string_view address, int64_t silence_seconds) {
  const HostPort host_port = SplitHostPort(address);
  if (host_port.host == "0.0.0.0" || host_port.host == "::") {
    // Any address of both families, where the machine has both.
    auto sockets = OpenHost("::", host_port.port, silence_seconds);
    if (sockets.status().code() != absl::StatusCode::kNotFound) return sockets;
    return OpenHost("0.0.0.0", host_port.port, silence_seconds);
  }
  return OpenHost(host_port.host, host_port.port, silence_seconds);
}

absl::StatusOr<std::vector<ListeningSocket>> ListeningSocket::OpenHost(
    const std::string& host, int port, int64_t silence_seconds) {
  ASSIGN_OR_RETURN(const AddressList found, Resolve(host));
  absl::Status missing;
  std::vector<ListeningSocket> sockets;
  for (const addrinfo* where = found.get(); where != nullptr;
       where = where->ai_next) {
    absl::StatusOr<OwnedFd> fd = ListenTcp(*where, port, silence_seconds);
    if (fd.ok()) {
      port = BoundPort(*fd);  // one for all, also if any was asked for
      sockets.push_back(ListeningSocket(*std::move(fd), port));
    } else if (fd.status().code() == absl::StatusCode::kNotFound) {
      missing = fd.status();  // as ::1 of localhost in many containers
    } else {
      return fd.status();
    }
  }
  if (sockets.empty()) return missing;
  return sockets;
}

std::optional<OwnedFd> ListeningSocket::Accept() const {
  OwnedFd fd(
      accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.is_open()) return std::nullopt;
  return fd;
}

}  // namespace stridecast
