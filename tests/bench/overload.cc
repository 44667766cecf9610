// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The server under several times the load that it sustains, of calls of 1 MiB,
// Relayouts or images to normalise: a closed loop finds that load, an open one
// offers the multiple, the closed one then tells when all is as before.
// overload.sh gives the server its memory limit and both sides their CPUs.
//   stridecast_overload SERVER --group=DIRECTORY --server-cpu=N [--runs=3]
//     [--json=FILE] [--seconds=10] [--factor=10] [--connections=32]
//     [--streams=128] [--states-bytes=1] [--job=relayout|images]
//     [--server-flag=--FLAG ...]
// DIRECTORY is the server's memory control group, of version 1 or 2. Exits with
// 1 if a figure misses what is wanted.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "proto/wire/request_codec.h"
#include "tests/bench/fail.h"
#include "tests/bench/health_probe.h"
#include "tests/bench/load_generator.h"
#include "tests/bench/peer.h"
#include "tests/bench/quantile.h"
#include "tests/support/server_process.h"

namespace stridecast::bench {
namespace {

using testing::ServerProcess;
using Clock = std::chrono::steady_clock;
using Duration = std::chrono::duration<double>;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr std::chrono::seconds kDeadline(5);
// Of the closed loop.
constexpr int kNormalConnections = 4;
constexpr int kInFlight[] = {1, 2, 4, 8, 16, 32};
constexpr Duration kClosedTime(2);
// After the load: as before, in a window of this length.
constexpr Duration kWindow(0.2);
constexpr Duration kRecoveryTime(6);
constexpr double kNormalShare = 0.9;

struct Settings {
  std::string self;
  std::string server;
  std::string group;
  std::string server_cpu = "0";
  std::string json;
  std::vector<std::string> server_flags;
  int runs = 3;
  double seconds = 10;
  double factor = 10;
  int connections = 32;
  int streams = 128;
  bool states_bytes = true;
  std::string job = "relayout";
};

// The files of a memory control group, whose names differ by version.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::string directory)
      : directory_(std::move(directory)) {}

  int64_t limit_bytes() const {
    return FirstOf({"memory.max", "memory.limit_in_bytes"}).value_or(0);
  }
  // None where the kernel does not tell.
  std::optional<int64_t> peak_bytes() const {
    return FirstOf({"memory.peak", "memory.max_usage_in_bytes"});
  }
  int64_t num_killed() const {
    return CountOf("memory.events", "oom_kill") +
           CountOf("memory.oom_control", "oom_kill");
  }
  // How often usage met the limit.
  int64_t num_limited() const {
    return CountOf("memory.events", "max") +
           FirstOf({"memory.failcnt"}).value_or(0);
  }
  // From now on. Version 2 cannot everywhere.
  void Reset() const {
    std::ofstream(directory_ + "/memory.max_usage_in_bytes") << "0";
    std::ofstream(directory_ + "/memory.failcnt") << "0";
  }

 private:
  std::optional<int64_t> FirstOf(const std::vector<const char*>& names) const {
    for (const char* const name : names) {
      int64_t value;
      if (std::ifstream(absl::StrCat(directory_, "/", name)) >> value) {
        return value;
      }
    }
    return std::nullopt;
  }
  int64_t CountOf(const char* file, const std::string& key) const {
    std::ifstream lines(absl::StrCat(directory_, "/", file));
    std::string word;
    int64_t count;
    while (lines >> word >> count) {
      if (word == key) return count;
    }
    return 0;
  }

  const std::string directory_;
};

// The server in its group and on its CPU; it takes its own memory limit from
// there.
class PinnedServer {
 public:
  explicit PinnedServer(const Settings& settings)
      : process_("/bin/sh", Arguments(settings)),
        address_(process_.WaitForAddress()) {
    if (address_.empty()) Fail(process_.err());
  }

  const std::string& address() const { return address_; }

