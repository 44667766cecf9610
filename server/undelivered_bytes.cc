// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/undelivered_bytes.h"

#include <algorithm>
#include <utility>

namespace stridecast {
namespace {

// What comes with a call: headers, acknowledgements. With a message comes its
// length, and the frames and records that it is cut into. What is too little is
// held against who calls for hours, what is too much hides something, but
// nothing of what comes later.
constexpr int64_t kCallBytes = 256;
constexpr int64_t kLengthBytes = 5;
constexpr int64_t kFramesShare = 512;

// Where nobody counts what came, as of Unix sockets: for each message on its
// way, and for every other call what it may be sent unasked.
constexpr int64_t kAssumedBytes = 1 << 20;
constexpr int64_t kAssumedIdleBytes = 64 << 10;

constexpr int64_t kForgottenShare = 64;  // in an epoch

}  // namespace

struct UndeliveredBytes::Connection {
  // Of bytes so far.
  struct Count {
    int64_t received = 0;
    int64_t delivered = 0;
  };

  ConnectionId id;
  std::shared_ptr<const void> keeper;  // so that its id is nobody else's
  std::string peer;
  int64_t serial;
  Count now = {};
  Count last = {};            // when the epoch began
  Count start = {};           // at which nothing was held
  bool is_known = true;       // to who counts what came
  int64_t num_new_calls = 0;  // since the epoch began
  int64_t num_old_calls = 0;
  int64_t num_receiving = 0;  // of all these

  int64_t num_calls() const { return num_new_calls + num_old_calls; }

  // Less than zero if too much was taken for delivered.
  int64_t rest() const {
    return (now.received - start.received) - (now.delivered - start.delivered);
  }
  int64_t held_bytes() const {
    return is_known ? std::max<int64_t>(rest(), 0)
                    : num_receiving * kAssumedBytes +
                          (num_calls() - num_receiving) * kAssumedIdleBytes;
  }

  void SetReceived(int64_t bytes) {
    now.received = bytes;
    start.received += std::min<int64_t>(rest(), 0);  // no credit
  }

  void BeginEpoch() {
    if (num_calls() == 0) {
      start = now;
    } else if (num_old_calls == 0) {
      start = last;
    } else {
      start.received += std::max<int64_t>(rest(), 0) / kForgottenShare;
    }
    last = now;
    num_old_calls += std::exchange(num_new_calls, 0);
  }
};

ConnectionId UndeliveredBytes::Call::connection() const { return of_->id; }

UndeliveredBytes::UndeliveredBytes(ReceivedBytes received_bytes)
    : received_bytes_(std::move(received_bytes)) {}

UndeliveredBytes::~UndeliveredBytes() = default;

UndeliveredBytes::Call UndeliveredBytes::Begin(
    grpc::CallbackServerContext& context) {
  const ConnectionId id = ConnectionOf(context);
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Connection>& connection = connections_[id];
  if (connection == nullptr) {
    connection = std::make_unique<Connection>(
        Connection{.id = id,
                   .keeper = HoldConnection(context),
                   .peer = context.peer(),
                   .serial = ++num_connections_});
  }
  ++connection->num_new_calls;
  connection->now.delivered += kCallBytes;
  Call call;
  call.of_ = connection.get();
  call.epoch_ = epoch_;
  return call;
}

void UndeliveredBytes::SetReceiving(Call& call, bool is_receiving) {
  absl::MutexLock lock(&mutex_);
  SetReceivingLocked(call, is_receiving);
}

void UndeliveredBytes::Deliver(Call& call, int64_t message_bytes) {
  absl::MutexLock lock(&mutex_);
  SetReceivingLocked(call, false);
  call.of_->now.delivered +=
      message_bytes + message_bytes / kFramesShare + kLengthBytes;
}

void UndeliveredBytes::GiveUp(Call& call, int64_t held_bytes) {
  absl::MutexLock lock(&mutex_);
  SetReceivingLocked(call, false);
  call.of_->now.delivered += held_bytes;
}

void UndeliveredBytes::End(Call& call) {
  absl::MutexLock lock(&mutex_);
  SetReceivingLocked(call, false);
  --(call.epoch_ == epoch_ ? call.of_->num_new_calls : call.of_->num_old_calls);
}

void UndeliveredBytes::SetReceivingLocked(Call& call, bool is_receiving) {
  call.of_->num_receiving +=
      static_cast<int>(is_receiving) -
      static_cast<int>(std::exchange(call.is_receiving_, is_receiving));
}

std::vector<UndeliveredBytes::Holding> UndeliveredBytes::Holdings() {
  Read(/*is_for_all=*/false);
  std::vector<Holding> holdings;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (connection->num_calls() == 0) continue;
      holdings.push_back(
          {id, connection->held_bytes(), connection->num_calls()});
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
    return connection.num_calls() == 0 &&
           (!connection.is_known ||
            connection.serial < newest[connection.peer]);
  });
  for (const auto& [id, connection] : connections_) connection->BeginEpoch();
  ++epoch_;
}

void UndeliveredBytes::Read(bool is_for_all) {
  absl::flat_hash_set<std::string> peers;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (is_for_all || connection->num_calls() > 0) {
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
    if (connection->is_known) connection->SetReceived(found->second);
  }
}

}  // namespace stridecast
