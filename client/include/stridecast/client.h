// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The C++ client: encode, call, decode.
//
//   Client client = Client::Connect("127.0.0.1:50051");
//   ProgramBuilder b;                       // stridecast/program.h
//   Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {2, 3}));
//   b.Result(b.Sqrt(x));
//   absl::StatusOr<std::vector<OwnedTensor>> results =
//       client.Compute(*b.Build(), {*View(buffer, {2, 3})});
//
// Rules:
//   - Thread-safe: one Client serves any number of threads. Copies share its
//     channel.
//   - Calls block. Every call has a deadline (60 s unless said otherwise). Do
//     not call from a gRPC callback.
//   - Operands are sent from the caller's memory, uncopied. A call returns when
//     gRPC has let go of that memory: at once, except that a call which fails
//     while its upload is stuck (the peer stopped reading) waits past its
//     deadline until the connection is given up: on channels of MakeChannel
//     after max_silence (4 s unless said otherwise, 3.3 s measured), on the
//     caller's own without such options many minutes.
//   - Results are copied once, from the received slices into the caller's
//     buffer or into an OwnedTensor.
//   - All calls are pure, so any of them may be repeated. The client itself
//     repeats a call, within its deadline, that failed with kUnavailable, with
//     a retry delay of the server's, with kCancelled though the caller stopped
//     nothing (its connection was being closed), with kInternal since a proxy
//     reset its stream (the server behind it died while it replied), or with
//     the end of ClientOptions::attempt_timeout.
//   - On a channel of MakeChannel to several servers, one that drains, dies or
//     falls silent so costs time, but no call (channel.h says how much).
//   - The client checks only what would make it touch wrong memory, null
//     included; the server owns the rules.
//   - async_client.h has these calls without waiting, stream_client.h those of
//     tensors of any size.
//
// A call in logs and traces: metadata goes to the server as it is, and whatever
// stands in between sees it. The server logs a call under an id, the trace id
// of its traceparent or one of the server's own; an error carries it, and
// on_trailers is told it of all.
//   std::string id;
//   const auto results = client.Compute(program, {x}, {
//       .metadata = {{"traceparent",
//                     "00-0af7651916cd43dd8448eb211c80319c-"
//                     "b7ad6b7169203331-01"}},
//       .on_trailers = [&](const CallMetadata& trailers) {
//         id = RequestIdOf(trailers);         // stridecast/error_details.h
//       }});
//   if (!results.ok()) id = RequestIdOf(results.status());  // the same
//
// Codes of errors; text and details are the server's (details by
// stridecast/error_details.h):
//   kInvalidArgument    the request breaks a rule; the text begins with the
//                       proto path of the field ("spec.results[0].shape: ...").
//                       Before anything is sent: operands or buffers that are
//                       not those of the signature, null data, metadata that
//                       HTTP/2 does not carry, a client of a null channel
//   kUnimplemented      an operation is not built (yet); do not retry
//   kResourceExhausted  over a limit (gRPC's own: 4 GiB a message): split;
//                       or no room: retry later
//   kDeadlineExceeded   the call's timeout ran out, or that of its last attempt
//   kCancelled          the call's token was stopped
//   kUnavailable        unreachable or draining: retry, elsewhere if possible
//   kInternal           a fault of the server, or a reply that makes no sense

#ifndef STRIDECAST_CLIENT_H_
#define STRIDECAST_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "stridecast/request.h"
#include "stridecast/tensor_view.h"
#include "stridecast/transport.h"

namespace stridecast {

template <typename T>
struct Rpc;

// Defaults of the calls of one Client.
struct ClientOptions {
  // From the call's begin, all attempts and waits included;
  // absl::InfiniteDuration(): none. Not of streams (stream_client.h).
  absl::Duration timeout = absl::Seconds(60);
  // Whether calls wait for an unreachable server, instead of failing at once
  // with kUnavailable.
  bool wait_for_ready = false;
  // How often a call is tried; 1: never repeated.
  int max_attempts = 3;
  // Sent along with every call. Keys and values: transport.h.
  CallMetadata metadata = {};
  // Of each attempt, for whoever knows how long calls take. Without it an
  // attempt ends when its connection does: enough where that leads to the
  // server itself, but a proxy in between keeps it up while the server behind
  // is gone. As a call returns when its memory is free, one whose upload is
  // stuck gains no time by this.
  absl::Duration attempt_timeout = absl::InfiniteDuration();
};

// Of one call; what is not set is as in ClientOptions.
struct CallOptions {
  std::optional<absl::Duration> timeout = std::nullopt;
  std::optional<bool> wait_for_ready = std::nullopt;
  // Sent along, after that of the client.
  CallMetadata metadata = {};
  // A call whose token is stopped ends with kCancelled, soon.
  std::stop_token stop = {};
  // Called with what the server says at the end of the call, of each attempt of
  // a repeated one, before the call itself ends; by one of gRPC's threads: it
  // must not block. Not called where no attempt is made.
  std::function<void(const CallMetadata&)> on_trailers = nullptr;
  // As ClientOptions::attempt_timeout.
  std::optional<absl::Duration> attempt_timeout = std::nullopt;
};

// How the server would treat one operand or result.
struct ExplainedTensor {
  TensorDesc desc;  // physical form made explicit
  // Of operands: a stream may send it piece by piece. Of results: it leaves
  // piece by piece.
  bool is_streamed = false;
  // Of a streamed operand: the bytes that are read, evenly over the
  // computation.
  int64_t stream_begin = 0;
  int64_t stream_end = 0;
};

// The plan of a request, made without data.
struct Explanation {
  std::vector<ExplainedTensor> operands;
  std::vector<ExplainedTensor> results;
  int64_t scratch_bytes = 0;        // of the server, during the computation
  int64_t admitted_bytes = 0;       // what the call counts for in flight
  int64_t stream_memory_bytes = 0;  // the same of a stream
  int64_t max_chunk_bytes = 0;      // of one message of a stream; 0: not stated
  std::string text;                 // passes and loops, for people; unstable
};

// What a server says of itself.
struct ServerInfo {
  struct Support {
    std::string operation;     // "BROADCAST_IN_DIM"; "opcode 250": a newer one
    std::vector<DType> types;  // of its operands
  };
  std::string version;                    // "1.2.3"
  std::string simd_target;                // "AVX2"
  std::map<std::string, int64_t> limits;  // by name: "max_message_bytes"
  std::vector<Support> operations;        // those that are built
  std::vector<std::string> features;      // of the contract, beyond version 1
};

// A program that is encoded once, to be sent many times with other data. Never
// changes; copies share what was encoded. Thread-safe.
class PreparedCompute {
 public:
  // For Compute.
  explicit PreparedCompute(const Signature& signature);
  // For ComputeInto, into buffers of these descriptors, one per ResultSpec (or
  // the call fails with kInvalidArgument); they take the place of type, shape
  // and physical form there.
  PreparedCompute(const Signature& signature,
                  absl::Span<const TensorDesc> results);

