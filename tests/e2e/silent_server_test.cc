// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Servers of which nothing is heard, here because they are stopped: the
// connection stays, nobody answers. And those that let a call wait, but live.

#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "stridecast/channel.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

std::unique_ptr<ServerProcess> StartServer() {
  return std::make_unique<ServerProcess>(
      STRIDECAST_SERVER_PROGRAM,
      std::vector<std::string>{"--listen=127.0.0.1:0"});
}

// Returns when none of its threads runs any more.
void Stop(const ServerProcess& server) {
  server.Signal(SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(server.pid(), &status, WUNTRACED), server.pid());
  ASSERT_TRUE(WIFSTOPPED(status));
}

Client ClientOf(const std::string& target, absl::Duration max_silence,
                const ClientOptions& options = {}) {
  ChannelOptions channel;
  channel.max_silence = max_silence;
  channel.round_robin = true;
  return Client(*MakeChannel(target, channel), options);
}

TEST(SilentServerTest, ItIsGivenUp) {
  const auto server = StartServer();
  const Client client = ClientOf("ipv4:" + server->WaitForAddress(),
                                 absl::Seconds(1), {.max_attempts = 1});
  ASSERT_TRUE(client.GetServerInfo().ok());
  Stop(*server);
  EXPECT_EQ(client.GetServerInfo().status().code(),
            absl::StatusCode::kUnavailable);
}

// The system still takes its connections. gRPC alone would wait for 20 s.
TEST(SilentServerTest, ItIsGivenUpWhileConnecting) {
  const auto server = StartServer();
  const std::string address = server->WaitForAddress();
  Stop(*server);
  const Client client =
      ClientOf("ipv4:" + address, absl::Seconds(1), {.max_attempts = 1});
  EXPECT_EQ(
      client.GetServerInfo({.timeout = absl::Seconds(15)}).status().code(),
      absl::StatusCode::kUnavailable);
}

TEST(SilentServerTest, ItIsWaitedForByWhoWantsTo) {
  const auto server = StartServer();
  const Client client =
      ClientOf("ipv4:" + server->WaitForAddress(), absl::InfiniteDuration());
  ASSERT_TRUE(client.GetServerInfo().ok());
  Stop(*server);
  EXPECT_EQ(client.GetServerInfo({.timeout = absl::Seconds(3)}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  server->Signal(SIGCONT);
  EXPECT_TRUE(client.GetServerInfo().ok());
}

TEST(SilentServerTest, CallsGoToAnother) {
  const auto one = StartServer();
  const auto other = StartServer();
  const Client client =
      ClientOf("ipv4:" + one->WaitForAddress() + "," + other->WaitForAddress(),
               absl::Seconds(1));
  // By turns, when both are connected.
  while (one->err().find("GetServerInfo OK") == std::string::npos ||
         other->err().find("GetServerInfo OK") == std::string::npos) {
    ASSERT_TRUE(client.GetServerInfo().ok());
  }
  Stop(*one);
  for (int i = 0; i < 10; ++i) {
    const auto info = client.GetServerInfo();
    EXPECT_TRUE(info.ok()) << info.status();
  }
}

// PINGs go to and fro, one a second, while nothing else does; a server that
// takes them for an attack ends the connection with the fourth.
TEST(SilentServerTest, WhoAnswersPingsIsNotSilent) {
  const auto server = StartServer();
  const Client client = Client::Connect(server->WaitForAddress());
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out(3);
  const auto status = StreamClient(client).RelayoutInto(
      *View(in, {3}), *MutableView(out, {3}), Overflow::kUnspecified,
      {.on_ready = [](const Explanation&) {
        absl::SleepFor(absl::Seconds(7));
        return absl::OkStatus();
      }});
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_EQ(out, in);
}

}  // namespace
}  // namespace stridecast::testing
