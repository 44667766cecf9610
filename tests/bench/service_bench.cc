// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The server beside the baselines of baseline_server.cc: processes of their own
// on this machine, the same request bytes by turns, and one client that sends
// and receives bytes without looking at them.
//   stridecast_service_bench SERVER BASELINE [--json=FILE] [--only=TEXT]
// SERVER and BASELINE are the programs. Rows of time have ratio = seconds /
// baseline_seconds, rows of throughput the rate over the baseline's rate, rows
// of memory the bytes over the limit.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "nlohmann/json.hpp"
#include "tests/bench/fail.h"
#include "tests/bench/peer.h"
#include "tests/bench/quantile.h"
#include "tests/bench/stream_client.h"
#include "tests/support/certificates.h"
#include "tests/support/server_process.h"

namespace stridecast::bench {
namespace {

using testing::ServerProcess;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMiB = int64_t{1} << 20;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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
        baseline_(baseline),
        only_(std::move(only)),
        echo_tcp_(baseline, {"echo", "127.0.0.1:0"}),
        echo_unix_(baseline, {"echo", Socket("echo")}),
        generated_(baseline, {"generated", "127.0.0.1:0"}),
        generated_kept_(baseline, {"generated-kept-heap", "127.0.0.1:0"}) {}

  const nlohmann::json& Run() {
    StartServer();
    const Endpoint tcp{addresses_.at(0)};
    const Endpoint unix_socket{addresses_.at(1)};
    const Endpoint echo_tcp{echo_tcp_.WaitForAddress()};
    const Endpoint echo_unix{echo_unix_.WaitForAddress()};
    const Endpoint generated{generated_.WaitForAddress()};
    const Endpoint generated_kept{generated_kept_.WaitForAddress()};
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
    CallsOver("TCP", tcp, echo_tcp);
    Rates("1 KiB, 64 in flight on 4 connections", AddOne(1024), tcp, echo_tcp,
          4, 64, 20'000, 0.9);
    OverTls();
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
    Peer({first}, 1).Call(HealthCheck());
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

  // What a call costs, and how many there can be.
  void CallsOver(const std::string& transport, const Endpoint& server,
                 const Endpoint& echo) {
    const std::string over = ", " + transport;
    Times("relayout f32 NCHW to NHWC, 16 MiB" + over, NchwToNhwc(16 * kMiB),
          server, "echo", echo, 1.35);
    for (const int64_t bytes : {64, 1024, 4096}) {
      Latencies(absl::StrCat("x + 1 f32, ", bytes, " bytes", over),
                AddOne(bytes), server, echo);
    }
    for (const int in_flight : {1, 4, 16, 64}) {
      Rates(absl::StrCat("1 MiB, ", in_flight, " in flight", over),
            AddOne(kMiB), server, echo, 1, in_flight, 256, 0.85);
    }
  }

  // In servers of their own: one process speaks TLS on all of its TCP ports.
  void OverTls() {
    if (!only_.empty() && !absl::StrContains(only_, "TLS")) return;
    const testing::Certificates& certificates = testing::Certificates::Get();
    if (!certificates.are_made())
      Fail("no certificates: is openssl installed?");
    const std::string certificate = certificates.PemPath("server");
    const std::string key = certificates.KeyPath("server");
    ServerProcess server(server_,
                         {"--listen=127.0.0.1:0",
                          absl::StrCat("--tls-certificate=", certificate),
                          absl::StrCat("--tls-private-key=", key)});
    ServerProcess echo(baseline_, {"echo", "127.0.0.1:0", certificate, key});
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = certificates.Pem("ca");
    const auto credentials = grpc::SslCredentials(options);
    const Endpoint tls{server.WaitForAddress(), credentials};
    const Endpoint echo_tls{echo.WaitForAddress(), credentials};
    Times("x + 1 f32, 1 MiB, TLS", AddOne(kMiB), tls, "echo", echo_tls, 1.12);
    CallsOver("TLS", tls, echo_tls);
  }

  // Medians of single calls, by turns.
  void Times(const std::string& name, const Request& request,
             const Endpoint& server, const char* baseline,
             const Endpoint& baseline_server, double wanted) {
    if (!IsWanted(name)) return;
    Peer ours(server, 1);
    Peer theirs(baseline_server, 1);
    const Paired paired = ByTurns(
        15, 3, 4, ours, theirs, [&](Peer& peer) { return peer.Call(request); });
    AddTime(name, static_cast<int64_t>(request.bytes.Length()),
            Quantile(paired.ours, 0.5), baseline, Quantile(paired.theirs, 0.5),
            wanted);
  }

  void Latencies(const std::string& name, const Request& request,
                 const Endpoint& server, const Endpoint& echo) {
    if (!IsWanted(name)) return;
    Peer ours(server, 1);
    Peer theirs(echo, 1);
    const Paired paired =
        ByTurns(20'500, 0, 500, ours, theirs,
                [&](Peer& peer) { return peer.Call(request); });
    const auto length = static_cast<int64_t>(request.bytes.Length());
    AddTime(name + ", p50", length, Quantile(paired.ours, 0.5), "echo",
            Quantile(paired.theirs, 0.5), 1.10);
    AddTime(name + ", p99", length, Quantile(paired.ours, 0.99), "echo",
            Quantile(paired.theirs, 0.99), 1.25);
  }

  void Rates(const std::string& name, const Request& request,
             const Endpoint& server, const Endpoint& echo, int connections,
             int in_flight, int calls, double wanted) {
    if (!IsWanted(name)) return;
    Peer ours(server, connections);
    Peer theirs(echo, connections);
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
  void Streams(const Endpoint& echo_server) {
    const std::string name = "ComputeStream x + 1 f32, 8 GiB";
    if (!IsWanted(name)) return;
    constexpr int64_t kBytes = int64_t{8} << 30;
    ServerProcess process(server_, {"--listen=127.0.0.1:0"});
    const std::string address = process.WaitForAddress();
    const Request request = AddOne(16 * kMiB);
    Peer echo(echo_server, 1);
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
  void BesideLargeCalls(const Endpoint& server, const std::string& whose) {
    const std::string name =
        absl::StrCat("1 KiB while 64 MiB calls run, ", whose);
    if (!IsWanted(name)) return;
    const Request small = AddOne(1024);
    const Request large = AddOne(64 * kMiB);
    Peer peer(server, 1);
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
      Peer busy(server, 1);
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

  void PeakMemory(const Endpoint& server) {
    const std::string name = "peak memory of a 128 MiB call";
    if (!IsWanted(name)) return;
    WaitForTrim();
    const int64_t idle = StatusBytes(*process_, "VmRSS");
    // A new peak from here on.
    std::ofstream(absl::StrCat("/proc/", process_->pid(), "/clear_refs"))
        << "5\n";
    Peer(server, 1).Call(AddOne(128 * kMiB));
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
    const Endpoint server{process.WaitForAddress()};
    std::vector<Request> requests;
    for (const int64_t bytes :
         {int64_t{64}, int64_t{1024}, int64_t{65'536}, kMiB, 4 * kMiB}) {
      requests.push_back(AddOne(bytes));
    }
    requests.push_back(NchwToNhwc(4 * kMiB));
    const auto run = [&](int count) {
      Peer peer(server, 2);
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
  const std::string baseline_;
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
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
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
