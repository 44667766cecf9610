// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The corner-case matrix of SEMANTICS.md 1.6, row by row in its column REC, and
// sizes that overflow. Rows about results alone (stride 0, overlap, negative
// strides) are in tests/support/examples_refused.cc.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using enum DType;

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr int64_t Pow2(int exponent) { return int64_t{1} << exponent; }

struct AcceptedRow {
  const char* name;
  DType type;
  DimVector shape;
  PhysicalForm form;
  int64_t size_bytes;
};

const std::vector<AcceptedRow>& AcceptedRows() {
  static const auto* rows = new std::vector<AcceptedRow>{
      {"rank 0", kF32, {}, {}, 4},
      {"rank 0, empty order and padding", kF32, {}, Order({}, {}), 4},
      {"rank 0, no strides", kF32, {}, Strides({}), 4},
      {"extent 0", kF32, {2, 0}, {}, 0},
      {"extent 0 in an order", kF32, {2, 0}, Order({0, 1}), 0},
      {"extent 0 in strides", kF32, {2, 0}, Strides({1, 2}), 0},
      {"extent 0, padded above 0", kF32, {0}, Order({0}, {3}), 12},
      {"padded equal", kF32, {2, 3}, Order({0, 1}, {2, 3}), 24},
      {"padding value without padding",
       kF32,
       {2},
       Order({0}, {}, PaddingValue::kHighest),
       8},
      {"padding value without padding, complex",
       kC64,
       {2},
       Order({0}, {}, PaddingValue::kHighest),
       16},
      {"padding value unspecified",
       kF32,
       {2},
       Order({0}, {3}, PaddingValue::kUnspecified),
       12},
      {"padding value unknown",
       kF32,
       {2},
       Order({0}, {3}, PaddingValue::kUnknown),
       12},
      {"stride 0", kF32, {2, 3}, Strides({0, 1}), 12},
      {"overlapping strides", kF32, {3, 2}, Strides({1, 1}), 16},
      {"negative stride with offset", kF32, {4}, Strides({-1}, 3), 16},
      {"longer buffer by total_elements",
       kF32,
       {2, 3},
       Strides({5, 1}, 0, 10),
       40},
      {"total_elements of a tensor of none",
       kF32,
       {0},
       Strides({1}, 0, 10),
       40},
      // DirectML would round these up to 32 and 8 bytes.
      {"size not rounded", kF16, {1, 1, 3, 5}, Strides({15, 1, 5, 1}), 30},
      {"size of u8", kU8, {2, 3}, Strides({5, 1}), 8},
      {"more than 2^32 elements", kU8, {Pow2(33)}, {}, Pow2(33)},
      {"rank 16", kU8, DimVector(16, 2), {}, Pow2(16)},
      // The greatest sizes.
      {"all bytes of int64", kU8, {kMax64}, {}, kMax64},
      {"2^62 bytes by 2^31 x 2^31", kPred, {Pow2(31), Pow2(31)}, {}, Pow2(62)},
      {"2^62 bytes of c128", kC128, {Pow2(58)}, {}, Pow2(62)},
      {"last slot before 2^63", kU8, {2}, Strides({kMax64 - 1}), kMax64},
      {"strides of extents of 1 are not used",
       kU8,
       {1, 1},
       Strides({kMin64, kMax64}),
       1},
      {"strides of tensors of none are not used",
       kF64,
       {0, 3},
       Strides({kMin64, kMax64}),
       0},
      {"negative strides from the end",
       kU8,
       {2},
       Strides({-Pow2(61)}, Pow2(61)),
       Pow2(61) + 1},
  };
  return *rows;
}

