// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Peers that take their time: who do not read, write byte by byte, connect and
// say nothing, or are gone without a word. What each may hold is bounded, and
// so is for how long; others do not notice.

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/call.h"
#include "tests/service/background_call.h"
#include "tests/service/http2_client.h"
#include "tests/service/raw_socket.h"
#include "tests/service/service_testing.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

using ::testing::Ge;
using ::testing::Le;
using ::testing::Lt;

constexpr int64_t kMiB = int64_t{1} << 20;

int64_t InflightBytes(TestServer& server) {
  return server.server()
      .service()
      .environment()
      .memory->budget.inflight_bytes();
}

bool Serves(TestServer& server) {
  return BackgroundCall(server, IdentityRequest(1), 30).Wait().ok();
}

// In the buffers of results, whose sizes are rounded up.
int64_t LentBytes(TestServer& server) {
  return server.server()
      .service()
      .environment()
      .memory->pool.stats()
      .lent_bytes;
}

// The windows of their streams stay at 64 KiB.
TEST(SlowPeersTest, RepliesThatNobodyReadsStayWithinTheBudget) {
  constexpr int kNumClients = 8;
  constexpr int kCallsOfEach = 4;
  constexpr int64_t kBudgetBytes = 8 * kMiB;
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = kBudgetBytes;
  options.default_deadline_seconds = 2;
  TestServer server(options);
  const std::string request =
      http2::WithPrefix(IotaRequest(1'000'000).SerializeAsString());
  const auto clients = CallersThatDoNotRead(server.server().addresses()[0],
                                            kNumClients, kCallsOfEach, request);
  // Seven fit, and leave room for small calls; 25 are refused.
  EXPECT_TRUE(WaitUntil([&] { return InflightBytes(server) >= 7'000'000; }));
  EXPECT_TRUE(Serves(server));
  EXPECT_THAT(LentBytes(server), Le(kBudgetBytes));
  EXPECT_TRUE(WaitUntil([&] { return InflightBytes(server) == 0; }));
  EXPECT_EQ(LentBytes(server), 0);
  EXPECT_THAT(
      server.server().service().environment().memory->budget.num_refused(),
      Ge(kNumClients * kCallsOfEach - 8));
}

// One connection each, of TCP and of a Unix socket, whose clients ask for all
// of a reply at once: gRPC writes all of it, however long that takes.
class AskingForAllTest : public ::testing::Test {
 protected:
  static constexpr int64_t kReplyBytes = 40'000'000;

  AskingForAllTest() {
    ServerOptions options = TestOptions();
    options.listen.push_back(
        absl::StrCat("unix:", ::testing::TempDir(), "unread-", getpid()));
    options.max_inflight_bytes = 3 * kReplyBytes;
    options.default_deadline_seconds = 1;
    options.drain_deadline_seconds = 1;
    server_.emplace(options);
    const std::string request =
        http2::WithPrefix(IotaRequest(kReplyBytes).SerializeAsString());
    for (const std::string& address : server_->server().addresses()) {
      Http2Client& client =
          *clients_.emplace_back(std::make_unique<Http2Client>(address));
      EXPECT_TRUE(client.OpenWindows());
      EXPECT_TRUE(client.StartCall(1, "Compute"));
      EXPECT_TRUE(client.SendData(1, request, /*is_last=*/true));
    }
    EXPECT_TRUE(
        WaitUntil([&] { return InflightBytes(*server_) >= 2 * kReplyBytes; }));
  }

  std::optional<TestServer> server_;
  std::vector<std::unique_ptr<Http2Client>> clients_;
};

