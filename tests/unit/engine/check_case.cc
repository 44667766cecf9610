// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/engine/check_case.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/kernels/kernel.h"
#include "gtest/gtest.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

char current_case[128];

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void ReportCrash(int signal) {
  const ssize_t written =
      write(STDERR_FILENO, current_case, std::strlen(current_case));
  std::signal(written < 0 ? SIGABRT : signal, SIG_DFL);
}
#endif

}  // namespace

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  uint64_t value = 0;
  return text != nullptr && absl::SimpleAtoi(text, &value) ? value : otherwise;
}

std::vector<Variant> MakeVariants(absl::Span<const Knobs> knobs) {
  std::vector<Variant> variants;
  for (const Knobs& knob : knobs) {
    EngineOptions options;
    options.simd_target = knob.target;
    options.num_threads = knob.num_threads;
    options.block_bytes = knob.block_bytes;
    options.tile_cost_ns = knob.tile_cost_ns;
    options.cache_bytes = knob.cache_bytes;
    const absl::string_view target = knob.target;
    const auto tables = KernelTables();
    if (!target.empty() &&
        std::none_of(tables.begin(), tables.end(), [&](const KernelTable* t) {
          return t->target() == target;
        })) {
      continue;  // not a target of this machine
    }
    auto engine = Engine::Create(options);
    if (!engine.ok()) {
      ADD_FAILURE() << engine.status();
      continue;
    }
    variants.push_back(
        {absl::StrCat("target ", (*engine)->simd_target(), ", ",
                      knob.num_threads, " threads, ", knob.block_bytes,
                      " block bytes, ", knob.tile_cost_ns, " ns tiles",
                      knob.cache_bytes == 0 ? "" : ", past caches"),
         *std::move(engine)});
  }
  return variants;
}

Judgement Expected(const RandomCase& c, const Engine& engine) {
  std::vector<Bytes> observed;
  const Signature observing = Observing(c.signature);
  if (!observing.results.empty()) {
    const auto plan = engine.Prepare(observing);
    if (!plan.ok()) {
      return {absl::StrCat("Prepare, all inexact values being results: ",
                           plan.status().ToString()),
              {}};
    }
    observed = RunWhole(**plan, c.operands);
  }
  return Judge(c.signature, c.operands, observed);
}

std::string Check(const RandomCase& c, const Judgement& judgement,
                  const Engine& engine, bool in_ranges, uint64_t seed) {
  if (!judgement.wrong.empty()) return judgement.wrong;
  const auto plan = engine.Prepare(c.signature);
  if (!plan.ok()) return absl::StrCat("Prepare: ", plan.status().ToString());
  const std::string wrong = CheckPlan(**plan, c.signature, judgement.expected);
  if (!wrong.empty()) return wrong;
  return CheckRun(**plan, c.operands, judgement.expected, in_ranges,
                  Random(seed));
}

std::string Shrunk(const RandomCase& c, const Engine& judging,
                   const Engine& engine, bool in_ranges, uint64_t seed) {
  const auto check = [&](const RandomCase& candidate) {
    return Check(candidate, Expected(candidate, judging), engine, in_ranges,
                 seed);
  };
  const RandomCase small = Shrink(c, [&](const RandomCase& candidate) {
    return !check(candidate).empty();
  });
  return absl::StrCat("shrunk:\n", ToString(small), check(small));
}

void ReportCrashes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, ReportCrash);
  }
#endif  // else the sanitizer reports
}

void SetCurrentCase(absl::string_view name) {
  const size_t length = std::min(name.size(), sizeof(current_case) - 2);
  std::memcpy(current_case, name.data(), length);
  current_case[length] = '\n';
  current_case[length + 1] = '\0';
}

}  // namespace stridecast::testing
