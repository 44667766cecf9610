// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Attributes on their way from a program to the kernels: one small program for
// each form of instruction that takes some, on each target of this machine.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "core/kernels/kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using enum DType;

// Runs `instruction`, whose operands are 0, 1, ... in order, on every target;
// they must agree.
template <class T>
std::vector<T> RunOne(const Instruction& instruction,
                      const std::vector<TensorDesc>& descs,
                      const std::vector<Bytes>& operands) {
  std::vector<Bytes> results;
  for (const KernelTable* table : KernelTables()) {
    EngineOptions options;
    options.num_threads = 1;
    options.simd_target = std::string(table->target());
    const auto engine = Engine::Create(options).value();
    EXPECT_TRUE(engine->Supports(instruction.opcode, descs[0].type()));
    const auto plan = engine->Prepare(Program(descs, {instruction}));
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return {};
    results.push_back(RunWhole(**plan, operands)[0]);
    EXPECT_EQ(results.back(), results[0]) << table->target();
  }
  std::vector<T> elements(results[0].size() / sizeof(T));
  std::memcpy(elements.data(), results[0].data(), results[0].size());
  return elements;
}

TEST(AttributesTest, ScalarsAndTheirDefaults) {
  const std::vector<float> x = {-10, -1, 0, 1, 10};
  const auto run = [&](Opcode opcode, Attribute attribute) {
    return RunOne<float>(Op(opcode, {0}, std::move(attribute)),
                         {Desc(kF32, {5})}, {BytesOf(x)});
  };
  EXPECT_THAT(run(Opcode::kLeakyRelu, {}),
              ElementsAre(-10 * 0.01f, -0.01f, 0, 1, 10));
  EXPECT_THAT(run(Opcode::kLeakyRelu, ScalarsAttribute{}),
              ElementsAre(-10 * 0.01f, -0.01f, 0, 1, 10));
  EXPECT_THAT(run(Opcode::kLeakyRelu, ScalarsAttribute{-0.5, {}}),
              ElementsAre(5, 0.5f, 0, 1, 10));
  EXPECT_THAT(run(Opcode::kHardSigmoid, {}),
              ElementsAre(0, 0.5f - 0.2f, 0.5f, 0.7f, 1));
  EXPECT_THAT(run(Opcode::kHardSigmoid, ScalarsAttribute{{}, 0.25}),
              ElementsAre(0, 0.25f - 0.2f, 0.25f, 0.45f, 1));
  EXPECT_THAT(run(Opcode::kHardSigmoid, ScalarsAttribute{0.0625, 0}),
              ElementsAre(0, 0, 0, 0.0625f, 0.625f));
}

// The constants of f64 are not rounded to f32; those of f16 are f32.
TEST(AttributesTest, ScalarsHaveThePrecisionOfTheComputation) {
  EXPECT_THAT(RunOne<double>(Op(Opcode::kLeakyRelu, {0}), {Desc(kF64, {1})},
                             {BytesOf<double>({-1})}),
              ElementsAre(-0.01));
  // 2048 * 0.01f, rounded once; 0.01 as f16 would give 0x4D1F.
  EXPECT_THAT(RunOne<uint16_t>(Op(Opcode::kLeakyRelu, {0}), {Desc(kF16, {1})},
                               {BytesOf<uint16_t>({0xE800})}),
              ElementsAre(0xCD1F));
}

TEST(AttributesTest, ReducePrecision) {
  EXPECT_THAT(
      RunOne<float>(
          Op(Opcode::kReducePrecision, {0}, ReducePrecisionAttribute{5, 10}),
          {Desc(kF32, {3})}, {BytesOf<float>({65519, 65520, 0x1p-15f})}),
      ElementsAre(65504, std::numeric_limits<float>::infinity(), 0));
}

TEST(AttributesTest, QuantizePerTensorAndAlongADimension) {
  const TensorDesc x = Desc(kF32, {2, 3});
  const Bytes values = BytesOf<float>({-1, 0.5, 1, 2, 3, 1000});
  EXPECT_THAT(RunOne<uint8_t>(
                  Op(Opcode::kQuantize, {0, 1, 2}, QuantizeAttribute{kU8, {}}),
                  {x, Desc(kF32, {}), Desc(kU8, {})},
                  {values, BytesOf<float>({0.5}), BytesOf<uint8_t>({3})}),
              ElementsAre(1, 4, 5, 7, 9, 255));
  // By columns, and by rows.
  EXPECT_THAT(RunOne<int16_t>(Op(Opcode::kQuantize, {0, 1, 2},
                                 QuantizeAttribute{kS16, {1}}),
                              {x, Desc(kF32, {3}), Desc(kS16, {3})},
                              {values, BytesOf<float>({1, 0.5, 100}),
                               BytesOf<int16_t>({-7, 0, 7})}),
              ElementsAre(-8, 1, 7, -5, 6, 17));
  EXPECT_THAT(
      RunOne<int32_t>(
          Op(Opcode::kQuantize, {0, 1, 2}, QuantizeAttribute{kS32, {0}}),
          {x, Desc(kF32, {2}), Desc(kS32, {2})},
          {values, BytesOf<float>({0.25, 10}), BytesOf<int32_t>({0, 1})}),
      ElementsAre(-4, 2, 4, 1, 1, 101));
}

TEST(AttributesTest, DequantizePerTensorAndAlongADimension) {
  const TensorDesc q = Desc(kS8, {2, 2});
  const Bytes values = BytesOf<int8_t>({-128, 0, 3, 127});
  EXPECT_THAT(
      RunOne<double>(
          Op(Opcode::kDequantize, {0, 1, 2}, QuantizeAttribute{kF64, {}}),
          {q, Desc(kF64, {}), Desc(kS8, {})},
          {values, BytesOf<double>({0.5}), BytesOf<int8_t>({1})}),
      ElementsAre(-64.5, -0.5, 1, 63));
  EXPECT_THAT(
      RunOne<float>(
          Op(Opcode::kDequantize, {0, 1, 2}, QuantizeAttribute{kF32, {1}}),
          {q, Desc(kF32, {2}), Desc(kS8, {2})},
          {values, BytesOf<float>({1, 2}), BytesOf<int8_t>({0, 127})}),
      ElementsAre(-128, -254, 3, 0));
}

TEST(AttributesTest, FmaRoundsOnce) {
  const float x = 1 + 0x1p-12f;
  EXPECT_THAT(RunOne<float>(Op(Opcode::kFma, {0, 1, 2}),
                            {Desc(kF32, {1}), Desc(kF32, {1}), Desc(kF32, {1})},
                            {BytesOf<float>({x}), BytesOf<float>({x}),
                             BytesOf<float>({-1 - 0x1p-11f})}),
              ElementsAre(0x1p-24f));
}

}  // namespace
}  // namespace stridecast::testing
