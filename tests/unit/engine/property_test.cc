// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A result is bit for bit what the oracle says, padding and gaps too, for every
// program, shape, layout, element type and bit pattern; and whatever the SIMD
// target, threads, blocks, tiles, pieces of operands and ranges of steps
// (DESIGN.md 5). Operations that are not exactly defined stand anywhere in the
// programs; judge.h says how they are judged.
// STRIDECAST_TEST_SEED and STRIDECAST_TEST_CASES say which cases run; case i of
// seed s is case 0 of seed s + i.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/judge.h"
#include "tests/support/random_program.h"
#include "tests/support/reference.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  uint64_t value = 0;
  return text != nullptr && absl::SimpleAtoi(text, &value) ? value : otherwise;
}

// What runs now, for a run that ends with a signal: a touch of memory outside
// of a buffer does.
char current_case[64];

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void ReportCrash(int signal) {
  const ssize_t written =
      write(STDERR_FILENO, current_case, std::strlen(current_case));
  std::signal(written < 0 ? SIGABRT : signal, SIG_DFL);
}

void ReportCrashes() {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, ReportCrash);
  }
}
#else
void ReportCrashes() {}  // the sanitizer reports
#endif

struct Variant {
  std::string name;
  std::unique_ptr<Engine> engine;
};

// The default first.
std::vector<Variant> MakeVariants() {
  struct Knobs {
    const char* target;
    int num_threads;
    int64_t block_bytes;
    double tile_cost_ns;
  };
  static constexpr Knobs kKnobs[] = {
      {"", 0, 0, 0},         {"AVX2", 1, 0, 0},       {"AVX3", 1, 0, 0},
      {"AVX3_DL", 1, 0, 0},  {"AVX2", 2, 512, 1},     {"AVX3", 2, 64, 200},
      {"AVX2", 1, 1000, 50}, {"AVX3", 2, 4096, 1000}, {"AVX3_DL", 2, 300, 20},
      {"", 2, 1, 1},
  };
  std::vector<Variant> variants;
  for (const Knobs& knobs : kKnobs) {
    EngineOptions options;
    options.simd_target = knobs.target;
    options.num_threads = knobs.num_threads;
    options.block_bytes = knobs.block_bytes;
    options.tile_cost_ns = knobs.tile_cost_ns;
    auto engine = Engine::Create(options);
    if (!engine.ok()) continue;  // not a target of this machine
    variants.push_back(
        {absl::StrCat("target ", (*engine)->simd_target(), ", ",
                      knobs.num_threads, " threads, ", knobs.block_bytes,
                      " block bytes, ", knobs.tile_cost_ns, " ns tiles"),
         *std::move(engine)});
  }
  return variants;
}

// What the results of a case must be: the oracle's, and what it cannot fix to
// the bit those of the engine here, judged.
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

// What is wrong with a case on an engine; "" if nothing.
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

TEST(EngineProperty, EqualsTheOracle) {
  const uint64_t seed = FromEnvironment("STRIDECAST_TEST_SEED", 20260101);
  const uint64_t cases = FromEnvironment("STRIDECAST_TEST_CASES", 4000);
  RecordProperty("seed", absl::StrCat(seed));
  const std::vector<Variant> variants = MakeVariants();
  ASSERT_FALSE(variants.empty());
  const Engine& first = *variants[0].engine;
  const SupportsFn supports = [&](Opcode opcode, DType type) {
    return first.Supports(opcode, type);
  };
  ReportCrashes();
  int failures = 0;
  for (uint64_t i = 0; i < cases && failures < 3; ++i) {
    const uint64_t case_seed = seed + i;
    std::snprintf(current_case, sizeof(current_case),
                  "STRIDECAST_TEST_SEED=%llu\n",
                  static_cast<unsigned long long>(case_seed));
    const RandomCase c = MakeRandomCase(case_seed, supports);
    const Judgement judgement = Expected(c, first);
    Random random(case_seed ^ 0x5EED);
    // Whole on one engine, in ranges on another.
    for (const bool in_ranges : {false, true}) {
      const Variant& variant = random.Pick(variants);
      const std::string wrong =
          Check(c, judgement, *variant.engine, in_ranges, case_seed);
      if (wrong.empty()) continue;
      const auto check = [&](const RandomCase& candidate) {
        return Check(candidate, Expected(candidate, first), *variant.engine,
                     in_ranges, case_seed);
      };
      const RandomCase small = Shrink(c, [&](const RandomCase& candidate) {
        return !check(candidate).empty();
      });
      ADD_FAILURE() << "STRIDECAST_TEST_SEED=" << case_seed
                    << " STRIDECAST_TEST_CASES=1, " << variant.name
                    << (in_ranges ? ", in ranges" : ", whole") << "\n"
                    << wrong << "shrunk:\n"
                    << ToString(small) << check(small);
      ++failures;
    }
  }
}

// The generator must reach what the test is about.
TEST(EngineProperty, TheCasesAreDiverse) {
  const SupportsFn all = [](Opcode opcode, DType type) {
    if (opcode == Opcode::kComplex && !ComplexType(type)) return false;
    return OperationOf(opcode).IsDefinedOn(type);
  };
  std::set<Opcode> opcodes;
  int instructions = 0, empty = 0, long_ones = 0, repeated = 0, backward = 0;
  int padded_results = 0, gapped_results = 0, constants = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const RandomCase c = MakeRandomCase(seed, all);
    instructions += static_cast<int>(c.signature.instructions.size());
    for (const Instruction& instruction : c.signature.instructions) {
      constants += instruction.opcode == Opcode::kConstant ? 1 : 0;
      opcodes.insert(instruction.opcode);
    }
    for (const TensorDesc& desc : c.signature.operands) {
      empty += desc.num_elements() == 0 ? 1 : 0;
      long_ones += desc.num_elements() > 5000 ? 1 : 0;
      repeated += desc.layout().IsUnique() ? 0 : 1;
      for (int d = 0; d < desc.rank(); ++d) {
        const int64_t stride = desc.layout().strides()[static_cast<size_t>(d)];
        backward += desc.shape().extent(d) > 1 && stride < 0 ? 1 : 0;
      }
    }
    for (const ResultSpec& spec : c.signature.results) {
      const auto* order = std::get_if<DimensionOrder>(&spec.form);
      padded_results +=
          order != nullptr && !order->padded_dimensions.empty() ? 1 : 0;
      gapped_results += std::holds_alternative<ElementStrides>(spec.form);
    }
  }
  EXPECT_GT(instructions, 1500);
  EXPECT_GT(empty, 30);
  EXPECT_GT(long_ones, 20);
  EXPECT_GT(repeated, 100);
  EXPECT_GT(backward, 100);
  EXPECT_GT(padded_results, 60);
  EXPECT_GT(gapped_results, 100);
  EXPECT_GT(constants, 50);
  EXPECT_EQ(opcodes.size(), AllOperations().size());
}

}  // namespace
}  // namespace stridecast::testing
