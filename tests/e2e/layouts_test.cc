// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/layouts.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every index of `extents`, in row-major order.
std::vector<DimVector> Indices(absl::Span<const int64_t> extents) {
  std::vector<DimVector> indices = {{}};
  for (int64_t extent : extents) {
    std::vector<DimVector> longer;
    for (const DimVector& index : indices) {
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    indices = std::move(longer);
  }
  return indices;
}

TEST(LayoutsTest, ALayoutIsNotATranspose) {
  const char kMemory[] = {'a', 'd', 'b', 'e', 'c', 'f'};
  // The same tensor, column by column: dimension 0 is H, index (0,1) finds b.
  const auto relaid =
      TensorDesc::Create(DType::kU8, {2, 3}, *LayoutNamed("WH"));
  EXPECT_EQ(kMemory[relaid->layout().SlotOf({0, 1})], 'b');
  // Another tensor in the same bytes: dimension 0 is W.
  EXPECT_THAT(*TransposeNamed("HW", "WH"), ElementsAre(1, 0));
  const auto transposed = TensorDesc::Create(DType::kU8, {3, 2});
  EXPECT_EQ(kMemory[transposed->layout().SlotOf({0, 1})], 'd');
}

struct NamedRow {
  const char* order;
  const char* dimensions;
  DimVector minor_to_major;
};

TEST(LayoutsTest, NamesRunFromTheSlowestToTheFastest) {
  const NamedRow kRows[] = {
      // Of the usual dimensions.
      {"NCHW", "", {3, 2, 1, 0}},
      {"NHWC", "", {1, 3, 2, 0}},
      {"NCDHW", "", {4, 3, 2, 1, 0}},
      {"NDHWC", "", {1, 4, 3, 2, 0}},
      {"CHW", "", {2, 1, 0}},
      {"HWC", "", {0, 2, 1}},
      {"HW", "", {1, 0}},
      {"WH", "", {0, 1}},
      {"DHW", "", {2, 1, 0}},
      {"WHD", "", {0, 1, 2}},
      {"HWN", "", {0, 2, 1}},
      {"N", "", {0}},
      {"", "", {}},
      // XLA's letters.
      {"y x", "", {1, 0}},
      {"x y", "", {0, 1}},
      {"z y x", "", {2, 1, 0}},
      {"x z y", "", {1, 0, 2}},
      {"p z y x", "", {3, 2, 1, 0}},
      {"zyxp", "", {0, 3, 2, 1}},
      // Of dimensions that the caller names; case and blanks do not matter.
      {"NCHW", "NHWC", {2, 1, 3, 0}},
      {"NHWC", "nhwc", {3, 2, 1, 0}},
      {"nhwc", "N C H W", {1, 3, 2, 0}},
      {"BTD", "TBD", {2, 0, 1}},
  };
  for (const NamedRow& row : kRows) {
    SCOPED_TRACE(std::string(row.order) + " of " + row.dimensions);
    const auto layout = LayoutNamed(row.order, row.dimensions);
    ASSERT_TRUE(layout.ok()) << layout.status();
    EXPECT_EQ(layout->minor_to_major, row.minor_to_major);
    EXPECT_THAT(layout->padded_dimensions, IsEmpty());
  }
}

TEST(LayoutsTest, NamesThatMakeNoSense) {
  const struct {
    const char* order;
    const char* dimensions;
    const char* message;
  } kRows[] = {
      {"NCH", "NHWC", "layout NCH does not name each dimension of NHWC once"},
      {"NCHH", "NHWC", "layout NCHH does not name each dimension of NHWC once"},
      {"NCHX", "NHWC", "layout NCHX does not name each dimension of NHWC once"},
      {"NCHWD", "NHWC",
       "layout NCHWD does not name each dimension of NHWC once"},
      {"HW", "HHW", "layout HW does not name each dimension of HHW once"},
      {"HWH", "HHW", "layout HWH does not name each dimension of HHW once"},
      {"", "HW", "layout  does not name each dimension of HW once"},
      {"HWW", "", "layout HWW names W twice"},
      {"NHHC", "", "layout NHHC names H twice"},
      {"HX", "",
       "layout HX has letters that are not all of N C D H W, nor of p z y x: "
       "say how the dimensions of the tensor are named"},
      {"1,0", "", "\"1,0\" names dimensions by other things than letters"},
      {"HW", "H*", "\"H*\" names dimensions by other things than letters"},
      {"H\xc3\x9f", "",
       "\"H\xc3\x9f\" names dimensions by other things than "
       "letters"},
  };
  for (const auto& row : kRows) {
    const absl::Status status = LayoutNamed(row.order, row.dimensions).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), row.message);
  }
}

