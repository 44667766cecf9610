// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/held_bytes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace stridecast {
namespace {

// What comes with a call: headers, acknowledgements. At most, of stock clients,
// and at least. With a message comes its length, and the frames and records
// that it is cut into. What is too little is held against who calls for hours,
// what is too much hides something, but nothing of what comes later.
constexpr int64_t kCallBytes = 256;
constexpr int64_t kLeastCallBytes = 32;
constexpr int64_t kLengthBytes = 5;
constexpr int64_t kFramesShare = 512;

// Where nobody counts what came: for each message on its way, and for every
// other call what it may be sent unasked.
constexpr int64_t kAssumedBytes = 1 << 20;
constexpr int64_t kAssumedIdleBytes = 64 << 10;

constexpr int64_t kForgottenShare = 64;  // in an epoch

// Of one connection, in one or two epochs.
constexpr int64_t kFewCalls = 16;

// What is held, as the difference of two counts that only grow.
class Account {
 public:
  // Bytes that came so far, less those that are accounted for.
  void SetRest(int64_t bytes) {
    rest_ = bytes;
    start_ = std::min(start_, rest_);  // no credit
  }
  int64_t held_bytes() const { return rest_ - start_; }

  void BeginEpoch(bool has_calls, bool has_old_calls) {
    if (!has_calls) {
      start_ = rest_;
    } else if (!has_old_calls) {
      start_ = std::min(last_, rest_);
    } else {
      start_ += held_bytes() / kForgottenShare;
    }
    last_ = rest_;
  }

 private:
  int64_t rest_ = 0;
  int64_t last_ = 0;   // the rest when the epoch began
  int64_t start_ = 0;  // the rest of which nothing was held
};

}  // namespace

struct HeldBytes::Connection {
  const ConnectionId id;
  const std::shared_ptr<const void> keeper;  // so that its id is nobody else's
  const std::string peer;
  const int64_t serial;

  // So far; calls change them without the lock.
  std::atomic<int64_t> delivered_bytes = 0;
  std::atomic<int64_t> given_up_bytes = 0;
  std::atomic<int64_t> num_receiving = 0;      // of the calls
  std::atomic<int64_t> num_ended = 0;          // likewise
  std::atomic<int64_t> num_present = 0;        // whose callers have not left
  std::atomic<int64_t> num_keeping = 0;        // it
  std::atomic<int64_t> small_reply_bytes = 0;  // on their way

  int64_t num_calls_ever = 0;
  int64_t num_new_calls = 0;  // since the epoch began
  int64_t num_old_calls = 0;
  bool is_counted = true;  // what came
  // Of what is known, and of what is possible.
  std::array<Account, 2> accounts = {};

  int64_t num_calls() const { return num_new_calls + num_old_calls; }

  // What is accounted for, by each estimate.
  std::array<int64_t, 2> AccountedBytes() const {
    const int64_t delivered = delivered_bytes.load();
    return {delivered + kCallBytes * num_calls_ever + given_up_bytes.load(),
            delivered + kLeastCallBytes * num_calls_ever};
  }

  int64_t BytesBy(Estimate estimate) const {
    const int64_t ended = num_ended.load() * kCallFootprintBytes;
    if (is_counted) {
      return ended + accounts[static_cast<size_t>(estimate)].held_bytes();
    }
    if (estimate == Estimate::kKnown) return ended;
    const int64_t receiving = num_receiving.load();
    return ended + receiving * kAssumedBytes +
           (num_calls() - receiving) * kAssumedIdleBytes;
  }
};

HeldBytes::Call::Call(HeldBytes* held, grpc::CallbackServerContext& context)
    : held_(held) {
  const CallLimit& limit = held_->limit_;
  const int64_t num_calls = held_->Begin(*this, context);
  is_excess_ = num_calls > limit.most;
  if (num_calls > 2 * limit.most) limit.on_flood(context);
}

