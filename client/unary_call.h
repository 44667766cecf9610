// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One unary call of a client: tried again where that may help, and ended only
// when gRPC has let go of the caller's memory.

#ifndef STRIDECAST_CLIENT_UNARY_CALL_H_
#define STRIDECAST_CLIENT_UNARY_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "absl/time/time.h"
#include "client/message_lease.h"
#include "grpcpp/alarm.h"
#include "grpcpp/support/byte_buffer.h"
#include "stridecast/transport.h"

namespace stridecast {

class UnaryCall : public std::enable_shared_from_this<UnaryCall> {
 public:
  using Reply = Transport::Reply;

  struct Attempts {
    int max = 1;
    absl::Duration timeout = absl::InfiniteDuration();  // of each
  };

  // Calls `done` once, on any thread, perhaps before this returns. It is tried
  // again as client.h says, but not after the header's deadline.
  static void Start(std::shared_ptr<Transport> transport, CallHeader header,
                    const Attempts& attempts, const grpc::ByteBuffer& request,
                    std::function<void(Reply)> done);

 private:
  struct CancelAlarm {
    grpc::Alarm* alarm;
    void operator()() const { alarm->Cancel(); }
  };

  UnaryCall(std::shared_ptr<Transport> transport, CallHeader header,
            const Attempts& attempts, const grpc::ByteBuffer& request,
            std::function<void(Reply)> done);

  void Try();
  // Whether the attempt that ended so was not the caller's nor the server's
  // last word.
  bool MayRepeat(const absl::Status& status) const;
  void OnReply(Reply reply);
  // Keeps the reply until the memory is free.
  void End(Reply reply);
  // Calls `then` on a thread of gRPC's after `delay`, or when `stop` is
  // stopped.
  void Wait(absl::Duration delay, const std::stop_token& stop,
            std::function<void()> then);

  const std::shared_ptr<Transport> transport_;
  const absl::Time deadline_;
  const Attempts attempts_;
  CallHeader header_;  // of the current attempt, with its deadline
  std::function<void(Reply)> done_;
  MessageLease lease_;
  int num_attempts_ = 0;
  std::optional<Reply> reply_;  // from the end of the last try on
  std::shared_ptr<grpc::Alarm> alarm_;
  std::optional<std::stop_callback<CancelAlarm>> on_stop_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_UNARY_CALL_H_
