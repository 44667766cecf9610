// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/plan/chain.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/plan/plans_of.h"

namespace stridecast::plan_tests {
namespace {

using enum DType;
using testing::BinaryOp;
using testing::Desc;
using testing::Op;
using testing::ResultOf;

// Operands by their number in the program.
std::string ToText(const Pass& pass, const ValueRef& ref) {
  return ref.is_leaf ? absl::StrCat("x", pass.leaves[ref.index].index)
                     : absl::StrCat("c", ref.index);
}

// "c0 = x0; MULTIPLY x1; SUBTRACT from x2", one line a computation.
std::string ChainsOf(const Signature& signature) {
  const Program program = Program::Create(signature, kLimits).value();
  const NormalProgram normal = Normalize(program);
  std::vector<ValueRef> stores;
  for (const PassStore& store : normal.passes[0].stores) {
    stores.push_back(store.source);
  }
  std::string text;
  const auto chains =
      ChainComputations(normal.passes[0], program, absl::MakeSpan(stores));
  for (size_t i = 0; i < chains.size(); ++i) {
    absl::StrAppend(&text, "c", i, " = ",
                    ToText(normal.passes[0], chains[i].inputs[0]));
    const ChainTypes& types = chains[i].types;
    const bool is_chain = !chains[i].steps.empty();
    if (is_chain && types.first != types.working) {
      absl::StrAppend(&text, " of ", DTypeName(types.first));
    }
    for (const ChainStep& step : chains[i].steps) {
      absl::StrAppend(&text, "; ", OperationOf(step.opcode).label,
                      step.is_reversed ? " from" : "");
      std::string sign = " ";
      for (const int input : {step.input, step.factor}) {
        if (input < 0) continue;
        absl::StrAppend(&text, sign,
                        ToText(normal.passes[0], chains[i].inputs[input]));
        sign = "*";
      }
    }
    if (is_chain && types.last != types.working) {
      absl::StrAppend(&text, "; to ", DTypeName(types.last));
    }
    absl::StrAppend(&text, "\n");
  }
  for (const ValueRef& store : stores) {
    absl::StrAppend(&text, "store ", ToText(normal.passes[0], store), "\n");
  }
  return text;
}

Signature Of(DType type, int num_operands, std::vector<Instruction> program) {
  return testing::Program(
      std::vector<TensorDesc>(static_cast<size_t>(num_operands),
                              Desc(type, {100})),
      std::move(program));
}

Instruction Multiply(uint32_t x, uint32_t y) {
  return BinaryOp(Opcode::kMultiply, x, y);
}
Instruction Subtract(uint32_t x, uint32_t y) {
  return BinaryOp(Opcode::kSubtract, x, y);
}

TEST(ChainTest, AValueWalksThroughSteps) {
  EXPECT_EQ(ChainsOf(Of(kF32, 3,
                        {Multiply(0, 1), Add(3, 0), Sqrt(4), Subtract(2, 5)})),
            "c0 = x0; MULTIPLY x1; ADD x0; SQRT; SUBTRACT from x2\n"
            "store c0\n");
}

TEST(ChainTest, AUnaryStepFirst) {
  EXPECT_EQ(ChainsOf(Of(kF64, 2, {Sqrt(0), Add(2, 1)})),
            "c0 = x0; SQRT; ADD x1\nstore c0\n");
}

// Both operands could be continued: the longer one is.
TEST(ChainTest, TheLongerOfTwo) {
  EXPECT_EQ(
      ChainsOf(Of(kF32, 2, {Subtract(0, 1), Add(0, 1), Sqrt(3), Add(2, 4)})),
      "c0 = x0\n"
      "c1 = x0; ADD x1; SQRT; ADD from c0\n"
      "store c1\n");
}

TEST(ChainTest, ProductsArePartOfSumsAndDifferences) {
  EXPECT_EQ(ChainsOf(Of(kF32, 4, {Multiply(0, 1), Multiply(2, 3), Add(4, 5)})),
            "c0 = x0; MULTIPLY x1; ADD x2*x3\nstore c0\n");
  EXPECT_EQ(ChainsOf(Of(kF64, 3, {Sqrt(0), Multiply(1, 2), Subtract(4, 3)})),
            "c0 = x0; SQRT; SUBTRACT from x1*x2\nstore c0\n");
  // Of what was computed before.
  EXPECT_EQ(ChainsOf(Of(kF32, 2,
                        {Op(Opcode::kExp, {0}), Multiply(2, 1), Sqrt(1),
                         Subtract(4, 3)})),
            "c0 = x0\nc1 = x1; SQRT; SUBTRACT c0*x1\nstore c1\n");
}

TEST(ChainTest, OtherProductsAreNot) {
  // Read twice, a chain of its own, multiplied.
  EXPECT_EQ(ChainsOf(Of(kF32, 2,
                        {Sqrt(0), Multiply(0, 1), Add(2, 3), Multiply(4, 3)})),
            "c0 = x0\nc1 = x0; SQRT; ADD c0; MULTIPLY c0\nstore c1\n");
  EXPECT_EQ(
      ChainsOf(
          Of(kF32, 2, {Sqrt(0), Sqrt(2), Sqrt(1), Multiply(4, 0), Add(3, 5)})),
      "c0 = x1; SQRT; MULTIPLY x0\n"
      "c1 = x0; SQRT; SQRT; ADD c0\nstore c1\n");
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Sqrt(0), Multiply(0, 1), Multiply(2, 3)})),
            "c0 = x0\nc1 = x0; SQRT; MULTIPLY c0\nstore c1\n");
}