HeldBytes::Call::~Call() {
  SetReceiving(false);
  Leave();
  if (has_ended_.load()) --of_->num_ended;
  of_->small_reply_bytes -= small_reply_bytes_;
  held_->End(*this);
}

ConnectionId HeldBytes::Call::connection() const { return of_->id; }
const std::string& HeldBytes::Call::peer() const { return of_->peer; }

void HeldBytes::Call::SetReceiving(bool is_receiving) {
  of_->num_receiving += static_cast<int>(is_receiving) -
                        static_cast<int>(is_receiving_.exchange(is_receiving));
}

void HeldBytes::Call::Deliver(int64_t message_bytes) {
  SetReceiving(false);
  of_->delivered_bytes +=
      message_bytes + message_bytes / kFramesShare + kLengthBytes;
}

void HeldBytes::Call::SetEnded() {
  if (!has_ended_.exchange(true)) ++of_->num_ended;
}

void HeldBytes::Call::Leave() {
  if (is_present_.exchange(false)) --of_->num_present;
  StopKeeping();
}

void HeldBytes::Call::StartKeeping() {
  if (!is_keeping_.exchange(true)) ++of_->num_keeping;
}

void HeldBytes::Call::StopKeeping() {
  if (is_keeping_.exchange(false)) --of_->num_keeping;
}

int64_t HeldBytes::Call::StartSmallReply(int64_t bytes) {
  small_reply_bytes_ = bytes;
  return of_->small_reply_bytes += bytes;
}

bool HeldBytes::Call::LeaveItToOthers() {
  if (!is_keeping_.exchange(false)) return true;
  int64_t num_keeping = of_->num_keeping.load();
  while (num_keeping > 1) {
    if (of_->num_keeping.compare_exchange_weak(num_keeping, num_keeping - 1)) {
      return true;
    }
  }
  is_keeping_ = true;
  // Who left meanwhile did not see it.
  if (is_present_.load()) return false;
  StopKeeping();
  return true;
}

void HeldBytes::Call::GiveUp(int64_t held_bytes) {
  SetReceiving(false);
  of_->given_up_bytes += held_bytes;
}

HeldBytes::HeldBytes(ReceivedBytes received_bytes)
    : HeldBytes(std::move(received_bytes), CallLimit()) {}

HeldBytes::HeldBytes(ReceivedBytes received_bytes, CallLimit limit)
    : received_bytes_(std::move(received_bytes)), limit_(std::move(limit)) {}

HeldBytes::~HeldBytes() = default;

int64_t HeldBytes::Begin(Call& call, grpc::CallbackServerContext& context) {
  const ConnectionId id = ConnectionOf(context);
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Connection>& connection = connections_[id];
  if (connection == nullptr) {
    connection.reset(new Connection{.id = id,
                                    .keeper = HoldConnection(context),
                                    .peer = context.peer(),
                                    .serial = ++num_connections_});
  }
  ++connection->num_calls_ever;
  ++connection->num_new_calls;
  call.of_ = connection.get();
  call.epoch_ = epoch_;
  return ++connection->num_present;
}

void HeldBytes::End(Call& call) {
  absl::MutexLock lock(&mutex_);
  --(call.epoch_ == epoch_ ? call.of_->num_new_calls : call.of_->num_old_calls);
}

std::vector<HeldBytes::Holding> HeldBytes::Holdings(Estimate estimate) {
  Read(/*is_for_all=*/false);
  std::vector<Holding> holdings;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (connection->num_calls() == 0) continue;
      holdings.push_back({id, connection->peer, connection->BytesBy(estimate),
                          connection->num_calls()});
    }
  }
  std::sort(
      holdings.begin(), holdings.end(),
      [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  return holdings;
}

int64_t HeldBytes::KnownBytes() {
  Read(/*is_for_all=*/false);
  int64_t bytes = 0;
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, connection] : connections_) {
    if (connection->num_calls() == 0) continue;
    if (!connection->is_counted && connection->num_receiving.load() > 0) {
      return std::numeric_limits<int64_t>::max() / 2;
    }
    bytes += connection->BytesBy(Estimate::kKnown) +
             (connection->num_calls() - connection->num_ended.load()) *
                 kCallFootprintBytes;
  }
  return bytes;
}

