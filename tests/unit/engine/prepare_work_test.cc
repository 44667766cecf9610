// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Prepare is near-linear in the size of the program, whatever the program; and
// a plan evaluates an instruction at most once per element of its value
// (DESIGN.md 2). Work is counted by Plan::cost_ns where possible; times have
// bounds far above what is expected, and far below what a square or an
// exponential would take.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using enum DType;

constexpr double kPrepareMs = 250;  // measured: a few milliseconds

const Engine& TestEngine() {
  static const Engine* engine =
      Engine::Create(EngineOptions()).value().release();
  return *engine;
}

// Prepares, and expects that it went quickly.
std::shared_ptr<const Plan> PrepareQuickly(const Signature& signature) {
  const auto start = std::chrono::steady_clock::now();
  auto plan = TestEngine().Prepare(signature);
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(plan.ok()) << plan.status();
  EXPECT_LT(took.count(), kPrepareMs);
  return plan.ok() ? *std::move(plan) : nullptr;
}

Bytes Counting(const TensorDesc& desc) {
  Bytes bytes(static_cast<size_t>(desc.size_bytes()));
  for (int64_t slot = 0; slot < desc.layout().num_slots(); ++slot) {
    WriteElement(desc.type(), {static_cast<uint64_t>(slot * 7 + 1), 0}, slot,
                 bytes);
  }
  return bytes;
}

void ExpectRight(const Plan& plan, const Signature& signature) {
  std::vector<Bytes> operands;
  for (const TensorDesc& desc : signature.operands) {
    operands.push_back(Counting(desc));
  }
  EXPECT_EQ(CheckRun(plan, operands, Reference(signature, operands), false,
                     Random(1)),
            "");
}

Instruction Slice(uint32_t value, DimVector start, DimVector limit) {
  return Op(Opcode::kSlice, {value}, SliceAttribute{start, limit, {}});
}

Instruction Transpose(uint32_t value) {
  return Op(Opcode::kTranspose, {value}, DimensionsAttribute{{1, 0}});
}

TEST(PrepareWorkTest, ChainsOfViewsAreOneView) {
  Signature slices = Program({Desc(kU32, {600, 3})}, {});
  Signature transposes = Program({Desc(kU32, {5, 7})}, {});
  Signature reverses = Program({Desc(kU32, {5, 7})}, {});
  Signature broadcasts = Program({Desc(kU32, {5, 1})}, {});
  for (uint32_t i = 0; i < 256; ++i) {
    slices.instructions.push_back(Slice(i, {1, 0}, {600 - i, 3}));
    transposes.instructions.push_back(Transpose(i));
    reverses.instructions.push_back(
        Op(Opcode::kReverse, {i}, DimensionsAttribute{{i % 2}}));
    broadcasts.instructions.push_back(
        Op(Opcode::kBroadcastInDim, {i},
           BroadcastInDimAttribute{{5, i < 128 ? 1 : 9}, {0, 1}}));
  }
  for (const Signature& signature :
       {slices, transposes, reverses, broadcasts}) {
    const auto plan = PrepareQuickly(signature);
    ASSERT_NE(plan, nullptr);
    ExpectRight(*plan, signature);
    // As a copy costs, not 256 copies.
    Signature one = signature;
    one.instructions.resize(1);
    const auto single = TestEngine().Prepare(one);
    ASSERT_TRUE(single.ok()) << single.status();
    EXPECT_LE(plan->cost_ns(), 20 * (*single)->cost_ns());
    EXPECT_EQ(plan->scratch_bytes() > 1 << 20, false);
  }
}

// x = x + x, `depth` times over u32[64, 48], with a view between the sums. Each
// sum is asked for twice: whoever pushes views down without care evaluates 2^n.
Signature Doublings(uint32_t depth, int64_t extent) {
  Signature signature = Program({Desc(kU32, {extent, extent})}, {});
  uint32_t value = 0;
  for (uint32_t i = 0; i < depth; ++i) {
    if (i % 2 == 0) {
      signature.instructions.push_back(BinaryOp(Opcode::kAdd, value, value));
    } else if (i % 4 == 1) {
      signature.instructions.push_back(Transpose(value));
    } else {
      signature.instructions.push_back(
          Op(Opcode::kReverse, {value}, DimensionsAttribute{{0}}));
    }
    ++value;
  }
  return signature;
}

TEST(PrepareWorkTest, DeepSharingIsEvaluatedOnce) {
  const int64_t kExtent = 64;
  const Signature deep = Doublings(250, kExtent);
  const auto plan = PrepareQuickly(deep);
  ASSERT_NE(plan, nullptr);
  ExpectRight(*plan, deep);
  const auto half = TestEngine().Prepare(Doublings(125, kExtent));
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_LT(plan->cost_ns(), 4 * (*half)->cost_ns());
  // instructions * elements, at no more than 20 ns each.
  EXPECT_LT(plan->cost_ns(), 250.0 * kExtent * kExtent * 20);
}

// x = slice(x) + slice(x): both operands of a sum are different views of the
// sum before. The extents shrink by one each time.
TEST(PrepareWorkTest, TwoViewsOfEachSum) {
  const int64_t kExtent = 200;
  Signature signature = Program({Desc(kU32, {kExtent, 8})}, {});
  uint32_t value = 0;
  int64_t evaluations = 0;
  for (int64_t extent = kExtent; signature.instructions.size() + 3 <= 250;) {
    const uint32_t next =
        static_cast<uint32_t>(signature.instructions.size()) + 1;
    signature.instructions.push_back(Slice(value, {0, 0}, {extent - 1, 8}));
    signature.instructions.push_back(Slice(value, {1, 0}, {extent, 8}));
    signature.instructions.push_back(BinaryOp(Opcode::kAdd, next, next + 1));
    value = next + 2;
    --extent;
    evaluations += 3 * extent * 8;
  }
  const auto plan = PrepareQuickly(signature);
  ASSERT_NE(plan, nullptr);
  ExpectRight(*plan, signature);
  // Many passes over little: most of the cost is theirs. Still no power of two.
  EXPECT_LT(plan->cost_ns(),
            20.0 * static_cast<double>(evaluations) + 250 * 20e3);
}

// A wide program: all sums of neighbours, then of those, and so on.
TEST(PrepareWorkTest, Triangle) {
  std::vector<TensorDesc> operands(20, Desc(kU32, {16}));
  Signature signature = Program(operands, {});
  std::vector<uint32_t> row;
  for (uint32_t i = 0; i < 20; ++i) row.push_back(i);
  uint32_t next = 20;
  while (row.size() > 1) {
    std::vector<uint32_t> sums;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      signature.instructions.push_back(
          BinaryOp(Opcode::kAdd, row[i], row[i + 1]));
      sums.push_back(next++);
    }
    row = sums;
  }
  ASSERT_EQ(signature.instructions.size(), 190u);
  const auto plan = PrepareQuickly(signature);
  ASSERT_NE(plan, nullptr);
  ExpectRight(*plan, signature);
}

// DESIGN.md 2: an expanding broadcast stays above a computation.
TEST(PrepareWorkTest, BroadcastsDoNotMultiplyEvaluations) {
  const auto roots = [](std::vector<Instruction> more) {
    Signature signature = Program({Desc(kF64, {64})}, {});
    for (uint32_t i = 0; i < 20; ++i) {
      signature.instructions.push_back(Op(Opcode::kSqrt, {i}));
    }
    for (Instruction& instruction : more) {
      signature.instructions.push_back(std::move(instruction));
    }
    return signature;
  };
  const Instruction broadcast = Op(Opcode::kBroadcastInDim, {20},
                                   BroadcastInDimAttribute{{10000, 64}, {1}});
  const auto broadcast_roots = TestEngine().Prepare(roots({broadcast}));
  ASSERT_TRUE(broadcast_roots.ok()) << broadcast_roots.status();
  const auto copies = TestEngine().Prepare(Program(
      {Desc(kF64, {64})}, {Op(Opcode::kBroadcastInDim, {0},
                              BroadcastInDimAttribute{{10000, 64}, {1}})}));
  ASSERT_TRUE(copies.ok()) << copies.status();
  const auto small = TestEngine().Prepare(roots({}));
  ASSERT_TRUE(small.ok()) << small.status();
  // 20 * 64 roots and a copy; not 20 * 640000 roots.
  EXPECT_LT((*broadcast_roots)->cost_ns(),
            3 * ((*copies)->cost_ns() + (*small)->cost_ns()) + 1e5);
}

