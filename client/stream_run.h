// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One ComputeStream of the client, from begin to its end.
// Rules:
//   - what comes is taken while something is on its way: the server computes
//     nothing more while results wait
//   - HELD operands go first, whole; of the STREAMED ones always that which is
//     behind: none runs ahead of another by more than a chunk and a step
//   - events are handled one at a time: by the thread that waits for the end,
//     else by whichever brings the first of them
//   - memory of operands is lent until the end

#ifndef STRIDECAST_CLIENT_STREAM_RUN_H_
#define STRIDECAST_CLIENT_STREAM_RUN_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "client/message_lease.h"
#include "client/stream_rpc.h"
#include "grpcpp/alarm.h"
#include "stridecast/transport.h"

namespace stridecast {

class StreamRun : public std::enable_shared_from_this<StreamRun> {
 public:
  // Errors of both: kInvalidArgument if `job.begin` could not be encoded.

  // Waits for the end. Functions are called by this thread.
  static absl::Status Run(std::shared_ptr<Transport> transport,
                          const CallHeader& header, StreamJob job);

  // Calls `done` once at the end, on any thread, perhaps before this returns.
  static void Start(std::shared_ptr<Transport> transport,
                    const CallHeader& header, StreamJob job,
                    std::function<void(absl::Status)> done);

 private:
  struct Operand {
    StreamJob::Operand source;
    int64_t sent_bytes = 0;
    bool is_streamed = false;
    int64_t stream_begin = 0;
    int64_t stream_end = 0;

    // How much of what is computed from it was sent, from 0 to 1.
    double Progress() const;
  };
  struct Result {
    WriteBytes write;
    int64_t size_bytes = 0;
    int64_t received_bytes = 0;
  };
  using Event = TransportStream::Event;
  using Arrival = std::pair<Event, grpc::ByteBuffer>;

  StreamRun(std::shared_ptr<Transport> transport, StreamJob job);

  void Begin(const CallHeader& header, grpc::ByteBuffer begin);
  void OnEvent(Event event, grpc::ByteBuffer message);
  // Until none is left that has arrived.
  void HandleArrivals();
  void HandleUntilEnd();
  void Handle(const Arrival& arrival);
  absl::Status React(const Arrival& arrival);
  void EndWhenMemoryIsFree();
  bool TryEndLeases();

  absl::Status Take(const grpc::ByteBuffer& message);
  absl::Status TakeReady(const Explanation& ready);
  // Sends the next chunk, or half-closes.
  absl::Status SendNext();
  Operand* NextOperand();
  absl::Status CheckComplete() const;
  void NoteProgress();

  const std::shared_ptr<Transport> transport_;
  const StreamOptions options_;
  std::function<void(absl::Status)> done_;
  std::unique_ptr<TransportStream> stream_;  // until its end
  std::shared_ptr<grpc::Alarm> alarm_;

  absl::Mutex mutex_;
  std::deque<Arrival> arrivals_ ABSL_GUARDED_BY(mutex_);
  bool is_handling_ ABSL_GUARDED_BY(mutex_) = true;

  // Of the thread that handles events.
  absl::Status outcome_;  // an error ends the call
  std::vector<Operand> operands_;
  std::vector<Result> results_;
  std::deque<MessageLease> leases_;  // of chunks that view operands
  int64_t chunk_bytes_ = 0;          // at most; 0: not ready yet
  bool is_writing_ = false;
  bool is_half_closed_ = false;
  StreamProgress progress_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_STREAM_RUN_H_
