// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One ComputeStream of the client, from begin to its end.
// Rules:
//   - what comes is taken while something is on its way: the server computes
//     nothing more while results wait
//   - HELD operands go first, whole; of the STREAMED ones always that which is
//     behind, so that none runs ahead of another by more than a chunk and a
//     step
//   - memory of operands is lent until Run() returns

#ifndef STRIDECAST_CLIENT_STREAM_RUN_H_
#define STRIDECAST_CLIENT_STREAM_RUN_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/message_lease.h"
#include "stridecast/stream_client.h"
#include "stridecast/transport.h"

namespace stridecast {

class StreamRun {
 public:
  // Of an operand: in memory or, without, from the function.
  struct Source {
    const std::byte* memory = nullptr;
    ReadBytes read;
  };

  StreamRun(std::unique_ptr<TransportStream> stream, const Signature& signature,
            std::vector<Source> operands, std::vector<WriteBytes> results,
            const StreamOptions& options);

  absl::Status Run();

 private:
  struct Operand {
    Source source;
    int64_t size_bytes;
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

  absl::Status Communicate();
  absl::Status Take(const grpc::ByteBuffer& message);
  absl::Status TakeReady(const Explanation& ready);
  // Sends the next chunk, or half-closes.
  absl::Status SendNext();
  Operand* NextOperand();
  absl::Status CheckComplete() const;
  void NoteProgress();

  std::unique_ptr<TransportStream> stream_;
  const Signature& signature_;
  const StreamOptions& options_;
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