TEST(ChainTest, WhatIsMultipliedByItselfIsASquare) {
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Multiply(0, 0), Multiply(1, 1), Add(2, 3)})),
            "c0 = x0; SQUARE; ADD x1*x1\nstore c0\n");
  EXPECT_EQ(ChainsOf(Of(kF32, 2,
                        {Op(Opcode::kSquare, {0}), Op(Opcode::kSquare, {1}),
                         Subtract(2, 3), Op(Opcode::kSquare, {4})})),
            "c0 = x0; SQUARE; SUBTRACT x1*x1; SQUARE\nstore c0\n");
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Subtract(0, 1), Multiply(2, 2)})),
            "c0 = x0; SUBTRACT x1; SQUARE\nstore c0\n");
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Subtract(0, 1), Add(2, 2)})),
            "c0 = x0\nc1 = c0\nstore c1\n");
}

TEST(ChainTest, WhatIsReadTwiceEndsAChain) {
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Add(0, 1), Sqrt(2), Multiply(3, 2)})),
            "c0 = x0\nc1 = c0; SQRT; MULTIPLY c0\nstore c1\n");
  Signature stored = Of(kF32, 2, {Add(0, 1), Sqrt(2)});
  stored.results = {ResultOf(2), ResultOf(3)};
  EXPECT_EQ(ChainsOf(stored), "c0 = x0\nc1 = c0\nstore c0\nstore c1\n");
}

// NEGATE keeps the bits of a NaN: it must see the canonical one.
TEST(ChainTest, OtherOperationsAndTypesStayAlone) {
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Add(0, 1), Op(Opcode::kNegate, {2})})),
            "c0 = x0\nc1 = c0\nstore c1\n");
  EXPECT_EQ(ChainsOf(Of(kS32, 2, {Add(0, 1), Multiply(2, 1)})),
            "c0 = x0\nc1 = c0\nstore c1\n");
  EXPECT_EQ(ChainsOf(Of(kF16, 2, {Add(0, 1), Multiply(2, 1)})),
            "c0 = x0\nc1 = c0\nstore c1\n");
}

Instruction Convert(uint32_t x, DType type,
                    Overflow overflow = Overflow::kUnspecified) {
  return Op(Opcode::kConvert, {x}, ConvertAttribute{type, overflow});
}