TEST(LayoutsTest, RowAndColumnMajor) {
  EXPECT_EQ(RowMajor(3), *LayoutNamed("DHW"));
  EXPECT_EQ(ColumnMajor(3), *LayoutNamed("WHD"));
  EXPECT_THAT(RowMajor(0).minor_to_major, IsEmpty());
}

// Four u8 pictures of 3 channels and 5 x 6 pixels in uint8_t[4][7][8][4].
TEST(LayoutsTest, PaddingIsSaidAsTheMemoryIsDeclared) {
  const auto layout =
      PaddedLayoutNamed("NHWC", {4, 7, 8, 4}, PaddingValue::kOne);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_THAT(layout->padded_dimensions, ElementsAre(4, 4, 7, 8));
  EXPECT_EQ(layout->padding_value, PaddingValue::kOne);
  const auto desc = TensorDesc::Create(DType::kU8, {4, 3, 5, 6}, *layout);
  ASSERT_TRUE(desc.ok()) << desc.status();
  EXPECT_EQ(desc->size_bytes(), 4 * 7 * 8 * 4);
  for (const DimVector& i : Indices({4, 3, 5, 6})) {
    EXPECT_EQ(desc->layout().SlotOf(i),
              ((i[0] * 7 + i[2]) * 8 + i[3]) * 4 + i[1]);
  }
}

TEST(LayoutsTest, PaddingOfDimensionsThatTheCallerNames) {
  const auto layout =
      PaddedLayoutNamed("CHW", {1, 2, 3}, PaddingValue::kZero, "HWC");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_THAT(layout->minor_to_major, ElementsAre(1, 0, 2));
  EXPECT_THAT(layout->padded_dimensions, ElementsAre(2, 3, 1));
  EXPECT_EQ(PaddedLayoutNamed("NHWC", {4, 7, 8}).status().message(),
            "layout NHWC: 3 memory extents for 4 dimensions");
  EXPECT_EQ(PaddedLayoutNamed("HQ", {4, 7}, PaddingValue::kZero, "HW")
                .status()
                .message(),
            "layout HQ does not name each dimension of HW once");
}

