// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The log of the program stridecast-server, as an operator reads it.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/e2e/server_program.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ServerBinaryLogTest, LogHasALinePerCallAndNoData) {
  ServerProcess server(kProgram, Flags());
  ASSERT_TRUE(Serves(server.WaitForAddress()));
  EXPECT_TRUE(server.WaitForError("Compute OK in="));
  const std::string log = server.err();
  EXPECT_THAT(log, HasSubstr("stridecast-server 0."));
  EXPECT_THAT(log, HasSubstr("SIMD "));
  EXPECT_THAT(log, HasSubstr("message 67108864"));
  EXPECT_THAT(log, Not(HasSubstr("12345.5")));
  EXPECT_THAT(log, Not(HasSubstr("24691")));
}

// So that --log-level=warning is the log of a busy server.
TEST(ServerBinaryLogTest, CallsThatFailAreWarnings) {
  ServerProcess server(kProgram, Flags());
  const std::string address = server.WaitForAddress();
  ASSERT_TRUE(Serves(address));
  EXPECT_TRUE(server.WaitForError(" info Compute OK in="));
  v1::ComputeResponse response;
  EXPECT_EQ(
      Compute(address, FromText("spec { results {} }"), &response).error_code(),
      grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(server.WaitForError(" warning Compute INVALID_ARGUMENT in="));
}

// A hundred lines a second, then how many were left out.
TEST(ServerBinaryLogTest, CallsThatFailDoNotFillTheLog) {
  ServerProcess server(kProgram, Flags());
  const auto stub = StubOf(server.WaitForAddress());
  const v1::ComputeRequest request = FromText("spec { results {} }");
  constexpr char kLeftOut[] = " lines of calls that failed are left out";
  int64_t num_calls = 0;
  std::string log;
  for (int i = 0; i < 300 && log.find(kLeftOut) == std::string::npos; ++i) {
    for (int j = 0; j < 200; ++j) {
      grpc::ClientContext context;
      v1::ComputeResponse response;
      EXPECT_EQ(stub->Compute(&context, request, &response).error_code(),
                grpc::StatusCode::INVALID_ARGUMENT);
      ++num_calls;
    }
    log = server.err();
  }
  EXPECT_THAT(log, HasSubstr(kLeftOut));
  int64_t num_lines = 0;
  for (absl::string_view line : absl::StrSplit(log, '\n')) {
    num_lines += absl::StrContains(line, " warning Compute INVALID_ARGUMENT");
  }
  EXPECT_GE(num_lines, 100);
  EXPECT_LT(num_lines, num_calls);
}

TEST(ServerBinaryLogTest, RefusedConnectionsAreLogged) {
  ServerProcess server(kProgram, Flags({"--max-connections=1"}));
  const std::string address = server.WaitForAddress();
  const auto first = StubOf(address);
  v1::ComputeResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(first->Compute(&context, SmallRequest(), &response).ok());
  const auto second = v1::TensorCompute::NewStub(NewConnection(address));
  grpc::ClientContext refused;
  EXPECT_EQ(second->Compute(&refused, SmallRequest(), &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(server.WaitForError("connection of ipv4:127.0.0.1:"));
  EXPECT_THAT(server.err(),
              HasSubstr(" refused: --max-connections 1 are open; 0 more since "
                        "the last such line"));
}

TEST(ServerBinaryLogTest, JsonLogIsAnObjectALine) {
  ServerProcess server(kProgram, Flags({"--log-format=json"}));
  const std::string address = server.WaitForAddress();
  grpc::ClientContext context;
  context.AddMetadata(
      "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  v1::ComputeResponse response;
  const v1::ComputeRequest request = SmallRequest();
  ASSERT_TRUE(StubOf(address)->Compute(&context, request, &response).ok());
  EXPECT_EQ(
      context.GetServerTrailingMetadata().find("stridecast-request-id")->second,
      "4bf92f3577b34da6a3ce929d0e0e4736");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);

  int num_calls = 0;
  for (absl::string_view line :
       absl::StrSplit(server.err(), '\n', absl::SkipEmpty())) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(object.is_object()) << line;
    EXPECT_EQ(object.value("level", ""), "info") << line;
    EXPECT_THAT(object.value("time", ""), StartsWith("20"));
    if (!object.contains("method")) {
      EXPECT_THAT(object.value("message", ""), Not(IsEmpty()));
      continue;
    }
    ++num_calls;
    EXPECT_EQ(object["method"], "Compute");
    EXPECT_EQ(object["code"], "OK");
    EXPECT_EQ(object["id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(object["request_bytes"], request.ByteSizeLong());
    EXPECT_EQ(object["reply_bytes"], response.ByteSizeLong());
    int64_t stages = 0;
    for (const char* stage :
         {"decode_us", "plan_us", "queue_us", "compute_us", "reply_us"}) {
      EXPECT_GE(object[stage], 0) << stage;
      stages += object[stage].get<int64_t>();
    }
    EXPECT_LE(stages, object["duration_us"].get<int64_t>());
  }
  EXPECT_EQ(num_calls, 1);
}

TEST(ServerBinaryLogTest, JsonLogHasMethodAndCodeOfRefusedCalls) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "json_tokens_", getpid());
  std::ofstream(path) << "secret\n";
  const std::string address = absl::StrCat("unix:", SocketPath("json"));
  ServerProcess server(kProgram, {"--listen", address, "--token-file", path,
                                  "--log-format=json"});
  ASSERT_TRUE(server.WaitForError("serves"));
  EXPECT_FALSE(Serves(address));
  EXPECT_TRUE(server.WaitForError(
      "\"level\":\"warning\",\"method\":\"Compute\",\"code\":"
      "\"UNAUTHENTICATED\",\"message\":\"authorization: missing"));
  std::filesystem::remove(path);
}

// What protobuf says of a stranger's bytes is no line of ours.
TEST(ServerBinaryLogTest, NoLibraryWritesIntoTheLog) {
  ServerProcess server(kProgram, Flags());
  const std::string address = server.WaitForAddress();
  const std::string request("\x0a\x02\xff\xfe", 4);  // a name, not of UTF-8
  for (const char* path :
       {"/grpc.health.v1.Health/Check",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}) {
    EXPECT_EQ(CallOf(address, path, request).error_code(),
              grpc::INVALID_ARGUMENT)
        << path;
  }
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_THAT(server.err(), Not(HasSubstr("UTF-8")));
}

TEST(ServerBinaryLogTest, ALogThatNobodyReadsStopsNothing) {
  const std::string socket = SocketPath("log");
  const std::string pipe = absl::StrCat(socket, ".log");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int unread = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fcntl(unread, F_SETPIPE_SZ, 4096), 4096);
  const std::string command =
      absl::StrCat("exec ", kProgram, " --listen unix:", socket,
                   " --drain-delay-seconds 0 --metrics-listen off 2>", pipe);
  ServerProcess server("/bin/sh", {"-c", command});
  const std::string address = absl::StrCat("unix:", socket);
  bool is_up = false;
  for (int i = 0; i < 300 && !is_up; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_up = Serves(address);
  }
  ASSERT_TRUE(is_up);
  const auto stub = StubOf(address);
  const v1::ComputeRequest request = SmallRequest();
  // More lines than the server keeps.
  for (int i = 0; i < 12'000; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(30));
    v1::ComputeResponse response;
    const grpc::Status status = stub->Compute(&context, request, &response);
    ASSERT_TRUE(status.ok()) << i << ": " << status.error_message();
  }
  std::string log;
  while (log.find("lost") == std::string::npos) {
    char bytes[4096];
    const ssize_t count = read(unread, bytes, sizeof(bytes));
    ASSERT_GT(count, 0);
    log.append(bytes, static_cast<size_t>(count));
  }
  EXPECT_GT(log.size(), size_t{1} << 20);
  EXPECT_THAT(log, HasSubstr(" lines of the log were lost: nobody read it"));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Serves(address));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
  close(unread);
  unlink(pipe.c_str());
}

}  // namespace
}  // namespace stridecast::testing
