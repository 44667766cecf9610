// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// When calls end that wait for their replies to be read, and what sockets say
// of that.

#include "server/held_endings.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/open_connections.h"
#include "server/owned_fd.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HeldEndingsTest : public ::testing::Test {
 protected:
  void Add(const std::string& peer) {
    endings_.Add(peer, [this, peer] { ended_.push_back(peer); });
  }
  void EndThoseOf(const std::string& read, Arrival others) {
    endings_.EndThose([&](const std::string& peer) {
      return peer == read ? Arrival::kRead : others;
    });
  }

  HeldEndings endings_;
  std::vector<std::string> ended_;
};

TEST_F(HeldEndingsTest, NothingIsHeldUnasked) {
  Add("a");
  EXPECT_THAT(ended_, ElementsAre("a"));
}

TEST_F(HeldEndingsTest, WhatWasReadEnds) {
  endings_.SetHolding(true);
  Add("a");
  Add("b");
  Add("c");
  EXPECT_THAT(ended_, IsEmpty());
  EndThoseOf("b", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("b"));
  EndThoseOf("a", Arrival::kAcknowledged);
  EXPECT_THAT(ended_, ElementsAre("b", "a"));
  endings_.SetHolding(false);
  EXPECT_THAT(ended_, ElementsAre("b", "a", "c"));
  Add("d");
  EXPECT_THAT(ended_, ElementsAre("b", "a", "c", "d"));
}

TEST_F(HeldEndingsTest, AConnectionThatIsNeverSilentHoldsForASecond) {
  endings_.SetHolding(true);
  Add("a");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(WaitUntil([this] {
    EndThoseOf("none", Arrival::kAcknowledged);
    return !ended_.empty();
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

// Both ends of a TCP connection.
struct Connection {
  OwnedFd server;
  OwnedFd client;
  std::string peer;  // the client, as gRPC calls it
};

Connection Connect() {
  const OwnedFd listening(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listening.get(), generic, size), 0);
  EXPECT_EQ(listen(listening.get(), 1), 0);
  EXPECT_EQ(getsockname(listening.get(), generic, &size), 0);
  Connection made;
  made.client = OwnedFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(made.client.get(), generic, size), 0);
  made.server = OwnedFd(accept(listening.get(), nullptr, nullptr));
  EXPECT_EQ(getsockname(made.client.get(), generic, &size), 0);
  made.peer = absl::StrCat("ipv4:127.0.0.1:", ntohs(address.sin_port));
  return made;
}

TEST(OpenConnectionsTest, SilenceAfterTheReplyMeansThatItWasRead) {
  Connection connection = Connect();
  OpenConnections open;
  open.Add(connection.server.get());
  const auto arrival = [&] { return open.ArrivalAt(connection.peer); };

  // More than the kernel takes for a client that does not read.
  std::vector<char> bytes(1 << 16, 'x');
  int64_t num_sent = 0;
  for (;;) {
    const ssize_t sent =
        send(connection.server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (sent < 0) break;
    num_sent += sent;
  }
  EXPECT_EQ(arrival(), Arrival::kUnsent);
  EXPECT_EQ(open.ArrivalAt("ipv4:127.0.0.1:1"), Arrival::kRead);  // unknown
  while (num_sent > 0) {
    const ssize_t received =
        recv(connection.client.get(), bytes.data(), bytes.size(), 0);
    ASSERT_GT(received, 0);
    num_sent -= received;
  }
  ASSERT_EQ(send(connection.client.get(), "w", 1, 0), 1);
  EXPECT_TRUE(WaitUntil([&] { return arrival() == Arrival::kRead; }));
  EXPECT_TRUE(WaitUntil([&] {
    EXPECT_EQ(send(connection.client.get(), "w", 1, 0), 1);
    return arrival() == Arrival::kAcknowledged;
  }));
  EXPECT_TRUE(WaitUntil([&] { return arrival() == Arrival::kRead; }));
  connection.server.Close();
  EXPECT_EQ(arrival(), Arrival::kRead);
}

// But not who reads, or has nothing to.
TEST(OpenConnectionsTest, WhoDoesNotReadIsClosed) {
  const Connection deaf = Connect();
  const Connection silent = Connect();
  const Connection reading = Connect();
  OpenConnections open;
  for (const Connection* each : {&deaf, &silent, &reading}) {
    open.Add(each->server.get());
  }
  EXPECT_EQ(open.CloseDeaf(), 0);
  const std::vector<char> bytes(1 << 16, 'x');
  for (const Connection* each : {&deaf, &reading}) {
    while (send(each->server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) >
           0) {
    }
  }
  std::vector<char> read(1 << 20);
  EXPECT_TRUE(WaitUntil([&] {
    recv(reading.client.get(), read.data(), read.size(), MSG_DONTWAIT);
    return open.CloseDeaf() == 1;
  }));
  EXPECT_EQ(open.CloseDeaf(), 0);
  EXPECT_EQ(send(deaf.server.get(), "x", 1, MSG_NOSIGNAL), -1);
  for (const Connection* each : {&silent, &reading}) {
    EXPECT_EQ(send(each->client.get(), "x", 1, MSG_NOSIGNAL), 1);
    char byte;
    EXPECT_EQ(recv(each->server.get(), &byte, 1, 0), 1);
  }
}

}  // namespace
}  // namespace stridecast::testing