  // From /proc/PID/status; 0 if it is gone.
  int64_t peak_resident_bytes() const {
    std::ifstream status(absl::StrCat("/proc/", process_.pid(), "/status"));
    std::string word;
    int64_t kib;
    while (status >> word) {
      if (word == "VmHWM:" && status >> kib) return kib << 10;
    }
    return 0;
  }

  // The exit code of an orderly end; -1 if there is none.
  int Stop() {
    process_.Signal(SIGTERM);
    return process_.WaitForExit().value_or(-1);
  }

 private:
  static std::vector<std::string> Arguments(const Settings& settings) {
    std::vector<std::string> arguments = {
        "-c",
        "echo $$ >\"$1/cgroup.procs\" && cpu=$2 && shift 2 && "
        "exec taskset -c \"$cpu\" \"$@\"",
        "sh",
        settings.group,
        settings.server_cpu,
        settings.server,
        "--listen=127.0.0.1:0",
        "--drain-delay-seconds=0"};
    arguments.insert(arguments.end(), settings.server_flags.begin(),
                     settings.server_flags.end());
    return arguments;
  }

  ServerProcess process_;
  const std::string address_;
};

int64_t NumOk(const std::vector<Outcome>& outcomes) {
  return std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) {
    return o.code == grpc::StatusCode::OK;
  });
}

std::vector<double> LatenciesOf(const std::vector<Outcome>& outcomes,
                                int code) {
  std::vector<double> seconds;
  for (const Outcome& outcome : outcomes) {
    if (outcome.code == code) seconds.push_back(outcome.seconds());
  }
  return seconds;
}

// Calls that succeeded in [begin, end), a second.
double RateBetween(const std::vector<Outcome>& outcomes,
                   Clock::time_point begin, Clock::time_point end) {
  const auto count =
      std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) {
        return o.code == grpc::StatusCode::OK && o.ended >= begin &&
               o.ended < end;
      });
  return static_cast<double>(count) / Duration(end - begin).count();
}

struct Peak {
  double rate = 0;
  int in_flight = 0;
  double p50_alone = 0;  // of one call at a time
};

Peak FindPeak(LoadGenerator& normal) {
  Peak peak;
  normal.Closed(8, Duration(1));  // buffers are made
  for (const int in_flight : kInFlight) {
    const auto begin = Clock::now();
    const std::vector<Outcome> outcomes = normal.Closed(in_flight, kClosedTime);
    const auto num_full =
        std::ssize(LatenciesOf(outcomes, grpc::StatusCode::RESOURCE_EXHAUSTED));
    if (NumOk(outcomes) + num_full != std::ssize(outcomes)) {
      Fail("a call failed in peace");
    }
    if (num_full > 0) break;  // so many have no room
    const double rate = RateBetween(outcomes, begin, Clock::now());
    if (rate > peak.rate) {
      peak.rate = rate;
      peak.in_flight = in_flight;
    }
    if (in_flight == 1) {
      peak.p50_alone =
          Quantile(LatenciesOf(outcomes, grpc::StatusCode::OK), 0.5);
    }
  }
  return peak;
}

// From `stopped` to the end of the first window in which the rate was normal;
// NaN if none was.
double RecoverySeconds(const std::vector<Outcome>& outcomes,
                       Clock::time_point stopped, double peak_rate) {
  for (Duration at(0); at < kRecoveryTime; at += kWindow) {
    const auto begin =
        stopped + std::chrono::duration_cast<Clock::duration>(at);
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(kWindow);
    if (RateBetween(outcomes, begin, end) >= kNormalShare * peak_rate) {
      return Duration(end - stopped).count();
    }
  }
  return std::nan("");
}

using Figures = nlohmann::ordered_json;

void AddLatencies(const std::string& name, const std::vector<double>& seconds,
                  Figures& figures) {
  figures[name + "_p50_ms"] = Quantile(seconds, 0.5) * 1e3;
  figures[name + "_p99_ms"] = Quantile(seconds, 0.99) * 1e3;
  figures[name + "_max_ms"] = Quantile(seconds, 1) * 1e3;
}

