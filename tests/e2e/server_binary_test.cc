// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The program stridecast-server as an operator meets it: command line, start,
// signals, exit codes, log.

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stridecast/v1/service.grpc.pb.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const char kProgram[] = STRIDECAST_SERVER_PROGRAM;

std::unique_ptr<v1::TensorCompute::Stub> StubOf(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return v1::TensorCompute::NewStub(grpc::CreateCustomChannel(
      address, grpc::InsecureChannelCredentials(), arguments));
}

grpc::Status Compute(const std::string& address,
                     const v1::ComputeRequest& request,
                     v1::ComputeResponse* response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(60));
  return StubOf(address)->Compute(&context, request, response);
}

v1::ComputeRequest FromText(const std::string& text) {
  v1::ComputeRequest request;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request));
  return request;
}

v1::ComputeRequest SmallRequest() {
  return FromText(R"(
    spec { operands { type: F32 dimensions: 2 }
           instructions { opcode: ADD operands: [0, 0] } results {} }
    payloads { floats: [12345.5, -2] })");
}

bool Serves(const std::string& address) {
  v1::ComputeResponse response;
  const grpc::Status status = Compute(address, SmallRequest(), &response);
  return status.ok() && response.payloads(0).floats(0) == 24691;
}

std::vector<std::string> Flags(std::vector<std::string> more = {}) {
  std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                    "--drain-delay-seconds=0"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// In a folder that goes away with the tests; short enough for a socket.
std::string SocketPath(const std::string& name) {
  static const struct Folder {
    Folder() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path = absl::StrCat(::testing::TempDir(), "stridecast_XXXXXX");
  } folder;
  const std::string path = absl::StrCat(folder.path, "/", name, ".sock");
  unlink(path.c_str());
  return path;
}

TEST(ServerBinaryTest, ServesUntilSigterm) {
  ServerProcess server(kProgram, Flags());
  const std::string address = server.WaitForAddress();
  ASSERT_THAT(address, StartsWith("127.0.0.1:"));
  EXPECT_TRUE(Serves(address));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  EXPECT_THAT(server.out(), IsEmpty());
}

TEST(ServerBinaryTest, SigintDrainsToo) {
  ServerProcess server(kProgram, Flags());
  ASSERT_FALSE(server.WaitForAddress().empty());
  server.Signal(SIGINT);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
}

TEST(ServerBinaryTest, LogHasALinePerCallAndNoData) {
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

TEST(ServerBinaryTest, JsonLogIsAnObjectALine) {
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
  EXPECT_EQ(server.WaitForExit(), 1);
  EXPECT_THAT(server.err(), HasSubstr("MMX"));
}

TEST(ServerBinaryTest, PortTakenIsOneLineWithTheAddress) {
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
TEST(ServerBinaryTest, WildcardsOfBothFamiliesShareAPort) {
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

TEST(ServerBinaryTest, UnixSocketBesideAPort) {
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

TEST(ServerBinaryTest, AbstractSocketsNeedNoFile) {
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

TEST(ServerBinaryTest, SocketsHaveTheModeThatIsAskedFor) {
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
TEST(ServerBinaryTest, OneOfManyHasTheSocket) {
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

TEST(ServerBinaryTest, SocketInUseIsNotTakenAway) {
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

TEST(ServerBinaryTest, SocketLeftBehindIsReplaced) {
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

TEST(ServerBinaryTest, FileThatIsNoSocketIsKept) {
  const std::string path = SocketPath("file");
  std::ofstream(path) << "precious";
  ServerProcess server(kProgram, {"--listen=unix:" + path});
  EXPECT_EQ(server.WaitForExit(), 1);
  EXPECT_THAT(server.err(), HasSubstr("a file that is no socket"));
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  unlink(path.c_str());
}

TEST(ServerBinaryTest, LockFileOfOthersIsKept) {
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
  grpc::GenericStub stranger(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stranger.PrepareUnaryCall(
      &context, absl::StrCat("/a\\b\"", std::string(200, 'x')),
      grpc::ByteBuffer(nullptr, 0), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(server.WaitForError(
      absl::StrCat(" /a\\\\b\\\"", std::string(95, 'x'), " UNAUTHENTICATED")));
  std::ofstream(path) << "latter\n";
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
  std::filesystem::remove(path);
}

TEST(ServerBinaryTest, ALogThatNobodyReadsStopsNothing) {
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
