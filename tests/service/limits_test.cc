// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What bounds the callers together: calls in flight, messages that are awaited,
// program size, streams of reflection.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "server/connection_acceptor.h"
#include "tests/service/background_call.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Ge;
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

// Whether a call that states its bytes succeeds.
bool ComputesStating(TestServer& server, const v1::ComputeRequest& request) {
  const std::string bytes = request.SerializeAsString();
  grpc::ClientContext context;
  context.set_deadline(SecondsFromNow(60));
  context.AddMetadata(kRequestBytesKey, absl::StrCat(bytes.size()));
  return CallRaw(server.channel(), "Compute", ToByteBuffer(bytes), context)
      .ok();
}

// The budget has room for 6 of 1.5 MiB; but 16 there may always be, half of
// them on one connection.
TEST(LimitsTest, MessagesOfUnknownSize) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 10'000'000;
  options.max_message_bytes = 1'000'000;
  TestServer server(options);
  const PeerSlots& unknown =
      *server.server().service().environment().unknown_messages;
  const auto other = server.NewChannel();
  UnsentCalls unsent = UnsentOn(other, 8);
  ASSERT_TRUE(WaitUntil([&] { return unknown.num_taken() == 8; }));
  UnsentCall ninth(other, std::nullopt);
  EXPECT_EQ(ninth.End().error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(ninth.End().error_message(),
              HasSubstr("8 messages of callers who do not state their size"));
  EXPECT_THAT(ninth.End().error_message(),
              HasSubstr("as many as a connection may have"));
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());

  const UnsentCalls more = UnsentOn(server.NewChannel(), 8);
  ASSERT_TRUE(WaitUntil([&] { return unknown.num_taken() == 16; }));
  const absl::Status refused =
      BackgroundCall(server, IdentityRequest(1), 30).Wait();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("16 messages of callers who do not state their size"));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("as many as there may be"));
  EXPECT_EQ(RetryDelay(refused), kRetryDelay);
  EXPECT_TRUE(ComputesStating(server, IdentityRequest(1)));
  unsent.pop_back();
  ASSERT_TRUE(WaitUntil([&] { return unknown.num_taken() == 15; }));
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());
  EXPECT_TRUE(WaitUntil([&] { return unknown.num_taken() == 15; }));
}

// Who waits longest without sending makes room for others.
TEST(LimitsTest, MessagesThatDoNotComeWhileOthersWait) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 10'000'000;
  options.max_message_bytes = 1'000'000;
  TestServer server(options);
  const PeerSlots& unknown =
      *server.server().service().environment().unknown_messages;
  UnsentCall longest(server.channel(), std::nullopt);
  ASSERT_TRUE(WaitUntil([&] { return unknown.num_taken() == 1; }));
  const UnsentCalls others = UnsentOn(server.channel(), 7);
  EXPECT_EQ(longest.End().error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(longest.End().error_message(),
              HasSubstr("request: it did not come within 5 s, and others"));
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());
}

// Nor does who states a size, and so holds room that others want.
TEST(LimitsTest, StatedMessagesThatDoNotComeWhileOthersWait) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 10'000'000;
  options.max_message_bytes = 1'000'000;
  TestServer server(options);
  const ByteBudget& budget =
      server.server().service().environment().memory->budget;
  UnsentCall longest(server, 1'000'000);
  ASSERT_TRUE(WaitUntil([&] { return budget.inflight_bytes() > 0; }));
  UnsentCalls others;
  for (int i = 0; i < 2; ++i) {
    others.push_back(std::make_unique<UnsentCall>(server, 1'000'000));
  }
  EXPECT_EQ(longest.End().error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(longest.End().error_message(),
            "request: it did not come within 8 s, and others want its "
            "1000000 bytes of --max-inflight-bytes");
}

// However long the deadline that its caller states.
TEST(LimitsTest, AMessageThatDoesNotCome) {
  ServerOptions options = TestOptions();
  options.default_deadline_seconds = 1;
  TestServer server(options);
  for (const std::optional<int64_t> bytes :
       {std::optional<int64_t>(), std::optional<int64_t>(1000)}) {
    UnsentCall call(server, bytes);
    const grpc::Status& status = call.End();
    EXPECT_EQ(status.error_code(), grpc::DEADLINE_EXCEEDED);
    EXPECT_EQ(status.error_message(),
              "request: it did not come within 1 s "
              "(--default-deadline-seconds)");
  }
  const PeerSlots& unknown =
      *server.server().service().environment().unknown_messages;
  EXPECT_TRUE(WaitUntil([&] { return unknown.num_taken() == 0; }));
}

