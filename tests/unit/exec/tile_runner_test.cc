// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Tiles of passes, run with kernels of one line each that check what they are
// given: whole programs against the oracle, whatever the layouts, blocks, tiles
// and segments.

#include "core/exec/tile_runner.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"
#include "tests/unit/exec/run_program.h"
#include "tests/unit/program/random_signature.h"

namespace stridecast {
namespace {

using testing::Bytes;
using testing::Desc;
using testing::Op;
using testing::Order;
using testing::Random;
using testing::Reference;
using testing::Result;
using testing::ResultOf;
using testing::RunOptions;
using testing::RunProgram;
using testing::Strides;

Bytes BytesOf(const std::string& text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string TextOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A matrix of bytes from row-major to padded column-major; ones fill the
// padding.
TEST(RunTileTest, WritesElementsAndPadding) {
  const Signature signature = {
      {Desc(DType::kU8, {2, 3})},
      {},
      {Result(Order({0, 1}, {3, 4}, PaddingValue::kOne))}};
  EXPECT_EQ(TextOf(RunProgram(signature, {BytesOf("abcdef")})[0]),
            "ad\1be\1cf\1\1\1\1");
}

struct RunCase {
  const char* name;
  Signature signature;
  std::string operand;
  std::string result;
};

void PrintTo(const RunCase& row, std::ostream* out) { *out << row.name; }

TensorDesc U8(const DimVector& shape, const PhysicalForm& form = {}) {
  return Desc(DType::kU8, shape, form);
}

const std::string kZero(1, '\0');

const RunCase kCases[] = {
    {"Copy", {{U8({5})}, {}, {{}}}, "abcde", "abcde"},
    {"Scalar", {{U8({})}, {}, {{}}}, "a", "a"},
    {"ScalarInAWideBuffer",
     {{U8({})}, {}, {Result(Strides({}, 1, 3))}},
     "a",
     kZero + "a" + kZero},
    {"Transpose",
     {{U8({2, 3})},
      {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{1, 0}})},
      {{}}},
     "abcdef",
     "adbecf"},
    {"Reverse",
     {{U8({5})}, {Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}})}, {{}}},
     "abcde",
     "edcba"},
    {"RepeatedOperand",
     {{U8({2, 2}, Strides({0, 1}))}, {}, {{}}},
     "ab",
     "abab"},
    {"BackwardsOperand",
     {{U8({3}, Strides({-2}, 4))}, {}, {{}}},
     "a-b-c",
     "cba"},
    {"PaddedOperand",
     {{U8({2, 2}, Order({1, 0}, {2, 4}))}, {}, {{}}},
     "ab--cd--",
     "abcd"},
    {"SpacedResult",
     {{U8({3})}, {}, {Result(Strides({2}, 1))}},
     "abc",
     kZero + "a" + kZero + "b" + kZero + "c"},
    {"HeadAndTail",
     {{U8({2})}, {}, {Result(Strides({1}, 2, 6))}},
     "ab",
     kZero + kZero + "ab" + kZero + kZero},
    {"NoElements",
     {{U8({0, 2})}, {}, {Result(Order({1, 0}, {1, 2}, PaddingValue::kOne))}},
     "",
     "\1\1"},
    {"PredsBecomeOne",
     {{Desc(DType::kPred, {4})}, {}, {{}}},
     "\2" + kZero + "\1\xFF",
     "\1" + kZero + "\1\1"},
};

class RunTileCaseTest : public ::testing::TestWithParam<RunCase> {};

TEST_P(RunTileCaseTest, GivesTheBytes) {
  const RunCase& row = GetParam();
  const std::vector<Bytes> operands = {BytesOf(row.operand)};
  const auto expect_result = [&](const RunOptions& options) {
    EXPECT_EQ(TextOf(RunProgram(row.signature, operands, options)[0]),
              row.result);
  };
  expect_result({});
  expect_result({.plan = {.block_bytes = 1, .tile_cost_ns = 0.001}});
}

INSTANTIATE_TEST_SUITE_P(Rows, RunTileCaseTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// Elements of 16 bytes that straddle segments of 7.
TEST(RunTileTest, GathersElementsThatStraddleSegments) {
  const Signature signature = {
      {Desc(DType::kC128, {6})},
      {Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}})},
      {{}}};
  Bytes operand(6 * 16);
  for (size_t i = 0; i < operand.size(); ++i) {
    operand[i] = static_cast<std::byte>(i);
  }
  Random random(1);
  EXPECT_EQ(RunProgram(signature, {operand}, {.plan = {}, .random = &random}),
            Reference(signature, std::vector<Bytes>{operand}));
}

// Random programs on random layouts.

Signature WithRandomLayouts(Signature signature, Random& random) {
  for (TensorDesc& operand : signature.operands) {
    const DimVector shape(operand.shape().extents().begin(),
                          operand.shape().extents().end());
    operand = Desc(operand.type(), shape,
                   RandomOperandForm(random, operand.type(), shape));
  }
  const Program program =
      Program::Create(signature, {256, 64, 64, 4096, 1024}).value();
  for (size_t i = 0; i < signature.results.size(); ++i) {
    const TensorDesc& desc = program.results()[i];
    const auto extents = desc.shape().extents();
    signature.results[i].form = RandomResultForm(
        random, desc.type(), DimVector(extents.begin(), extents.end()));
  }
  return signature;
}

std::vector<Bytes> RandomOperands(const Signature& signature, Random& random) {
  std::vector<Bytes> operands;
  for (const TensorDesc& desc : signature.operands) {
    operands.emplace_back(desc.size_bytes());
    for (std::byte& b : operands.back()) {
      b = static_cast<std::byte>(random.OneIn(3) ? 0 : random.Below(256));
    }
  }
  return operands;
}

void ExpectAsReference(const Signature& signature, Random& random) {
  const std::vector<Bytes> operands = RandomOperands(signature, random);
  RunOptions options;
  options.random = &random;
  if (random.OneIn(2)) options.plan.block_bytes = random.Below(200) + 1;
  if (random.OneIn(2))
    options.plan.tile_cost_ns = 1.0 + static_cast<double>(random.Below(50));
  EXPECT_EQ(RunProgram(signature, operands, options),
            Reference(signature, operands));
}

TEST(RunTilePropertyTest, ProgramsAsTheOracleSays) {
  constexpr uint64_t kSeed = 21;
  constexpr DType kTypes[] = {DType::kPred, DType::kU8, DType::kU16,
                              DType::kU32, DType::kU64};
  for (uint64_t run = 0; run < 2000; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    const DType type = kTypes[random.Below(std::size(kTypes))];
    ExpectAsReference(WithRandomLayouts(RandomSignature(random, type), random),
                      random);
    if (HasFailure()) FAIL();
  }
}

// Copies of every element size, of shapes that take several blocks and tiles.
TEST(RunTilePropertyTest, RelayoutsAsTheOracleSays) {
  constexpr uint64_t kSeed = 31;
  for (uint64_t run = 0; run < 500; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed + run));
    Random random(kSeed + run);
    DimVector shape(random.Below(4) + 1);
    for (int64_t& extent : shape) {
      extent = random.OneIn(3) ? random.Below(40) + 1 : random.Below(5) + 1;
    }
    const DType type = kAllDTypes[random.Below(std::size(kAllDTypes))];
    ExpectAsReference(
        WithRandomLayouts({{Desc(type, shape)}, {}, {ResultSpec{}}}, random),
        random);
    if (HasFailure()) FAIL();
  }
}

}  // namespace
}  // namespace stridecast
