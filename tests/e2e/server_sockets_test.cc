// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where the program stridecast-server listens: ports, and Unix sockets with
// their files, locks and modes.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server_program.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ServerSocketsTest, PortTakenIsOneLineWithTheAddress) {
  ServerProcess first(kProgram, Flags());
  const std::string address = first.WaitForAddress();
  ASSERT_FALSE(address.empty());
  ServerProcess second(kProgram, {"--listen=127.0.0.1:0," + address});
  EXPECT_EQ(second.WaitForExit(), 1);
  EXPECT_EQ(second.err(), absl::StrCat("stridecast-server: cannot listen on ",
                                       address, ": Address already in use\n"));
  EXPECT_TRUE(Serves(address));
}

// gRPC binds both families for either wildcard.
TEST(ServerSocketsTest, WildcardsOfBothFamiliesShareAPort) {
  std::string port;
  {
    ServerProcess first(kProgram, Flags());
    port = std::string(absl::StripPrefix(first.WaitForAddress(), "127.0.0.1:"));
  }
  ServerProcess server(kProgram,
                       {absl::StrCat("--listen=0.0.0.0:", port, ",[::]:", port),
                        "--allow-plaintext", "--drain-delay-seconds=0"});
  EXPECT_EQ(server.WaitForAddress(), "0.0.0.0:" + port) << server.err();
  EXPECT_THAT(server.err(), HasSubstr(",[::]:" + port));
  EXPECT_THAT(server.err(), HasSubstr("other machines are served without TLS"));
  EXPECT_TRUE(Serves("127.0.0.1:" + port));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
}

TEST(ServerSocketsTest, UnixSocketBesideAPort) {
  const std::string path = SocketPath("beside");
  ServerProcess server(kProgram, {"--listen=unix:" + path + ",127.0.0.1:0",
                                  "--drain-delay-seconds=0"});
  EXPECT_EQ(server.WaitForAddress(), "unix:" + path);
  EXPECT_TRUE(Serves("unix:" + path));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "the socket is left behind";
  EXPECT_NE(access((path + ".lock").c_str(), F_OK), 0)
      << "the lock is left behind";
}

TEST(ServerSocketsTest, AbstractSocketsNeedNoFile) {
  const std::string address =
      absl::StrCat("unix-abstract:stridecast_", getpid());
  const std::vector<std::string> flags = {"--listen=" + address,
                                          "--drain-delay-seconds=0"};
  ServerProcess server(kProgram, flags);
  EXPECT_EQ(server.WaitForAddress(), address);
  EXPECT_TRUE(Serves(address));
  ServerProcess second(kProgram, flags);
  EXPECT_EQ(second.WaitForExit(), 1);
  EXPECT_THAT(second.err(), HasSubstr("cannot listen on " + address));
}

TEST(ServerSocketsTest, SocketsHaveTheModeThatIsAskedFor) {
  for (const auto& [flag, mode] : std::vector<std::pair<std::string, mode_t>>{
           {"--log-level=info", 0660}, {"--unix-socket-mode=0600", 0600}}) {
    const std::string path = SocketPath("mode");
    ServerProcess server(
        kProgram, {"--listen=unix:" + path, flag, "--drain-delay-seconds=0"});
    ASSERT_FALSE(server.WaitForAddress().empty());
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, mode);
    server.Signal(SIGTERM);
    EXPECT_EQ(server.WaitForExit(), 0);
  }
}

// Of many that start at once one has the socket, and goes on having it.
TEST(ServerSocketsTest, OneOfManyHasTheSocket) {
  const std::string path = SocketPath("race");
  const std::vector<std::string> flags = {"--listen=unix:" + path,
                                          "--drain-delay-seconds=0"};
  std::vector<std::unique_ptr<ServerProcess>> servers;
  for (int i = 0; i < 8; ++i) {
    servers.push_back(std::make_unique<ServerProcess>(kProgram, flags));
  }
  int num_serving = 0;
  for (const auto& server : servers) {
    // It serves the address or says that it cannot.
    ASSERT_TRUE(server->WaitForError("unix:" + path));
    num_serving += absl::StrContains(server->err(), " serves ") ? 1 : 0;
  }
  EXPECT_EQ(num_serving, 1);
  EXPECT_TRUE(Serves("unix:" + path));
}

TEST(ServerSocketsTest, SocketInUseIsNotTakenAway) {
  const std::string path = SocketPath("in_use");
  const std::vector<std::string> flags = {"--listen=unix:" + path,
                                          "--drain-delay-seconds=0"};
  ServerProcess first(kProgram, flags);
  ASSERT_FALSE(first.WaitForAddress().empty());
  ServerProcess second(kProgram, flags);
  EXPECT_EQ(second.WaitForExit(), 1);
  EXPECT_THAT(second.err(),
              HasSubstr("unix:" + path + ": another server is using it"));
  EXPECT_TRUE(Serves("unix:" + path));
}

TEST(ServerSocketsTest, SocketLeftBehindIsReplaced) {
  const std::string path = SocketPath("left");
  {
    ServerProcess killed(kProgram, {"--listen=unix:" + path});
    ASSERT_FALSE(killed.WaitForAddress().empty());
    killed.Signal(SIGKILL);
    EXPECT_EQ(killed.WaitForExit(), 128 + SIGKILL);
  }
  ASSERT_EQ(access(path.c_str(), F_OK), 0);
  ServerProcess server(kProgram, {"--listen=unix:" + path});
  EXPECT_EQ(server.WaitForAddress(), "unix:" + path);
  EXPECT_TRUE(Serves("unix:" + path));
  unlink(path.c_str());
}

TEST(ServerSocketsTest, FileThatIsNoSocketIsKept) {
  const std::string path = SocketPath("file");
  std::ofstream(path) << "precious";
  ServerProcess server(kProgram, {"--listen=unix:" + path});
  EXPECT_EQ(server.WaitForExit(), 1);
  EXPECT_THAT(server.err(), HasSubstr("a file that is no socket"));
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  unlink(path.c_str());
}

TEST(ServerSocketsTest, LockFileOfOthersIsKept) {
  const std::string path = SocketPath("lock");
  const std::string lock = path + ".lock";
  std::ofstream(lock) << "precious";
  {
    ServerProcess server(kProgram, {"--listen=unix:" + path});
    EXPECT_EQ(server.WaitForExit(), 1);
    EXPECT_THAT(server.err(), HasSubstr(lock + ": a file of others, no lock"));
  }
  std::string text;
  std::ifstream(lock) >> text;
  EXPECT_EQ(text, "precious");
  unlink(lock.c_str());
}

}  // namespace
}  // namespace stridecast::testing
