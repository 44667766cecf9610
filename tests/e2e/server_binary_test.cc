// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The program stridecast-server as an operator meets it: command line, start,
// signals, exit codes. server_binary_log_test.cc has its log.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
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

TEST(ServerBinaryTest, ServesUntilSigterm) {
  ServerProcess server(kProgram, Flags());
  const std::string address = server.WaitForAddress();
  ASSERT_THAT(address, StartsWith("127.0.0.1:"));
  EXPECT_TRUE(Serves(address));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  EXPECT_THAT(server.out(), IsEmpty());
}

TEST(ServerBinaryTest, SigintAndSighupDrainToo) {
  for (const int signal : {SIGINT, SIGHUP}) {
    ServerProcess server(kProgram, Flags());
    ASSERT_FALSE(server.WaitForAddress().empty());
    server.Signal(signal);
    EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  }
}

// As nohup starts it.
TEST(ServerBinaryTest, AnIgnoredSighupStaysSo) {
  ServerProcess server("/bin/sh",
                       {"-c", absl::StrCat("trap '' HUP; exec ", kProgram,
                                           " --listen=127.0.0.1:0 "
                                           "--drain-delay-seconds=0")});
  const std::string address = server.WaitForAddress();
  server.Signal(SIGHUP);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Serves(address));
  EXPECT_THAT(server.err(), Not(HasSubstr("stopping")));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
}

TEST(ServerBinaryTest, HelpVersionAndConfig) {
  const std::pair<const char*, const char*> cases[] = {
      {"--help", "--max-message-bytes BYTES=67108864"},
      {"--version", "stridecast-server 0."},
      {"--print-config", "max-message-bytes=67108864"}};
  for (const auto& [flag, text] : cases) {
    ServerProcess server(kProgram, {flag});
    EXPECT_EQ(server.WaitForExit(), 0) << flag;
    EXPECT_THAT(server.out(), HasSubstr(text));
    EXPECT_THAT(server.err(), IsEmpty());
  }
}

TEST(ServerBinaryTest, PrintConfigTellsWhatSetsNothing) {
  ServerProcess server(kProgram, {"--print-config"},
                       {.variables = {"STRIDECAST_THREDS=1"}});
  EXPECT_EQ(server.WaitForExit(), 0);
  EXPECT_THAT(server.out(), HasSubstr("max-message-bytes=67108864"));
  EXPECT_THAT(server.err(), HasSubstr("STRIDECAST_THREDS sets nothing"));
}

// Kubernetes sets such in the pods beside a service "stridecast".
TEST(ServerBinaryTest, StartsBesideServiceLinks) {
  ServerProcess server(kProgram, Flags(),
                       {.variables = {"STRIDECAST_PORT=tcp://10.0.0.1:50051",
                                      "STRIDECAST_SERVICE_HOST=10.0.0.1",
                                      "STRIDECAST_PORT_50051_TCP_ADDR=10.0.0.1",
                                      "STRIDECAST_MAX_MESSAGE_BYTES=1MiB",
                                      "STRIDECAST_THREDS=1"}});
  EXPECT_TRUE(Serves(server.WaitForAddress()));
  EXPECT_THAT(server.err(), HasSubstr("message 1048576"));
  EXPECT_THAT(server.err(), HasSubstr("STRIDECAST_THREDS sets nothing"));
  EXPECT_THAT(server.err(), Not(HasSubstr("10.0.0.1")));
  EXPECT_THAT(server.err(), Not(HasSubstr("STRIDECAST_PORT")));
}

TEST(ServerBinaryTest, WhatCannotBePrintedOrHadIsAFailure) {
  for (const char* command :
       {" --print-config >/dev/full", " --help >/dev/full"}) {
    ServerProcess server("/bin/sh", {"-c", absl::StrCat(kProgram, command)});
    EXPECT_EQ(server.WaitForExit(), 1) << command;
    EXPECT_THAT(server.err(), HasSubstr("standard output: cannot write"));
  }
}

