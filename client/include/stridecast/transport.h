// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The seam between the client and the network: calls of serialised messages.
// Tests put a fake here; programs normally need nothing of this file.

#ifndef STRIDECAST_TRANSPORT_H_
#define STRIDECAST_TRANSPORT_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/support/byte_buffer.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stridecast {

// Keys and values that a call sends along. Keys are lower-case letters, digits
// and "-_."; values are printable ASCII, or any bytes if the key ends in
// "-bin".
using CallMetadata = std::vector<std::pair<std::string, std::string>>;

// What a call says besides its messages.
struct CallHeader {
  std::string method;  // "/stridecast.v1.TensorCompute/Compute"
  absl::Time deadline = absl::InfiniteFuture();
  // Whether an unreachable server is waited for, until the deadline, instead
  // of failing the call at once.
  bool wait_for_ready = false;
  CallMetadata metadata;
  // Stopped, it ends the call with kCancelled.
  std::stop_token stop;
  // Called with what the server says at the end, before the end is told. Empty:
  // nobody wants to know.
  std::function<void(const CallMetadata&)> on_trailers;
};

// A call of many messages in both directions. What a method begins, an event
// ends. Methods are called by one thread at a time, and none after kEnded;
// destroyed after kEnded alone.
class TransportStream {
 public:
  enum class Event {
    kWritten,  // what Write or HalfClose began has left: another may follow
    kRead,     // a message came, with the event: another Read may follow
    kEnded,    // the last event, also of a call that failed
  };
  // Called by any thread, by several at a time, and perhaps before the method
  // that began what it tells has returned.
  using OnEvent = std::function<void(Event, grpc::ByteBuffer message)>;

  virtual ~TransportStream() = default;

  // Begins to send a message, or to say that there are no more. A call that
  // fails meanwhile tells kEnded instead of kWritten.
  virtual void Write(grpc::ByteBuffer message) = 0;
  virtual void HalfClose() = 0;
  // Begins to wait for a message or the end, which comes only while this waits,
  // or after Cancel.
  virtual void Read() = 0;
  // Ends the call soon, with kEnded.
  virtual void Cancel() = 0;

  // After kEnded.
  virtual absl::Status status() const = 0;
};

class Transport {
 public:
  using Reply = absl::StatusOr<grpc::ByteBuffer>;

  virtual ~Transport() = default;

  // Sends `request` and, when the call has ended, calls `done` once: on any
  // thread, perhaps before this returns. Thread-safe.
  // The request may view memory of the caller's. The client does not end a call
  // before every reference to the request's slices is dropped: an
  // implementation that keeps one for good makes its caller wait for good.
  virtual void Call(const CallHeader& header, const grpc::ByteBuffer& request,
                    std::function<void(Reply)> done) = 0;

  // Thread-safe. Errors show in the stream's status. No event comes before the
  // first method is called.
  virtual std::unique_ptr<TransportStream> OpenStream(
      const CallHeader& header, TransportStream::OnEvent on_event) = 0;
};

// Calls over a gRPC channel. Code, text and details of errors are the server's,
// or gRPC's own where no server was reached (kUnavailable, kDeadlineExceeded).
// Null for a null channel.
std::shared_ptr<Transport> MakeChannelTransport(
    std::shared_ptr<grpc::Channel> channel);

}  // namespace stridecast

#endif  // STRIDECAST_TRANSPORT_H_
