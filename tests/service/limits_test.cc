// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What bounds the callers together: calls in flight, program size, connections
// without calls or of some age, threads that gRPC's own services take.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/connection_acceptor.h"
#include "server/listen_address.h"
#include "server/owned_fd.h"
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

// Sockets that connect and say nothing.
std::vector<OwnedFd> ConnectSilently(TestServer& server, int count) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(
      SplitHostPort(server.server().addresses().front()).port));
  std::vector<OwnedFd> sockets;
  for (int i = 0; i < count; ++i) {
    OwnedFd& fd =
        sockets.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address)),
              0);
  }
  return sockets;
}

bool Serves(TestServer& server) {
  return BackgroundCall(server, IdentityRequest(1), 30).Wait().ok();
}

// Whether the other end has closed it; waits for that, up to ten seconds.
bool IsClosed(const OwnedFd& fd) {
  pollfd waiting = {fd.get(), POLLIN, 0};
  char byte;
  while (poll(&waiting, 1, /*timeout=*/10'000) == 1) {
    if (read(fd.get(), &byte, 1) <= 0) return true;
  }
  return false;
}

TEST(LimitsTest, Connections) {
  ServerOptions options = TestOptions();
  options.max_connections = 3;
  TestServer server(options);
  ASSERT_TRUE(Serves(server));
  const ConnectionAcceptor& acceptor = server.server().acceptor();
  EXPECT_EQ(acceptor.num_open(), 1);
  std::vector<OwnedFd> silent = ConnectSilently(server, 2);
  ASSERT_TRUE(WaitUntil([&] { return acceptor.num_open() == 3; }));
  EXPECT_EQ(acceptor.num_refused(), 0);
  const std::vector<OwnedFd> refused = ConnectSilently(server, 5);
  for (const OwnedFd& fd : refused) EXPECT_TRUE(IsClosed(fd));
  EXPECT_EQ(acceptor.num_refused(), 5);
  EXPECT_EQ(acceptor.num_open(), 3);
  EXPECT_TRUE(Serves(server));  // who is in stays in

  silent.pop_back();
  ASSERT_TRUE(WaitUntil([&] { return acceptor.num_open() == 2; }));
  const std::vector<OwnedFd> next = ConnectSilently(server, 1);
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() == 3; }));
  EXPECT_EQ(acceptor.num_refused(), 5);
}

// gRPC's own listeners would never accept again (CVE-2023-4785).
TEST(LimitsTest, WithoutFilesItRefusesAndRecovers) {
  TestServer server;
  ASSERT_TRUE(Serves(server));
  const ConnectionAcceptor& acceptor = server.server().acceptor();
  std::vector<OwnedFd> silent = ConnectSilently(server, 1);
  ASSERT_TRUE(WaitUntil([&] { return acceptor.num_open() == 2; }));
  {
    // Each is made before the files run out, and connected after.
    std::vector<OwnedFd> late;
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    ASSERT_EQ(getpeername(silent[0].get(),
                          reinterpret_cast<sockaddr*>(&address), &size),
              0);
    for (int i = 0; i < 8; ++i) {
      late.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }
    rlimit before;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit tight = before;
    tight.rlim_cur = static_cast<rlim_t>(dup(0)) + 1;
    std::vector<OwnedFd> fill;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
    fill.emplace_back(static_cast<int>(tight.rlim_cur) - 1);
    for (;;) {
      OwnedFd fd(dup(0));
      if (!fd.is_open()) break;
      fill.push_back(std::move(fd));
    }
    for (const OwnedFd& fd : late) {
      ASSERT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), size),
                0);
    }
    for (const OwnedFd& fd : late) EXPECT_TRUE(IsClosed(fd));
    EXPECT_EQ(acceptor.num_refused(), 8);
    EXPECT_TRUE(Serves(server));
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  }
  const std::vector<OwnedFd> next = ConnectSilently(server, 3);
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() == 5; }));
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