// Or a socket would be standard error, and the log go into it.
TEST(ServerBinaryTest, StandardFilesThatAreClosedAreOpened) {
  const std::string address = absl::StrCat("unix:", SocketPath("closed"));
  ServerProcess server(
      "/bin/sh", {"-c", absl::StrCat("exec ", kProgram,
                                     " --metrics-listen=off --listen=", address,
                                     " --drain-delay-seconds=0 <&- >&- 2>&-")});
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!Serves(address) && std::chrono::steady_clock::now() < late) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (const char* fd : {"0", "1", "2"}) {
    EXPECT_EQ(std::filesystem::read_symlink(
                  absl::StrCat("/proc/", server.pid(), "/fd/", fd)),
              "/dev/null");
  }
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0);
}

TEST(ServerBinaryTest, ABudgetThatMemoryCannotHoldIsWarnedOf) {
  ServerProcess server(kProgram,
                       Flags({"--max-inflight-bytes=100000000000000"}));
  EXPECT_TRUE(Serves(server.WaitForAddress()));
  EXPECT_THAT(server.err(), HasSubstr("that may be 1375"));
}

TEST(ServerBinaryTest, MessagesThatNoBudgetHoldsAreWarnedOf) {
  ServerProcess server(kProgram, Flags({"--max-message-bytes=64MiB",
                                        "--max-inflight-bytes=67108863"}));
  EXPECT_TRUE(Serves(server.WaitForAddress()));
  EXPECT_THAT(server.err(),
              HasSubstr("--max-message-bytes 67108864: only messages of at "
                        "most --max-inflight-bytes 67108863 are computed"));
}

// 64 files are left to others.
TEST(ServerBinaryTest, ALimitOfOpenFilesThatCutsConnectionsIsWarnedOf) {
  ServerProcess::Settings settings;
  settings.open_files = 100;
  const auto start_line = [&](const std::string& asked) {
    ServerProcess server(
        kProgram,
        Flags({"--max-memory-bytes=1GiB", "--max-concurrent-streams=128",
               "--max-connections=" + asked}),
        settings);
    EXPECT_TRUE(Serves(server.WaitForAddress()));
    return server.err();
  };
  constexpr char kCut[] =
      ": only 36 within the limit of open files (ulimit -n)";
  // (1 GiB - 32 MiB) / (128 * 14 KiB)
  EXPECT_THAT(start_line("0"),
              HasSubstr(absl::StrCat("--max-connections 566", kCut)));
  EXPECT_THAT(start_line("37"),
              HasSubstr(absl::StrCat("--max-connections 37", kCut)));
  EXPECT_THAT(start_line("36"), Not(HasSubstr("ulimit")));
}

TEST(ServerBinaryTest, BadCommandLineExitsWithTwo) {
  for (const char* flag : {"--no-such-flag", "--threads=-1", "--listen=x"}) {
    ServerProcess server(kProgram, {flag});
    EXPECT_EQ(server.WaitForExit(), 2) << flag;
    EXPECT_THAT(server.err(), HasSubstr("--")) << flag;
    EXPECT_THAT(server.out(), IsEmpty());
  }
}

TEST(ServerBinaryTest, UnknownSimdTargetIsNamed) {
  ServerProcess server(kProgram, Flags({"--simd-target=MMX"}));
  EXPECT_EQ(server.WaitForExit(), 2);
  EXPECT_THAT(server.err(), HasSubstr("MMX"));
}

