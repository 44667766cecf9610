// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A result is bit for bit what the oracle says, padding and gaps too, for every
// program, shape, layout, element type and bit pattern; and whatever the SIMD
// target, threads, blocks, tiles, pieces of operands and ranges of steps
// (DESIGN.md 5). Operations that are not exactly defined stand anywhere in the
// programs; judge.h says how they are judged.
// STRIDECAST_TEST_SEED and STRIDECAST_TEST_CASES say which cases run; case i of
// seed s is case 0 of seed s + i.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/judge.h"
#include "tests/support/random_program.h"
#include "tests/support/reference.h"
#include "tests/unit/engine/check_case.h"

namespace stridecast::testing {
namespace {

// The default first.
constexpr Knobs kKnobs[] = {
    {"", 0, 0, 0},
    {"AVX2", 1, 0, 0},
    {"AVX3", 1, 0, 0},
    {"AVX2", 2, 512, 1, 1},
    {"AVX3", 2, 64, 200},
    {"AVX2", 1, 1000, 50},
    {"AVX3", 2, 4096, 1000, 1},
    {"AVX3", 2, 300, 20},
    {"", 2, 1, 1},
};

TEST(EngineProperty, EqualsTheOracle) {
  const uint64_t seed = FromEnvironment("STRIDECAST_TEST_SEED", 20260101);
  const uint64_t cases = FromEnvironment("STRIDECAST_TEST_CASES", 4000);
  RecordProperty("seed", absl::StrCat(seed));
  const std::vector<Variant> variants = MakeVariants(kKnobs);
  ASSERT_FALSE(variants.empty());
  const Engine& first = *variants[0].engine;
  const SupportsFn supports = [&](Opcode opcode, DType type) {
    return first.Supports(opcode, type);
  };
  ReportCrashes();
  int failures = 0;
  for (uint64_t i = 0; i < cases && failures < 3; ++i) {
    const uint64_t case_seed = seed + i;
    SetCurrentCase(absl::StrCat("STRIDECAST_TEST_SEED=", case_seed));
    const RandomCase c = MakeRandomCase(case_seed, supports);
    const Judgement judgement = Expected(c, first);
    Random random(case_seed ^ 0x5EED);
    // Whole on one engine, in ranges on another.
    for (const bool in_ranges : {false, true}) {
      const Variant& variant = random.Pick(variants);
      const std::string wrong =
          Check(c, judgement, *variant.engine, in_ranges, case_seed);
      if (wrong.empty()) continue;
      ADD_FAILURE() << "STRIDECAST_TEST_SEED=" << case_seed
                    << " STRIDECAST_TEST_CASES=1, " << variant.name
                    << (in_ranges ? ", in ranges" : ", whole") << "\n"
                    << wrong
                    << Shrunk(c, first, *variant.engine, in_ranges, case_seed);
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
