// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the system says of connections, and whose they are.

#include "server/open_connections.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server/connection_acceptor.h"
#include "server/listening_socket.h"
#include "server/owned_fd.h"
#include "server/raw_service.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Pair;

// Both ends of a TCP connection.
struct Connection {
  OwnedFd server;
  OwnedFd client;
  in_port_t source_port;  // of the client
  std::string peer;       // the client, as gRPC calls it
};

// From any port, or from `source_port`, which may have another connection.
Connection Connect(in_port_t source_port = 0) {
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
  const int is_shared = 1;
  EXPECT_EQ(setsockopt(made.client.get(), SOL_SOCKET, SO_REUSEADDR, &is_shared,
                       sizeof(is_shared)),
            0);
  sockaddr_in source = address;
  source.sin_port = source_port;
  EXPECT_EQ(bind(made.client.get(), reinterpret_cast<const sockaddr*>(&source),
                 sizeof(source)),
            0);
  EXPECT_EQ(connect(made.client.get(), generic, size), 0);
  made.server = OwnedFd(accept(listening.get(), nullptr, nullptr));
  EXPECT_EQ(getsockname(made.client.get(), generic, &size), 0);
  made.source_port = address.sin_port;
  made.peer = absl::StrCat("ipv4:127.0.0.1:", ntohs(address.sin_port));
  return made;
}

