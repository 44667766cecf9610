// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which passes a program becomes, written as ToText of abstract_values.h does:
//   space: computations; stores | next pass
// with i, j, k the indices of the space.

#include "core/program/normalize.h"

#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/program/abstract_values.h"

namespace stridecast {
namespace {

using testing::ApplyView;
using testing::BinaryOp;
using testing::Desc;
using testing::EvaluateInstructions;
using testing::EvaluatePasses;
using testing::Op;
using testing::ResultOf;
using testing::ToText;

constexpr ProgramLimits kLimits = {.max_instructions = 256,
                                   .max_operands = 64,
                                   .max_results = 64,
                                   .max_operand_references = 4096,
                                   .max_constant_bytes = 1024};

Program Checked(const Signature& signature) {
  return Program::Create(signature, kLimits).value();
}

TensorDesc F32(const DimVector& shape) { return Desc(DType::kF32, shape); }

Instruction Transpose(uint32_t x, DimVector permutation) {
  return Op(Opcode::kTranspose, {x}, DimensionsAttribute{permutation});
}
Instruction Reverse(uint32_t x, DimVector dimensions) {
  return Op(Opcode::kReverse, {x}, DimensionsAttribute{dimensions});
}
Instruction Slice(uint32_t x, DimVector start, DimVector limit,
                  DimVector step = {}) {
  return Op(Opcode::kSlice, {x}, SliceAttribute{start, limit, step});
}
Instruction Broadcast(uint32_t x, DimVector shape, DimVector dimensions) {
  return Op(Opcode::kBroadcastInDim, {x},
            BroadcastInDimAttribute{shape, dimensions});
}
Instruction Sqrt(uint32_t x) { return Op(Opcode::kSqrt, {x}); }
Instruction Add(uint32_t x, uint32_t y, DimVector dimensions = {}) {
  return BinaryOp(Opcode::kAdd, x, y, dimensions);
}

// The transpose of an operand costs nothing, so x + transpose(x) is one pass
// that reads x in two ways.
TEST(NormalizeTest, ReadsAnOperandUnderTwoViewsInOnePass) {
  const Program program = Checked(
      testing::Program({F32({4, 4})}, {Transpose(0, {1, 0}), Add(0, 1)}));
  const NormalProgram normal = Normalize(program);
  EXPECT_EQ(ToText(normal, program),
            "[4,4]: %2=ADD(x0[i,j],x0[j,i]); r0[i,j]=%2");
  ASSERT_EQ(normal.passes.size(), 1u);
  EXPECT_EQ(normal.passes[0].leaves.size(), 2u);
  EXPECT_TRUE(normal.temporaries.empty());
}

struct NormalizeCase {
  const char* name;
  Signature signature;
  const char* passes;
};

void PrintTo(const NormalizeCase& row, std::ostream* out) { *out << row.name; }

const NormalizeCase kCases[] = {
    {"Copy", {{F32({2, 3})}, {}, {{}}}, "[2,3]: r0[i,j]=x0[i,j]"},
    {"IdentityIsNoComputation",
     {{F32({3})}, {Op(Opcode::kIdentity, {0})}, {{}}},
     "[3]: r0[i]=x0[i]"},
    {"OneComputation",
     {{F32({2, 3})}, {Sqrt(0)}, {{}}},
     "[2,3]: %1=SQRT(x0[i,j]); r0[i,j]=%1"},
    {"DeadValues",
     {{F32({3})}, {Sqrt(0), Add(0, 1)}, {ResultOf(0)}},
     "[3]: r0[i]=x0[i]"},
    {"ConstantsAreLeaves",
     {{F32({3})},
      {Op(Opcode::kConstant, {},
          ConstantAttribute{F32({}), std::string(4, '\0')}),
       Add(0, 1)},
      {{}}},
     "[3]: %2=ADD(x0[i],c1); r0[i]=%2"},
    // Views of computations that repeat nothing go to the operands.
    {"SliceOfComputation",
     {{F32({10})}, {Sqrt(0), Slice(1, {2}, {8}, {3})}, {{}}},
     "[2]: %1=SQRT(x0[2+3i]); r0[i]=%1"},
    {"ReverseOfComputation",
     {{F32({3})}, {Sqrt(0), Reverse(1, {0})}, {{}}},
     "[3]: %1=SQRT(x0[2-i]); r0[i]=%1"},
    {"BroadcastThatOnlyTransposes",
     {{F32({2, 3})}, {Sqrt(0), Broadcast(1, {3, 2}, {1, 0})}, {{}}},
     "[3,2]: %1=SQRT(x0[j,i]); r0[i,j]=%1"},
    {"BroadcastThatOnlyAddsAOne",
     {{F32({3})}, {Sqrt(0), Broadcast(1, {1, 3}, {1})}, {{}}},
     "[1,3]: %1=SQRT(x0[j]); r0[0,j]=%1"},
    {"ViewsOfViews",
     {{F32({4, 6})},
      {Slice(0, {1, 0}, {4, 6}, {1, 2}), Transpose(1, {1, 0}), Reverse(2, {0}),
       Sqrt(3)},
      {{}}},
     "[3,3]: %4=SQRT(x0[1+j,4-2i]); r0[i,j]=%4"},
    {"OneElementRepeated",
     {{F32({10})}, {Slice(0, {3}, {4}), Broadcast(1, {5}, {0})}, {{}}},
     "[5]: r0[i]=x0[3]"},
    // (V2) A view that repeats stays above the computation.
    {"BroadcastOfComputation",
     {{F32({64})}, {Sqrt(0), Broadcast(1, {1000, 64}, {1})}, {{}}},
     "[64]: %1=SQRT(x0[i]); t0[i]=%1 | [1000,64]: r0[i,j]=t0[j]"},
    {"BroadcastInsideOfAdd",
     {{F32({3}), F32({2, 3})}, {Sqrt(0), Add(1, 2, {1})}, {{}}},
     "[3]: %2=SQRT(x0[i]); t0[i]=%2 | "
     "[2,3]: %3=ADD(x1[i,j],t0[j]); r0[i,j]=%3"},
    {"ScalarComputation",
     {{F32({}), F32({3})}, {Sqrt(0), Add(1, 2)}, {{}}},
     "[]: %2=SQRT(x0); t0=%2 | [3]: %3=ADD(x1[i],t0); r0[i]=%3"},
    {"BroadcastOfOperand",
     {{F32({3}), F32({2, 3})}, {Broadcast(0, {2, 3}, {1}), Add(1, 2)}, {{}}},
     "[2,3]: %3=ADD(x1[i,j],x0[j]); r0[i,j]=%3"},
    {"SliceOfBroadcastRepeatsNothing",
     {{F32({3})},
      {Sqrt(0), Broadcast(1, {2, 3}, {1}), Slice(2, {1, 0}, {2, 3})},
      {{}}},
     "[1,3]: %1=SQRT(x0[j]); r0[0,j]=%1"},
    // (V2) A value under two views is stored once.
    {"ComputationUnderTwoViews",
     {{F32({4, 4}), F32({})},
      {Add(0, 1), Transpose(2, {1, 0}), Add(2, 3)},
      {{}}},
     "[4,4]: %2=ADD(x0[i,j],x1); t0[i,j]=%2 | "
     "[4,4]: %4=ADD(t0[i,j],t0[j,i]); r0[i,j]=%4"},
    {"SameViewTwice",
     {{F32({3})}, {Sqrt(0), Add(1, 1)}, {{}}},
     "[3]: %1=SQRT(x0[i]); %2=ADD(%1,%1); r0[i]=%2"},
    {"EqualByDetour",
     {{F32({3})}, {Sqrt(0), Reverse(1, {0}), Reverse(2, {0}), Add(1, 3)}, {{}}},
     "[3]: %1=SQRT(x0[i]); %4=ADD(%1,%1); r0[i]=%4"},
    {"BothHalves",
     {{F32({4})},
      {Sqrt(0), Slice(1, {0}, {2}), Slice(1, {2}, {4}), Add(2, 3)},
      {{}}},
     "[4]: %1=SQRT(x0[i]); t0[i]=%1 | [2]: %4=ADD(t0[i],t0[2+i]); r0[i]=%4"},
    // Transposes at the root go into the store.
    {"TransposedResult",
     {{F32({2, 3})}, {Sqrt(0), Transpose(1, {1, 0})}, {{}}},
     "[2,3]: %1=SQRT(x0[i,j]); r0[j,i]=%1"},
    {"TwiceTransposedResult",
     {{F32({2, 3, 4})},
      {Sqrt(0), Transpose(1, {1, 2, 0}), Op(Opcode::kIdentity, {2}),
       Transpose(3, {1, 2, 0})},
      {{}}},
     "[2,3,4]: %1=SQRT(x0[i,j,k]); r0[k,i,j]=%1"},
    {"TransposeBelowAView",
     {{F32({2, 3})}, {Sqrt(0), Transpose(1, {1, 0}), Reverse(2, {0})}, {{}}},
     "[3,2]: %1=SQRT(x0[j,2-i]); r0[i,j]=%1"},
    // Several results.
    {"ResultsOfOneShapeShareAPass",
     {{F32({3})}, {Sqrt(0), Add(0, 0)}, {ResultOf(1), ResultOf(2)}},
     "[3]: %1=SQRT(x0[i]); %2=ADD(x0[i],x0[i]); r0[i]=%1; r1[i]=%2"},
    {"ResultAndItsTranspose",
     {{F32({2, 3})},
      {Sqrt(0), Transpose(1, {1, 0})},
      {ResultOf(1), ResultOf(2)}},
     "[2,3]: %1=SQRT(x0[i,j]); r0[i,j]=%1; r1[j,i]=%1"},
    {"ResultThatIsAlsoUsed",
     {{F32({3})}, {Sqrt(0), Add(1, 1)}, {ResultOf(1), ResultOf(2)}},
     "[3]: %1=SQRT(x0[i]); %2=ADD(%1,%1); r0[i]=%1; r1[i]=%2"},
    {"NoTemporaryForResultsAlone",
     {{F32({3})},
      {Sqrt(0)},
      {ResultOf(1), ResultOf(1), ResultOf(1), ResultOf(1), ResultOf(1)}},
     "[3]: %1=SQRT(x0[i]); r0[i]=%1; r1[i]=%1; r2[i]=%1; r3[i]=%1; r4[i]=%1"},
    // A pass that stores a temporary takes over the results that want it too.
    {"ResultAndItsSlice",
     {{F32({4})}, {Sqrt(0), Slice(1, {0}, {2})}, {ResultOf(1), ResultOf(2)}},
     "[4]: %1=SQRT(x0[i]); r0[i]=%1; t0[i]=%1 | [2]: r1[i]=t0[i]"},
    {"FourStoresToAPass",
     {{F32({2}), F32({2}), F32({2}), F32({2}), F32({2})},
      {},
      {ResultOf(0), ResultOf(1), ResultOf(2), ResultOf(3), ResultOf(4)}},
     "[2]: r4[i]=x4[i] | "
     "[2]: r0[i]=x0[i]; r1[i]=x1[i]; r2[i]=x2[i]; r3[i]=x3[i]"},
};

class NormalizeTest : public ::testing::TestWithParam<NormalizeCase> {};

TEST_P(NormalizeTest, MakesThePasses) {
  const Program program = Checked(GetParam().signature);
  const NormalProgram normal = Normalize(program);
  EXPECT_EQ(ToText(normal, program), GetParam().passes);
  EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
}

INSTANTIATE_TEST_SUITE_P(Rows, NormalizeTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// (V4): along an extent of 1 a view has no direction.
TEST(NormalizeTest, ViewsThatDifferAlongOnesAreOneLeaf) {
  const Program program = Checked(testing::Program(
      {F32({1, 3})}, {Reverse(0, {0}), Slice(0, {0, 0}, {1, 3}, {7, 1}),
                      Add(0, 1), Add(2, 3)}));
  const NormalProgram normal = Normalize(program);
  ASSERT_EQ(normal.passes.size(), 1u);
  EXPECT_EQ(normal.passes[0].leaves.size(), 1u);
}

// What each Compose function does to an index, on a view that is none of the
// trivial ones: of a [4,6] tensor, over a [3,2] space, index [2j+1, 5-i].
const View kView = {{{1, -1}, {0, 2}}, {1, 5}};

TEST(ComposeTest, Transpose) {
  const View view = ComposeTranspose(kView, {1, 0});  // of an operand [6,4]
  EXPECT_EQ(ApplyView(view, {2, 1}), (DimVector{3, 3}));
  EXPECT_EQ(ApplyView(view, {0, 1}), (DimVector{5, 3}));
}

TEST(ComposeTest, Reverse) {
  const Shape operand = Shape::Create({4, 6}).value();
  EXPECT_EQ(ApplyView(ComposeReverse(kView, operand, {1}), {2, 1}),
            (DimVector{3, 2}));
  EXPECT_EQ(ApplyView(ComposeReverse(kView, operand, {0, 1}), {2, 1}),
            (DimVector{0, 2}));
  EXPECT_EQ(ComposeReverse(ComposeReverse(kView, operand, {0}), operand, {0}),
            kView);
}

TEST(ComposeTest, Slice) {
  const View view = ComposeSlice(kView, {{2, 10}, {6, 40}, {1, 5}});
  EXPECT_EQ(ApplyView(view, {2, 1}), (DimVector{5, 25}));
  EXPECT_EQ(ApplyView(ComposeSlice(kView, {{2, 10}, {6, 16}, {}}), {2, 1}),
            (DimVector{5, 13}));
}

TEST(ComposeTest, Broadcast) {
  const Shape result = Shape::Create({4, 6}).value();
  const View row =
      ComposeBroadcast(kView, Shape::Create({6}).value(), result, {1});
  EXPECT_EQ(ApplyView(row, {2, 1}), (DimVector{3}));
  EXPECT_TRUE(Repeats(row, Shape::Create({3, 2}).value()));
  const View column =
      ComposeBroadcast(kView, Shape::Create({1, 4}).value(), result, {1, 0});
  EXPECT_EQ(ApplyView(column, {2, 1}), (DimVector{0, 3}));
  const View scalar = ComposeBroadcast(kView, Shape(), result, {});
  EXPECT_EQ(ApplyView(scalar, {2, 1}), DimVector());
}

TEST(RepeatsTest, OnlyAlongExtentsGreaterThanOne) {
  const View view = {{{0, 1}, {}}, {0}};
  EXPECT_TRUE(Repeats(view, Shape::Create({3, 2}).value()));
  EXPECT_FALSE(Repeats(view, Shape::Create({3, 1}).value()));
  EXPECT_FALSE(Repeats(view, Shape::Create({3, 0}).value()));
}

// Size: the passes, leaves and computations of a program grow with its
// instructions, however its views alternate.

struct Count {
  size_t passes = 0;
  size_t leaves = 0;
  size_t computations = 0;
  size_t stores = 0;
};

Count CountOf(const NormalProgram& normal) {
  Count count;
  count.passes = normal.passes.size();
  for (const Pass& pass : normal.passes) {
    count.leaves += pass.leaves.size();
    count.computations += pass.computations.size();
    count.stores += pass.stores.size();
  }
  return count;
}

TEST(NormalizeSizeTest, AChainOfViewsIsOneLeaf) {
  std::vector<Instruction> chain;
  for (uint32_t v = 0; v < 256; ++v) {
    switch (v % 4) {
      case 0:
        chain.push_back(Transpose(v, {1, 0}));
        break;
      case 1:
        chain.push_back(Slice(v, {1, 0}, {2, 3}));
        break;
      case 2:
        chain.push_back(Broadcast(v, {3, 3}, {0, 1}));
        break;
      default:
        chain.push_back(Reverse(v, {1}));
    }
  }
  const Program program = Checked(testing::Program({F32({3, 3})}, chain));
  const NormalProgram normal = Normalize(program);
  const Count count = CountOf(normal);
  EXPECT_EQ(count.passes, 1u);
  EXPECT_EQ(count.leaves, 1u);
  EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
}

// v, v + v, (v + v) + (v + v), ...: 2^n additions if values were not shared.
TEST(NormalizeSizeTest, ADagOfSelfAdditionsIsEvaluatedOnce) {
  std::vector<Instruction> dag;
  for (uint32_t v = 0; v < 250; ++v) dag.push_back(Add(v, v));
  const Program program = Checked(testing::Program({F32({2})}, dag));
  const Count count = CountOf(Normalize(program));
  EXPECT_EQ(count.passes, 1u);
  EXPECT_EQ(count.computations, 250u);
  EXPECT_EQ(count.leaves, 1u);
}

// v + view(v) at every step: each sum is stored once and read twice.
TEST(NormalizeSizeTest, ADagOfAlternatingViewsStaysLinear) {
  std::vector<Instruction> dag;
  uint32_t v = 0;
  while (dag.size() < 250) {
    dag.push_back(dag.size() % 4 == 0 ? Transpose(v, {1, 0}) : Reverse(v, {0}));
    dag.push_back(Add(v, v + 1));
    v += 2;
  }
  const Program program = Checked(testing::Program({F32({2, 2})}, dag));
  const NormalProgram normal = Normalize(program);
  const Count count = CountOf(normal);
  EXPECT_EQ(count.computations, 125u);
  EXPECT_EQ(count.passes, 125u);
  EXPECT_EQ(count.leaves, 250u);
  EXPECT_EQ(count.stores, 125u);
  EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
}

// Broadcasts between computations: each stage is materialised in its own size.
TEST(NormalizeSizeTest, AChainOfStretchedComputationsStaysLinear) {
  std::vector<Instruction> chain;
  for (uint32_t v = 0; v < 255; v += 3) {
    chain.push_back(Sqrt(v));
    chain.push_back(Broadcast(v + 1, {3, 3}, {0, 1}));
    chain.push_back(Slice(v + 2, {0, 1}, {3, 2}));
  }
  chain.push_back(Broadcast(255, {3, 3}, {0, 1}));
  const Program program = Checked(testing::Program({F32({3, 1})}, chain));
  const NormalProgram normal = Normalize(program);
  const Count count = CountOf(normal);
  EXPECT_EQ(count.computations, 85u);
  EXPECT_LE(count.passes, 86u);
  EXPECT_LE(count.leaves, 86u);
  EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
}

// Distinct views of one value, each by its own chain, are as many leaves.
TEST(NormalizeSizeTest, ManyViewsOfOneComputation) {
  std::vector<Instruction> instructions = {Sqrt(0)};
  for (uint32_t k = 0; k < 84; ++k) {
    instructions.push_back(Slice(1, {k}, {k + 2}));
    instructions.push_back(Reverse(2 + 3 * k, {0}));
    instructions.push_back(Add(3 + 3 * k, k == 0 ? 3 : 1 + 3 * k));
  }
  const Program program = Checked(testing::Program({F32({100})}, instructions));
  const NormalProgram normal = Normalize(program);
  const Count count = CountOf(normal);
  EXPECT_EQ(count.passes, 2u);
  EXPECT_EQ(count.computations, 85u);
  EXPECT_EQ(count.leaves, 1u + 84u);
  EXPECT_EQ(EvaluatePasses(normal, program), EvaluateInstructions(program));
}

}  // namespace
}  // namespace stridecast
