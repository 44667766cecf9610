// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/listen_address.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

constexpr absl::string_view kUnixPrefix = "unix:";

absl::Status AddressError(absl::string_view address, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", address, "\": ", what));
}

absl::Status CheckUnixAddress(absl::string_view address) {
  const absl::string_view path = address.substr(kUnixPrefix.size());
  if (!absl::StartsWith(path, "/")) {
    return AddressError(address, "the path of a socket must begin with /");
  }
  constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > kMaxPathBytes) {
    return AddressError(
        address, absl::StrCat("the path has ", path.size(),
                              " bytes, a socket's at most ", kMaxPathBytes));
  }
  return absl::OkStatus();
}

bool SomebodyServes(const std::string& path) {
  sockaddr_un socket_address{};
  socket_address.sun_family = AF_UNIX;
  std::memcpy(socket_address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const int result =
      connect(fd, reinterpret_cast<const sockaddr*>(&socket_address),
              sizeof(socket_address));
  // A server with a full backlog answers EAGAIN, a socket without a server
  // ECONNREFUSED.
  const bool serves = result == 0 || errno == EAGAIN;
  close(fd);
  return serves;
}

}  // namespace

absl::Status CheckListenAddress(absl::string_view address) {
  if (absl::StartsWith(address, kUnixPrefix)) return CheckUnixAddress(address);
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) {
    return AddressError(address, "is neither host:port nor unix:/path");
  }
  const absl::string_view host = address.substr(0, colon);
  const bool in_brackets =
      absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  if (absl::StrContains(host, ':') && !in_brackets) {
    return AddressError(address,
                        "an IPv6 host stands in brackets, [::1]:50051");
  }
  int port;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 ||
      port > 65535) {
    return AddressError(address, "the port is not a number from 0 to 65535");
  }
  return absl::OkStatus();
}

absl::Status CheckSocketPathIsFree(absl::string_view address) {
  if (!absl::StartsWith(address, kUnixPrefix)) return absl::OkStatus();
  const std::string path(address.substr(kUnixPrefix.size()));
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address,
                     ": a file that is no socket has that path"));
  }
  if (SomebodyServes(path)) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address,
                                               ": another server is using it"));
  }
  return absl::OkStatus();
}

std::string WithBoundPort(absl::string_view address, int port) {
  if (absl::StartsWith(address, kUnixPrefix)) return std::string(address);
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

}  // namespace stridecast
