// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/undelivered_bytes.h"

#include <algorithm>
#include <utility>

#include "grpc/grpc_security.h"

namespace stridecast {
namespace {

// What comes with a message: headers, acknowledgements, and the frames and
// records that it is cut into. Too much is better: what is missing would be
// held against those who call for hours.
constexpr int64_t kCallBytes = 256;
constexpr int64_t kFramesShare = 256;

// For each message, where nobody counts what came: Unix sockets do not.
constexpr int64_t kAssumedBytes = 1 << 20;

}  // namespace

int64_t UndeliveredBytes::Connection::held_bytes() const {
  if (!is_known) return num_waits() * kAssumedBytes;
  return std::max<int64_t>(
      (now.received - start.received) - (now.delivered - start.delivered), 0);
}

UndeliveredBytes::UndeliveredBytes(ReceivedBytes received_bytes)
    : received_bytes_(std::move(received_bytes)) {}

UndeliveredBytes::~UndeliveredBytes() = default;

UndeliveredBytes::Wait UndeliveredBytes::BeginWait(
    grpc::CallbackServerContext& context) {
  const ConnectionId id = ConnectionOf(context);
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Connection>& connection = connections_[id];
  if (connection == nullptr) {
    connection = std::make_unique<Connection>(Connection{
        .keeper = HoldConnection(context),
        .peer = context.peer(),
        .serial = ++num_connections_,
    });
  }
  ++connection->num_new_waits;
  return {id, epoch_};
}

void UndeliveredBytes::EndWait(const Wait& wait, int64_t message_bytes) {
  Remove(wait, message_bytes + message_bytes / kFramesShare + kCallBytes);
}

void UndeliveredBytes::GiveUpWait(const Wait& wait, int64_t held_bytes) {
  Remove(wait, held_bytes);
}

void UndeliveredBytes::Remove(const Wait& wait, int64_t delivered_bytes) {
  absl::MutexLock lock(&mutex_);
  Connection& connection = *connections_.at(wait.connection);
  connection.now.delivered += delivered_bytes;
  --(wait.epoch == epoch_ ? connection.num_new_waits
                          : connection.num_old_waits);
}

std::vector<UndeliveredBytes::Holding> UndeliveredBytes::Holdings() {
  Read(/*is_for_all=*/false);
  std::vector<Holding> holdings;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (connection->num_waits() == 0) continue;
      holdings.push_back(
          {id, connection->held_bytes(), connection->num_waits()});
    }
  }
  std::sort(
      holdings.begin(), holdings.end(),
      [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  return holdings;
}

void UndeliveredBytes::BeginEpoch() {
  Read(/*is_for_all=*/true);
  absl::MutexLock lock(&mutex_);
  // A peer whose port is used again has an older one that is closed.
  absl::flat_hash_map<std::string, int64_t> newest;
  for (const auto& [id, connection] : connections_) {
    int64_t& serial = newest[connection->peer];
    serial = std::max(serial, connection->serial);
  }
  absl::erase_if(connections_, [&](const auto& entry) {
    const Connection& connection = *entry.second;
    return connection.num_waits() == 0 &&
           (!connection.is_known ||
            connection.serial < newest[connection.peer]);
  });
  for (const auto& [id, connection] : connections_) {
    if (connection->num_waits() == 0) {
      connection->start = connection->now;
    } else if (connection->num_old_waits == 0) {
      connection->start = connection->last;
    }
    // Who was credited too much starts from there.
    connection->start.received =
        std::min(connection->start.received,
                 connection->now.received -
                     (connection->now.delivered - connection->start.delivered));
    connection->last = connection->now;
    connection->num_old_waits += std::exchange(connection->num_new_waits, 0);
  }
  ++epoch_;
}

void UndeliveredBytes::Read(bool is_for_all) {
  absl::flat_hash_set<std::string> peers;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (is_for_all || connection->num_waits() > 0) {
        peers.insert(connection->peer);
      }
    }
  }
  const auto received = received_bytes_(peers);
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, connection] : connections_) {
    if (!peers.contains(connection->peer)) continue;
    const auto found = received.find(connection->peer);
    connection->is_known = found != received.end();
    if (connection->is_known) connection->now.received = found->second;
  }
}

}  // namespace stridecast