Figures Run(const Settings& settings, const Request& request,
            const Metadata& metadata) {
  const MemoryGroup group(settings.group);
  group.Reset();
  const int64_t killed_before = group.num_killed();
  PinnedServer server(settings);
  HealthProbe probe(settings.self, server.address());
  Figures figures;

  LoadGenerator normal(server.address(), kNormalConnections, settings.streams,
                       request, metadata, kDeadline);
  const Peak peak = FindPeak(normal);
  LoadGenerator great(server.address(), settings.connections, settings.streams,
                      request, metadata, kDeadline);
  const auto begin = Clock::now();
  LoadGenerator::Open open =
      great.Offer(settings.factor * peak.rate, Duration(settings.seconds));
  const auto stopped = Clock::now();
  std::vector<Outcome> rest;
  std::jthread finish([&] { rest = great.Finish(); });
  const std::vector<Outcome> after =
      normal.Closed(peak.in_flight, kRecoveryTime);
  finish.join();
  const std::vector<Outcome> alone = normal.Closed(1, Duration(1));

  const double rate = RateBetween(open.outcomes, begin, stopped);
  open.outcomes.insert(open.outcomes.end(), rest.begin(), rest.end());
  const double span = Duration(stopped - begin).count();
  figures["peak_calls_per_s"] = peak.rate;
  figures["peak_in_flight"] = peak.in_flight;
  figures["sent_mib_per_s"] =
      static_cast<double>(great.sent_bytes()) / kMiB / span;
  figures["due_per_s"] = static_cast<double>(open.num_due) / span;
  figures["offered_per_s"] =
      static_cast<double>(std::ssize(open.outcomes)) / span;
  figures["offered_over_peak"] =
      figures["offered_per_s"].get<double>() / peak.rate;
  figures["held_back"] = open.num_held_back;
  figures["goodput_per_s"] = rate;
  figures["goodput_over_peak"] = rate / peak.rate;
  std::map<std::string, int64_t> codes;
  for (const Outcome& outcome : open.outcomes) {
    ++codes[absl::StrCat("code_", outcome.code)];
  }
  figures["codes"] = codes;
  AddLatencies("ok", LatenciesOf(open.outcomes, grpc::StatusCode::OK), figures);
  AddLatencies("rejected",
               LatenciesOf(open.outcomes, grpc::StatusCode::RESOURCE_EXHAUSTED),
               figures);
  const HealthProbe::Answers health = probe.Stop();
  AddLatencies("health", health.seconds, figures);
  figures["health_answers"] = health.seconds.size();
  figures["health_not_serving"] = health.num_not_serving;
  figures["normal_after_s"] = RecoverySeconds(after, stopped, peak.rate);
  figures["p50_alone_ms"] = peak.p50_alone * 1e3;
  figures["p50_alone_after_ms"] =
      Quantile(LatenciesOf(alone, grpc::StatusCode::OK), 0.5) * 1e3;
  figures["limit_mib"] = group.limit_bytes() / kMiB;
  figures["peak_resident_mib"] = server.peak_resident_bytes() / kMiB;
  figures["peak_group_mib"] = group.peak_bytes().value_or(0) / kMiB;
  figures["limit_met"] = group.num_limited();
  figures["exit_code"] = server.Stop();
  figures["oom_kills"] = group.num_killed() - killed_before;
  return figures;
}

// Of each number; of the rest what the last run has.
Figures MediansOf(const std::vector<Figures>& runs) {
  Figures medians = runs.back();
  for (auto& [name, value] : medians.items()) {
    if (!value.is_number()) continue;
    std::vector<double> values;
    for (const Figures& run : runs) values.push_back(run[name].get<double>());
    value = Quantile(values, 0.5);
  }
  return medians;
}

struct Wanted {
  const char* name;
  bool at_most;
  double bound;
};