TEST(LayoutsTest, TransposesByName) {
  EXPECT_THAT(*TransposeNamed("NHWC", "NCHW"), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(*TransposeNamed("NCHW", "NHWC"), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(*TransposeNamed("z y x", "x y z"), ElementsAre(2, 1, 0));
  EXPECT_THAT(*TransposeNamed("", ""), IsEmpty());
  EXPECT_EQ(TransposeNamed("NHWC", "NCH").status().message(),
            "transpose to NCH does not name each dimension of NHWC once");
}

TEST(PromoteTest, NewDimensionsStandInFrontAndVarySlowest) {
  const struct {
    PhysicalForm form;
    int rank;
    const char* shape;
  } kRows[] = {
      {{}, 2, "f32[3,5]{1,0}"},
      {{}, 4, "f32[1,1,3,5]{3,2,1,0}"},
      {{}, 5, "f32[1,1,1,3,5]{4,3,2,1,0}"},
      {ColumnMajor(2), 4, "f32[1,1,3,5]{2,3,1,0}"},
      {ElementStrides{{5, 1}}, 4, "f32[1,1,3,5]{3,2,1,0}"},
      {ElementStrides{{1, 3}}, 4, "f32[1,1,3,5]{2,3,1,0}"},
  };
  for (const auto& row : kRows) {
    const auto desc = TensorDesc::Create(DType::kF32, {3, 5}, row.form);
    const auto promoted = Promote(*desc, row.rank);
    ASSERT_TRUE(promoted.ok()) << promoted.status();
    EXPECT_EQ(promoted->ToString(), row.shape);
    EXPECT_TRUE(promoted->layout().IsPacked());
  }
}

TEST(PromoteTest, EveryElementStaysWhereItIs) {
  const PhysicalForm kForms[] = {
      PhysicalForm{},
      ColumnMajor(3),
      DimensionOrder{{1, 0, 2}, {2, 5, 7}, PaddingValue::kOne},
      ElementStrides{{40, -10, 2}, 20, 100},
      ElementStrides{{0, 1, 0}},
  };
  for (const PhysicalForm& form : kForms) {
    const auto desc = TensorDesc::Create(DType::kC64, {2, 3, 4}, form);
    ASSERT_TRUE(desc.ok()) << desc.status();
    for (int rank : {3, 4, 5, kMaxRank}) {
      const auto promoted = Promote(*desc, rank);
      ASSERT_TRUE(promoted.ok()) << promoted.status();
      EXPECT_EQ(promoted->rank(), rank);
      EXPECT_EQ(promoted->type(), DType::kC64);
      EXPECT_EQ(promoted->size_bytes(), desc->size_bytes());
      EXPECT_EQ(promoted->layout().padding_value(),
                desc->layout().padding_value());
      for (const DimVector& index : Indices({2, 3, 4})) {
        DimVector longer(static_cast<size_t>(rank - 3), 0);
        longer.insert(longer.end(), index.begin(), index.end());
        EXPECT_EQ(promoted->layout().SlotOf(longer),
                  desc->layout().SlotOf(index));
      }
    }
  }
}

TEST(PromoteTest, ScalarsAndTensorsOfNoElements) {
  EXPECT_EQ(Promote(TensorDesc(), 4)->ToString(), "f32[1,1,1,1]{3,2,1,0}");
  const auto empty =
      TensorDesc::Create(DType::kS8, {0, 3}, ElementStrides{{3, 1}});
  const auto promoted = Promote(*empty, 3);
  ASSERT_TRUE(promoted.ok()) << promoted.status();
  EXPECT_EQ(promoted->size_bytes(), 0);
  // A buffer of all the memory there is: nothing overflows.
  const auto huge = TensorDesc::Create(
      DType::kU8, {std::numeric_limits<int64_t>::max()}, ElementStrides{{1}});
  EXPECT_TRUE(Promote(*huge, kMaxRank).ok());
}

TEST(PromoteTest, ViewsKeepTheirMemory) {
  std::vector<float> buffer(6);
  const auto view = Promote(*View(buffer, {2, 3}), 4);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(static_cast<const void*>(view->data), buffer.data());
  const auto target = Promote(*MutableView(buffer, {2, 3}), 5);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(static_cast<void*>(target->data), buffer.data());
  EXPECT_EQ(target->desc.rank(), 5);
}

TEST(PromoteTest, RanksOutOfRangeAreRefused) {
  const auto desc = TensorDesc::Create(DType::kF32, {2, 3});
  for (int rank : {1, 17, -1, std::numeric_limits<int>::min(),
                   std::numeric_limits<int>::max()}) {
    const absl::Status status = Promote(*desc, rank).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "promotion of f32[2,3]{1,0} to rank " +
                                    std::to_string(rank) +
                                    ", which is not in [2,16]");
  }
}

}  // namespace
}  // namespace stridecast
