// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/program/infer_rows.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "stridecast/tensor.h"

namespace stridecast::program_tests {
namespace {

std::string DimensionsToString(const OperandDimensions& operand_dimensions) {
  return absl::StrJoin(operand_dimensions, " ",
                       [](std::string* out, const DimVector& dimensions) {
                         absl::StrAppend(out, "(",
                                         absl::StrJoin(dimensions, ","), ")");
                       });
}

}  // namespace

void PrintTo(const InferCase& row, std::ostream* out) { *out << row.name; }

void ExpectInference(const InferCase& row) {
  const auto inference =
      InferInstruction(row.instruction, Values(row.operands));
  ASSERT_TRUE(inference.ok()) << inference.status();
  EXPECT_EQ(ShapeToString(inference->value.type, inference->value.shape),
            row.value);
  EXPECT_EQ(DimensionsToString(inference->operand_dimensions),
            row.operand_dimensions);
  EXPECT_EQ(inference->subject, row.subject);
  EXPECT_EQ(IsElementwise(OperationOf(row.instruction.opcode).form),
            !inference->operand_dimensions.empty());
}

void ExpectRefusal(const InferCase& row) {
  const auto inference =
      InferInstruction(row.instruction, Values(row.operands));
  EXPECT_EQ(inference.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(inference.status().message()), row.value);
}

std::vector<ValueType> Values(const std::vector<const char*>& texts) {
  std::vector<ValueType> values;
  for (const char* text : texts) {
    const TensorDesc desc = ParseShapeString(text).value();
    values.push_back({desc.type(), desc.shape()});
  }
  return values;
}

Instruction Make(Opcode opcode, Attribute attribute) {
  return {opcode, {}, {}, std::move(attribute)};
}

Instruction Broadcasting(Opcode opcode, DimVector broadcast_dimensions,
                         Attribute attribute) {
  return {opcode, {}, std::move(broadcast_dimensions), std::move(attribute)};
}

}  // namespace stridecast::program_tests
