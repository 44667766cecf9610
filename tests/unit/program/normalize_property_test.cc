// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Rules V1-V4 of normalize.h, and that the passes compute what the instructions
// say, on random programs.

#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "core/program/normalize.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/program/abstract_values.h"
#include "tests/unit/program/random_signature.h"

namespace stridecast {
namespace {

using testing::Desc;
using testing::EvaluateInstructions;
using testing::EvaluatePasses;
using testing::Op;
using testing::Random;
using testing::RandomSignature;
using testing::ToText;

constexpr ProgramLimits kLimits = {.max_instructions = 256,
                                   .max_operands = 64,
                                   .max_results = 64,
                                   .max_operand_references = 4096,
                                   .max_constant_bytes = 1024};

// Values that some result needs.
std::set<int> NeededValues(const Program& program) {
  std::set<int> needed;
  for (size_t r = 0; r < program.results().size(); ++r) {
    needed.insert(program.result_value(static_cast<int>(r)));
  }
  for (int v = program.num_values() - 1; v >= program.num_operands(); --v) {
    if (!needed.contains(v)) continue;
    for (uint32_t operand : program.instruction(v).operands) {
      needed.insert(static_cast<int>(operand));
    }
  }
  return needed;
}

void CheckRules(const NormalProgram& normal, const Program& program) {
  const std::set<int> needed = NeededValues(program);
  std::set<int> computed;
  std::set<int> stored_temporaries;
  std::set<int> stored_results;
  for (const Pass& pass : normal.passes) {
    for (const Leaf& leaf : pass.leaves) {
      if (leaf.source == Source::kTemporary) {  // (V3)
        EXPECT_TRUE(stored_temporaries.contains(leaf.index));
      } else {
        EXPECT_TRUE(needed.contains(leaf.index));
      }
    }
    for (size_t a = 0; a < pass.leaves.size(); ++a) {  // (V4)
      for (size_t b = 0; b < a; ++b) {
        EXPECT_FALSE(pass.leaves[a] == pass.leaves[b]);
      }
    }
    for (size_t c = 0; c < pass.computations.size(); ++c) {  // (V1)
      const Computation& computation = pass.computations[c];
      const bool is_iota =
          program.instruction(computation.value).opcode == Opcode::kIota;
      EXPECT_TRUE(computed.insert(computation.value).second || is_iota);
      EXPECT_TRUE(needed.contains(computation.value));
      if (!is_iota) {
        EXPECT_LE(pass.space.num_elements(),
                  program.value(computation.value).shape.num_elements());
      }
      for (const ValueRef& input : computation.inputs) {
        EXPECT_GE(input.index, 0);
        EXPECT_LT(input.index,
                  static_cast<int>(input.is_leaf ? pass.leaves.size() : c));
      }
    }
    for (const PassStore& store : pass.stores) {
      const bool is_first =
          (store.is_result ? stored_results : stored_temporaries)
              .insert(store.index)
              .second;
      EXPECT_TRUE(is_first || store.is_part);
    }
  }
  EXPECT_EQ(stored_results.size(), program.results().size());
  EXPECT_EQ(stored_temporaries.size(), normal.temporaries.size());
}

TEST(NormalizePropertyTest, PassesComputeWhatInstructionsSay) {
  constexpr uint64_t kSeed = 1;
  for (uint64_t run = 0; run < 10000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    const auto program =
        Program::Create(RandomSignature(random, DType::kS32), kLimits);
    ASSERT_TRUE(program.ok()) << program.status();
    const NormalProgram normal = Normalize(*program);
    CheckRules(normal, *program);
    EXPECT_EQ(EvaluatePasses(normal, *program), EvaluateInstructions(*program));
    if (HasFailure()) {
      FAIL() << ToText(normal, *program);
    }
  }
}

// Chains of views alone: one leaf, whatever the chain.
TEST(NormalizePropertyTest, EmptyTensorsUnderAnyChainOfViews) {
  // Steps whose products overflow belong to extents of 0 or 1 alone.
  const int64_t kHuge = int64_t{1} << 62;
  const Instruction kReverse =
      Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}});
  for (int64_t start : {0, 5, 1000}) {
    Signature signature = {{Desc(DType::kF32, {1000})}, {}, {{}}};
    const auto add = [&](Instruction instruction) {
      instruction.operands[0] =
          static_cast<uint32_t>(signature.instructions.size());
      signature.instructions.push_back(std::move(instruction));
    };
    add(Op(Opcode::kSlice, {0}, SliceAttribute{{start}, {start}, {2}}));
    for (int i = 0; i < 4; ++i) {
      add(kReverse);
      add(Op(Opcode::kSlice, {0}, SliceAttribute{{0}, {0}, {kHuge}}));
      add(Op(Opcode::kSqrt, {0}));
    }
    const Program program = Program::Create(signature, kLimits).value();
    const NormalProgram normal = Normalize(program);
    EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
  }
}

}  // namespace
}  // namespace stridecast
