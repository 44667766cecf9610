// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Every operation on every element type with every attribute, on every SIMD
// target of this machine, on one thread and on several, in every layout: exact
// results are the oracle's bit for bit, the others within their bound, and all
// are the same bits wherever they are computed.
// STRIDECAST_TEST_SEED and STRIDECAST_TEST_ROUNDS say which cases run; round r
// of seed s is round 0 of seed s + r.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/judge.h"
#include "tests/support/sweep.h"
#include "tests/unit/engine/check_case.h"

namespace stridecast::testing {
namespace {

// One thread per target, which judge the kernels; then another way to cut the
// work, into the least blocks and tasks, for one thread or two.
constexpr Knobs kKnobs[] = {
    {"AVX2", 1, 0, 0},
    {"AVX3", 1, 0, 0},
    {"AVX2", 1, 0, 0, 1},  // all results are written past the caches
    {"AVX3", 1, 0, 0, 1},
};
constexpr Knobs kCutSmall[] = {{"", 1, 300, 1}, {"", 2, 300, 1}};
// The cases whose work is worth more than one task: on a busy machine a second
// thread takes long to come.
constexpr int kFirstCaseOnTwoThreads = kNumSweepCases - 3;
constexpr int kMaxFailures = 20;

class EngineSweep : public ::testing::Test {
 protected:
  const Engine& first() const { return *variants_[0].engine; }
  std::vector<Subject> SupportedSubjects() const {
    return AllSubjects([this](Opcode opcode, DType type) {
      return first().Supports(opcode, type);
    });
  }

  // What is wrong with one case; "" if nothing.
  std::string CheckOnAll(const Subject& subject, int number,
                         uint64_t seed) const {
    const RandomCase c = MakeSweepCase(subject, number, seed);
    const Judgement judgement = Expected(c, first());
    std::vector<const Variant*> variants;
    for (const Variant& variant : variants_) variants.push_back(&variant);
    variants.push_back(&cut_small_[number < kFirstCaseOnTwoThreads ? 0 : 1]);
    for (size_t v = 0; v < variants.size(); ++v) {
      const Engine& engine = *variants[v]->engine;
      const bool in_ranges = (seed + v) % 4 == 0;
      const std::string wrong = Check(c, judgement, engine, in_ranges, seed);
      if (wrong.empty()) continue;
      return absl::StrCat(variants[v]->name,
                          in_ranges ? ", in ranges\n" : ", whole\n", wrong,
                          Shrunk(c, first(), engine, in_ranges, seed));
    }
    return "";
  }

  const std::vector<Variant> variants_ = MakeVariants(kKnobs);
  const std::vector<Variant> cut_small_ = MakeVariants(kCutSmall);
};

TEST_F(EngineSweep, EqualsTheOracle) {
  const uint64_t first_seed = FromEnvironment("STRIDECAST_TEST_SEED", 20260101);
  const uint64_t rounds = FromEnvironment("STRIDECAST_TEST_ROUNDS", 1);
  RecordProperty("seed", absl::StrCat(first_seed));
  ASSERT_FALSE(variants_.empty());
  ASSERT_EQ(cut_small_.size(), 2u);
  ReportCrashes();
  const std::vector<Subject> subjects = SupportedSubjects();
  int failures = 0;
  for (uint64_t seed = first_seed; seed < first_seed + rounds; ++seed) {
    for (size_t s = 0; s < subjects.size() && failures < kMaxFailures; ++s) {
      // The first case that fails is the smallest.
      for (int number = 0; number < kNumSweepCases; ++number) {
        const std::string name =
            absl::StrCat(ToString(subjects[s]), ", case ", number,
                         ", STRIDECAST_TEST_SEED=", seed);
        SetCurrentCase(name);
        const uint64_t case_seed = seed * 10'007 + s;
        const std::string wrong = CheckOnAll(subjects[s], number, case_seed);
        if (wrong.empty()) continue;
        ADD_FAILURE() << name << ": " << wrong;
        ++failures;
        break;
      }
    }
  }
}

// No operation is left out for want of a case in the sweep's list.
TEST_F(EngineSweep, HasAllThatTheEngineSupports) {
  std::set<std::pair<Opcode, DType>> swept;
  for (const Subject& subject : SupportedSubjects()) {
    swept.emplace(subject.opcode, subject.type);
  }
  for (const Operation& operation : AllOperations()) {
    for (DType type : kAllDTypes) {
      EXPECT_EQ(first().Supports(operation.opcode, type),
                swept.count({operation.opcode, type}) != 0)
          << operation.label << " " << DTypeName(type);
    }
  }
}

}  // namespace
}  // namespace stridecast::testing