// The one reads a little all the time, the other nothing.
TEST_F(AskingForAllTest, WhoDoesNotReadTheReplyIsClosed) {
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    char bytes[4096];
    while (!is_over && read(clients_[0]->fd(), bytes, sizeof(bytes)) > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  const auto is_free = [&] { return InflightBytes(*server_) == 0; };
  // 1 s, and 20 for what is on its way.
  EXPECT_TRUE(WaitUntil(is_free) || WaitUntil(is_free) || WaitUntil(is_free));
  EXPECT_EQ(LentBytes(*server_), 0);
  EXPECT_EQ(server_->server().num_cut_off(), 2);
  EXPECT_TRUE(Serves(*server_));
  is_over = true;
  reader.join();
}

TEST_F(AskingForAllTest, ADrainEndsAtItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  server_->server().Drain();
  EXPECT_THAT(std::chrono::steady_clock::now() - start,
              Lt(std::chrono::seconds(8)));
  EXPECT_EQ(server_->server().acceptor().num_open(), 0);
  EXPECT_EQ(server_->server().num_cut_off(), 2);
}

// One byte of a message every now and then; the clients state no deadline.
TEST(SlowPeersTest, MessagesByteByByteAreEndedInTime) {
  constexpr uint32_t kNumCalls = 10;  // of each method
  ServerOptions options = TestOptions();
  options.default_deadline_seconds = 1;
  options.stream_idle_seconds = 1;
  TestServer server(options);
  Http2Client client(server.server().addresses()[0]);
  for (uint32_t i = 0; i < kNumCalls; ++i) {
    ASSERT_TRUE(client.StartCall(4 * i + 1, "Compute"));
    ASSERT_TRUE(client.StartCall(4 * i + 3, "ComputeStream"));
  }
  EXPECT_TRUE(WaitUntil([&] {
    return InflightBytes(server) == 2 * kNumCalls * kUnstatedRequestBytes;
  }));
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    const std::string message = http2::WithPrefix(std::string(1000, 'x'));
    for (size_t at = 0; at < message.size() && !is_over; ++at) {
      for (uint32_t stream = 1; stream < 4 * kNumCalls; stream += 2) {
        client.SendData(stream, message.substr(at, 1), /*is_last=*/false);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  EXPECT_TRUE(Serves(server));
  EXPECT_TRUE(WaitUntil([&] { return InflightBytes(server) == 0; }));
  EXPECT_EQ(server.server().service().num_calls(), 0);
  is_over = true;
  writer.join();
  EXPECT_TRUE(Serves(server));
}

int64_t ResidentBytes() {
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// Each has said its HTTP/2 preface.
TEST(SlowPeersTest, AThousandIdleConnectionsTakeLittleAndAreClosed) {
  constexpr int kNumConnections = 1000;
  constexpr int64_t kMaxBytesOfEach = 64 << 10;  // 19 KiB with gRPC 1.51
  ServerOptions options = TestOptions();
  options.max_connections = kNumConnections + 1;
  options.max_connection_idle_seconds = 10;
  TestServer server(options);
  const ConnectionAcceptor& acceptor = server.server().acceptor();
  ASSERT_TRUE(Serves(server));
  const int64_t before = ResidentBytes();
  std::vector<std::unique_ptr<Http2Client>> clients;
  for (int i = 0; i < kNumConnections; ++i) {
    clients.push_back(
        std::make_unique<Http2Client>(server.server().addresses()[0]));
  }
  ASSERT_TRUE(
      WaitUntil([&] { return acceptor.num_open() == kNumConnections + 1; }));
  EXPECT_TRUE(Serves(server));
  const int64_t bytes = (ResidentBytes() - before) / kNumConnections;
  RecordProperty("bytes_of_each", static_cast<int>(bytes));
  EXPECT_THAT(bytes, Lt(kMaxBytesOfEach));
  for (const auto& client : clients) {
    ASSERT_TRUE(IsClosed(client->fd(), std::chrono::seconds(30)));
  }
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() <= 1; }));
  EXPECT_EQ(acceptor.num_refused(), 0);
  EXPECT_TRUE(Serves(server));
}

// Both have 20 s: who is connected and says no HTTP/2, and who no longer
// answers a ping. The kernel of the latter still acknowledges what is sent.
TEST(SlowPeersTest, HalfOpenAndSilentConnectionsAreClosed) {
  constexpr int kNumEach = 20;
  ServerOptions options = TestOptions();
  options.keepalive_seconds = 1;
  TestServer server(options);
  ASSERT_TRUE(Serves(server));
  const std::string& address = server.server().addresses()[0];
  std::vector<OwnedFd> half_open;
  std::vector<std::unique_ptr<Http2Client>> silent;
  for (int i = 0; i < kNumEach; ++i) {
    half_open.push_back(ConnectTo(address));
    if (i % 2 == 1) {
      ASSERT_EQ(write(half_open.back().get(), "PRI * HT", 8), 8);
    }
    silent.push_back(std::make_unique<Http2Client>(address));
    ASSERT_TRUE(silent.back()->StartCall(1, "ComputeStream"));
  }
  const ConnectionAcceptor& acceptor = server.server().acceptor();
  ASSERT_TRUE(
      WaitUntil([&] { return acceptor.num_open() == 2 * kNumEach + 1; }));
  for (const OwnedFd& fd : half_open) {
    EXPECT_TRUE(IsClosed(fd.get(), std::chrono::seconds(60)));
  }
  for (const auto& client : silent) {
    EXPECT_TRUE(IsClosed(client->fd(), std::chrono::seconds(60)));
  }
  EXPECT_TRUE(WaitUntil([&] { return acceptor.num_open() == 1; }));
  EXPECT_TRUE(WaitUntil([&] { return InflightBytes(server) == 0; }));
  EXPECT_TRUE(Serves(server));
}

}  // namespace
}  // namespace stridecast::testing
