// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The memory of the program when more messages come at a time than it has room
// for, of callers who state that they are small.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
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

using ::testing::ElementsAre;
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

// One call that states fewer bytes than it sends.
struct LyingCall {
  LyingCall(const std::shared_ptr<grpc::Channel>& channel,
            const std::string& path, const grpc::ByteBuffer& message,
            grpc::CompletionQueue& queue) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
    context.AddMetadata("stridecast-request-bytes", "100");
    reader = grpc::GenericStub(channel).PrepareUnaryCall(&context, path,
                                                         message, &queue);
    reader->StartCall();
    reader->Finish(&reply, &status, this);
  }

  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  grpc::ByteBuffer reply;
  grpc::Status status;
};

// A stream x + x of two numbers, of which one is sent.
class RestingStream {
 public:
  explicit RestingStream(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::TensorCompute::NewStub(channel)) {
    context_.set_deadline(std::chrono::system_clock::now() +
                          std::chrono::seconds(120));
    stream_ = stub_->ComputeStream(&context_);
    v1::ComputeStreamRequest begin;
    *begin.mutable_begin() = SmallRequest().spec();
    EXPECT_TRUE(stream_->Write(begin));
    Send(0, 3.5);
    v1::ComputeStreamResponse ready;
    EXPECT_TRUE(stream_->Read(&ready));
  }

  // The sum, or what the server says instead.
  absl::StatusOr<std::vector<float>> Finish() {
    Send(4, -8);
    stream_->WritesDone();
    std::string data;
    for (v1::ComputeStreamResponse response; stream_->Read(&response);) {
      data += response.result().data();
    }
    const absl::Status status = FromGrpcStatus(stream_->Finish());
    if (!status.ok()) return status;
    std::vector<float> numbers(data.size() / sizeof(float));
    std::memcpy(numbers.data(), data.data(), numbers.size() * sizeof(float));
    return numbers;
  }

 private:
  void Send(int64_t offset, float number) {
    v1::ComputeStreamRequest request;
    request.mutable_operand()->set_offset(offset);
    request.mutable_operand()->set_data(&number, sizeof(number));
    stream_->Write(request);
  }

  std::unique_ptr<v1::TensorCompute::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ComputeStreamRequest,
                                           v1::ComputeStreamResponse>>
      stream_;
};

class ServerMemoryTest : public ::testing::TestWithParam<const char*> {};

// Those who send too much are ended, and nobody else: neither streams at rest
// nor small calls on other connections.
TEST_P(ServerMemoryTest, GreatMessagesAtATimeAreEndedBeforeItIsShort) {
  constexpr int64_t kMaxBytes = 256 * kMiB;
  constexpr int kNumConnections = 4;
  constexpr int kCallsOfEach = 32;
  ServerProcess server(kProgram, Flags({"--max-memory-bytes=256MiB",
                                        "--max-inflight-bytes=128MiB"}));
  const std::string address = server.WaitForAddress();
  ASSERT_FALSE(address.empty()) << server.err();
  const auto honest = NewConnection(address);
  std::vector<std::unique_ptr<RestingStream>> streams;
  for (int i = 0; i < 20; ++i) {
    streams.push_back(std::make_unique<RestingStream>(honest));
  }

  const grpc::ByteBuffer message = Message(12 * kMiB);
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<LyingCall>> calls;
  for (int i = 0; i < kNumConnections; ++i) {
    const auto channel = NewConnection(address);
    for (int k = 0; k < kCallsOfEach; ++k) {
      calls.push_back(
          std::make_unique<LyingCall>(channel, GetParam(), message, queue));
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
    } else if (status.code() == absl::StatusCode::kUnavailable) {
      ++num_ended;  // with its connection: they came too fast
    }
    EXPECT_TRUE(Serves(address));
  }
  EXPECT_THAT(num_ended, Gt(0));
  EXPECT_THAT(PeakBytes(server.pid()), Lt(kMaxBytes + 96 * kMiB));
  for (const auto& stream : streams) {
    const absl::StatusOr<std::vector<float>> sum = stream->Finish();
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_THAT(*sum, ElementsAre(7, -16));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, ServerMemoryTest,
    ::testing::Values("/stridecast.v1.TensorCompute/Compute",
                      "/stridecast.v1.TensorCompute/ComputeStream",
                      "/grpc.health.v1.Health/Check"),
    [](const auto& method) -> std::string {
      return std::strrchr(method.param, '/') + 1;
    });

}  // namespace
}  // namespace stridecast::testing

#endif