TEST(CornerCasesTest, Accepted) {
  for (const AcceptedRow& row : AcceptedRows()) {
    SCOPED_TRACE(row.name);
    const auto desc = TensorDesc::Create(row.type, row.shape, row.form);
    ASSERT_TRUE(desc.ok()) << desc.status();
    EXPECT_EQ(desc->size_bytes(), row.size_bytes);
    EXPECT_EQ(desc->type(), row.type);
    EXPECT_EQ(DimVector(desc->shape().extents().begin(),
                        desc->shape().extents().end()),
              row.shape);
    // Questions must not overflow either (seen by the sanitizers).
    EXPECT_EQ(desc->byte_strides().size(), row.shape.size());
    EXPECT_LE(desc->byte_offset(), row.size_bytes);
    if (desc->layout().IsContiguous()) {
      EXPECT_TRUE(desc->layout().IsPacked());
    }
    if (desc->layout().IsDim0Minor() && desc->layout().IsDim0Major()) {
      EXPECT_LE(desc->shape().true_rank(), 2);
    }
    EXPECT_THAT(desc->ToString(), StartsWith(std::string(DTypeName(row.type))));
  }
}

struct RefusedRow {
  const char* name;
  DType type;
  DimVector shape;
  PhysicalForm form;
  const char* field;
  std::vector<std::string> texts;
};

const std::vector<RefusedRow>& RefusedRows() {
  static const auto* rows = new std::vector<RefusedRow>{
      {"negative extent",
       kF32,
       {2, -3},
       {},
       "dimensions[1]: ",
       {"shape's dimensions must not be < 0; dimension at index 1 was -3"}},
      {"order too short",
       kF32,
       {2, 3},
       Order({1}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field contains 1 elements, but shape is rank 2: "
        "{",
        "shape: f32[2,3]"}},
      {"order too long",
       kF32,
       {2},
       Order({0, 1}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field contains 2 elements, but shape is rank "
        "1:"}},
      {"order absent in a present layout",
       kF32,
       {2, 3},
       Order({}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field contains 0 elements, but shape is rank "
        "2:"}},
      {"order of rank 0",
       kF32,
       {},
       Order({0}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field contains 1 elements, but shape is rank "
        "0:"}},
      {"order with a negative number",
       kF32,
       {2, 3},
       Order({-1, 0}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field has out-of-bounds value: {"}},
      {"order with too great a number",
       kF32,
       {2, 3},
       Order({0, 2}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field has out-of-bounds value: {"}},
      {"order with a number past 64 bits of a mask",
       kF32,
       {2, 3},
       Order({0, Pow2(40)}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field has out-of-bounds value: {"}},
      {"order with a duplicate",
       kF32,
       {2, 3},
       Order({1, 1}),
       "layout.minor_to_major: ",
       {"layout minor_to_major field has duplicate values: {"}},
      {"paddings too few",
       kF32,
       {2, 3},
       Order({1, 0}, {3}),
       "layout.padded_dimensions: ",
       {"layout has 1 padded dimensions, but shape is rank 2"}},
      {"paddings of rank 0",
       kF32,
       {},
       Order({}, {1}),
       "layout.padded_dimensions: ",
       {"layout has 1 padded dimensions, but shape is rank 0"}},
      {"padded below",
       kF32,
       {2, 3},
       Order({1, 0}, {2, 2}),
       "layout.padded_dimensions[1]: ",
       {"for dimension 1, dimension padding (2) is smaller than the dimension "
        "size (3) of the shape"}},
      {"padded negative",
       kF32,
       {0},
       Order({0}, {-1}),
       "layout.padded_dimensions[0]: ",
       {"for dimension 0, dimension padding (-1) is smaller than the dimension "
        "size (0) of the shape"}},
      // XLA's order of checks: the order before the padding.
      {"order and padding wrong",
       kF32,
       {2, 3},
       Order({1, 1}, {1}),
       "layout.minor_to_major: ",
       {"duplicate"}},
      {"strides too few",
       kF32,
       {2, 3},
       Strides({1}),
       "strides.strides: ",
       {"1 entries for rank 2"}},
      {"strides too many",
       kF32,
       {2},
       Strides({1, 2}),
       "strides.strides: ",
       {"2 entries for rank 1"}},
      {"strides for rank 0",
       kF32,
       {},
       Strides({1}),
       "strides.strides: ",
       {"1 entries for rank 0"}},
      {"strides of a tensor of none too few",
       kF32,
       {0, 2},
       Strides({1}),
       "strides.strides: ",
       {"1 entries for rank 2"}},
      {"negative stride without offset",
       kF32,
       {4},
       Strides({-1}),
       "strides.strides: ",
       {"-3"}},
      {"negative stride, offset too small",
       kF32,
       {4},
       Strides({-1}, 2),
       "strides.strides: ",
       {"-1", "offset 2", "3"}},
      {"offset negative",
       kF32,
       {4},
       Strides({1}, -1),
       "strides.offset: ",
       {"-1"}},
      {"offset negative, no element",
       kF32,
       {0},
       Strides({1}, -1),
       "strides.offset: ",
       {"-1"}},
      {"total_elements negative",
       kF32,
       {4},
       Strides({1}, 0, -1),
       "strides.total_elements: ",
       {"-1"}},
      {"buffer shorter than implied",
       kF32,
       {2, 3},
       Strides({5, 1}, 0, 7),
       "strides.total_elements: ",
       {"7", "8"}},
      {"buffer shorter than the offset implies",
       kF32,
       {},
       Strides({}, 4, 4),
       "strides.total_elements: ",
       {"4", "5"}},
      // Sizes past int64.
      {"elements overflow",
       kU8,
       {Pow2(32), Pow2(32)},
       {},
       "dimensions: ",
       {"overflow"}},
      {"elements overflow beside an extent of 0",
       kU8,
       {Pow2(32), 0, Pow2(32)},
       {},
       "dimensions: ",
       {"overflow"}},
      {"bytes overflow",
       kF32,
       {Pow2(31), Pow2(30)},
       {},
       "dimensions: ",
       {"Shape f32[2147483648,1073741824] size may overflow int64_t"}},
      {"bytes overflow beside an extent of 0",
       kF32,
       {Pow2(61), 0},
       {},
       "dimensions: ",
       {"size may overflow int64_t"}},
      {"bytes of c128 overflow",
       kC128,
       {Pow2(59)},
       {},
       "dimensions: ",
       {"size may overflow int64_t"}},
      {"padded elements overflow",
       kU8,
       {2, 2},
       Order({0, 1}, {Pow2(32), Pow2(32)}),
       "layout.padded_dimensions: ",
       {"size may overflow int64_t"}},
      {"padded elements overflow beside an extent of 0",
       kU8,
       {0, 2, 2},
       Order({0, 1, 2}, {0, Pow2(32), Pow2(32)}),
       "layout.padded_dimensions: ",
       {"size may overflow int64_t"}},
      {"offsets overflow",
       kU8,
       {2, 2},
       Strides({Pow2(62), Pow2(62)}),
       "strides.strides: ",
       {"overflow int64"}},
      {"product of extent and stride overflows",
       kU8,
       {Pow2(40)},
       Strides({Pow2(40)}),
       "strides.strides: ",
       {"overflow int64"}},
      {"one past the last slot overflows",
       kU8,
       {2},
       Strides({kMax64}),
       "strides.strides: ",
       {"overflow int64"}},
      {"least stride", kU8, {2}, Strides({kMin64}), "strides.strides: ", {}},
      {"least stride and greatest offset",
       kU8,
       {2},
       Strides({kMin64}, kMax64 - 1),
       "strides.strides: ",
       {"slot -2"}},
      {"offsets downwards overflow",
       kU8,
       {3},
       Strides({kMin64}, 5),
       "strides.strides: ",
       {"overflow int64"}},
      {"bytes of strides overflow",
       kF64,
       {2},
       Strides({Pow2(61)}),
       "strides",
       {"size may overflow int64_t"}},
      {"bytes of total_elements overflow",
       kC128,
       {1},
       Strides({1}, 0, Pow2(60)),
       "strides.total_elements: ",
       {"size may overflow int64_t"}},
      {"rank 17", kU8, DimVector(17, 1), {}, "dimensions: ", {"17", "16"}},
  };
  return *rows;
}

TEST(CornerCasesTest, Refused) {
  for (const RefusedRow& row : RefusedRows()) {
    SCOPED_TRACE(row.name);
    const absl::Status status =
        TensorDesc::Create(row.type, row.shape, row.form).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith(row.field));
    for (const std::string& text : row.texts) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(text));
    }
  }
}

}  // namespace
}  // namespace stridecast::testing
