// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/exec/single_block.h"

#include <cstdint>
#include <ostream>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/random_program.h"
#include "tests/support/reference.h"
#include "tests/unit/exec/run_program.h"

namespace stridecast {
namespace {

using testing::BinaryOp;
using testing::Bytes;
using testing::Desc;
using testing::Order;
using testing::Random;
using testing::Result;
using testing::Strides;

TensorDesc U8(const DimVector& shape, const PhysicalForm& form = {}) {
  return Desc(DType::kU8, shape, form);
}

Instruction Sum(int a, int b, const DimVector& broadcast_dimensions = {}) {
  Instruction sum = BinaryOp(Opcode::kAdd, a, b);
  sum.broadcast_dimensions = broadcast_dimensions;
  return sum;
}

struct Case {
  const char* name;
  Signature signature;
  bool is_single_block;
  PassPlanOptions options = {};
};

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

const Case kCases[] = {
    // A single computation on tensors as they lie is one block, whatever the
    // size of its blocks.
    {"Scalars", {{U8({}), U8({})}, {Sum(0, 1)}, {{}}}, true},
    {"Flat", {{U8({300, 400}), U8({300, 400})}, {Sum(0, 1)}, {{}}}, true},
    {"RowsApart",
     {{U8({1000, 900}, Order({1, 0}, {1000, 1024})), U8({1000, 900})},
      {Sum(0, 1)},
      {{}}},
     true},
    {"RowLongerThanABlock",
     {{U8({3, 70'000}), U8({70'000})}, {Sum(0, 1, {1})}, {{}}},
     true},
    {"ColumnOfRowsLongerThanABlock",
     {{U8({3, 70'000}), U8({3})}, {Sum(0, 1, {0})}, {{}}},
     true},
    // Several share scratch memory of a block's size.
    {"SeveralInOneBlock",
     {{U8({8, 20}), U8({8, 20})},
      {Sum(0, 1), BinaryOp(Opcode::kMultiply, 2, 1)},
      {{}}},
     true},
    {"SeveralInOneBlockOfRowsApart",
     {{U8({8, 100}, Order({1, 0}, {8, 128})), U8({100})},
      {Sum(0, 1, {1}), BinaryOp(Opcode::kMultiply, 2, 0)},
      {{}}},
     true},
    {"SeveralInManyBlocks",
     {{U8({1000, 1000}), U8({1000, 1000})},
      {Sum(0, 1), BinaryOp(Opcode::kMultiply, 2, 1)},
      {{}}},
     false},
    // Matrices with space between them are blocks of their own.
    {"MatricesApart",
     {{U8({3, 40, 50}, Order({2, 1, 0}, {3, 41, 64})), U8({3, 40, 50})},
      {Sum(0, 1)},
      {{}}},
     false},
    // Packed, copied, with gaps to be filled.
    {"ShortRowsApart",
     {{U8({3000, 7}, Order({1, 0}, {3000, 9})), U8({3000, 7})},
      {Sum(0, 1)},
      {{}}},
     false},
    {"PackedOperand",
     {{U8({100, 100}, Order({0, 1})), U8({100, 100})}, {Sum(0, 1)}, {{}}},
     false},
    {"Copy", {{U8({100})}, {}, {{}}}, false},
    {"ResultRowsApart",
     {{U8({1000, 900}), U8({1000, 900})},
      {Sum(0, 1)},
      {Result(Strides({1000, 1}))}},
     false},
    {"PaddedResult",
     {{U8({100}), U8({100})}, {Sum(0, 1)}, {Result(Order({0}, {128}))}},
     false},
    {"PastTheCaches",
     {{U8({100}), U8({100})}, {Sum(0, 1)}, {{}}},
     false,
     {.cache = {.computed_bytes = 1, .moved_bytes = 1, .stores_past = true}}},
    {"NoElements", {{U8({0, 3}), U8({0, 3})}, {Sum(0, 1)}, {{}}}, false},
};

class SingleBlockTest : public ::testing::TestWithParam<Case> {};

TEST_P(SingleBlockTest, GivesTheBytes) {
  const Case& row = GetParam();
  Random random(5);
  std::vector<Bytes> operands;
  for (const TensorDesc& desc : row.signature.operands) {
    operands.emplace_back(desc.size_bytes());
    for (std::byte& byte : operands.back()) {
      byte = static_cast<std::byte>(random.Below(256));
    }
  }
  int num_single_blocks = 0;
  testing::RunOptions options;
  options.plan = row.options;
  options.num_single_blocks = &num_single_blocks;
  EXPECT_EQ(testing::RunProgram(row.signature, operands, options),
            testing::Reference(row.signature, operands));
  EXPECT_EQ(num_single_blocks, row.is_single_block ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Rows, SingleBlockTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast
