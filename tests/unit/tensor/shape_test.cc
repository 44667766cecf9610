// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Shapes, SEMANTICS.md 1.1.

#include "stridecast/shape.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr int64_t Pow2(int exponent) { return int64_t{1} << exponent; }

TEST(ShapeTest, ListsExtentsOfDimension0First) {
  const absl::StatusOr<Shape> shape = Shape::Create({2, 1, 3});
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(shape->rank(), 3);
  EXPECT_EQ(shape->true_rank(), 2);
  EXPECT_EQ(shape->extent(0), 2);
  EXPECT_EQ(shape->extent(2), 3);
  EXPECT_THAT(shape->extents(), ElementsAre(2, 1, 3));
  EXPECT_EQ(shape->num_elements(), 6);
  EXPECT_EQ(shape->ToString(), "[2,1,3]");
}

struct AcceptedRow {
  DimVector extents;
  int64_t num_elements;
  int true_rank;
  const char* text;
};

TEST(ShapeTest, Accepts) {
  const AcceptedRow kRows[] = {
      {{}, 1, 0, "[]"},
      {{0}, 0, 0, "[0]"},
      {{1, 1}, 1, 0, "[1,1]"},
      {{2, 0, 3}, 0, 2, "[2,0,3]"},
      {{kMax64}, kMax64, 1, "[9223372036854775807]"},
      {{Pow2(31), Pow2(31)}, Pow2(62), 2, "[2147483648,2147483648]"},
      {{Pow2(40), 0}, 0, 1, "[1099511627776,0]"},
      {{0, Pow2(40), Pow2(22)}, 0, 2, "[0,1099511627776,4194304]"},
      {DimVector(kMaxRank, 1), 1, 0, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"},
  };
  for (const AcceptedRow& row : kRows) {
    SCOPED_TRACE(row.text);
    const absl::StatusOr<Shape> shape = Shape::Create(row.extents);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->num_elements(), row.num_elements);
    EXPECT_EQ(shape->true_rank(), row.true_rank);
    EXPECT_EQ(shape->ToString(), row.text);
    EXPECT_EQ(*shape, *Shape::Create(row.extents));
  }
}

struct RefusedRow {
  DimVector extents;
  const char* field;
  const char* text;
};

TEST(ShapeTest, Refuses) {
  const RefusedRow kRows[] = {
      {{2, -1},
       "dimensions[1]: ",
       "shape's dimensions must not be < 0; dimension at index 1 was -1"},
      {{-2}, "dimensions[0]: ", "dimension at index 0 was -2"},
      {{0, std::numeric_limits<int64_t>::min()},
       "dimensions[1]: ",
       "was -9223372036854775808"},
      {{Pow2(32), Pow2(32)}, "dimensions: ", "overflow"},
      {{Pow2(62), 2}, "dimensions: ", "overflow"},
      // An extent of 0 hides no overflow, wherever it stands.
      {{0, Pow2(40), Pow2(40)}, "dimensions: ", "overflow"},
      {{Pow2(40), 0, Pow2(40)}, "dimensions: ", "overflow"},
      {{Pow2(40), Pow2(40), 0}, "dimensions: ", "overflow"},
      {DimVector(kMaxRank + 1, 1), "dimensions: ", "17"},
  };
  for (const RefusedRow& row : kRows) {
    SCOPED_TRACE(row.text);
    const absl::Status status = Shape::Create(row.extents).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith(row.field));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.text));
  }
}

TEST(ShapeTest, RankOverTheLimitSaysBothNumbers) {
  const absl::Status status =
      Shape::Create(DimVector(kMaxRank + 1, 1)).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("17"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("16"));
}

TEST(ShapeTest, EqualityIsOfExtents) {
  EXPECT_EQ(Shape(), *Shape::Create({}));
  EXPECT_FALSE(*Shape::Create({2, 3}) == *Shape::Create({3, 2}));
  EXPECT_FALSE(*Shape::Create({2}) == *Shape::Create({2, 1}));
}

}  // namespace
}  // namespace stridecast
