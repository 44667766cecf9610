// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/parts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace stridecast {
namespace {

using testing::Desc;
using testing::Op;

constexpr ProgramLimits kLimits = {.max_instructions = 4,
                                   .max_operands = 4,
                                   .max_results = 4,
                                   .max_operand_references = 4096,
                                   .max_constant_bytes = 0};

// "1+2i,0:[2,3]=x0[5,0]": from (1,0) on, every second row; of the value, from
// (5,0) on.
std::string ToText(const Part& part) {
  std::vector<std::string> box;
  for (int d = 0; d < part.box.shape.rank(); ++d) {
    box.push_back(
        part.box.step[d] == 1
            ? absl::StrCat(part.box.start[d])
            : absl::StrCat(part.box.start[d], "+", part.box.step[d],
                           std::string(1, static_cast<char>('i' + d))));
  }
  return absl::StrCat(absl::StrJoin(box, ","), ":", part.box.shape.ToString(),
                      part.is_over ? " over" : "", "=x", part.value, "[",
                      absl::StrJoin(part.view.start, ","), "]");
}

std::string PartsOf(const std::vector<TensorDesc>& operands,
                    const Instruction& instruction) {
  const auto program =
      Program::Create(testing::Program(operands, {instruction}), kLimits);
  if (!program.ok()) return std::string(program.status().message());
  std::vector<std::string> parts;
  for (const Part& part :
       stridecast::PartsOf(*program, program->num_operands())) {
    parts.push_back(ToText(part));
  }
  return absl::StrJoin(parts, " ");
}

std::string PartsOfPad(const DimVector& shape, const PadAttribute& pad) {
  return PartsOf({Desc(DType::kF32, shape), Desc(DType::kF32, {})},
                 Op(Opcode::kPad, {0, 1}, pad));
}

TEST(PartsTest, ConcatenateIsABoxPerOperandWithElements) {
  EXPECT_EQ(
      PartsOf({Desc(DType::kF32, {2, 3}), Desc(DType::kF32, {2, 0}),
               Desc(DType::kF32, {2, 1})},
              Op(Opcode::kConcatenate, {2, 1, 0, 2}, DimensionsAttribute{{1}})),
      "0,0:[2,1]=x2[0,0] 0,1:[2,3]=x0[0,0] 0,4:[2,1]=x2[0,0]");
}

TEST(PartsTest, PadIsTheOperandAndSlabsAroundIt) {
  EXPECT_EQ(PartsOfPad({2, 3}, {{1, 2}, {3, 4}, {0, 0}}),
            "1,2:[2,3]=x0[0,0] 0,0:[1,9]=x1[] 3,0:[3,9]=x1[] 1,0:[2,2]=x1[] "
            "1,5:[2,4]=x1[]");
}

TEST(PartsTest, NegativePaddingCrops) {
  EXPECT_EQ(PartsOfPad({5}, {{-2}, {-1}, {0}}), "0:[2]=x0[2]");
  EXPECT_EQ(PartsOfPad({5}, {{-2}, {1}, {0}}), "0:[3]=x0[2] 3:[1]=x1[]");
}

TEST(PartsTest, InteriorPaddingLiesUnderTheOperand) {
  EXPECT_EQ(PartsOfPad({3}, {{1}, {0}, {1}}), "1+2i:[3] over=x0[0] 0:[6]=x1[]");
  // Cropped before the first whole step: elements 1 and 2 are left.
  EXPECT_EQ(PartsOfPad({3}, {{-1}, {0}, {1}}),
            "1+2i:[2] over=x0[1] 0:[4]=x1[]");
  // One element has nothing between it.
  EXPECT_EQ(PartsOfPad({1}, {{0}, {1}, {5}}), "0:[1]=x0[0] 1:[1]=x1[]");
}

TEST(PartsTest, NothingIsLeft) {
  EXPECT_EQ(PartsOfPad({2}, {{-3}, {4}, {0}}), "0:[3]=x1[]");
  EXPECT_EQ(PartsOfPad({0}, {{1}, {1}, {0}}), "0:[2]=x1[]");
  EXPECT_EQ(PartsOfPad({2}, {{-1}, {-1}, {0}}), "");
}

}  // namespace
}  // namespace stridecast
