// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/connection_acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stridecast {
namespace {

// Of a flood, each source's share before the next one's turn.
constexpr int kMaxAcceptsAtOnce = 64;
// Counting looks at every connection: not for each that a flood offers.
constexpr std::chrono::milliseconds kCountInterval(10);
// Before asking a system again that has no room.
constexpr int kPauseMillis = 10;

OwnedFd OpenSpare() { return OwnedFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Of one connection, or that none waits; others are the system's troubles.
bool IsHarmless(int error) {
  return error == EAGAIN || error == EINTR || error == ECONNABORTED;
}

// As gRPC writes the addresses of TCP peers; empty of others.
std::string PeerOf(int fd) {
  sockaddr_in6 address{};
  socklen_t size = sizeof(address);
  char text[INET6_ADDRSTRLEN];
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return "";
  }
  const int port = ntohs(address.sin6_port);  // both families have it there
  if (address.sin6_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", port);
  }
  if (address.sin6_family != AF_INET6) return "";
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
    inet_ntop(AF_INET, &address.sin6_addr.s6_addr[12], text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", port);
  }
  inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof(text));
  return absl::StrCat("ipv6:%5B", text, "%5D:", port);
}

}  // namespace

void OpenConnections::Add(int fd) {
  const std::optional<FileId> id = FileIdOf(fd);
  if (!id.has_value()) return;
  absl::MutexLock lock(&mutex_);
  known_.push_back({fd, *id, PeerOf(fd)});
}

bool OpenConnections::IsSent(const std::string& peer) const {
  absl::MutexLock lock(&mutex_);
  return std::none_of(known_.begin(), known_.end(),
                      [&](const Connection& connection) {
                        return connection.peer == peer && HasUnsent(connection);
                      });
}

bool OpenConnections::AreAllSent(absl::flat_hash_set<int>& seen) const {
  absl::MutexLock lock(&mutex_);
  for (const Connection& connection : known_) {
    if (!HasUnsent(connection)) seen.insert(connection.fd);
  }
  return seen.size() == known_.size();
}

bool OpenConnections::HasUnsent(const Connection& connection) {
  int unsent_bytes = 0;
  return !connection.peer.empty() && FileIdOf(connection.fd) == connection.id &&
         ioctl(connection.fd, SIOCOUTQ, &unsent_bytes) == 0 && unsent_bytes > 0;
}

int64_t OpenConnections::Count() {
  absl::MutexLock lock(&mutex_);
  std::erase_if(known_, [](const Connection& connection) {
    return FileIdOf(connection.fd) != connection.id;
  });
  return static_cast<int64_t>(known_.size());
}

int64_t OpenConnections::num_known() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int64_t>(known_.size());
}

ConnectionAcceptor::ConnectionAcceptor(std::vector<Source> sources,
                                       int64_t max_connections)
    : sources_(std::move(sources)),
      max_connections_(max_connections),
      spare_(OpenSpare()),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void ConnectionAcceptor::Start() {
  thread_ = std::thread([this] { Run(); });
}

void ConnectionAcceptor::Stop() {
  eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
  sources_.clear();
}

void ConnectionAcceptor::Run() {
  std::vector<pollfd> waiting = {{stop_.get(), POLLIN, 0}};
  for (const Source& source : sources_) {
    waiting.push_back({source.socket.fd(), POLLIN, 0});
  }
  bool is_well = true;
  for (;;) {
    // In trouble the sockets stay readable.
    const nfds_t num_waiting = is_well ? waiting.size() : 1;
    const int timeout = is_well ? -1 : kPauseMillis;
    if (poll(waiting.data(), num_waiting, timeout) < 0) continue;
    if (waiting[0].revents != 0) return;
    is_well = true;
    for (const Source& source : sources_) is_well &= AcceptAll(source);
  }
}

bool ConnectionAcceptor::AcceptAll(const Source& source) {
  for (int i = 0; i < kMaxAcceptsAtOnce; ++i) {
    std::optional<OwnedFd> fd = source.socket.Accept();
    if (!fd.has_value()) {
      const int error = errno;
      if (IsHarmless(error)) return true;
      return (error == EMFILE || error == ENFILE) && RefuseWithSpareFd(source);
    }
    if (!HasRoom()) {
      ++num_refused_;
      continue;
    }
    open_.Add(fd->get());
    source.take(source.socket.fd(), fd->Release());
  }
  return true;
}

bool ConnectionAcceptor::HasRoom() {
  if (open_.num_known() < max_connections_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now < last_count_ + kCountInterval) return false;
  last_count_ = now;
  return open_.Count() < max_connections_;
}

bool ConnectionAcceptor::RefuseWithSpareFd(const Source& source) {
  spare_.Close();
  bool refused = false;
  {
    const std::optional<OwnedFd> fd = source.socket.Accept();
    refused = fd.has_value();
    // Counted before it closes: who sees the end of it finds it counted.
    if (refused) ++num_refused_;
  }
  spare_ = OpenSpare();
  return refused;
}

}  // namespace stridecast
