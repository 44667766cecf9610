// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Running plans: what an engine says of itself, cancellation, threads, and the
// floating-point environment of the caller.

#include <pmmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using enum DType;

std::unique_ptr<Engine> MakeEngine(int num_threads,
                                   const std::string& simd_target = "") {
  EngineOptions options;
  options.num_threads = num_threads;
  options.simd_target = simd_target;
  return Engine::Create(options).value();
}

// One instruction of each kind that rounds, on values that need it: products
// in the subnormal range, quotients, roots, narrowings, sums of unequal terms.
Signature RoundingProgram(int64_t elements) {
  Signature signature = Program(
      {Desc(kF32, {elements}), Desc(kF32, {elements}), Desc(kF64, {elements}),
       Desc(kF16, {elements}), Desc(kC64, {elements})},
      {});
  const auto add = [&](Instruction instruction) {
    signature.instructions.push_back(std::move(instruction));
    signature.results.push_back(
        ResultOf(static_cast<uint32_t>(4 + signature.instructions.size())));
  };
  signature.results.clear();
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kDivide,
                        Opcode::kRemainder, Opcode::kMaximum}) {
    add(BinaryOp(opcode, 0, 1));
    add(BinaryOp(opcode, 2, 2));
    add(BinaryOp(opcode, 3, 3));
  }
  add(BinaryOp(Opcode::kMultiply, 4, 4));
  add(BinaryOp(Opcode::kDivide, 4, 4));
  add(Op(Opcode::kSqrt, {0}));
  add(Op(Opcode::kSqrt, {2}));
  for (DType type : {kF16, kBF16, kF32, kF64, kS8, kS64, kU64, kU32}) {
    add(Op(Opcode::kConvert, {0}, ConvertAttribute{type}));
    add(Op(Opcode::kConvert, {2}, ConvertAttribute{type}));
  }
  add(BinaryOp(Opcode::kCompare, 0, 1, {},
               CompareAttribute{CompareAttribute::Direction::kLt}));
  return signature;
}

std::vector<Bytes> RandomOperands(const Signature& signature) {
  Random random(3);
  std::vector<Bytes> operands;
  for (const TensorDesc& desc : signature.operands) {
    operands.push_back(RandomBytes(random, desc, 2));
  }
  return operands;
}

TEST(EngineTest, PrepareThenRun) {
  const auto engine = MakeEngine(1);
  const auto plan = engine->Prepare(Program({Desc(kS32, {2}), Desc(kS32, {2})},
                                            {BinaryOp(Opcode::kAdd, 0, 1)}));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->results()[0].ToString(), "s32[2]{0}");
  const int32_t x[] = {1, 2}, y[] = {30, 40};
  int32_t sum[] = {0, 0};
  const SegmentedBytes operands[] = {
      {reinterpret_cast<const std::byte*>(x), sizeof(x)},
      {reinterpret_cast<const std::byte*>(y), sizeof(y)}};
  const absl::Span<std::byte> results[] = {
      {reinterpret_cast<std::byte*>(sum), sizeof(sum)}};
  std::vector<std::byte> scratch(static_cast<size_t>((*plan)->scratch_bytes()) +
                                 64);
  void* aligned = scratch.data();
  size_t space = scratch.size();
  std::align(64, static_cast<size_t>((*plan)->scratch_bytes()), aligned, space);
  const absl::Status status = (*plan)->Run(
      {operands, results, {static_cast<std::byte*>(aligned), space}});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(sum[0], 31);
  EXPECT_EQ(sum[1], 42);
}

TEST(EngineTest, SaysWhatItIs) {
  const auto engine = MakeEngine(2, "AVX2");
  EXPECT_EQ(engine->simd_target(), "AVX2");
  EXPECT_EQ(engine->num_threads(), 2);
  EXPECT_EQ(engine->limits().max_instructions, 256);
  const auto best = MakeEngine(0);
  EXPECT_GE(best->num_threads(), 1);
  EXPECT_LE(best->num_threads(),
            static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_THAT(std::string(best->simd_target()), AnyOf("AVX2", "AVX3"));
}

TEST(EngineTest, RefusesAnUnknownTarget) {
  EngineOptions options;
  options.simd_target = "NEON";
  const absl::Status status = Engine::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("NEON"));
}

