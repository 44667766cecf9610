// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What bounds the callers together: calls in flight, program size, connections
// without calls or of some age, threads that gRPC's own services take.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "tests/service/background_call.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Le;

TEST(LimitsTest, CallsInFlight) {
  ServerOptions options = TestOptions();
  options.max_inflight_calls = 2;
  const auto control = std::make_shared<FakeControl>();
  TestServer server(options, control);
  BackgroundCall first(server, IdentityRequest(1));
  BackgroundCall second(server, IdentityRequest(1));
  ASSERT_TRUE(WaitUntil([&] { return control->num_at_gate == 2; }));

  const absl::Status refused =
      BackgroundCall(server, IdentityRequest(1), 30).Wait();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("as many calls as --max-inflight-calls 2 run"));
  EXPECT_EQ(RetryDelay(refused), kRetryDelay);
  {
    grpc::ClientContext context;
    const auto stream = server.stub().ComputeStream(&context);
    v1::ComputeStreamResponse response;
    EXPECT_FALSE(stream->Read(&response));
    EXPECT_EQ(stream->Finish().error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
  }

  control->gate_open = true;
  EXPECT_EQ(first.Wait(), absl::OkStatus());
  EXPECT_EQ(second.Wait(), absl::OkStatus());
  // A call's place is free soon after its answer has come.
  EXPECT_TRUE(WaitUntil([&] {
    return BackgroundCall(server, IdentityRequest(1), 30).Wait().ok();
  }));
}

// A stream has one place from its arrival to its end.
TEST(LimitsTest, StreamsAreCallsInFlight) {
  ServerOptions options = TestOptions();
  options.max_inflight_calls = 1;
  TestServer server(options);
  const auto compute = [&] {
    return BackgroundCall(server, IdentityRequest(1), 30).Wait();
  };
  {
    grpc::ClientContext context;
    const auto stream = server.stub().ComputeStream(&context);
    EXPECT_TRUE(WaitUntil([&] {
      return compute().code() == absl::StatusCode::kResourceExhausted;
    }));
    stream->WritesDone();
    EXPECT_EQ(stream->Finish().error_code(),
              grpc::StatusCode::FAILED_PRECONDITION);
  }
  EXPECT_TRUE(WaitUntil([&] { return compute().ok(); }));
}

TEST(LimitsTest, InstructionsOfAProgram) {
  ServerOptions options = TestOptions();
  options.max_instructions = 3;
  TestServer server(options);
  v1::ComputeRequest request = IdentityRequest(1);
  const v1::Instruction instruction = request.spec().instructions(0);
  while (request.spec().instructions_size() < 3) {
    *request.mutable_spec()->add_instructions() = instruction;
  }
  EXPECT_EQ(BackgroundCall(server, request).Wait(), absl::OkStatus());
  *request.mutable_spec()->add_instructions() = instruction;
  const absl::Status refused = BackgroundCall(server, request).Wait();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("4"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("3"));
}

bool IsConnected(const std::shared_ptr<grpc::Channel>& channel) {
  return channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
}

TEST(LimitsTest, ConnectionsWithoutCallsAreClosed) {
  ServerOptions options = TestOptions();
  options.max_connection_idle_seconds = 1;
  const auto control = std::make_shared<FakeControl>();
  TestServer server(options, control);
  const auto idle = server.NewChannel();
  ASSERT_TRUE(idle->WaitForConnected(SecondsFromNow(30)));
  BackgroundCall call(server, IdentityRequest(1));
  ASSERT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
  EXPECT_TRUE(WaitUntil([&] { return !IsConnected(idle); }));
  EXPECT_TRUE(IsConnected(server.channel())) << "has a call";
  control->gate_open = true;
  EXPECT_EQ(call.Wait(), absl::OkStatus());
}

// A call that runs is not lost, a new one takes a new connection.
TEST(LimitsTest, OldConnectionsAreReplaced) {
  ServerOptions options = TestOptions();
  options.max_connection_age_seconds = 1;
  const auto control = std::make_shared<FakeControl>();
  TestServer server(options, control);
  BackgroundCall call(server, IdentityRequest(1));
  ASSERT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
  EXPECT_TRUE(WaitUntil([&] { return !IsConnected(server.channel()); }));
  control->gate_open = true;
  EXPECT_EQ(call.Wait(), absl::OkStatus());
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1)).Wait(),
            absl::OkStatus());
}

int NumThreads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// Each takes a thread of the server as long as it lives.
TEST(LimitsTest, ReflectionStreamsTakeNoThreadsWithoutEnd) {
  constexpr int kNumStreams = 100;
  constexpr int kMaxThreads = 8;
  ServerOptions options = TestOptions();
  options.max_grpc_threads = kMaxThreads;
  TestServer server(options);
  const int threads_before = NumThreads();

  grpc::GenericStub stub(server.channel());
  grpc::CompletionQueue queue;
  struct Stream {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
    grpc::Status status;
  };
  std::vector<Stream> streams(kNumStreams);
  for (Stream& stream : streams) {
    stream.call = stub.PrepareCall(
        &stream.context,
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        &queue);
    stream.call->StartCall(nullptr);
    stream.call->Finish(&stream.status, &stream);
  }
  const auto next_ended = [&]() -> const Stream* {
    void* tag = nullptr;
    bool ok;
    while (tag == nullptr) {
      if (queue.AsyncNext(&tag, &ok, SecondsFromNow(10)) !=
          grpc::CompletionQueue::GOT_EVENT) {
        return nullptr;
      }
    }
    return static_cast<const Stream*>(tag);
  };
  for (int i = 0; i < kNumStreams - kMaxThreads; ++i) {
    const Stream* const refused = next_ended();
    ASSERT_NE(refused, nullptr) << i << " were refused";
    EXPECT_EQ(refused->status.error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  EXPECT_THAT(NumThreads(), Le(threads_before + kMaxThreads + 2))
      << "two may be our own";
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());

  for (Stream& stream : streams) stream.context.TryCancel();
  for (int i = kNumStreams - kMaxThreads; i < kNumStreams; ++i) {
    EXPECT_NE(next_ended(), nullptr);
  }
  queue.Shutdown();
}

}  // namespace
}  // namespace stridecast::testing
