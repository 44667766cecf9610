// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What bounds connections: how many there are, calls of each, descriptors,
// those without calls or of some age.

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/connection_acceptor.h"
#include "server/owned_fd.h"
#include "tests/service/background_call.h"
#include "tests/service/http2_client.h"
#include "tests/service/raw_socket.h"
#include "tests/service/service_testing.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

// Connections that say nothing.
std::vector<OwnedFd> ConnectSilently(TestServer& server, int count) {
  std::vector<OwnedFd> sockets;
  for (int i = 0; i < count; ++i) {
    sockets.push_back(ConnectTo(server.server().addresses().front()));
    EXPECT_TRUE(sockets.back().is_open());
  }
  return sockets;
}

bool Serves(TestServer& server) {
  return BackgroundCall(server, IdentityRequest(1), 30).Wait().ok();
}

TEST(ConnectionLimitsTest, Connections) {
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
  for (const OwnedFd& fd : refused) EXPECT_TRUE(IsClosed(fd.get()));
  EXPECT_EQ(acceptor.num_refused(), 5);
  EXPECT_EQ(acceptor.num_open(), 3);
  EXPECT_TRUE(Serves(server));  // who is in stays in

  silent.pop_back();
  ASSERT_TRUE(WaitUntil([&] { return acceptor.num_open() == 2; }));
  const std::vector<OwnedFd> next = ConnectSilently(server, 1);
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() == 3; }));
  EXPECT_EQ(acceptor.num_refused(), 5);
}

// gRPC's limit holds for clients that have acknowledged it; this one reads
// nothing.
TEST(ConnectionLimitsTest, CallsOfOneConnection) {
  constexpr uint32_t kMost = 10 + 128;
  ServerOptions options = TestOptions();
  options.max_concurrent_streams = 10;
  TestServer server(options);
  Http2Client client(server.server().addresses()[0]);
  uint32_t num_calls = 0;
  const auto start = [&](uint32_t count) {
    for (; num_calls < count; ++num_calls) {
      client.StartCall(2 * num_calls + 1, "Compute", "100S");
    }
  };
  const ComputeService& service = server.server().service();
  const CallEnvironment& environment = service.environment();
  start(2 * kMost);
  EXPECT_TRUE(
      WaitUntil([&] { return environment.figures->num_excess == kMost; }));
  EXPECT_EQ(service.num_calls(), kMost);
  EXPECT_EQ(server.server().acceptor().num_open(), 1);
  EXPECT_TRUE(Serves(server));
  // Who goes on is closed; what is refused may have gone before.
  start(6 * kMost);
  EXPECT_TRUE(IsClosed(client.fd()));
  EXPECT_TRUE(WaitUntil([&] { return service.num_calls() == 0; }));
  EXPECT_EQ(server.server().num_cut_off(), 1);
  EXPECT_TRUE(Serves(server));
}

// Those whose callers have left do not count, though they wait for a CPU.
TEST(ConnectionLimitsTest, CallsOfOneConnectionThatWereGivenUp) {
  constexpr uint32_t kMost = 1 + 128;
  ServerOptions options = TestOptions();
  options.max_concurrent_streams = 1;
  const auto control = std::make_shared<FakeControl>();
  control->is_busy = true;
  control->gate_open = true;
  TestServer server(options, control);
  Http2Client client(server.server().addresses()[0]);
  const std::string request =
      http2::WithPrefix(IdentityRequest(1).SerializeAsString());
  const CallFigures& figures = *server.server().service().environment().figures;
  int64_t num_calls = 0;
  // Whether it was admitted.
  const auto start = [&](const std::string& timeout) {
    const int64_t num_queued = figures.num_queued;
    const auto stream = static_cast<uint32_t>(2 * num_calls++ + 1);
    const int64_t num_excess = figures.num_excess;
    EXPECT_TRUE(client.StartCall(stream, "Compute", timeout));
    EXPECT_TRUE(client.SendData(stream, request, /*is_last=*/true));
    EXPECT_TRUE(WaitUntil([&] {
      return figures.num_queued > num_queued || figures.num_excess > num_excess;
    }));
    return figures.num_excess == num_excess;
  };
  for (uint32_t i = 0; i < kMost; ++i) ASSERT_TRUE(start("3S"));
  EXPECT_FALSE(start("100S"));
  EXPECT_TRUE(WaitUntil([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return start("100S");
  }));
  EXPECT_EQ(figures.num_queued, kMost + 1);
  control->is_busy = false;
}

// gRPC's own listeners would never accept again (CVE-2023-4785).
TEST(ConnectionLimitsTest, WithoutFilesItRefusesAndRecovers) {
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
    // The server opens and closes files of its own now and then.
    for (int num_failed = 0; num_failed < 30; ++num_failed) {
      OwnedFd fd(dup(0));
      if (fd.is_open()) {
        fill.push_back(std::move(fd));
        num_failed = 0;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    for (const OwnedFd& fd : late) {
      ASSERT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), size),
                0);
    }
    for (const OwnedFd& fd : late) EXPECT_TRUE(IsClosed(fd.get()));
    EXPECT_EQ(acceptor.num_refused(), 8);
    EXPECT_TRUE(Serves(server));
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  }
  const std::vector<OwnedFd> next = ConnectSilently(server, 3);
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() == 5; }));
}

bool IsConnected(const std::shared_ptr<grpc::Channel>& channel) {
  return channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
}

TEST(ConnectionLimitsTest, ConnectionsWithoutCallsAreClosed) {
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
TEST(ConnectionLimitsTest, OldConnectionsAreReplaced) {
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

}  // namespace
}  // namespace stridecast::testing