constexpr Wanted kWanted[] = {
    {"goodput_over_peak", false, 0.8},
    {"rejected_p99_ms", true, 50},
    {"health_not_serving", true, 0},
    {"normal_after_s", true, 5},
    {"oom_kills", true, 0},
    {"exit_code", true, 0},
    {"peak_resident_mib", true, 511},
    {"limit_met", true, 0},
};

// A row for each figure. Whether the medians are all as wanted.
bool Print(const std::vector<Figures>& runs, const Figures& medians) {
  bool is_good = true;
  std::printf("%-22s %10s", "figure", "median");
  for (size_t i = 0; i < runs.size(); ++i) {
    std::printf("%10s", absl::StrCat("run ", i + 1).c_str());
  }
  std::printf("  wanted\n");
  for (const auto& [name, value] : medians.items()) {
    if (!value.is_number()) continue;
    std::printf("%-22s %10.4g", name.c_str(), value.get<double>());
    for (const Figures& run : runs) {
      std::printf("%10.4g", run[name].get<double>());
    }
    for (const Wanted& wanted : kWanted) {
      if (wanted.name != name) continue;
      // Also of NaN.
      const bool is_met = wanted.at_most ? value.get<double>() <= wanted.bound
                                         : value.get<double>() >= wanted.bound;
      std::printf("  %s %g%s", wanted.at_most ? "at most" : "at least",
                  wanted.bound, is_met ? "" : ": MISSED");
      is_good &= is_met;
    }
    std::printf("\n");
  }
  for (const Figures& run : runs) {
    std::printf("by code: %s\n", run["codes"].dump().c_str());
  }
  return is_good;
}

Settings ParseArguments(int argc, char** argv) {
  Settings settings;
  settings.self = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::pair<std::string, std::string> flag =
        absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    const auto& [name, value] = flag;
    bool is_good = true;
    if (name == "--group") {
      settings.group = value;
    } else if (name == "--server-cpu") {
      settings.server_cpu = value;
    } else if (name == "--json") {
      settings.json = value;
    } else if (name == "--server-flag") {
      settings.server_flags.push_back(value);
    } else if (name == "--runs") {
      is_good = absl::SimpleAtoi(value, &settings.runs);
    } else if (name == "--seconds") {
      is_good = absl::SimpleAtod(value, &settings.seconds);
    } else if (name == "--factor") {
      is_good = absl::SimpleAtod(value, &settings.factor);
    } else if (name == "--connections") {
      is_good = absl::SimpleAtoi(value, &settings.connections);
    } else if (name == "--streams") {
      is_good = absl::SimpleAtoi(value, &settings.streams);
    } else if (name == "--job") {
      settings.job = value;
      is_good = value == "relayout" || value == "images";
    } else if (name == "--states-bytes") {
      is_good = absl::SimpleAtob(value, &settings.states_bytes);
    } else {
      is_good = settings.server.empty() && !name.starts_with("-");
      settings.server = name;
    }
    if (!is_good) Fail(absl::StrCat("what is ", argv[i], "?"));
  }
  if (settings.server.empty() || settings.group.empty()) {
    Fail("see the head of overload.cc");
  }
  return settings;
}

int Main(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string("probe")) return ProbeHealth(argv[2]);
  const Settings settings = ParseArguments(argc, argv);
  const Request request =
      settings.job == "images" ? NormalizeImages(kMiB) : NchwToNhwc(kMiB);
  Metadata metadata;
  if (settings.states_bytes) {
    metadata.emplace_back(kRequestBytesKey,
                          absl::StrCat(request.bytes.Length()));
  }
  std::vector<Figures> runs;
  for (int i = 0; i < settings.runs; ++i) {
    runs.push_back(Run(settings, request, metadata));
  }
  const Figures medians = MediansOf(runs);
  if (!settings.json.empty()) {
    std::ofstream(settings.json)
        << Figures{{"medians", medians}, {"runs", runs}}.dump(1) << "\n";
  }
  return Print(runs, medians) ? 0 : 1;
}

}  // namespace
}  // namespace stridecast::bench

int main(int argc, char** argv) { return stridecast::bench::Main(argc, argv); }