// As much as the kernel takes for a client that does not read.
int64_t Fill(const Connection& connection) {
  const std::vector<char> bytes(1 << 16, 'x');
  int64_t num_sent = 0;
  for (;;) {
    const ssize_t sent =
        send(connection.server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (sent < 0) return num_sent;
    num_sent += sent;
  }
}

void Read(const Connection& connection, int64_t num_bytes) {
  std::vector<char> bytes(1 << 16);
  while (num_bytes > 0) {
    const ssize_t received =
        recv(connection.client.get(), bytes.data(), bytes.size(), 0);
    ASSERT_GT(received, 0);
    num_bytes -= received;
  }
}

Arrival ArrivalOf(const OpenConnections& open, Written& written) {
  return open.ArrivalsOf({&written}).front();
}

// Of what has been written by now.
Arrival ArrivalAt(const OpenConnections& open, const std::string& peer) {
  Written written{.peer = peer};
  return ArrivalOf(open, written);
}

TEST(OpenConnectionsTest, SilenceAfterTheReplyMeansThatItWasRead) {
  Connection connection = Connect();
  OpenConnections open;
  open.Add(connection.server.get());
  const auto arrival = [&] { return ArrivalAt(open, connection.peer); };

  const int64_t num_sent = Fill(connection);
  EXPECT_EQ(arrival(), Arrival::kUnsent);
  EXPECT_EQ(ArrivalAt(open, "ipv4:127.0.0.1:1"), Arrival::kRead);  // unknown
  Read(connection, num_sent);
  ASSERT_EQ(send(connection.client.get(), "w", 1, 0), 1);
  EXPECT_TRUE(WaitUntil([&] { return arrival() == Arrival::kRead; }));
  EXPECT_TRUE(WaitUntil([&] {
    EXPECT_EQ(send(connection.client.get(), "w", 1, 0), 1);
    return arrival() == Arrival::kAcknowledged;
  }));
  EXPECT_TRUE(WaitUntil([&] { return arrival() == Arrival::kRead; }));
  // What is written later does not count.
  Written written{.peer = connection.peer};
  EXPECT_EQ(ArrivalOf(open, written), Arrival::kRead);
  Fill(connection);
  EXPECT_EQ(arrival(), Arrival::kUnsent);
  EXPECT_EQ(ArrivalOf(open, written), Arrival::kAcknowledged);
  connection.server.Close();
  EXPECT_EQ(arrival(), Arrival::kRead);
}

// Of one client port, to two of ours: each has counts of its own.
TEST(OpenConnectionsTest, PeersOfOneNameAreWaitedForApart) {
  Connection much = Connect();
  const Connection little = Connect(much.source_port);
  ASSERT_EQ(much.peer, little.peer);
  OpenConnections open;
  open.Add(much.server.get());
  open.Add(little.server.get());
  Read(much, Fill(much));
  const int64_t unread_bytes = Fill(little);
  Written written{.peer = much.peer};
  EXPECT_EQ(ArrivalOf(open, written), Arrival::kUnsent);
  Fill(much);  // does not count
  Read(little, unread_bytes);
  EXPECT_TRUE(
      WaitUntil([&] { return ArrivalOf(open, written) == Arrival::kRead; }));
  // A third one of that name is not who was written to.
  Written again{.peer = much.peer};
  EXPECT_EQ(ArrivalOf(open, again), Arrival::kUnsent);
  much.server.Close();
  const Connection third = Connect(much.source_port);
  open.Add(third.server.get());
  Fill(third);
  EXPECT_TRUE(
      WaitUntil([&] { return ArrivalOf(open, again) == Arrival::kRead; }));
  EXPECT_EQ(ArrivalAt(open, third.peer), Arrival::kUnsent);
}

// Nobody will read it any more.
TEST(OpenConnectionsTest, AResetMeansThatNothingIsUnsent) {
  Connection connection = Connect();
  OpenConnections open;
  open.Add(connection.server.get());
  Fill(connection);
  EXPECT_EQ(ArrivalAt(open, connection.peer), Arrival::kUnsent);
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(setsockopt(connection.client.get(), SOL_SOCKET, SO_LINGER, &at_once,
                       sizeof(at_once)),
            0);
  connection.client.Close();
  EXPECT_TRUE(WaitUntil(
      [&] { return ArrivalAt(open, connection.peer) == Arrival::kRead; }));
  absl::flat_hash_set<int> seen;
  EXPECT_TRUE(open.AreAllSent(seen));
}

// But not who reads, or has nothing to.
TEST(OpenConnectionsTest, WhoDoesNotReadIsClosed) {
  const Connection deaf = Connect();
  const Connection silent = Connect();
  const Connection reading = Connect();
  constexpr std::chrono::milliseconds kSilence(500);
  OpenConnections open;
  for (const Connection* each : {&deaf, &silent, &reading}) {
    open.Add(each->server.get());
  }
  EXPECT_EQ(open.CloseDeaf(kSilence), 0);
  const std::vector<char> bytes(1 << 16, 'x');
  for (const Connection* each : {&deaf, &reading}) {
    while (send(each->server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) >
           0) {
    }
  }
  std::vector<char> read(1 << 20);
  EXPECT_TRUE(WaitUntil([&] {
    recv(reading.client.get(), read.data(), read.size(), MSG_DONTWAIT);
    return open.CloseDeaf(kSilence) == 1;
  }));
  EXPECT_EQ(open.CloseDeaf(kSilence), 0);
  EXPECT_EQ(send(deaf.server.get(), "x", 1, MSG_NOSIGNAL), -1);
  for (const Connection* each : {&silent, &reading}) {
    EXPECT_EQ(send(each->client.get(), "x", 1, MSG_NOSIGNAL), 1);
    char byte;
    EXPECT_EQ(recv(each->server.get(), &byte, 1, 0), 1);
  }
}

void Fill(int fd) {
  const std::vector<char> bytes(1 << 16, 'x');
  while (send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
}

void ReadAll(int fd) {
  std::vector<char> bytes(1 << 20);
  while (recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
}

TEST(OpenConnectionsTest, WhoDoesNotReadAUnixSocketIsClosed) {
  constexpr std::chrono::milliseconds kPatience(300);
  int ends[3][2];  // of one who reads, of one who does not, of one with little
  OpenConnections open;
  std::vector<OwnedFd> fds;
  for (auto& pair : ends) {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    for (const int end : pair) fds.emplace_back(end);
    open.Add(pair[0]);
  }
  Fill(ends[0][0]);
  Fill(ends[1][0]);
  ASSERT_EQ(send(ends[2][0], "x", 1, 0), 1);
  const auto is_closed = [](const int(&pair)[2]) {
    return send(pair[0], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
           errno == EPIPE;
  };
  EXPECT_EQ(open.CloseUnread(kPatience), 0);
  ReadAll(ends[0][1]);
  std::this_thread::sleep_for(2 * kPatience);
  EXPECT_EQ(open.CloseUnread(kPatience), 1);
  EXPECT_FALSE(is_closed(ends[0]));
  EXPECT_TRUE(is_closed(ends[1]));
  EXPECT_FALSE(is_closed(ends[2]));
  open.CloseAll();
  EXPECT_TRUE(is_closed(ends[0]));
}

// What it reads is replaced at once: each look finds as much as before.
TEST(OpenConnectionsTest, WhoReadsAFullUnixSocketIsNotClosed) {
  constexpr std::chrono::milliseconds kPatience(1500);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const OwnedFd server(ends[0]);
  const OwnedFd client(ends[1]);
  OpenConnections open;
  open.Add(server.get());
  const auto buffer_bytes = [&] {
    int bytes = 0;
    socklen_t size = sizeof(bytes);
    getsockopt(server.get(), SOL_SOCKET, SO_SNDBUF, &bytes, &size);
    return bytes;
  };
  const int usual_buffer_bytes = buffer_bytes();
  Fill(server.get());
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < begin + 2 * kPatience) {
    EXPECT_EQ(open.CloseUnread(kPatience), 0);
    ReadAll(client.get());
    Fill(server.get());
    std::this_thread::sleep_for(kPatience / 50);
  }
  ReadAll(client.get());
  EXPECT_EQ(open.CloseUnread(kPatience), 0);
  EXPECT_EQ(buffer_bytes(), usual_buffer_bytes);
  Fill(server.get());
  EXPECT_TRUE(WaitUntil([&] { return open.CloseUnread(kPatience) == 1; }));
}

// And nobody else.
TEST(OpenConnectionsTest, APeerIsClosedAtOnce) {
  const Connection one = Connect();
  const Connection other = Connect();
  OpenConnections open;
  open.Add(one.server.get());
  open.Add(other.server.get());
  EXPECT_FALSE(open.Close("ipv4:127.0.0.1:1"));
  ASSERT_EQ(send(one.client.get(), "xyz", 3, 0), 3);
  EXPECT_TRUE(open.Close(one.peer));
  EXPECT_FALSE(open.Close(one.peer));
  char byte;
  EXPECT_LE(recv(one.client.get(), &byte, 1, 0), 0);
  EXPECT_LE(recv(one.server.get(), &byte, 1, 0), 0);  // nor what had come
  EXPECT_EQ(send(other.client.get(), "x", 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(recv(other.server.get(), &byte, 1, 0), 1);
}

// A server of gRPC's own, which is given connections as ours is.
class PeerNames {
 public:
  explicit PeerNames(const std::string& address) {
    grpc::ServerBuilder builder;
    const std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor>
        of_grpc = builder.experimental().AddExternalConnectionAcceptor(
            grpc::ServerBuilder::experimental_type::ExternalConnectionType::
                FROM_FD,
            grpc::InsecureServerCredentials());
    service_.emplace(this);
    builder.RegisterService(&*service_);
    server_ = builder.BuildAndStart();
    auto sockets = ListeningSocket::Open(address, 0600, 20);
    EXPECT_TRUE(sockets.ok()) << sockets.status();
    std::vector<ConnectionAcceptor::Source> sources;
    for (ListeningSocket& socket : *sockets) {
      port_ = socket.port();
      sources.push_back({std::move(socket), [of_grpc](int listener, int fd) {
                           grpc::experimental::ExternalConnectionAcceptor::
                               NewConnectionParameters connection;
                           connection.listener_fd = listener;
                           connection.fd = fd;
                           of_grpc->HandleNewConnection(&connection);
                         }});
    }
    acceptor_.emplace(std::move(sources), 10, [] { return true; });
    acceptor_->Start();
  }
  ~PeerNames() {
    acceptor_->Stop();
    server_->Shutdown(std::chrono::system_clock::now());
  }

  int port() const { return port_; }
  const OpenConnections& open() const { return acceptor_->open(); }
  // Of the one call that is made.
  std::string WaitForPeer() {
    EXPECT_TRUE(has_peer_.WaitForNotificationWithTimeout(absl::Seconds(10)));
    return peer_;
  }

 private:
  class Call final : public RawReactor {
   public:
    Call() { Finish(grpc::Status::OK); }
    void OnDone() override { delete this; }
  };
  class Service final : public RawService {
   public:
    explicit Service(PeerNames* names) {
      AddRawMethod("/test/Name", [names](grpc::CallbackServerContext* context) {
        names->peer_ = context->peer();
        names->has_peer_.Notify();
        return new Call();
      });
    }
  };

  std::optional<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<ConnectionAcceptor> acceptor_;
  int port_ = 0;
  std::string peer_;
  absl::Notification has_peer_;
};

// "fe80::1%eth0", if this machine has any.
std::optional<std::string> LinkLocalAddress() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all,
                                                               &freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET6 ||
        (each->ifa_flags & IFF_UP) == 0) {
      continue;
    }
    const auto& address = *reinterpret_cast<sockaddr_in6*>(each->ifa_addr);
    if (!IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr)) continue;
    char text[INET6_ADDRSTRLEN];
    inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof(text));
    return absl::StrCat(text, "%", each->ifa_name);
  }
  return std::nullopt;
}