// A call long enough to be running when the signal comes.
TEST(ServerBinaryTest, SigtermLetsRunningCallsEnd) {
  ServerProcess server(kProgram,
                       {"--listen=127.0.0.1:0", "--drain-delay-seconds=1",
                        "--drain-deadline-seconds=120"});
  const std::string address = server.WaitForAddress();
  ASSERT_FALSE(address.empty());
  v1::ComputeRequest request = FromText(
      "spec { operands { type: F32 dimensions: 4194304 } "
      "operands { type: F32 dimensions: 4194304 } "
      "results { encoding: RAW } }");
  for (uint32_t i = 0; i < 200; ++i) {
    auto& instruction = *request.mutable_spec()->add_instructions();
    instruction.set_opcode(v1::Instruction::DIVIDE);
    instruction.add_operands(i == 0 ? 0 : i + 1);
    instruction.add_operands(1);
  }
  const std::vector<float> ones(4194304, 1.0f);
  for (int i = 0; i < 2; ++i) {
    request.add_payloads()->set_raw(ones.data(), ones.size() * sizeof(float));
  }
  grpc::Status status;
  v1::ComputeResponse response;
  std::thread call([&] { status = Compute(address, request, &response); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  server.Signal(SIGTERM);
  call.join();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(0, std::memcmp(response.payloads(0).raw().data(), ones.data(),
                           ones.size() * sizeof(float)));
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
}

// gRPC's own end waits for a thread that polls for writes which the kernel had
// no room for, if there were any: hence more than one reply, and more than one
// server.
TEST(ServerBinaryTest, LargeRepliesDoNotDelayTheExit) {
  const v1::ComputeRequest request = FromText(R"(
    spec { operands { type: F32 }
           instructions { opcode: BROADCAST_IN_DIM operands: 0
             broadcast_in_dim { shape { dimensions: 8000000 } } }
           results { encoding: RAW } }
    payloads { floats: 1 })");
  for (int i = 0; i < 6; ++i) {
    ServerProcess server(kProgram, Flags());
    const std::string address = server.WaitForAddress();
    for (int call = 0; call < 3; ++call) {
      v1::ComputeResponse response;
      const grpc::Status status = Compute(address, request, &response);
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
    const auto start = std::chrono::steady_clock::now();
    server.Signal(SIGTERM);
    EXPECT_EQ(server.WaitForExit(), 0) << server.err();
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5))
        << i;
  }
}

TEST(ServerBinaryTest, SecondSignalEndsTheProcessAtOnce) {
  ServerProcess server(kProgram,
                       {"--listen=127.0.0.1:0", "--drain-delay-seconds=3600"});
  ASSERT_FALSE(server.WaitForAddress().empty());
  server.Signal(SIGTERM);
  ASSERT_TRUE(server.WaitForError("draining"));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 1);
}

TEST(ServerBinaryTest, AStartThatWaitsForItsFlagsEnds) {
  const std::string pipe = absl::StrCat(SocketPath("flags"), ".pipe");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ServerProcess server(kProgram, {"--flag-file", pipe});
  const int writer = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);  // it reads
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  close(writer);
  unlink(pipe.c_str());
}

// Files are looked at once more at the end, and there is something to log.
TEST(ServerBinaryTest, ATokenFileThatChangedBeforeTheEnd) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "tokens_", getpid());
  std::ofstream(path) << "former\n";
  const std::string address = absl::StrCat("unix:", SocketPath("token"));
  ServerProcess server(kProgram, {"--listen", address, "--token-file", path,
                                  "--drain-delay-seconds=0"});
  ASSERT_TRUE(server.WaitForError("serves"));
  EXPECT_FALSE(Serves(address));
  EXPECT_TRUE(server.WaitForError(
      "/stridecast.v1.TensorCompute/Compute UNAUTHENTICATED authorization: "
      "missing; needs"));
  // What a stranger calls a method neither ends the line nor fills the log.
  EXPECT_EQ(CallOf(address, absl::StrCat("/a\\b\"", std::string(200, 'x')), "")
                .error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(server.WaitForError(
      absl::StrCat(" /a\\\\b\\\"", std::string(95, 'x'), " UNAUTHENTICATED")));
  std::ofstream(path) << "latter\n";
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  std::filesystem::remove(path);
}

// Address space stands for memory here; sanitizers need more of it than any
// useful limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ServerBinaryTest, MemoryThatIsNotToBeHadEndsOneCallOnly) {
  ServerProcess::Settings settings;
  settings.address_space_bytes = int64_t{3} << 29;  // 1.5 GiB
  ServerProcess server(
      kProgram,
      Flags({"--max-result-bytes=2000MiB", "--max-inflight-bytes=16GiB"}),
      settings);
  const std::string address = server.WaitForAddress();
  ASSERT_FALSE(address.empty()) << server.err();
  const v1::ComputeRequest huge = FromText(R"(
    spec { operands { type: U8 }
           instructions { opcode: BROADCAST_IN_DIM operands: 0
             broadcast_in_dim { shape { dimensions: 2000000000 } } }
           results { encoding: RAW } }
    payloads { uint32s: 1 })");
  v1::ComputeResponse response;
  const grpc::Status status = Compute(address, huge, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("no memory for a buffer of"));
  EXPECT_TRUE(Serves(address));
}
#endif

}  // namespace
}  // namespace stridecast::testing
