// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The server beside the baselines of baseline_server.cc: processes of their own
// on this machine, the same request bytes by turns, and one client that sends
// and receives bytes without looking at them.
//   stridecast_service_bench SERVER BASELINE [--json=FILE] [--only=TEXT]
// SERVER and BASELINE are the programs. Rows of time have ratio = seconds /
// baseline_seconds, rows of throughput the rate over the baseline's rate, rows
// of memory the bytes over the limit.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "proto/wire/request_codec.h"
#include "tests/bench/stream_client.h"
#include "tests/support/builders.h"
#include "tests/support/server_process.h"

namespace stridecast::bench {
namespace {

using testing::ServerProcess;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr char kCompute[] = "/stridecast.v1.TensorCompute/Compute";
constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kRelayout[] = "/stridecast.v1.TensorCompute/Relayout";

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What is sent, again and again.
struct Request {
  std::string method;
  grpc::ByteBuffer bytes;
};

// In one slice, as if read from a file.
grpc::ByteBuffer InOneSlice(const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  if (!message.DumpToSingleSlice(&slice).ok()) Fail("no memory");
  return grpc::ByteBuffer(&slice, 1);
}

// Floats of no meaning; not zeros, which memory may move faster.
std::vector<std::byte> Data(int64_t size_bytes) {
  std::vector<float> numbers(static_cast<size_t>(size_bytes / 4));
  std::minstd_rand random(1);
  for (float& number : numbers) number = static_cast<float>(random());
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

Request AddOne(int64_t operand_bytes) {
  const Signature signature = testing::Program(
      {testing::Desc(DType::kF32, {operand_bytes / 4})},
      {testing::Op(Opcode::kConstant, {},
                   ConstantAttribute{testing::Desc(DType::kF32, {}),
                                     std::string("\0\0\x80\x3f", 4)}),
       testing::BinaryOp(Opcode::kAdd, 0, 1)});
  const std::vector<std::byte> data = Data(operand_bytes);
  const SegmentedBytes payload(data.data(), operand_bytes);
  return {kCompute, InOneSlice(EncodeComputeRequest(signature, {&payload, 1},
                                                    {Encoding::kRaw}))};
}

Request NchwToNhwc(int64_t operand_bytes) {
  Signature signature;
  signature.operands = {
      testing::Desc(DType::kF32, {operand_bytes / 4 / 64 / 4096, 64, 64, 64})};
  signature.results = {testing::Result(testing::Order({1, 3, 2, 0}))};
  const std::vector<std::byte> data = Data(operand_bytes);
  const SegmentedBytes payload(data.data(), operand_bytes);
  return {kRelayout, InOneSlice(EncodeRelayoutRequest(signature, payload,
                                                      Encoding::kRaw))};
}

// Connections to one server, and the calls that are in flight on them.
class Peer {
 public:
  Peer(const std::string& address, int num_connections) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetMaxSendMessageSize(-1);
    static int next_connection = 0;
    for (int i = 0; i < num_connections; ++i) {
      // Channels of the same arguments share a connection.
      arguments.SetInt("stridecast.connection", next_connection++);
      stubs_.push_back(
          std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
              address, grpc::InsecureChannelCredentials(), arguments)));
    }
  }
  ~Peer() {
    queue_.Shutdown();
    void* tag;
    bool ok;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  double Call(const Request& request) {
    const auto start = Clock::now();
    Start(request);
    Wait();
    return SecondsSince(start);
  }

  // Of `count` calls, so many of them in flight.
  double Calls(const Request& request, int count, int in_flight) {
    const auto start = Clock::now();
    int started = 0;
    for (; started < std::min(in_flight, count); ++started) Start(request);
    for (int done = 0; done < count; ++done) {
      Wait();
      if (started < count) {
        Start(request);
        ++started;
      }
    }
    return SecondsSince(start);
  }

 private:
  struct CallState {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
    grpc::ByteBuffer reply;
    grpc::Status status;
  };

  void Start(const Request& request) {
    auto call = std::make_unique<CallState>();
    grpc::GenericStub& stub = *stubs_[next_++ % stubs_.size()];
    call->context.set_wait_for_ready(true);
    call->reader = stub.PrepareUnaryCall(&call->context, request.method,
                                         request.bytes, &queue_);
    call->reader->StartCall();
    CallState* const state = call.release();
    state->reader->Finish(&state->reply, &state->status, state);
  }

  void Wait() {
    void* tag;
    bool ok;
    if (!queue_.Next(&tag, &ok)) Fail("the queue is shut down");
    const std::unique_ptr<CallState> call(static_cast<CallState*>(tag));
    if (!call->status.ok()) Fail(call->status.error_message());
  }

  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  size_t next_ = 0;
};

double Quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(
      static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

struct Paired {
  std::vector<double> ours;
  std::vector<double> theirs;
};

// Two measurements by turns: at least so many, for at least so long, without
// the first ones, until buffers are there.
template <class Measure>
Paired ByTurns(int turns, double seconds, int num_first, Peer& ours,
               Peer& theirs, const Measure& measure) {
  Paired paired;
  const auto start = Clock::now();
  for (int turn = 0; turn < turns || SecondsSince(start) < seconds; ++turn) {
    const double a = measure(ours);
    const double b = measure(theirs);
    if (turn < num_first) continue;
    paired.ours.push_back(a);
    paired.theirs.push_back(b);
  }
  return paired;
}

class ServiceBench {
 public:
  ServiceBench(const std::string& server, const std::string& baseline,
               std::string only)
      : server_(server),
        only_(std::move(only)),
        echo_tcp_(baseline, {"echo", "127.0.0.1:0"}),
        echo_unix_(baseline, {"echo", Socket("echo")}),
        generated_(baseline, {"generated", "127.0.0.1:0"}),
        generated_kept_(baseline, {"generated-kept-heap", "127.0.0.1:0"}) {}

  const nlohmann::json& Run() {
    StartServer();
    const std::string tcp = addresses_.at(0);
    const std::string unix_socket = addresses_.at(1);
    const std::string echo_tcp = echo_tcp_.WaitForAddress();
    const std::string echo_unix = echo_unix_.WaitForAddress();
    const std::string generated = generated_.WaitForAddress();
    const std::string generated_kept = generated_kept_.WaitForAddress();
    for (const int64_t mib : {1, 16, 128}) {
      const Request request = AddOne(mib * kMiB);
      const std::string name = absl::StrCat("x + 1 f32, ", mib, " MiB, ");
      Times(name + "TCP", request, tcp, "echo", echo_tcp, 1.12);
      Times(name + "Unix socket", request, unix_socket, "echo", echo_unix,
            1.12);
      const double wanted = mib == 1 ? 1 / 2.5 : mib == 16 ? 1 / 3.5 : 1 / 5.0;
      Times(name + "TCP against generated classes", request, tcp, "generated",
            generated, wanted);
      Times(name + "TCP against generated classes, heap as ours", request, tcp,
            "generated", generated_kept, wanted);
    }
    Times("relayout f32 NCHW to NHWC, 16 MiB", NchwToNhwc(16 * kMiB), tcp,
          "echo", echo_tcp, 1.35);
    for (const int64_t bytes : {64, 1024, 4096}) {
      Latencies(bytes, tcp, echo_tcp);
    }
    for (const int in_flight : {1, 4, 16, 64}) {
      Rates(absl::StrCat("1 MiB, ", in_flight, " in flight"), AddOne(kMiB), tcp,
            echo_tcp, 1, in_flight, 256, 0.85);
    }
    Rates("1 KiB, 64 in flight on 4 connections", AddOne(1024), tcp, echo_tcp,
          4, 64, 20'000, 0.9);
    BesideLargeCalls(tcp, "");
    BesideLargeCalls(echo_tcp, "of the echo, ");
    Streams(echo_tcp);
    PeakMemory(tcp);
    MixedCalls();
    return rows_;
  }

 private:
  struct Directory {
    Directory() {
      if (mkdtemp(path.data()) == nullptr) Fail("no directory for sockets");
    }
    ~Directory() { std::filesystem::remove_all(path); }
    std::string path = "/tmp/stridecast-bench.XXXXXX";
  };
  std::string Socket(const std::string& name) const {
    return absl::StrCat("unix:", directory_.path, "/", name);
  }

  bool IsWanted(const std::string& name) const {
    return only_.empty() || absl::StrContains(name, only_);
  }

  void Add(nlohmann::json row) {
    std::printf(
        "| %s | %.3g s | %s %.3g s | %.2f | %s %.2f |\n",
        row["case"].get<std::string>().c_str(), row["seconds"].get<double>(),
        row["baseline"].get<std::string>().c_str(),
        row["baseline_seconds"].get<double>(), row["ratio"].get<double>(),
        row["at_most"].get<bool>() ? "at most" : "at least",
        row["wanted"].get<double>());
    std::fflush(stdout);
    rows_.push_back(std::move(row));
  }

  void AddTime(const std::string& name, int64_t bytes, double seconds,
               const char* baseline, double baseline_seconds, double wanted) {
    Add({{"case", name},
         {"bytes", bytes},
         {"seconds", seconds},
         {"baseline", baseline},
         {"baseline_seconds", baseline_seconds},
         {"ratio", seconds / baseline_seconds},
         {"wanted", wanted},
         {"at_most", true}});
  }

  void AddMemory(const std::string& name, int64_t bytes, int64_t limit) {
    Add({{"case", name},
         {"bytes", bytes},
         {"seconds", 0.0},
         {"baseline", absl::StrCat(limit / kMiB, " MiB")},
         {"baseline_seconds", 0.0},
         {"ratio", static_cast<double>(bytes) / static_cast<double>(limit)},
         {"wanted", 1.0},
         {"at_most", true}});
  }

  // From /proc/PID/status.
  static int64_t StatusBytes(const ServerProcess& process,
                             const std::string& field) {
    std::ifstream status(absl::StrCat("/proc/", process.pid(), "/status"));
    std::string word;
    while (status >> word) {
      int64_t kib;
      if (word == field + ":" && status >> kib) return kib << 10;
    }
    Fail(absl::StrCat("no ", field));
  }

  void StartServer() {
    const auto start = Clock::now();
    process_ = std::make_unique<ServerProcess>(
        server_,
        std::vector<std::string>{
            absl::StrCat("--listen=127.0.0.1:0,", Socket("stridecast")),
            "--max-message-bytes=256MiB", "--max-result-bytes=256MiB"});
    const std::string first = process_->WaitForAddress();
    if (first.empty()) Fail(process_->err());
    // The first answer to a health check, of no bytes: of the whole server.
    Peer(first, 1).Call({kHealthCheck, grpc::ByteBuffer(nullptr, 0)});
    const double seconds = SecondsSince(start);
    const std::string text = process_->err();
    const size_t begin = text.find(" serves ") + 8;
    addresses_ =
        absl::StrSplit(text.substr(begin, text.find(';', begin) - begin), ',');
    if (IsWanted("start to serving")) {
      AddTime("start to serving", 0, seconds, "limit", 1, 1);
    }
    if (IsWanted("idle memory")) {
      AddMemory("idle memory", StatusBytes(*process_, "VmRSS"), 64 * kMiB);
    }
  }

  // Medians of single calls, by turns.
  void Times(const std::string& name, const Request& request,
             const std::string& address, const char* baseline,
             const std::string& baseline_address, double wanted) {
    if (!IsWanted(name)) return;
    Peer ours(address, 1);
    Peer theirs(baseline_address, 1);
    const Paired paired = ByTurns(
        15, 3, 4, ours, theirs, [&](Peer& peer) { return peer.Call(request); });
    AddTime(name, static_cast<int64_t>(request.bytes.Length()),
            Quantile(paired.ours, 0.5), baseline, Quantile(paired.theirs, 0.5),
            wanted);
  }

  void Latencies(int64_t bytes, const std::string& address,
                 const std::string& baseline_address) {
    const std::string name = absl::StrCat("x + 1 f32, ", bytes, " bytes, ");
    if (!IsWanted(name)) return;
    const Request request = AddOne(bytes);
    Peer ours(address, 1);
    Peer theirs(baseline_address, 1);
    const Paired paired =
        ByTurns(20'500, 0, 500, ours, theirs,
                [&](Peer& peer) { return peer.Call(request); });
    const auto length = static_cast<int64_t>(request.bytes.Length());
    AddTime(name + "p50", length, Quantile(paired.ours, 0.5), "echo",
            Quantile(paired.theirs, 0.5), 1.10);
    AddTime(name + "p99", length, Quantile(paired.ours, 0.99), "echo",
            Quantile(paired.theirs, 0.99), 1.25);
  }

  void Rates(const std::string& name, const Request& request,
             const std::string& address, const std::string& baseline_address,
             int connections, int in_flight, int calls, double wanted) {
    if (!IsWanted(name)) return;
    Peer ours(address, connections);
    Peer theirs(baseline_address, connections);
    const Paired paired = ByTurns(8, 0, 1, ours, theirs, [&](Peer& peer) {
      return peer.Calls(request, calls, in_flight) / calls;
    });
    const double own = Quantile(paired.ours, 0.5);
    const double others = Quantile(paired.theirs, 0.5);
    Add({{"case", name},
         {"bytes", request.bytes.Length()},
         {"seconds", own},
         {"baseline", "echo"},
         {"baseline_seconds", others},
         {"ratio", others / own},
         {"wanted", wanted},
         {"at_most", false}});
  }

  // In a server of its own, for its peak memory.
  void Streams(const std::string& echo_address) {
    const std::string name = "ComputeStream x + 1 f32, 8 GiB";
    if (!IsWanted(name)) return;
    constexpr int64_t kBytes = int64_t{8} << 30;
    ServerProcess process(server_, {"--listen=127.0.0.1:0"});
    const std::string address = process.WaitForAddress();
    const Request request = AddOne(16 * kMiB);
    Peer echo(echo_address, 1);
    std::vector<double> echo_seconds;
    const auto measure_echo = [&] {
      for (int i = 0; i < 12; ++i) echo_seconds.push_back(echo.Call(request));
    };
    measure_echo();
    const double seconds = StreamAddOne(address, kBytes);
    measure_echo();
    const double echo_rate = static_cast<double>(request.bytes.Length()) /
                             Quantile(echo_seconds, 0.5);
    const double echo_time = static_cast<double>(kBytes) / echo_rate;
    Add({{"case", name},
         {"bytes", kBytes},
         {"seconds", seconds},
         {"baseline", "echo, 16 MiB"},
         {"baseline_seconds", echo_time},
         {"ratio", echo_time / seconds},
         {"wanted", 0.9},
         {"at_most", false}});
    AddMemory("peak memory of " + name, StatusBytes(process, "VmHWM"),
              256 * kMiB);
  }

  // 1 KiB calls on a connection of their own, alone and while 64 MiB calls run.
  void BesideLargeCalls(const std::string& address, const std::string& whose) {
    const std::string name =
        absl::StrCat("1 KiB while 64 MiB calls run, ", whose);
    if (!IsWanted(name)) return;
    const Request small = AddOne(1024);
    const Request large = AddOne(64 * kMiB);
    Peer peer(address, 1);
    const auto latencies = [&] {
      std::vector<double> seconds;
      const auto start = Clock::now();
      while (SecondsSince(start) < 4) seconds.push_back(peer.Call(small));
      return seconds;
    };
    latencies();
    const std::vector<double> alone = latencies();
    std::vector<double> beside;
    {
      Peer busy(address, 1);
      std::jthread others([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) busy.Call(large);
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      beside = latencies();
    }
    const auto length = static_cast<int64_t>(small.bytes.Length());
    AddTime(name + "p50", length, Quantile(beside, 0.5), "alone",
            Quantile(alone, 0.5), 3);
    AddTime(name + "p99", length, Quantile(beside, 0.99), "alone",
            Quantile(alone, 0.99), 3);
  }

  void PeakMemory(const std::string& address) {
    const std::string name = "peak memory of a 128 MiB call";
    if (!IsWanted(name)) return;
    WaitForTrim();
    const int64_t idle = StatusBytes(*process_, "VmRSS");
    // A new peak from here on.
    std::ofstream(absl::StrCat("/proc/", process_->pid(), "/clear_refs"))
        << "5\n";
    Peer(address, 1).Call(AddOne(128 * kMiB));
    AddMemory(name, StatusBytes(*process_, "VmHWM"), (3 * 128 + 64) * kMiB);
    WaitForTrim();
    AddMemory("memory after a 128 MiB call", StatusBytes(*process_, "VmRSS"),
              idle + 4 * kMiB);
  }

  // Of one operand of 64 bytes to 4 MiB, 8 in flight, in a server of its own.
  void MixedCalls() {
    const std::string name = "memory after 10 000 mixed calls";
    if (!IsWanted(name)) return;
    ServerProcess process(server_, {"--listen=127.0.0.1:0"});
    const std::string address = process.WaitForAddress();
    std::vector<Request> requests;
    for (const int64_t bytes :
         {int64_t{64}, int64_t{1024}, int64_t{65'536}, kMiB, 4 * kMiB}) {
      requests.push_back(AddOne(bytes));
    }
    requests.push_back(NchwToNhwc(4 * kMiB));
    const auto run = [&](int count) {
      Peer peer(address, 2);
      constexpr int kEach = 50;
      for (int done = 0; done < count; done += kEach) {
        // Small ones more often.
        const size_t round = static_cast<size_t>(done / kEach) * 7;
        peer.Calls(requests[std::min(round % 11, round % requests.size())],
                   kEach, 8);
      }
      WaitForTrim();
      return StatusBytes(process, "VmRSS");
    };
    const int64_t warm = run(3000);
    AddMemory(name, run(10'000), warm + warm / 50);
  }

  // Three of the server's intervals and some.
  static void WaitForTrim() {
    std::this_thread::sleep_for(std::chrono::seconds(16));
  }

  const std::string server_;
  const std::string only_;
  const Directory directory_;  // of the sockets; outlives the processes
  ServerProcess echo_tcp_;
  ServerProcess echo_unix_;
  ServerProcess generated_;
  ServerProcess generated_kept_;
  std::unique_ptr<ServerProcess> process_;
  std::vector<std::string> addresses_;
  nlohmann::json rows_ = nlohmann::json::array();
};

int Main(int argc, char** argv) {
  std::vector<std::string> programs;
  std::string json;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--json=")) {
      json = std::string(argument);
    } else if (absl::ConsumePrefix(&argument, "--only=")) {
      only = std::string(argument);
    } else {
      programs.emplace_back(argument);
    }
  }
  if (programs.size() != 2) {
    Fail(
        "usage: stridecast_service_bench SERVER BASELINE [--json=FILE] "
        "[--only=TEXT]");
  }
  ServiceBench bench(programs[0], programs[1], only);
  const nlohmann::json& rows = bench.Run();
  if (!json.empty()) std::ofstream(json) << rows.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace stridecast::bench

int main(int argc, char** argv) { return stridecast::bench::Main(argc, argv); }
