// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The memory of the program when more messages come at a time than it has room
// for, of callers who state that they are small.

#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "tests/e2e/server_program.h"
#include "tests/support/server_process.h"

// Sanitizers keep what is freed.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace stridecast::testing {
namespace {

using ::testing::Gt;
using ::testing::Lt;

constexpr int64_t kMiB = int64_t{1} << 20;

// The most that the process has had resident so far.
int64_t PeakBytes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
  for (std::string word; file >> word;) {
    int64_t kilobytes;
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes << 10;
  }
  ADD_FAILURE() << "no peak of " << pid;
  return std::numeric_limits<int64_t>::max();
}

grpc::ByteBuffer Message(size_t bytes) {
  const grpc::Slice slice(std::string(bytes, '\0'));
  return grpc::ByteBuffer(&slice, 1);
}

// One call of Compute that states fewer bytes than it sends.
struct LyingCall {
  LyingCall(const std::shared_ptr<grpc::Channel>& channel,
            const grpc::ByteBuffer& message, grpc::CompletionQueue& queue) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
    context.AddMetadata("stridecast-request-bytes", "100");
    reader = grpc::GenericStub(channel).PrepareUnaryCall(
        &context, "/stridecast.v1.TensorCompute/Compute", message, &queue);
    reader->StartCall();
    reader->Finish(&reply, &status, this);
  }

  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  grpc::ByteBuffer reply;
  grpc::Status status;
};

TEST(ServerMemoryTest, GreatMessagesAtATimeAreEndedBeforeItIsShort) {
  constexpr int64_t kMaxBytes = 256 * kMiB;
  constexpr int kNumConnections = 4;
  constexpr int kCallsOfEach = 32;
  ServerProcess server(kProgram, Flags({"--max-memory-bytes=256MiB",
                                        "--max-inflight-bytes=128MiB"}));
  const std::string address = server.WaitForAddress();
  ASSERT_FALSE(address.empty()) << server.err();
  const grpc::ByteBuffer message = Message(12 * kMiB);
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<LyingCall>> calls;
  for (int i = 0; i < kNumConnections; ++i) {
    grpc::ChannelArguments own_connection;
    own_connection.SetInt("connection", i);
    const auto channel = grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), own_connection);
    for (int k = 0; k < kCallsOfEach; ++k) {
      calls.push_back(std::make_unique<LyingCall>(channel, message, queue));
    }
  }
  int num_ended = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    void* tag;
    bool ok;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    const absl::Status status =
        FromGrpcStatus(static_cast<LyingCall*>(tag)->status);
    if (status.message() ==
        "request: memory ran short while it was on its way "
        "(--max-memory-bytes)") {
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_TRUE(RetryDelay(status).has_value());
      ++num_ended;
    }
  }
  EXPECT_THAT(num_ended, Gt(0));
  EXPECT_THAT(PeakBytes(server.pid()), Lt(kMaxBytes + 96 * kMiB));
  EXPECT_TRUE(Serves(address));
}

}  // namespace
}  // namespace stridecast::testing

#endif
