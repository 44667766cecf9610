// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What is held for each connection. Of what it has sent, what no call was
// given: messages that are not whole yet, or that no call reads. gRPC holds it
// and tells nobody how much it is; but the system counts what came on a
// connection, and calls know what they were given of it: the rest is held, or
// was sent for calls that have ended, or came beside messages. And calls that
// have ended where nobody reads how. (Replies are in the budget.) Who has more
// calls than a connection may is told on. Thread-safe.

#ifndef STRIDECAST_SERVER_HELD_BYTES_H_
#define STRIDECAST_SERVER_HELD_BYTES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/server_context.h"
#include "server/held_endings.h"
#include "server/raw_service.h"

namespace stridecast {

// Of a call that is not done, beside its messages: gRPC's 11.7 KB and ours.
inline constexpr int64_t kCallFootprintBytes = 14 << 10;

class HeldBytes {
 public:
  // By peer, as grpc::ServerContextBase::peer() has it.
  using BytesByPeer = absl::flat_hash_map<std::string, int64_t>;
  // What came so far from those of the peers whose connections are open and
  // count it; null: from all.
  using ReceivedBytes =
      std::function<BytesByPeer(const absl::flat_hash_set<std::string>* peers)>;

  // gRPC bounds the calls of a connection only once its client has acknowledged
  // that bound.
  struct CallLimit {
    // Whose callers have not left; those beyond are excess.
    int64_t most = std::numeric_limits<int64_t>::max() / 2;
    // Called with each beyond twice as many, as it begins.
    std::function<void(grpc::CallbackServerContext& context)> on_flood;
  };

  explicit HeldBytes(ReceivedBytes received_bytes);
  HeldBytes(ReceivedBytes received_bytes, CallLimit limit);
  ~HeldBytes();

 private:
  struct Connection;

 public:
  // A call, from its arrival to its end. Thread-safe.
  class Call final : public ConnectionKeeper {
   public:
    // `held` outlives it.
    Call(HeldBytes* held, grpc::CallbackServerContext& context);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    ConnectionId connection() const;
    // When it began, its connection had more calls than it may.
    bool is_excess() const { return is_excess_; }
    // gRPC forgets it with the end of a call.
    const std::string& peer() const;
    // Whether a message of it is presumably on its way.
    void SetReceiving(bool is_receiving);
    // The message has come.
    void Deliver(int64_t message_bytes);
    // It has ended, and stays until its caller has read how.
    void SetEnded();
    bool has_ended() const { return has_ended_.load(); }
    // Its caller has left, or its deadline passed: for gRPC it is no more.
    void Leave();
    // Until then it keeps no connection: of calls whose ends may be held.
    void StartKeeping();
    bool is_keeping() const override { return is_keeping_.load(); }
    bool LeaveItToOthers() override;
    void StopKeeping() override;
    // Its reply, of so many bytes, is on its way until the call is done. How
    // many of such are, on this connection.
    int64_t StartSmallReply(int64_t bytes);
    // It is told to end, and about so much is no longer held.
    void GiveUp(int64_t held_bytes);

   private:
    friend class HeldBytes;
    HeldBytes* const held_;
    Connection* of_;
    int64_t epoch_;
    bool is_excess_;
    std::atomic<bool> is_receiving_ = false;
    std::atomic<bool> has_ended_ = false;
    std::atomic<bool> is_present_ = true;
    std::atomic<bool> is_keeping_ = false;
    int64_t small_reply_bytes_ = 0;
  };

  enum class Estimate {
    kKnown,  // What came beside messages is at most what stock clients send.
    // It is the least that there is, and calls that were told to end held
    // nothing. Of connections that count nothing, as Unix sockets', each call
    // holds what it may.
    kPossible,
  };

  // Of one connection, which has calls.
  struct Holding {
    ConnectionId connection;
    std::string peer;
    int64_t bytes;
    int64_t num_calls;
  };
  // The greatest first.
  std::vector<Holding> Holdings(Estimate estimate);

  // Of all connections together, with what calls take beside their messages.
  // More than there is where a message is on its way that nobody counts.
  int64_t KnownBytes();

  // Of one connection, with calls or without.
  struct Sender {
    std::string peer;
    int64_t bytes;
    bool has_calls;  // or had some meanwhile
    // Of late, and some are there: what came may be their messages.
    bool has_few_calls;
  };
  // What came of late, for one epoch or two, that no call accounts for: headers
  // without end, or of calls that are so many that none of them begins. The
  // greatest first.
  std::vector<Sender> Senders();

  // Every second or so: forgets what was sent for calls that ended before the
  // last time; where older ones might hold it, a part, half of it in 44 epochs.
  void BeginEpoch();

 private:
  // Of how many calls of its connection it is one.
  int64_t Begin(Call& call, grpc::CallbackServerContext& context)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void End(Call& call) ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads what came for those that have calls, or for all.
  void Read(bool is_for_all) ABSL_LOCKS_EXCLUDED(mutex_);
  // What came so far on a connection, less what its calls account for.
  struct Rest {
    int64_t bytes;
    int64_t num_calls;
    int64_t num_calls_ever;
  };
  using Rests = absl::flat_hash_map<std::string, Rest>;
  Rests ReadRests() ABSL_LOCKS_EXCLUDED(mutex_);

  const ReceivedBytes received_bytes_;
  const CallLimit limit_;
  absl::Mutex mutex_;
  int64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_connections_ ABSL_GUARDED_BY(mutex_) = 0;  // ever
  absl::flat_hash_map<ConnectionId, std::unique_ptr<Connection>> connections_
      ABSL_GUARDED_BY(mutex_);
  // When this epoch began, and the one before.
  std::array<Rests, 2> rests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_HELD_BYTES_H_
