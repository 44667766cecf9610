// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Broadcasting as XLA does it: the examples of SEMANTICS.md 2.3 and 2.4, with
// the texts of 2.1 in XLA's order of checks.

#include "core/program/broadcast.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;

ValueType Value(const DimVector& extents, DType type = DType::kF32) {
  return {type, Shape::Create(extents).value()};
}

// lhs + rhs on row-major lists of numbers, each operand read where its
// dimensions say.
std::vector<int64_t> Sum(const DimVector& lhs_extents,
                         const std::vector<int64_t>& lhs,
                         const DimVector& rhs_extents,
                         const std::vector<int64_t>& rhs,
                         const DimVector& dimensions) {
  const BinaryBroadcast broadcast =
      InferBinaryBroadcast("add", Value(lhs_extents), Value(rhs_extents),
                           dimensions)
          .value();
  std::vector<int64_t> sums;
  for (int64_t i = 0; i < broadcast.shape.num_elements(); ++i) {
    DimVector index(broadcast.shape.rank());
    int64_t rest = i;
    for (int d = broadcast.shape.rank() - 1; d >= 0; --d) {
      index[d] = rest % broadcast.shape.extent(d);
      rest /= broadcast.shape.extent(d);
    }
    const auto read = [&](const DimVector& extents,
                          const DimVector& result_dimensions,
                          const std::vector<int64_t>& numbers) {
      int64_t at = 0;
      for (size_t d = 0; d < extents.size(); ++d) {
        at = at * extents[d] +
             (extents[d] == 1 ? 0 : index[result_dimensions[d]]);
      }
      return numbers[at];
    };
    sums.push_back(read(lhs_extents, broadcast.lhs_dimensions, lhs) +
                   read(rhs_extents, broadcast.rhs_dimensions, rhs));
  }
  return sums;
}

// A row of three is added to both rows of a matrix: dimension 0 of the operand
// of smaller rank is dimension 1 of the other.
TEST(InferBinaryBroadcastTest, AddsAVectorToEachRow) {
  const auto broadcast =
      InferBinaryBroadcast("add", Value({2, 3}), Value({3}), {1});
  ASSERT_TRUE(broadcast.ok()) << broadcast.status();
  EXPECT_EQ(broadcast->shape.ToString(), "[2,3]");
  EXPECT_THAT(broadcast->lhs_dimensions, ElementsAre(0, 1));
  EXPECT_THAT(broadcast->rhs_dimensions, ElementsAre(1));
  EXPECT_THAT(Sum({2, 3}, {1, 2, 3, 4, 5, 6}, {3}, {7, 8, 9}, {1}),
              ElementsAre(8, 10, 12, 11, 13, 15));
}