TEST(EngineTest, SupportsTheOperationsOfThisRelease) {
  const auto engine = MakeEngine(1);
  for (Opcode opcode : {Opcode::kIdentity,  Opcode::kConvert,
                        Opcode::kAdd,       Opcode::kSubtract,
                        Opcode::kMultiply,  Opcode::kDivide,
                        Opcode::kRemainder, Opcode::kMaximum,
                        Opcode::kMinimum,   Opcode::kNegate,
                        Opcode::kAbs,       Opcode::kCompare,
                        Opcode::kSelect,    Opcode::kClamp,
                        Opcode::kAnd,       Opcode::kOr,
                        Opcode::kXor,       Opcode::kNot,
                        Opcode::kSqrt,      Opcode::kBroadcastInDim,
                        Opcode::kTranspose, Opcode::kReverse,
                        Opcode::kSlice,     Opcode::kConstant}) {
    const Operation& operation = OperationOf(opcode);
    for (DType type : kAllDTypes) {
      if (opcode == Opcode::kSqrt && IsComplex(type)) continue;  // later
      EXPECT_EQ(engine->Supports(opcode, type), operation.IsDefinedOn(type))
          << operation.label << " " << DTypeName(type);
    }
  }
  EXPECT_FALSE(engine->Supports(Opcode::kSubtract, kPred));
  EXPECT_FALSE(engine->Supports(Opcode::kExp, kS32));
}

TEST(PlanTest, ToStringSaysSomething) {
  const auto engine = MakeEngine(1);
  const auto plan = engine->Prepare(RoundingProgram(100));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE((*plan)->ToString().empty());
}

TEST(PlanTest, ResultsStateAnExplicitForm) {
  const auto engine = MakeEngine(1);
  Signature signature = {
      {Desc(kF32, {2, 3})}, {}, {ResultOf(0), ResultOf(0, Strides({5, 1}))}};
  const auto plan = engine->Prepare(signature);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(std::get<DimensionOrder>((*plan)->results()[0].layout().form())
                .minor_to_major,
            (DimVector{1, 0}));
  EXPECT_EQ(std::get<ElementStrides>((*plan)->results()[1].layout().form()),
            Strides({5, 1}, 0, 8));
}

TEST(PlanTest, CancelledBeforeTheStart) {
  for (int num_threads : {1, 2}) {
    const auto engine = MakeEngine(num_threads);
    for (int64_t elements : {1, 1 << 20}) {
      const auto plan = engine->Prepare(
          Program({Desc(kF32, {elements})}, {BinaryOp(Opcode::kAdd, 0, 0)}));
      ASSERT_TRUE(plan.ok()) << plan.status();
      const Bytes operand(static_cast<size_t>(elements) * 4);
      Bytes result(operand.size());
      std::vector<std::byte> scratch(
          static_cast<size_t>((*plan)->scratch_bytes()) + 64);
      const auto misalignment =
          reinterpret_cast<uintptr_t>(scratch.data()) % 64;
      const SegmentedBytes operands[] = {
          {operand.data(), static_cast<int64_t>(operand.size())}};
      const absl::Span<std::byte> results[] = {absl::MakeSpan(result)};
      const Bindings bindings{
          operands, results,
          absl::MakeSpan(scratch).subspan((64 - misalignment) % 64)};
      std::atomic<bool> cancelled = true;
      const absl::Status status =
          (*plan)->Run(bindings, OuterRange{}, CancelToken(&cancelled));
      EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << elements;
      // The plan is not harmed.
      cancelled = false;
      EXPECT_TRUE(
          (*plan)->Run(bindings, OuterRange{}, CancelToken(&cancelled)).ok());
    }
  }
}

TEST(PlanTest, CancelledWhileRunning) {
  const auto engine = MakeEngine(2);
  // Some 10^9 remainders: seconds, unless cancelled.
  Signature signature = Program({Desc(kF64, {1 << 22})}, {});
  for (uint32_t i = 0; i < 200; ++i) {
    signature.instructions.push_back(BinaryOp(Opcode::kRemainder, 0, i));
  }
  const auto plan = engine->Prepare(signature);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_GT((*plan)->cost_ns(), 1e9);
  const Bytes operand(static_cast<size_t>(signature.operands[0].size_bytes()),
                      std::byte{0x40});
  Bytes result(operand.size());
  std::vector<std::byte> scratch(static_cast<size_t>((*plan)->scratch_bytes()) +
                                 64);
  const auto misalignment = reinterpret_cast<uintptr_t>(scratch.data()) % 64;
  const SegmentedBytes operands[] = {
      {operand.data(), static_cast<int64_t>(operand.size())}};
  const absl::Span<std::byte> results[] = {absl::MakeSpan(result)};
  std::atomic<bool> cancelled = false;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancelled = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const absl::Status status = (*plan)->Run(
      Bindings{operands, results,
               absl::MakeSpan(scratch).subspan((64 - misalignment) % 64)},
      OuterRange{}, CancelToken(&cancelled));
  const std::chrono::duration<double, std::nano> took =
      std::chrono::steady_clock::now() - start;
  canceller.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_LT(took.count(), (*plan)->cost_ns() / 4);
}

// Its tiles are worked through in an order of their own: squares of 1 to 5
// tiles a side, cut off at the edge or not, several of them.
TEST(PlanTest, SumsWithTheTransposeOfAllSizes) {
  const auto engine = Engine::Create({}).value();
  for (const int64_t side : {255, 256, 257, 511, 768, 1100}) {
    const int64_t count = 2;
    const auto n = static_cast<size_t>(count * side * side);
    std::vector<int32_t> a(n);
    for (size_t i = 0; i < n; ++i) a[i] = static_cast<int32_t>(i * 2654435761u);
    const Signature signature =
        Program({Desc(DType::kS32, {count, side, side})},
                {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{0, 2, 1}}),
                 BinaryOp(Opcode::kSubtract, 0, 1)});
    const auto plan = engine->Prepare(signature).value();
    const std::vector<Bytes> operands = {BytesOf(a)};
    std::vector<uint32_t> expected(n);
    for (int64_t c = 0; c < count; ++c) {
      for (int64_t i = 0; i < side; ++i) {
        for (int64_t j = 0; j < side; ++j) {
          const auto at = [&](int64_t row, int64_t col) {
            return static_cast<size_t>((c * side + row) * side + col);
          };
          expected[at(i, j)] = static_cast<uint32_t>(a[at(i, j)]) -
                               static_cast<uint32_t>(a[at(j, i)]);
        }
      }
    }
    EXPECT_EQ(CheckRun(*plan, operands, {BytesOf(expected)}, false, Random(1)),
              "")
        << side;
    EXPECT_EQ(CheckRun(*plan, operands, {BytesOf(expected)}, true, Random(2)),
              "")
        << side;
  }
}

// Planes whose elements are every second one along their first dimension.
TEST(PlanTest, WhatIsTooLargeAsAWholeLeavesInParts) {
  EngineOptions options;
  options.limits.max_result_bytes = 1000;
  const auto engine = Engine::Create(options).value();
  const Signature signature =
      Program({Desc(kF32, {20, 30, 40}, Strides({2, 40, 1200}))},
              {Op(Opcode::kNegate, {0})});
  EXPECT_FALSE(engine->Prepare(signature, Delivery::kWhole).ok());
  const auto plan = engine->Prepare(signature, Delivery::kInParts);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->num_outer_steps(), 20);
  const std::vector<Bytes> operands = RandomOperands(signature);
  EXPECT_EQ(CheckRun(**plan, operands, Reference(signature, operands), true,
                     Random(5)),
            "");
}

// The same where another operand is dense along their first dimension, and rows
// are shorter than a cache line.
TEST(PlanTest, WhatIsReadAcrossLeavesInPartsToo) {
  EngineOptions options;
  options.limits.max_result_bytes = 1000;
  const auto engine = Engine::Create(options).value();
  for (const int64_t cols : {8, 40}) {
    const Signature signature =
        Program({Desc(kF32, {40, 30, cols}, Strides({60 * cols, 2, 60})),
                 Desc(kF32, {40, 30, cols}, Strides({1, 0, 40}))},
                {BinaryOp(Opcode::kAdd, 0, 1)});
    const auto plan = engine->Prepare(signature, Delivery::kInParts);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<Bytes> operands = RandomOperands(signature);
    EXPECT_EQ(CheckRun(**plan, operands, Reference(signature, operands), true,
                       Random(6)),
              "");
  }
}

TEST(PlanTest, OnePlanRunsOnManyThreads) {
  for (int num_threads : {1, 2}) {
    const auto engine = MakeEngine(num_threads);
    const Signature signature = RoundingProgram(3000);
    const auto plan = engine->Prepare(signature);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<Bytes> operands = RandomOperands(signature);
    const std::vector<Bytes> expected = Reference(signature, operands);
    std::vector<std::string> wrong(4);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (uint64_t i = 0; i < 5; ++i) {
          wrong[t] += CheckRun(**plan, operands, expected, i % 2 == 1,
                               Random(10 * t + i));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : wrong) EXPECT_EQ(text, "");
  }
}