// Room for a copy and a result, up to an eighth of the budget; once the message
// is there it is what the plan takes.
TEST(LimitsTest, StatedBytesHoldRoomForTheRun) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 80'000'000;
  options.max_message_bytes = 80'000'000;
  const auto control = std::make_shared<FakeControl>();
  TestServer server(options, control);
  const ByteBudget& budget =
      server.server().service().environment().memory->budget;
  for (const auto& [stated, held] :
       {std::pair{1'000'000, 3'000'000}, std::pair{5'000'000, 15'000'000},
        std::pair{20'000'000, 30'000'000}, std::pair{79'000'000, 80'000'000}}) {
    {
      UnsentCall call(server, stated);
      EXPECT_TRUE(WaitUntil([&] { return budget.inflight_bytes() == held; }))
          << stated << ": " << budget.inflight_bytes();
    }
    EXPECT_TRUE(WaitUntil([&] { return budget.inflight_bytes() == 0; }));
  }

  const v1::ComputeRequest request = IdentityRequest(250'000);
  int64_t held_unstated = 0;
  {
    BackgroundCall call(server, request);
    ASSERT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
    held_unstated = budget.inflight_bytes();
    control->gate_open = true;
    EXPECT_EQ(call.Wait(), absl::OkStatus());
  }
  EXPECT_GE(held_unstated, 2'000'000);
  EXPECT_TRUE(WaitUntil([&] { return budget.inflight_bytes() == 0; }));
  control->gate_open = false;
  std::thread stating([&] { EXPECT_TRUE(ComputesStating(server, request)); });
  EXPECT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
  // A copy is made only of a message in pieces.
  EXPECT_GE(budget.inflight_bytes(), 2'000'000);
  EXPECT_LT(budget.inflight_bytes(),
            3 * static_cast<int64_t>(request.ByteSizeLong()));
  control->gate_open = true;
  stating.join();
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

int NumThreads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// 64 of all, 8 of a connection, of which those that were silent longest make
// room; none takes a thread.
TEST(LimitsTest, ReflectionStreams) {
  constexpr int kNumConnections = 9;
  constexpr int kStreamsOfEach = 9;
  TestServer server;
  ASSERT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());
  const int threads_before = NumThreads();
  grpc::CompletionQueue queue;
  struct Stream {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
    grpc::Status status;
  };
  std::vector<Stream> streams(kNumConnections * kStreamsOfEach);
  std::shared_ptr<grpc::Channel> channel;
  for (size_t i = 0; i < streams.size(); ++i) {
    if (i % kStreamsOfEach == 0) channel = server.NewChannel();
    Stream& stream = streams[i];
    stream.call = grpc::GenericStub(channel).PrepareCall(
        &stream.context,
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", &queue);
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
  const int num_refused = kNumConnections * kStreamsOfEach - 64;
  for (int i = 0; i < num_refused; ++i) {
    const Stream* const refused = next_ended();
    ASSERT_NE(refused, nullptr) << i << " were refused";
    EXPECT_EQ(refused->status.error_code(), grpc::RESOURCE_EXHAUSTED);
    EXPECT_THAT(refused->status.error_message(),
                AnyOf(HasSubstr("8 streams of reflection, as many as a "
                                "connection may have"),
                      "request: it did not come, and others wait"));
  }
  // Who made room for one that its connection then had no share for, too.
  EXPECT_THAT(server.server().reflection()->num_refused(),
              AllOf(Ge(num_refused), Le(num_refused + kNumConnections)));
  EXPECT_THAT(NumThreads(), Le(threads_before + 4)) << "gRPC polls with some";
  EXPECT_EQ(BackgroundCall(server, IdentityRequest(1), 30).Wait(),
            absl::OkStatus());

  for (Stream& stream : streams) stream.context.TryCancel();
  for (int i = 0; i < 64; ++i) EXPECT_NE(next_ended(), nullptr);
}

}  // namespace
}  // namespace stridecast::testing
