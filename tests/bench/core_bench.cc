// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The core beside the machine's limits. Google Benchmark's flags, and
//   --json=FILE    also the measurements as an array of {case, bytes, seconds,
//                  baseline, baseline_seconds, piecewise_seconds,
//                  ratio, least_ratio, greatest_ratio, group, wanted}
//   --small        small arrays: a quick look, not the limits of memory
//   --seconds=S    of each case, at least; 0.7 by default
//   --interactive  for rivals.py: answers lines from standard input,
//                  list (a count, then names), prepare NAME (ok), run (seconds)

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "tests/bench/cases.h"
#include "tests/bench/measure.h"

namespace stridecast::bench {
namespace {

struct Options {
  std::string json;
  bool small = false;
  double seconds = 0.7;
  bool interactive = false;
};

// Takes ours out of argv.
Options TakeOptions(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--json=")) {
      options.json = std::string(argument);
    } else if (argument == "--small") {
      options.small = true;
    } else if (argument == "--interactive") {
      options.interactive = true;
    } else if (absl::ConsumePrefix(&argument, "--seconds=") &&
               absl::SimpleAtod(argument, &options.seconds)) {
      continue;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return options;
}

struct Row {
  const Case* what;
  Measurement measurement;
};

// The geometric mean of each group and its worst case.
void PrintGroups(const std::vector<Row>& rows) {
  struct Group {
    double log_sum = 0;
    int count = 0;
    double least = 1e9;
    std::string worst;
    int below = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  for (const Row& row : rows) {
    if (groups.count(row.what->group) == 0) order.push_back(row.what->group);
    Group& group = groups[row.what->group];
    const double ratio = row.measurement.ratio();
    group.log_sum += std::log(ratio);
    ++group.count;
    if (ratio < row.what->wanted) ++group.below;
    if (ratio < group.least) {
      group.least = ratio;
      group.worst = row.what->name;
    }
  }
  std::puts("\n| group | cases | geometric mean | least | below | of |");
  std::puts("|---|---|---|---|---|---|");
  for (const std::string& name : order) {
    const Group& group = groups[name];
    std::printf("| %s | %d | %.2f | %.2f | %d | %s |\n", name.c_str(),
                group.count, std::exp(group.log_sum / group.count), group.least,
                group.below, group.worst.c_str());
  }
}

// False if it cannot be written.
bool WriteJson(const std::string& path, const std::vector<Row>& rows) {
  nlohmann::json array = nlohmann::json::array();
  for (const Row& row : rows) {
    const Measurement& m = row.measurement;
    array.push_back({{"case", row.what->name},
                     {"group", row.what->group},
                     {"bytes", m.bytes},
                     {"seconds", m.seconds},
                     {"baseline", m.baseline},
                     {"baseline_seconds", m.baseline_seconds},
                     {"piecewise_seconds", m.piecewise_seconds},
                     {"ratio", m.ratio()},
                     {"least_ratio", m.least_ratio},
                     {"greatest_ratio", m.greatest_ratio},
                     {"wanted", row.what->wanted}});
  }
  std::ofstream file(path);
  file << array.dump(1) << "\n";
  return file.flush().good();
}

void AnswerLines(const std::vector<Case>& cases) {
  std::unique_ptr<BoundCase> bound;
  std::string line;
  while (std::getline(std::cin, line)) {
    absl::string_view name = line;
    if (line == "list") {
      std::cout << cases.size() << "\n";
      for (const Case& c : cases) std::cout << c.name << "\n";
    } else if (absl::ConsumePrefix(&name, "prepare ")) {
      const auto found =
          std::find_if(cases.begin(), cases.end(),
                       [&](const Case& c) { return c.name == name; });
      bound.reset();
      if (found != cases.end()) bound = std::make_unique<BoundCase>(*found);
      std::cout << (bound == nullptr ? "no such case\n" : "ok\n");
    } else if (line == "run" && bound != nullptr) {
      const auto start = std::chrono::steady_clock::now();
      bound->Run();
      const std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - start;
      std::cout << seconds.count() << "\n";
    } else {
      std::cout << "not understood\n";
    }
    std::cout << std::flush;
  }
}

int Main(int argc, char** argv) {
  const Options options = TakeOptions(argc, argv);
  if (options.interactive) {
    AnswerLines(AllCases(options.small));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::vector<Case> cases = AllCases(options.small);
  std::vector<Row> rows;
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(
        absl::StrCat(c.group, ": ", c.name).c_str(),
        [&c, &rows, &options](benchmark::State& state) {
          const Measurement m = Measure(c, options.seconds);
          for (auto _ : state) state.SetIterationTime(m.seconds);
          state.counters["GB/s"] =
              static_cast<double>(m.bytes) / m.seconds * 1e-9;
          state.counters["ratio"] = m.ratio();
          state.SetLabel(m.baseline);
          rows.push_back({&c, m});
        })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fputs("no case matches the filter\n", stderr);
    return 1;
  }
  if (rows.empty()) return 0;  // they were listed
  PrintGroups(rows);
  if (!options.json.empty() && !WriteJson(options.json, rows)) {
    std::fprintf(stderr, "cannot write %s\n", options.json.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace stridecast::bench

int main(int argc, char** argv) { return stridecast::bench::Main(argc, argv); }