HeldBytes::Rests HeldBytes::ReadRests() {
  struct Account {
    int64_t serial = 0;
    Rest rest = {};
  };
  absl::flat_hash_map<std::string, Account> accounts;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      // A peer whose port is used again has an older one that is closed.
      Account& newest = accounts[connection->peer];
      if (connection->serial < newest.serial) continue;
      newest = {connection->serial,
                {.bytes = -connection->AccountedBytes()[0],
                 .num_calls = connection->num_calls(),
                 .num_calls_ever = connection->num_calls_ever}};
    }
  }
  Rests rests;
  for (const auto& [peer, received_bytes] : received_bytes_(nullptr)) {
    const auto found = accounts.find(peer);
    Rest& rest = rests[peer];
    if (found != accounts.end()) rest = found->second.rest;
    rest.bytes += received_bytes;
  }
  return rests;
}

std::vector<HeldBytes::Sender> HeldBytes::Senders() {
  const Rests rests = ReadRests();
  std::vector<Sender> senders;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [peer, rest] : rests) {
      const auto found = rests_[1].find(peer);
      const Rest before = found == rests_[1].end() ? Rest{} : found->second;
      if (rest.bytes <= before.bytes) continue;
      const int64_t num_begun = rest.num_calls_ever - before.num_calls_ever;
      senders.push_back({peer, rest.bytes - before.bytes,
                         rest.num_calls > 0 || num_begun > 0,
                         rest.num_calls > 0 && num_begun <= kFewCalls});
    }
  }
  std::sort(senders.begin(), senders.end(),
            [](const Sender& a, const Sender& b) { return a.bytes > b.bytes; });
  return senders;
}

void HeldBytes::BeginEpoch() {
  Read(/*is_for_all=*/true);
  Rests rests = ReadRests();
  absl::MutexLock lock(&mutex_);
  rests_[1] = std::exchange(rests_[0], std::move(rests));
  // A peer whose port is used again has an older one that is closed.
  absl::flat_hash_map<std::string, int64_t> newest;
  for (const auto& [id, connection] : connections_) {
    int64_t& serial = newest[connection->peer];
    serial = std::max(serial, connection->serial);
  }
  absl::erase_if(connections_, [&](const auto& entry) {
    const Connection& connection = *entry.second;
    return connection.num_calls() == 0 &&
           (!connection.is_counted ||
            connection.serial < newest[connection.peer]);
  });
  for (const auto& [id, connection] : connections_) {
    for (Account& account : connection->accounts) {
      account.BeginEpoch(connection->num_calls() > 0,
                         connection->num_old_calls > 0);
    }
    connection->num_old_calls += std::exchange(connection->num_new_calls, 0);
  }
  ++epoch_;
}

void HeldBytes::Read(bool is_for_all) {
  // What is accounted for is read first: what comes and is delivered meanwhile
  // looks held, until the next time, instead of being credited for ever.
  absl::flat_hash_map<ConnectionId, std::array<int64_t, 2>> accounted;
  absl::flat_hash_set<std::string> peers;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (!is_for_all && connection->num_calls() == 0) continue;
      accounted[id] = connection->AccountedBytes();
      peers.insert(connection->peer);
    }
  }
  const BytesByPeer received = received_bytes_(&peers);
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, accounted_bytes] : accounted) {
    const auto known = connections_.find(id);
    if (known == connections_.end()) continue;
    Connection& connection = *known->second;
    const auto found = received.find(connection.peer);
    connection.is_counted = found != received.end();
    if (!connection.is_counted) continue;
    for (size_t i = 0; i < connection.accounts.size(); ++i) {
      connection.accounts[i].SetRest(found->second - accounted_bytes[i]);
    }
  }
}

}  // namespace stridecast
