// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Relayouts of 4 and 8 bytes beside HPTT (github.com/springer13/hptt), by turns
// and in the same buffers, on two threads. Its plans are measured ones; where
// such a one gives another result than ours, as those that leave elements
// unwritten do, one by estimate.
//   stridecast_hptt_bench [TEXT]    cases whose name contains it

#include <hptt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "tests/bench/cases.h"
#include "tests/bench/measure.h"
#include "tests/bench/quantile.h"

namespace stridecast::bench {
namespace {

constexpr int kThreads = 2;
constexpr int kTurns = 7;

struct Ratios {
  std::vector<double> all;
  double least = HUGE_VAL;
  std::string least_case;
};

double Median(const std::vector<double>& x) { return Quantile(x, 0.5); }

// Plain bits of ordinary numbers: HPTT multiplies them by 1.
void FillWithNumbers(absl::Span<std::byte> bytes) {
  std::minstd_rand random(5);
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const auto word =
        static_cast<uint32_t>((random() & 0x1fff'ffff) | 0x2000'0000);
    std::memcpy(bytes.data() + at, &word, sizeof(word));
  }
}

// The second time.
template <class Run>
double SecondsOf(const Run& run) {
  using Clock = std::chrono::steady_clock;
  run();
  const auto start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
void RunBeside(const Case& c, Ratios& ratios) {
  BoundCase bound(c);
  const auto& order =
      std::get<DimensionsAttribute>(c.signature.instructions[0].attribute)
          .dimensions;
  const auto& extents = c.signature.operands[0].shape().extents();
  const std::vector<int> permutation(order.begin(), order.end());
  const std::vector<int> sizes(extents.begin(), extents.end());
  FillWithNumbers(bound.sources()[0]);
  const absl::Span<std::byte> result = bound.results()[0];
  const auto* from = reinterpret_cast<const T*>(bound.sources()[0].data());
  auto* to = reinterpret_cast<T*>(result.data());
  bound.Run();
  const std::vector<std::byte> expected(result.begin(), result.end());

  std::shared_ptr<hptt::Transpose<T>> plan;
  bool is_right = false;
  bool is_measured = false;
  for (const auto method : {hptt::MEASURE, hptt::ESTIMATE}) {
    plan = hptt::create_plan(
        permutation.data(), static_cast<int>(permutation.size()), T{1}, from,
        sizes.data(), nullptr, T{0}, to, nullptr, method, kThreads, nullptr,
        /*useRowMajor=*/true);
    std::fill(result.begin(), result.end(), std::byte{0xee});
    plan->execute();
    is_right = std::equal(expected.begin(), expected.end(), result.begin());
    is_measured = method == hptt::MEASURE;
    if (is_right) break;
  }
  if (!is_right) {
    std::printf("| %s | | | results differ |\n", c.name.c_str());
    return;
  }

  std::vector<double> ours;
  std::vector<double> theirs;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours.push_back(SecondsOf([&] { bound.Run(); }));
    theirs.push_back(SecondsOf([&] { plan->execute(); }));
  }
  const double ratio = Median(theirs) / Median(ours);
  std::printf("| %s | %.2f ms | %.2f ms%s | %.2f |\n", c.name.c_str(),
              Median(ours) * 1e3, Median(theirs) * 1e3,
              is_measured ? "" : ", by estimate", ratio);
  std::fflush(stdout);
  ratios.all.push_back(ratio);
  if (ratio < ratios.least) {
    ratios.least = ratio;
    ratios.least_case = c.name;
  }
}

void RunAll(const std::string& text) {
  std::map<std::string, Ratios> by_group;
  std::printf("| case | stridecast | HPTT | HPTT / stridecast |\n");
  std::printf("|---|---|---|---|\n");
  for (const Case& c : AllCases(/*small=*/false)) {
    if (c.name.find(text) == std::string::npos) continue;
    if (c.group == "relayout 4 bytes") RunBeside<float>(c, by_group[c.group]);
    if (c.group == "relayout 8 bytes") RunBeside<double>(c, by_group[c.group]);
  }
  for (const auto& [group, ratios] : by_group) {
    if (ratios.all.empty()) continue;
    double sum = 0;
    for (const double ratio : ratios.all) sum += std::log(ratio);
    std::printf("%s: %zu cases, geometric mean %.2f, least %.2f (%s)\n",
                group.c_str(), ratios.all.size(),
                std::exp(sum / static_cast<double>(ratios.all.size())),
                ratios.least, ratios.least_case.c_str());
  }
}

}  // namespace
}  // namespace stridecast::bench

int main(int argc, char** argv) {
  stridecast::bench::RunAll(argc > 1 ? argv[1] : "");
  return 0;
}
