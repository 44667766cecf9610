// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A client that sends requests made beforehand and receives bytes, without
// looking at either. Whatever fails exits the program.

#ifndef STRIDECAST_TESTS_BENCH_PEER_H_
#define STRIDECAST_TESTS_BENCH_PEER_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stridecast::bench {

// What is sent, again and again, in one slice, as if read from a file.
struct Request {
  std::string method;
  grpc::ByteBuffer bytes;
};
// x + 1 of f32.
Request AddOne(int64_t operand_bytes);
// A Relayout of f32 [n,64,64,64], n of at least 1.
Request NchwToNhwc(int64_t operand_bytes);
// A picture u8 [1,n,512,3] of about so many bytes to normalised f32
// [1,3,n,512].
Request NormalizeImages(int64_t operand_bytes);
Request HealthCheck();

struct Endpoint {
  std::string address;
  std::shared_ptr<grpc::ChannelCredentials> credentials =
      grpc::InsecureChannelCredentials();
};

// Connections to one server, and the calls that are in flight on them.
class Peer {
 public:
  Peer(const Endpoint& endpoint, int num_connections);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Seconds of one call.
  double Call(const Request& request);
  // Of `count` calls, so many of them in flight.
  double Calls(const Request& request, int count, int in_flight);

 private:
  void Start(const Request& request);
  void Wait();

  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  size_t next_ = 0;
};

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_PEER_H_