// What came is asked for by the name that gRPC gives a call's peer.
TEST(OpenConnectionsTest, PeersHaveTheNamesThatGrpcGivesThem) {
  struct Case {
    std::string listen;
    std::string host;
  };
  std::vector<Case> cases = {
      {"127.0.0.1", "127.0.0.1"}, {"[::1]", "[::1]"}, {"[::]", "127.0.0.1"}};
  if (const auto address = LinkLocalAddress(); address.has_value()) {
    cases.push_back({"[::]", absl::StrCat("[", *address, "]")});
  }
  constexpr const absl::flat_hash_set<std::string>* kAll = nullptr;
  const bool has_ipv6 = ListeningSocket::Open("[::1]:0", 0600, 20).ok();
  for (const auto& [listen, host] : cases) {
    if (listen[0] == '[' && !has_ipv6) continue;
    PeerNames names(absl::StrCat(listen, ":0"));
    UnsentCall call(grpc::CreateChannel(absl::StrCat(host, ":", names.port()),
                                        grpc::InsecureChannelCredentials()),
                    std::nullopt, "/test/Name");
    const std::string peer = names.WaitForPeer();
    const absl::flat_hash_set<std::string> named = {peer};
    const absl::flat_hash_set<std::string> others = {"ipv4:127.0.0.1:1"};
    for (const auto* peers : {&named, kAll}) {
      EXPECT_THAT(names.open().ReceivedBytes(peers),
                  ElementsAre(Pair(peer, Gt(50))))
          << host;
    }
    EXPECT_THAT(names.open().ReceivedBytes(&others), IsEmpty());
  }
}

}  // namespace
}  // namespace stridecast::testing
