// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/open_connections.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "server/owned_fd.h"

namespace stridecast {
namespace {

// A client that is about to read gets the CPU within that time, though it may
// have used up its share of some period of 100 ms.
constexpr uint32_t kReadMillis = 300;
constexpr int kMostLooks = 8;
constexpr socklen_t kLeastInfoBytes =
    offsetof(tcp_info, tcpi_bytes_received) + sizeof(uint64_t);
// TCP_ESTABLISHED and TCP_CLOSE, of another header.
constexpr uint8_t kEstablished = 1;
constexpr uint8_t kClosed = 7;

}  // namespace

// Of one time.
struct OpenConnections::Sending {
  FileId id;
  int64_t written_bytes;
  int64_t acknowledged_bytes;
  bool is_exact;  // else more may seem written than was
  bool is_silent;
};

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
  const std::string scope = address.sin6_scope_id == 0
                                ? ""
                                : absl::StrCat("%25", address.sin6_scope_id);
  return absl::StrCat("ipv6:%5B", text, scope, "%5D:", port);
}

void OpenConnections::Add(int fd) {
  const std::optional<FileId> id = FileIdOf(fd);
  if (!id.has_value()) return;
  absl::MutexLock lock(&mutex_);
  known_.push_back({fd, *id, PeerOf(fd)});
}

std::vector<Arrival> OpenConnections::ArrivalsOf(
    absl::Span<Written* const> written) const {
  absl::flat_hash_map<absl::string_view, std::vector<Sending>> sending;
  for (const Written* each : written) sending.try_emplace(each->peer);
  {
    absl::MutexLock lock(&mutex_);
    for (const Connection& connection : known_) {
      const auto found = sending.find(connection.peer);
      if (found == sending.end()) continue;
      if (std::optional<Sending> state = SendingOf(connection)) {
        found->second.push_back(*state);
      }
    }
  }
  std::vector<Arrival> arrivals;
  for (Written* each : written) {
    const std::vector<Sending>& connections = sending[each->peer];
    Arrival& least = arrivals.emplace_back(Arrival::kRead);
    if (!each->is_known) {
      if (!absl::c_all_of(connections, std::mem_fn(&Sending::is_exact))) {
        least = Arrival::kUnsent;  // the next look may tell
        continue;
      }
      each->is_known = true;
      for (const Sending& now : connections) {
        each->bytes.emplace_back(now.id, now.written_bytes);
      }
    }
    for (const Sending& now : connections) {
      for (const auto& [id, bytes] : each->bytes) {
        if (id != now.id) continue;
        least =
            std::min(least, now.acknowledged_bytes < bytes ? Arrival::kUnsent
                            : now.is_silent                ? Arrival::kRead
                                            : Arrival::kAcknowledged);
      }
    }
  }
  return arrivals;
}

bool OpenConnections::AreAllSent() const {
  absl::flat_hash_set<int> seen;
  return AreAllSent(seen);
}

bool OpenConnections::AreAllSent(absl::flat_hash_set<int>& seen) const {
  absl::MutexLock lock(&mutex_);
  bool are_all_seen = true;
  for (const Connection& connection : known_) {
    const std::optional<Sending> now = SendingOf(connection);
    if (!now.has_value() || now->acknowledged_bytes >= now->written_bytes) {
      seen.insert(connection.fd);
    } else {
      are_all_seen = are_all_seen && seen.contains(connection.fd);
    }
  }
  return are_all_seen;
}

absl::flat_hash_map<std::string, int64_t> OpenConnections::ReceivedBytes(
    const absl::flat_hash_set<std::string>* peers) const {
  absl::flat_hash_map<std::string, int64_t> received;
  absl::MutexLock lock(&mutex_);
  for (const Connection& connection : known_) {
    if (peers != nullptr && !peers->contains(connection.peer)) continue;
    const std::optional<tcp_info> info = InfoOf(connection);
    if (!info.has_value()) continue;
    received[connection.peer] = static_cast<int64_t>(info->tcpi_bytes_received);
  }
  return received;
}

// None if it was closed, or is no TCP connection, or if the system is no Linux
// that counts bytes.
std::optional<tcp_info> OpenConnections::InfoOf(const Connection& connection) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (connection.peer.empty() || FileIdOf(connection.fd) != connection.id ||
      getsockopt(connection.fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      size < kLeastInfoBytes) {
    return std::nullopt;
  }
  return info;
}

int64_t OpenConnections::CloseDeaf(std::chrono::milliseconds silence) {
  int64_t num_closed = 0;
  absl::MutexLock lock(&mutex_);
  for (Connection& connection : known_) {
    const std::optional<tcp_info> info = InfoOf(connection);
    // It has said that it has no room.
    if (info.has_value() && info->tcpi_state == kEstablished &&
        info->tcpi_notsent_bytes > 0 && info->tcpi_unacked == 0 &&
        info->tcpi_last_data_sent >= silence.count() &&
        Disconnect(connection)) {
      ++num_closed;
    }
  }
  return num_closed;
}

// What the peer reads is replaced at once, so that as much may wait at each
// look. So what is full is made smaller: then only that remains which was not
// read.
bool OpenConnections::SeesReading(Connection& connection, int fd,
                                  bool is_suspect) {
  int unread_bytes = 0;
  int buffer_bytes = 0;
  socklen_t size = sizeof(buffer_bytes);
  if (ioctl(fd, SIOCOUTQ, &unread_bytes) != 0 ||
      getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, &size) != 0) {
    return true;
  }
  const auto set_buffer_bytes = [fd](int bytes) {
    const int half = bytes / 2;  // the system doubles it
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &half, sizeof(half));
  };
  const int before = std::exchange(connection.unread_bytes, unread_bytes);
  // It takes more from a quarter of it on.
  const bool is_full = unread_bytes > buffer_bytes / 4;
  if (!is_full || unread_bytes < before || before == 0) {
    if (connection.usual_buffer_bytes != 0) {
      set_buffer_bytes(std::exchange(connection.usual_buffer_bytes, 0));
    }
    return true;
  }
  if (is_suspect && connection.usual_buffer_bytes == 0) {
    connection.usual_buffer_bytes = buffer_bytes;
    set_buffer_bytes(unread_bytes / 2);
  }
  return false;
}

int64_t OpenConnections::CloseUnread(std::chrono::milliseconds patience) {
  int64_t num_closed = 0;
  const auto now = std::chrono::steady_clock::now();
  absl::MutexLock lock(&mutex_);
  for (Connection& connection : known_) {
    if (!connection.peer.empty()) continue;
    const OwnedFd copy = CopyOf(connection);
    if (!copy.is_open()) continue;
    const bool is_suspect = now - connection.unread_since >= patience / 4;
    if (SeesReading(connection, copy.get(), is_suspect)) {
      connection.unread_since = now;
    } else if (now - connection.unread_since >= patience &&
               Disconnect(connection)) {
      ++num_closed;
    }
  }
  return num_closed;
}

int64_t OpenConnections::CloseAll() {
  absl::MutexLock lock(&mutex_);
  return std::count_if(
      known_.begin(), known_.end(),
      [](Connection& connection) { return Disconnect(connection); });
}

bool OpenConnections::Close(const std::string& peer) {
  bool was_open = false;
  absl::MutexLock lock(&mutex_);
  for (Connection& connection : known_) {
    if (connection.peer == peer && InfoOf(connection).has_value()) {
      was_open |= Disconnect(connection);
    }
  }
  return was_open;
}

OwnedFd OpenConnections::CopyOf(const Connection& connection) {
  OwnedFd copy(fcntl(connection.fd, F_DUPFD_CLOEXEC, 0));
  return FileIdOf(copy.get()) == connection.id ? std::move(copy) : OwnedFd();
}

bool OpenConnections::Disconnect(Connection& connection) {
  if (connection.is_closed) return false;
  const OwnedFd copy = CopyOf(connection);
  if (!copy.is_open()) return false;
  // At once: what came and what waits is dropped, and gRPC finds it closed.
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  connection.is_closed = connect(copy.get(), &nobody, sizeof(nobody)) == 0 ||
                         shutdown(copy.get(), SHUT_RDWR) == 0;
  return connection.is_closed;
}

// None if it is gone.
std::optional<OpenConnections::Sending> OpenConnections::SendingOf(
    const Connection& connection) {
  std::optional<tcp_info> info = InfoOf(connection);
  int unsent_bytes = 0;
  // Both of one time: what is acknowledged in between would be in both.
  bool is_exact = false;
  for (int look = 0; look < kMostLooks && !is_exact; ++look) {
    // What a reset left unsent stays so for ever.
    if (!info.has_value() || info->tcpi_state == kClosed ||
        ioctl(connection.fd, SIOCOUTQ, &unsent_bytes) != 0) {
      return std::nullopt;
    }
    const uint64_t before = info->tcpi_bytes_acked;
    info = InfoOf(connection);
    is_exact = info.has_value() && info->tcpi_bytes_acked == before;
  }
  if (!info.has_value()) return std::nullopt;
  const auto acknowledged = static_cast<int64_t>(info->tcpi_bytes_acked);
  return Sending{
      .id = connection.id,
      .written_bytes = acknowledged + unsent_bytes,
      .acknowledged_bytes = acknowledged,
      .is_exact = is_exact,
      .is_silent = std::min(info->tcpi_last_data_sent,
                            info->tcpi_last_data_recv) >= kReadMillis};
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

}  // namespace stridecast