TEST(PrepareWorkTest, TemporariesShareMemory) {
  // x <- x + reverse(x), 70 times: of each x only the next one is made.
  constexpr int64_t kElements = int64_t{1} << 16;
  Signature signature = Program({Desc(kF32, {kElements})}, {});
  for (uint32_t i = 0; i < 70; ++i) {
    const uint32_t x = 2 * i;
    signature.instructions.push_back(
        Op(Opcode::kReverse, {x}, DimensionsAttribute{{0}}));
    signature.instructions.push_back(Op(Opcode::kAdd, {x, x + 1}));
  }
  const auto plan = PrepareQuickly(signature);
  ASSERT_NE(plan, nullptr);
  EXPECT_LT(plan->scratch_bytes(), 2 * 4 * kElements + (1 << 20));
  ExpectRight(*plan, signature);
}

// A temporary that several passes store lives from the first of them on, while
// what they read still does.
TEST(PrepareWorkTest, ATemporaryOfPartsKeepsItsMemory) {
  Signature signature =
      Program({Desc(kS8, {1, 5, 3}), Desc(kS8, {1, 5, 4}), Desc(kS8, {5})},
              {BinaryOp(Opcode::kAnd, 0, 2, {1}),
               Op(Opcode::kReverse, {3}, DimensionsAttribute{{2, 1}}),
               Op(Opcode::kConcatenate, {1, 4, 4}, DimensionsAttribute{{2}})});
  signature.results = {ResultOf(5, Strides({40, 41, 4}))};
  const auto plan = PrepareQuickly(signature);
  ASSERT_NE(plan, nullptr);
  ExpectRight(*plan, signature);
}

TEST(PrepareWorkTest, AValueJoinedWithItselfAgainAndAgain) {
  for (const int64_t levels : {10, 18}) {
    Signature signature = Program({Desc(kF32, {2})}, {});
    for (uint32_t k = 0; k < levels; ++k) {
      signature.instructions.push_back(
          Op(Opcode::kConcatenate, {k, k}, DimensionsAttribute{{0}}));
    }
    const auto plan = PrepareQuickly(signature);
    ASSERT_NE(plan, nullptr);
    EXPECT_LT(plan->ToString().size(), 2000 * levels);
    ExpectRight(*plan, signature);
  }
}

TEST(PrepareWorkTest, ASliceOfABroadcastIsSmall) {
  // 2^40 elements, of which 12 are asked for.
  const Signature signature =
      Program({Desc(kU32, {1, 4})},
              {Op(Opcode::kBroadcastInDim, {0},
                  BroadcastInDimAttribute{{int64_t{1} << 38, 4}, {0, 1}}),
               Slice(1, {5, 0}, {8, 4})});
  const auto plan = PrepareQuickly(signature);
  ASSERT_NE(plan, nullptr);
  EXPECT_LT(plan->cost_ns(), 1e6);
  EXPECT_LT(plan->scratch_bytes(), 1 << 20);
  const Bytes operand = Counting(signature.operands[0]);
  const Bytes result = RunWhole(*plan, {operand})[0];
  ASSERT_EQ(result.size(), 48u);
  for (int64_t slot = 0; slot < 12; ++slot) {
    EXPECT_EQ(ReadElement(kU32, result, slot),
              ReadElement(kU32, operand, slot % 4));
  }
}

TEST(PrepareWorkTest, CostGrowsWithTheWork) {
  const auto cost = [](int64_t elements, size_t instructions) {
    Signature signature = Program({Desc(kF32, {elements})}, {});
    for (uint32_t i = 0; i < instructions; ++i) {
      signature.instructions.push_back(BinaryOp(Opcode::kAdd, i, i));
    }
    return TestEngine().Prepare(signature).value()->cost_ns();
  };
  EXPECT_LT(cost(1000, 1), cost(1'000'000, 1));
  EXPECT_LT(cost(1'000'000, 1), cost(1'000'000, 100));
  EXPECT_GT(cost(1'000'000, 1), 1e4);  // 100 elements in a nanosecond: no
  EXPECT_LT(cost(1'000'000, 1), 1e8);  // nor 100 nanoseconds for an element
}

// As many operands as an instruction may have; the text of the plan ends.
TEST(PrepareWorkTest, ConcatenateOfManyParts) {
  const auto plan = PrepareQuickly(Program(
      {Desc(kF32, {1})},
      {Op(Opcode::kConcatenate, ValueIds(1024, 0), DimensionsAttribute{{0}})}));
  ASSERT_NE(plan, nullptr);
  const std::string text = plan->ToString();
  EXPECT_NE(text.find("and 960 more passes"), std::string::npos) << text;
  EXPECT_LT(text.size(), 64 << 10);
}

}  // namespace
}  // namespace stridecast::testing