  // What was moved from remains what it was.
  PreparedCompute(const PreparedCompute&) = default;
  PreparedCompute& operator=(const PreparedCompute&) = default;

  const Signature& signature() const;

  struct Encoded;  // the client's own
  const Encoded& encoded() const { return *encoded_; }

 private:
  std::shared_ptr<const Encoded> encoded_;
};

class Client {
 public:
  // Over a plaintext channel as MakeChannel (stridecast/channel.h) makes it;
  // `target` is a gRPC name: "host:port", "dns:///host:port", "unix:/path".
  // Connects in the background: an unreachable server shows in the first call,
  // and so does a target that is none (kInvalidArgument).
  static Client Connect(const std::string& target,
                        const ClientOptions& options = {});

  // Calls over a channel of the caller's, with the caller's options: gRPC's
  // defaults refuse replies of more than 4 MiB and, without keepalive, do not
  // bound the wait for a stuck upload (above).
  explicit Client(std::shared_ptr<grpc::Channel> channel,
                  const ClientOptions& options = {});

  // Calls over a transport of the caller's: a fake, in tests.
  explicit Client(std::shared_ptr<Transport> transport,
                  const ClientOptions& options = {});

  // Runs a program. `operands` are described exactly as the signature's
  // operands are, one for one; kInvalidArgument otherwise. One result per
  // ResultSpec of the signature.
  absl::StatusOr<std::vector<OwnedTensor>> Compute(
      const Signature& signature, absl::Span<const TensorView> operands,
      const CallOptions& options = {}) const;

  absl::StatusOr<std::vector<OwnedTensor>> Compute(
      const PreparedCompute& prepared, absl::Span<const TensorView> operands,
      const CallOptions& options = {}) const;

  // The same into the caller's buffers, one per ResultSpec. Their descriptors
  // are what is asked for: they take the place of type, shape and physical form
  // of the signature's ResultSpecs. If the call fails, buffers may have been
  // written to.
  absl::Status ComputeInto(const Signature& signature,
                           absl::Span<const TensorView> operands,
                           absl::Span<const MutableTensorView> results,
                           const CallOptions& options = {}) const;
  // The buffers have the descriptors that it was prepared for.
  absl::Status ComputeInto(const PreparedCompute& prepared,
                           absl::Span<const TensorView> operands,
                           absl::Span<const MutableTensorView> results,
                           const CallOptions& options = {}) const;

  // The operand with another physical form, and another element type if
  // `convert` says so.
  absl::StatusOr<OwnedTensor> Relayout(
      const TensorView& operand, const PhysicalForm& result_form,
      const std::optional<ConvertAttribute>& convert = std::nullopt,
      const CallOptions& options = {}) const;

  // The same into the caller's buffer; converted, with `overflow` as the rule,
  // if its element type is another.
  absl::Status RelayoutInto(const TensorView& operand,
                            const MutableTensorView& result,
                            Overflow overflow = Overflow::kUnspecified,
                            const CallOptions& options = {}) const;

  // What Compute would do, and every error that does not depend on load.
  absl::StatusOr<Explanation> Explain(const Signature& signature,
                                      const CallOptions& options = {}) const;

  absl::StatusOr<ServerInfo> GetServerInfo(
      const CallOptions& options = {}) const;

 private:
  friend class AsyncClient;
  friend class AsyncStreamClient;
  friend class StreamClient;
  template <typename T>
  absl::StatusOr<T> Await(absl::StatusOr<Rpc<T>> rpc,
                          const CallOptions& options) const;

  std::shared_ptr<Transport> transport_;
  ClientOptions options_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_H_