TEST(InferBinaryBroadcastTest, GivesTheValuesOfTheExamples) {
  const std::vector<int64_t> zeros(9, 0);
  EXPECT_THAT(Sum({2, 3}, {1, 2, 3, 4, 5, 6}, {}, {7}, {}),
              ElementsAre(8, 9, 10, 11, 12, 13));
  EXPECT_THAT(Sum({3, 3}, zeros, {3}, {7, 8, 9}, {1}),
              ElementsAre(7, 8, 9, 7, 8, 9, 7, 8, 9));
  EXPECT_THAT(Sum({3, 3}, zeros, {3}, {7, 8, 9}, {0}),
              ElementsAre(7, 7, 7, 8, 8, 8, 9, 9, 9));
  EXPECT_THAT(Sum({2, 1}, {10, 20}, {1, 3}, {1, 2, 3}, {}),
              ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(Sum({4}, {1, 2, 3, 4}, {1, 2}, {5, 6}, {0}),
              ElementsAre(6, 7, 7, 8, 8, 9, 9, 10));
}

struct AcceptedCase {
  const char* name;
  DimVector lhs;
  DimVector rhs;
  DimVector dimensions;  // of the operand of smaller rank
  DimVector result;
};

void PrintTo(const AcceptedCase& row, std::ostream* out) { *out << row.name; }

const AcceptedCase kAccepted[] = {
    // name                   lhs           rhs           dims    result
    {"MatrixAndVector", {2, 3}, {3}, {1}, {2, 3}},
    {"MatrixAndScalar", {2, 3}, {}, {}, {2, 3}},
    {"TwoScalars", {}, {}, {}, {}},
    {"VectorAlongRows", {3, 3}, {3}, {0}, {3, 3}},
    {"MatrixOnMinorDims", {2, 3, 4}, {3, 4}, {1, 2}, {2, 3, 4}},
    {"OneColumn", {2, 1}, {2, 3}, {}, {2, 3}},
    {"IdentityIsAllowed", {2, 1}, {2, 3}, {0, 1}, {2, 3}},
    {"VectorsWithIdentity", {3}, {3}, {0}, {3}},
    {"MajorOne", {1, 2, 5}, {7, 2, 5}, {}, {7, 2, 5}},
    {"MiddleOne", {7, 2, 5}, {7, 1, 5}, {}, {7, 2, 5}},
    {"OuterProduct", {2, 1}, {1, 3}, {}, {2, 3}},
    {"LargerIsStretched", {4}, {1, 2}, {0}, {4, 2}},
    {"BothSteps", {1, 2}, {4, 3, 1}, {1, 2}, {4, 3, 2}},  // by way of [4,1,2]
    {"OneStaysOne", {2, 1}, {2, 3, 4}, {0, 2}, {2, 3, 4}},
    {"LargerStretchedInside", {2, 3}, {2, 1, 4}, {0, 1}, {2, 3, 4}},
    {"OneBecomesZero", {0, 3}, {1, 3}, {}, {0, 3}},
    {"OneOntoEmpty", {1}, {0, 5}, {0}, {0, 5}},
    {"ZeroStretchesOne", {0}, {1, 5}, {0}, {0, 5}},
    {"ScalarOntoEmpty", {}, {0}, {}, {0}},
};

class AcceptedTest : public ::testing::TestWithParam<AcceptedCase> {};

TEST_P(AcceptedTest, InBothOrders) {
  const AcceptedCase& row = GetParam();
  for (bool swapped : {false, true}) {
    const DimVector& lhs = swapped ? row.rhs : row.lhs;
    const DimVector& rhs = swapped ? row.lhs : row.rhs;
    const auto broadcast =
        InferBinaryBroadcast("add", Value(lhs), Value(rhs), row.dimensions);
    ASSERT_TRUE(broadcast.ok()) << broadcast.status();
    EXPECT_EQ(broadcast->shape, Value(row.result).shape);
    const auto expect_dimensions = [&](const DimVector& operand,
                                       const DimVector& dimensions) {
      if (operand.size() < row.result.size()) {
        EXPECT_EQ(dimensions, row.dimensions);
        return;
      }
      ASSERT_EQ(dimensions.size(), operand.size());
      for (size_t d = 0; d < operand.size(); ++d) {
        EXPECT_EQ(dimensions[d], static_cast<int64_t>(d));
      }
    };
    expect_dimensions(lhs, broadcast->lhs_dimensions);
    expect_dimensions(rhs, broadcast->rhs_dimensions);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, AcceptedTest, ::testing::ValuesIn(kAccepted),
                         [](const auto& row) { return row.param.name; });

TEST(InferBinaryBroadcastTest, TakesEveryAscendingChoiceOfDimensions) {
  const DimVector larger = {2, 3, 4, 5};
  for (int64_t a = 0; a < 4; ++a) {
    const auto vector =
        InferBinaryBroadcast("add", Value(larger), Value({larger[a]}), {a});
    ASSERT_TRUE(vector.ok()) << vector.status();
    EXPECT_EQ(vector->shape.ToString(), "[2,3,4,5]");
    for (int64_t b = 0; b < 4; ++b) {
      const auto matrix = InferBinaryBroadcast(
          "add", Value(larger), Value({larger[a], larger[b]}), {a, b});
      EXPECT_EQ(matrix.ok(), a < b) << a << " " << b;
    }
  }
}

struct RefusedCase {
  const char* name;
  ValueType lhs;
  ValueType rhs;
  DimVector dimensions;
  const char* text;  // without a field: the instruction as a whole is wrong
};

void PrintTo(const RefusedCase& row, std::ostream* out) { *out << row.name; }

const RefusedCase kRefused[] = {
    {"Types",
     Value({2}),
     Value({2}, DType::kS32),
     {},
     ": Binary op add with different element types: f32[2] and s32[2]."},
    {"FloatTypesToo",
     Value({2}),
     Value({2}, DType::kBF16),
     {},
     ": Binary op add with different element types: f32[2] and bf16[2]."},
    {"TypesBeforeShapes",
     Value({2, 3}),
     Value({3}, DType::kS32),
     {5},
     ": Binary op add with different element types: f32[2,3] and s32[3]."},
    {"NoDimensions",
     Value({2, 3}),
     Value({3}),
     {},
     "broadcast_dimensions: Shapes must be equal rank, but are f32[3] and "
     "f32[2,3]"},
    {"NoDimensionsSwapped",
     Value({3}),
     Value({2, 3}),
     {},
     "broadcast_dimensions: Shapes must be equal rank, but are f32[3] and "
     "f32[2,3]"},
    {"Mismatch",
     Value({2, 3}),
     Value({3}),
     {0},
     "broadcast_dimensions[0]: Broadcast dimension 0 mismatch: 3 != 2; f32[3] "
     "and f32[2,3]."},
    {"MismatchOfFour",
     Value({4, 3}),
     Value({3}),
     {0},
     "broadcast_dimensions[0]: Broadcast dimension 0 mismatch: 3 != 4; f32[3] "
     "and f32[4,3]."},
    // The number is that of the smaller operand's dimension.
    {"MismatchOfRankThree",
     Value({2, 3, 4}),
     Value({2, 1}),
     {1, 2},
     "broadcast_dimensions[0]: Broadcast dimension 0 mismatch: 2 != 3; "
     "f32[2,1] and f32[2,3,4]."},
    {"MismatchOfSecond",
     Value({2, 3, 4}),
     Value({2, 5}),
     {0, 2},
     "broadcast_dimensions[1]: Broadcast dimension 1 mismatch: 5 != 4; "
     "f32[2,5] and f32[2,3,4]."},
    {"ZeroIsNotOne",
     Value({0}),
     Value({2, 3}),
     {1},
     "broadcast_dimensions[0]: Broadcast dimension 0 mismatch: 0 != 3; f32[0] "
     "and f32[2,3]."},
    {"Incompatible",
     Value({7, 2, 5}),
     Value({7, 2, 6}),
     {},
     ": Binary op add with incompatible shapes: f32[7,2,5] and f32[7,2,6]."},
    {"IncompatibleZero",
     Value({0, 3}),
     Value({2, 3}),
     {},
     ": Binary op add with incompatible shapes: f32[0,3] and f32[2,3]."},
    {"Descending",
     Value({5, 6, 2, 2}),
     Value({2, 2}),
     {3, 2},
     "broadcast_dimensions[1]: Broadcast dimensions order is wrong: 2 comes "
     "after 3."},
    {"Repeated",
     Value({5, 6, 2, 2}),
     Value({2, 2}),
     {3, 3},
     "broadcast_dimensions[1]: Broadcast dimensions order is wrong: 3 comes "
     "after 3."},
    {"Negative",
     Value({5, 6, 2, 2}),
     Value({2}),
     {-1},
     "broadcast_dimensions[0]: Broadcast dimension number (-1) cannot be "
     "negative."},
    {"TooLarge",
     Value({5, 6, 2, 2}),
     Value({2}),
     {4},
     "broadcast_dimensions[0]: Broadcast dimension number (4) too large; "
     "higher-rank operand has rank "
     "4."},
    {"FarTooLarge",
     Value({5, 6}),
     Value({5}),
     {int64_t{1} << 32},
     "broadcast_dimensions[0]: Broadcast dimension number (4294967296) too "
     "large; higher-rank operand "
     "has rank 2."},
    {"SizeBeforeOrder",
     Value({5, 6, 2, 2}),
     Value({2, 2}),
     {3, 1},
     "broadcast_dimensions[1]: Broadcast dimension 1 mismatch: 2 != 6; "
     "f32[2,2] and f32[5,6,2,2]."},
    {"FirstDimensionFirst",
     Value({5, 6, 7}),
     Value({5, 1}),
     {3, -1},
     "broadcast_dimensions[0]: Broadcast dimension number (3) too large; "
     "higher-rank operand has rank "
     "3."},
    {"SameRankPermuted",
     Value({2, 3}),
     Value({2, 3}),
     {1, 0},
     "broadcast_dimensions: Broadcast dimensions field must either be not set "
     "or be the identity on "
     "binary operations with operands of the same rank."},
    {"SameRankTooFew",
     Value({2, 3}),
     Value({2, 3}),
     {0},
     "broadcast_dimensions: Broadcast dimensions field must either be not set "
     "or be the identity on "
     "binary operations with operands of the same rank."},
    {"IdentityBeforeShapes",
     Value({2, 3}),
     Value({7, 9}),
     {1, 0},
     "broadcast_dimensions: Broadcast dimensions field must either be not set "
     "or be the identity on "
     "binary operations with operands of the same rank."},
    {"ScalarWithDimensions",
     Value({}),
     Value({2}),
     {0},
     "broadcast_dimensions: Size of broadcast_dimensions has to match "
     "lower-rank operand's rank;  "
     "lower-rank operand's rank is 0, size of broadcast_dimensions is 1."},
    {"TooManyDimensions",
     Value({2, 3}),
     Value({3}),
     {0, 1},
     "broadcast_dimensions: Size of broadcast_dimensions has to match "
     "lower-rank operand's rank;  "
     "lower-rank operand's rank is 1, size of broadcast_dimensions is 2."},
    {"TwoScalarsWithDimensions",
     Value({}),
     Value({}),
     {0},
     "broadcast_dimensions: Broadcast dimensions field must either be not set "
     "or be the identity on "
     "binary operations with operands of the same rank."},
    {"ResultOverflows",
     Value({int64_t{1} << 40, 1}),
     Value({1, int64_t{1} << 40}),
     {},
     ": result dimensions: the product of [1099511627776,1099511627776] "
     "overflows int64"},
};

class RefusedTest : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedTest, InTheWordsOfXla) {
  const RefusedCase& row = GetParam();
  const auto broadcast =
      InferBinaryBroadcast("add", row.lhs, row.rhs, row.dimensions);
  EXPECT_EQ(broadcast.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(broadcast.status().message()), row.text);
}

INSTANTIATE_TEST_SUITE_P(Rows, RefusedTest, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

struct InDimCase {
  const char* name;
  DimVector operand;
  DimVector result;
  DimVector dimensions;
  const char* error;  // null: accepted
};

void PrintTo(const InDimCase& row, std::ostream* out) { *out << row.name; }

const InDimCase kInDim[] = {
    {"Row", {3}, {2, 3}, {1}, nullptr},
    {"ColumnStretched", {2, 1}, {2, 3}, {0, 1}, nullptr},
    {"AlsoTransposes", {3, 2}, {2, 3}, {1, 0}, nullptr},
    {"Scalar", {}, {2, 3}, {}, nullptr},
    {"ToScalar", {}, {}, {}, nullptr},
    {"OneToZero", {1}, {0}, {0}, nullptr},
    {"ZeroToZero", {0}, {4, 0}, {1}, nullptr},
    {"ZeroToOne",
     {0},
     {1},
     {0},
     "broadcast_in_dim.dimensions[0]: operand dimension 0 of f32[0] has extent "
     "0, neither 1 nor the 1 of result dimension 0 of [1]"},
    {"TwoToFour",
     {3, 2},
     {3, 4},
     {0, 1},
     "broadcast_in_dim.dimensions[1]: operand dimension 1 of f32[3,2] has "
     "extent 2, neither 1 nor the 4 of result dimension 1 of [3,4]"},
    {"TooFew",
     {2, 3},
     {2, 3},
     {0},
     "broadcast_in_dim.dimensions: 1 entries for operand f32[2,3] of rank 2"},
    {"TooMany",
     {},
     {2},
     {0},
     "broadcast_in_dim.dimensions: 1 entries for operand f32[] of rank 0"},
    {"Negative",
     {2},
     {2},
     {-1},
     "broadcast_in_dim.dimensions[0]: -1 is not in [0,1) of result shape [2]"},
    {"TooLarge",
     {2, 3},
     {2, 3},
     {0, 2},
     "broadcast_in_dim.dimensions[1]: 2 is not in [0,2) of result shape [2,3]"},
    {"OntoScalar",
     {1},
     {},
     {0},
     "broadcast_in_dim.dimensions[0]: 0 is not in [0,0) of result shape []"},
    {"Twice",
     {2, 2},
     {2, 2},
     {1, 1},
     "broadcast_in_dim.dimensions[1]: 1 stands twice in [1,1]"},
    {"BadShape",
     {2},
     {2, -1},
     {0},
     "broadcast_in_dim.shape.dimensions[1]: shape's dimensions must not be < "
     "0; dimension at index 1 was -1"},
    {"RankTooHigh",
     {},
     DimVector(17, 1),
     {},
     "broadcast_in_dim.shape.dimensions: 17 dimensions; the limit is rank 16"},
    {"ShapeOverflows",
     {},
     {int64_t{1} << 40, int64_t{1} << 40},
     {},
     "broadcast_in_dim.shape.dimensions: the product of "
     "[1099511627776,1099511627776] overflows int64"},
};

class InDimTest : public ::testing::TestWithParam<InDimCase> {};

TEST_P(InDimTest, FollowsStableHlo) {
  const InDimCase& row = GetParam();
  const auto shape =
      InferBroadcastInDim(Value(row.operand), row.result, row.dimensions);
  if (row.error == nullptr) {
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(*shape, Value(row.result).shape);
  } else {
    EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(shape.status().message()), row.error);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, InDimTest, ::testing::ValuesIn(kInDim),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast
