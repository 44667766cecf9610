// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The table of operations against SEMANTICS.md 4: what each is defined on.

#include "stridecast/operation.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "stridecast/request.h"

namespace stridecast {
namespace {

constexpr unsigned kIntegers = kSignedClass | kUnsignedClass;
constexpr unsigned kReals = kIntegers | kFloatClass;
constexpr unsigned kAll = kPredClass | kReals | kComplexClass;

struct OperationRow {
  const char* label;
  int number;
  Form form;
  unsigned types;
  ResultType result;
};

const OperationRow kRows[] = {
    {"ADD", 1, Form::kBinary, kAll, ResultType::kSame},
    {"SUBTRACT", 2, Form::kBinary, kReals | kComplexClass, ResultType::kSame},
    {"MULTIPLY", 3, Form::kBinary, kAll, ResultType::kSame},
    {"DIVIDE", 4, Form::kBinary, kReals | kComplexClass, ResultType::kSame},
    {"REMAINDER", 5, Form::kBinary, kReals, ResultType::kSame},
    {"MAXIMUM", 9, Form::kBinary, kPredClass | kReals, ResultType::kSame},
    {"MINIMUM", 10, Form::kBinary, kPredClass | kReals, ResultType::kSame},
    {"AND", 18, Form::kBinary, kPredClass | kIntegers, ResultType::kSame},
    {"OR", 19, Form::kBinary, kPredClass | kIntegers, ResultType::kSame},
    {"XOR", 20, Form::kBinary, kPredClass | kIntegers, ResultType::kSame},
    {"COMPARE", 24, Form::kCompare, kAll, ResultType::kPred},
    {"SELECT", 50, Form::kSelect, kAll, ResultType::kSame},
    {"CLAMP", 51, Form::kClamp, kPredClass | kReals, ResultType::kSame},
    {"IDENTITY", 60, Form::kUnary, kAll, ResultType::kSame},
    {"ABS", 61, Form::kUnary, kReals | kComplexClass, ResultType::kReal},
    {"NEGATE", 62, Form::kUnary, kReals | kComplexClass, ResultType::kSame},
    {"NOT", 64, Form::kUnary, kPredClass | kIntegers, ResultType::kSame},
    {"SQRT", 77, Form::kUnary, kFloatClass | kComplexClass, ResultType::kSame},
    {"CONVERT", 180, Form::kConvert, kAll, ResultType::kStated},
    {"BROADCAST_IN_DIM", 200, Form::kBroadcastInDim, kAll, ResultType::kSame},
    {"TRANSPOSE", 201, Form::kTranspose, kAll, ResultType::kSame},
    {"REVERSE", 202, Form::kReverse, kAll, ResultType::kSame},
    {"SLICE", 203, Form::kSlice, kAll, ResultType::kSame},
    {"CONSTANT", 208, Form::kConstant, kAll, ResultType::kStated},
};

TEST(OperationTest, EachIsDefinedOnItsTypes) {
  for (const OperationRow& row : kRows) {
    SCOPED_TRACE(row.label);
    const Operation* operation = FindOperation(row.number);
    ASSERT_NE(operation, nullptr);
    EXPECT_EQ(operation->label, row.label);
    EXPECT_EQ(operation->form, row.form);
    EXPECT_EQ(operation->types, row.types);
    EXPECT_EQ(operation->result_type, row.result);
    EXPECT_EQ(&OperationOf(operation->opcode), operation);
    for (DType type : kAllDTypes) {
      EXPECT_EQ(operation->IsDefinedOn(type), (row.types & ClassOf(type)) != 0);
    }
  }
}

TEST(OperationTest, NumbersAscendAndLabelsDiffer) {
  std::set<std::string> labels;
  int previous = 0;
  for (const Operation& operation : AllOperations()) {
    const int number = static_cast<int>(operation.opcode);
    EXPECT_GT(number, previous);
    EXPECT_LT(number, 300);  // kept for reductions
    EXPECT_EQ(FindOperation(number), &operation);
    EXPECT_TRUE(labels.insert(std::string(operation.label)).second);
    previous = number;
  }
}

TEST(OperationTest, OtherNumbersAreNoOperations) {
  for (int number :
       {-1, 0, 33, 49, 53, 110, 119, 136, 199, 209, 300, 65536 + 1}) {
    EXPECT_EQ(FindOperation(number), nullptr) << number;
  }
}

TEST(RequestTest, AttributesAreNamedAsInTheProto) {
  EXPECT_EQ(AttributeName(std::monostate()), "");
  EXPECT_EQ(AttributeName(ConstantAttribute{}), "constant");
  EXPECT_EQ(AttributeName(BroadcastInDimAttribute{}), "broadcast_in_dim");
  EXPECT_EQ(AttributeName(DimensionsAttribute{}), "dimensions");
  EXPECT_EQ(AttributeName(SliceAttribute{}), "slice");
  EXPECT_EQ(AttributeName(PadAttribute{}), "pad");
  EXPECT_EQ(AttributeName(ReshapeAttribute{}), "reshape");
  EXPECT_EQ(AttributeName(ConvertAttribute{DType::kF32}), "convert");
  EXPECT_EQ(AttributeName(CompareAttribute{}), "compare");
  EXPECT_EQ(AttributeName(ReducePrecisionAttribute{8, 7}), "reduce_precision");
  EXPECT_EQ(AttributeName(ScalarsAttribute{}), "scalars");
  EXPECT_EQ(AttributeName(QuantizeAttribute{DType::kS8, {}}), "quantize");
  EXPECT_EQ(AttributeName(IotaAttribute{DType::kS8, {}, 0}), "iota");
}

}  // namespace
}  // namespace stridecast
