// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/connection_acceptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

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

}  // namespace

ConnectionAcceptor::ConnectionAcceptor(std::vector<Source> sources,
                                       int64_t max_connections,
                                       std::function<bool()> has_memory)
    : sources_(std::move(sources)),
      max_connections_(max_connections),
      has_memory_(std::move(has_memory)),
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
    is_well &= has_memory_();
  }
}

bool ConnectionAcceptor::AcceptAll(const Source& source) {
  for (int i = 0; i < kMaxAcceptsAtOnce && has_memory_(); ++i) {
    std::optional<OwnedFd> fd = source.socket.Accept();
    if (!fd.has_value()) {
      const int error = errno;
      if (IsHarmless(error)) return true;
      return (error == EMFILE || error == ENFILE) && RefuseWithSpareFd(source);
    }
    if (!HasRoom()) {
      Refuse(fd->get(),
             absl::StrCat("--max-connections ", max_connections_, " are open"));
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

void ConnectionAcceptor::Refuse(int fd, const std::string& reason) {
  ++num_refused_;
  int64_t num_held_back = 0;
  if (!refusals_logged_.Pass(RateLimiter::Clock::now(), num_held_back)) return;
  const std::string peer = PeerOf(fd);
  spdlog::warn("connection of {} refused: {}; {} more since the last such line",
               peer.empty() ? "a Unix socket" : peer, reason, num_held_back);
}

bool ConnectionAcceptor::RefuseWithSpareFd(const Source& source) {
  spare_.Close();
  bool refused = false;
  {
    const std::optional<OwnedFd> fd = source.socket.Accept();
    refused = fd.has_value();
    if (refused) Refuse(fd->get(), "no more files may be open (ulimit -n)");
  }
  spare_ = OpenSpare();
  return refused;
}

}  // namespace stridecast
