// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: a running server on a free loopback
// port, messages from text, calls with raw bytes, and waiting with a limit.

#ifndef STRIDECAST_TESTS_SERVICE_SERVICE_TESTING_H_
#define STRIDECAST_TESTS_SERVICE_SERVICE_TESTING_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/byte_buffer.h"
#include "gtest/gtest.h"
#include "server/server.h"
#include "stridecast/v1/service.grpc.pb.h"
#include "tests/service/fake_engine.h"

namespace stridecast::testing {

// A free port, no delay in shutting down, no log lines.
ServerOptions TestOptions();

class TestServer {
 public:
  explicit TestServer(const ServerOptions& options = TestOptions());
  TestServer(const ServerOptions& options,
             std::shared_ptr<FakeControl> control);

  Server& server() { return *server_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  v1::TensorCompute::Stub& stub() { return *stub_; }
  // Before the end of its scope.
  void Stop() { server_.reset(); }

  // A connection of its own.
  std::shared_ptr<grpc::Channel> NewChannel() const;

 private:
  void Connect();

  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::TensorCompute::Stub> stub_;
};

// The message that the text says, in protobuf's text format.
template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << text;
  return message;
}

// A call of `method` ("Compute") with those bytes as its message.
absl::StatusOr<grpc::ByteBuffer> CallRaw(
    const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
    const grpc::ByteBuffer& request, grpc::ClientContext& context);
absl::StatusOr<grpc::ByteBuffer> CallRaw(
    const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
    const grpc::ByteBuffer& request);

grpc::ByteBuffer ToByteBuffer(const std::string& bytes);
std::string ToString(const grpc::ByteBuffer& buffer);

// Until `condition` holds; false if it does not within ten seconds.
bool WaitUntil(const std::function<bool()>& condition);

inline std::chrono::system_clock::time_point SecondsFromNow(double seconds) {
  return std::chrono::system_clock::now() +
         std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

// A request of IDENTITY on `num_floats` numbers 0, 1, 2 ..., answered raw.
v1::ComputeRequest IdentityRequest(int64_t num_floats);

// A request without operands, answered by so many raw bytes.
v1::ComputeRequest IotaRequest(int64_t num_bytes);

// The floats of a raw payload.
std::vector<float> FloatsOf(const v1::Payload& payload);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SERVICE_SERVICE_TESTING_H_