TEST(EngineTest, TasksRunOnItsThreads) {
  const Signature signature = RoundingProgram(2000);
  const std::vector<Bytes> operands = RandomOperands(signature);
  const std::vector<Bytes> expected = Reference(signature, operands);
  std::vector<std::string> wrong(8, "not run");
  {
    const auto engine = MakeEngine(2);
    const auto plan = engine->Prepare(signature);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (size_t t = 0; t < wrong.size(); ++t) {
      engine->Enqueue([&, t, plan = *plan] {
        wrong[t] = CheckRun(*plan, operands, expected, false, Random(t));
      });
    }
    // The plan goes first, but the tasks hold it; the engine waits for them.
  }
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
}

// Sets this thread's MXCSR for a scope.
class ScopedMxcsr {
 public:
  explicit ScopedMxcsr(unsigned mxcsr) : saved_(_mm_getcsr()) {
    _mm_setcsr(mxcsr);
  }
  ~ScopedMxcsr() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
};

constexpr unsigned kMasks = 0x1F80;  // no exception traps
constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;
constexpr unsigned kStatusFlags = 0x003F;

TEST(FloatEnvironmentTest, NeverChangesAResultAndIsRestored) {
  const struct {
    const char* name;
    unsigned mxcsr;
  } kRows[] = {
      {"downward", kMasks | 0x2000},
      {"upward", kMasks | 0x4000},
      {"toward zero", kMasks | 0x6000},
      {"subnormals flushed", kMasks | kFlushToZero | kDenormalsAreZero},
      {"all at once", kMasks | 0x6000 | kFlushToZero | kDenormalsAreZero},
      // Data never raises a signal: invalid, division by zero, overflow,
      // underflow and denormal operands all trap.
      {"exceptions trap", 0x1000},
  };
  for (const int64_t elements : {7, 20'000}) {
    const Signature signature = RoundingProgram(elements);
    const std::vector<Bytes> operands = RandomOperands(signature);
    const std::vector<Bytes> expected = Reference(signature, operands);
    for (int num_threads : {1, 2}) {
      for (const char* target : {"AVX2", ""}) {
        const auto engine = MakeEngine(num_threads, target);
        const auto plan = engine->Prepare(signature);
        ASSERT_TRUE(plan.ok()) << plan.status();
        for (const auto& row : kRows) {
          SCOPED_TRACE(row.name);
          std::string wrong;
          unsigned after = 0;
          {
            const ScopedMxcsr scoped(row.mxcsr);
            wrong = CheckRun(**plan, operands, expected, false, Random(1));
            after = _mm_getcsr();
          }
          EXPECT_EQ(wrong, "");
          EXPECT_EQ(after & ~kStatusFlags, row.mxcsr);
        }
      }
    }
  }
}

// The rounding mode of the x87 unit too: long double arithmetic would see it.
TEST(FloatEnvironmentTest, RoundingModeOfTheCLibrary) {
  const Signature signature = RoundingProgram(100);
  const std::vector<Bytes> operands = RandomOperands(signature);
  const std::vector<Bytes> expected = Reference(signature, operands);
  const auto engine = MakeEngine(1);
  const auto plan = engine->Prepare(signature);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const std::string wrong =
        CheckRun(**plan, operands, expected, false, Random(1));
    const int after = std::fegetround();
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(after, mode);
  }
}

// Prepare rounds scalars to the type of the operation: 0.01 lies between two
// f32, 1e-40 is a subnormal one.
TEST(FloatEnvironmentTest, ScalarsArePreparedAsEver) {
  const auto engine = MakeEngine(1);
  const auto leaky = [&](double alpha) {
    const Signature signature =
        Program({Desc(DType::kF32, {1})},
                {Op(Opcode::kLeakyRelu, {0}, ScalarsAttribute{alpha, {}})});
    const auto plan = engine->Prepare(signature);
    const float x = -1;
    float y = 0;
    const SegmentedBytes operand(reinterpret_cast<const std::byte*>(&x), 4);
    const absl::Span<std::byte> result(reinterpret_cast<std::byte*>(&y), 4);
    alignas(64) std::byte scratch[4096];
    EXPECT_LE((*plan)->scratch_bytes(), 4096);
    EXPECT_TRUE((*plan)->Run({{&operand, 1}, {&result, 1}, scratch}).ok());
    return std::bit_cast<uint32_t>(y);
  };
  constexpr unsigned kRoundUp = 0x4000;
  for (const unsigned mode : {0u, kRoundUp, kFlushToZero | kDenormalsAreZero}) {
    uint32_t rounded;
    uint32_t subnormal;
    {
      const ScopedMxcsr scoped(kMasks | mode);
      rounded = leaky(0.01);
      subnormal = leaky(1e-40);
    }
    EXPECT_EQ(rounded, 0xBC23D70A);
    EXPECT_EQ(subnormal, 0x800116C2);
  }
}

}  // namespace
}  // namespace stridecast::testing