TEST(ChainTest, BeginsAndEndsWithConversions) {
  for (DType type : {kU8, kS8, kU16, kS16, kF16, kBF16}) {
    Signature signature = Of(
        kF32, 2,
        {Convert(0, kF32), Subtract(2, 1), Multiply(3, 1), Convert(4, type)});
    signature.operands[0] = Desc(type, {100});
    EXPECT_EQ(ChainsOf(signature),
              absl::StrCat("c0 = x0 of ", DTypeName(type),
                           "; SUBTRACT x1; MULTIPLY x1; to ", DTypeName(type),
                           "\nstore c0\n"));
  }
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Add(0, 1), Convert(2, kU8)})),
            "c0 = x0; ADD x1; to u8\nstore c0\n");
}

// A conversion of f32 to itself only makes NaNs canonical.
TEST(ChainTest, ConversionsToTheSameAreLeftOut) {
  EXPECT_EQ(ChainsOf(Of(kF32, 2,
                        {Convert(0, kF32), Add(2, 1), Convert(3, kF32),
                         Multiply(4, 1), Convert(5, kF32), Convert(6, kU8)})),
            "c0 = x0; ADD x1; MULTIPLY x1; to u8\nstore c0\n");
  EXPECT_EQ(ChainsOf(Of(kF32, 1, {Convert(0, kF32), Convert(1, kF32)})),
            "c0 = x0\nstore c0\n");
  Signature signature =
      Of(kU8, 1, {Convert(0, kF32), Convert(1, kF32), Sqrt(2)});
  EXPECT_EQ(ChainsOf(signature), "c0 = x0\nc1 = c0; SQRT\nstore c1\n");
}

TEST(ChainTest, OtherConversionsStayAlone) {
  const std::string alone = "c0 = x0\nc1 = c0\nstore c1\n";
  EXPECT_EQ(
      ChainsOf(Of(kF32, 2, {Add(0, 1), Convert(2, kU8, Overflow::kWrap)})),
      alone);
  EXPECT_EQ(ChainsOf(Of(kF32, 2, {Add(0, 1), Convert(2, kS32)})), alone);
  EXPECT_EQ(ChainsOf(Of(kF64, 2, {Add(0, 1), Convert(2, kF16)})), alone);
  EXPECT_EQ(ChainsOf(Of(kF16, 1, {Convert(0, kF32), Convert(1, kU8)})), alone);
  EXPECT_EQ(ChainsOf(Of(kU8, 1, {Convert(0, kF32), Add(1, 1)})), alone);
}

TEST(ChainTest, AtMost32Steps) {
  std::vector<Instruction> program;
  std::string steps;
  for (uint32_t i = 0; i < 33; ++i) {
    program.push_back(Sqrt(i));
    if (i < 32) steps += "; SQRT";
  }
  EXPECT_EQ(ChainsOf(Of(kF32, 1, program)),
            "c0 = x0" + steps + "\nc1 = c0\nstore c1\n");
}

TEST(ChainTest, AtMost16Inputs) {
  std::vector<Instruction> program = {Add(0, 1)};
  for (uint32_t i = 2; i < 20; ++i) program.push_back(Add(20 + i - 2, i));
  const std::string text = ChainsOf(Of(kF32, 20, program));
  EXPECT_NE(text.find("ADD x15\nc1 = c0; ADD x16"), std::string::npos) << text;
}

// A square is one more, a product of two operands two.
TEST(ChainTest, AtMost16InputsWithProducts) {
  for (uint32_t num_before = 14; num_before <= 16; ++num_before) {
    for (const uint32_t factor : {18u, 19u}) {
      SCOPED_TRACE(absl::StrCat(num_before, " inputs, x18 * x", factor));
      std::vector<Instruction> program = {Add(0, 1)};
      for (uint32_t i = 2; i < num_before; ++i) {
        program.push_back(Add(20 + i - 2, i));
      }
      const auto sum = static_cast<uint32_t>(20 + program.size() - 1);
      program.push_back(BinaryOp(Opcode::kMultiply, 18, factor));
      program.push_back(Add(sum, sum + 1));
      const std::string text = ChainsOf(Of(kF32, 20, program));
      const uint32_t num_inputs = num_before + (factor == 18 ? 1 : 2);
      const bool is_one = text.find("\nc1") == std::string::npos;
      EXPECT_EQ(is_one, num_inputs <= 16) << text;
    }
  }
}

}  // namespace
}  // namespace stridecast::plan_tests
