// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Boxes, Flatten and Unflatten, index by index. The compositions of view
// instructions are tested with the passes, in views_test.cc.

#include "core/program/view.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/program/abstract_values.h"

namespace stridecast {
namespace {

using testing::ApplyView;
using testing::ForEachIndexOf;
using testing::PositionOf;

Shape Of(const DimVector& extents) { return *Shape::Create(extents); }

Shape SplitShape(const Factors& factors) {
  DimVector extents;
  for (const DimVector& factor : factors) {
    extents.insert(extents.end(), factor.begin(), factor.end());
  }
  return Of(extents);
}

// What a view picks, as places in row-major order, over its space in row-major
// order.
std::vector<int64_t> Places(const View& view, const Shape& space,
                            const Shape& tensor) {
  std::vector<int64_t> places;
  ForEachIndexOf(space, [&](const DimVector& index) {
    places.push_back(PositionOf(tensor, ApplyView(view, index)));
  });
  return places;
}

TEST(ViewTest, ABoxOfAView) {
  // Rows 1 and 3 of columns 2 to 0 of a transposed matrix.
  const View transposed{{{1, 1}, {0, 1}}, {0, 0}};
  const View box = ComposeBox(transposed, {{1, 2}, {2, -1}, Of({2, 3})});
  EXPECT_EQ(Places(box, Of({2, 3}), Of({3, 4})),
            (std::vector<int64_t>{9, 5, 1, 11, 7, 3}));
}

TEST(ViewTest, FlattenIsTheRowMajorPlace) {
  const Shape tensor = Of({2, 3, 4});
  const View view{{{2, -1}, {}, {0, 1}}, {0, 1, 3}};
  const Shape space = Of({4, 2, 2});
  EXPECT_EQ(Places(Flatten(view, tensor), space, Of({24})),
            Places(view, space, tensor));
}

struct UnflattenCase {
  const char* name;
  DimVector from;   // a value of that shape, whole, is reshaped
  DimVector to;     // from this one
  DimVector space;  // expected; empty: not affine
};

const UnflattenCase kUnflatten[] = {
    {"Same", {2, 3}, {2, 3}, {2, 3}},
    {"Split", {2, 3}, {6}, {2, 3}},
    {"Merge", {6}, {2, 3}, {2, 3}},
    {"MergeAndSplit", {4, 6}, {2, 2, 2, 3}, {2, 2, 2, 3}},
    {"AcrossTheBorder", {2, 6}, {4, 3}, {2, 2, 3}},
    {"AcrossTwoBorders", {2, 2, 6}, {8, 3}, {2, 2, 2, 3}},
    {"NoCommonFactors", {4, 6}, {6, 4}, {}},
    {"OnesComeAndGo", {1, 6, 1}, {3, 1, 2}, {1, 3, 2, 1}},
    {"Scalar", {1, 1}, {}, {1, 1}},
};

class UnflattenTest : public ::testing::TestWithParam<UnflattenCase> {};

TEST_P(UnflattenTest, SplitsTheSpaceOrNot) {
  const UnflattenCase& row = GetParam();
  const Shape space = Of(row.from);
  const View flat = Flatten(View::Identity(space), space);
  const auto split = Unflatten(flat, space, Of(row.to));
  ASSERT_EQ(split.has_value(), !row.space.empty());
  if (!split) return;
  // Dimensions of extent 1 may vanish.
  DimVector extents;
  const Shape split_space = SplitShape(split->factors);
  for (int64_t extent : split_space.extents()) {
    if (extent > 1) extents.push_back(extent);
  }
  DimVector expected;
  for (int64_t extent : row.space) {
    if (extent > 1) expected.push_back(extent);
  }
  EXPECT_EQ(extents, expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, UnflattenTest, ::testing::ValuesIn(kUnflatten),
                         [](const auto& row) { return row.param.name; });

// Whatever Unflatten says picks what `flat` does.
TEST(ViewTest, UnflattenPicksTheSameElements) {
  int affine = 0;
  const DimVector kShapes[] = {{24},      {4, 6},    {6, 4},       {2, 3, 4},
                               {4, 3, 2}, {2, 12},   {12, 2},      {3, 8},
                               {8, 3},    {2, 2, 6}, {2, 2, 2, 3}, {1, 24, 1}};
  for (const DimVector& from : kShapes) {
    for (const DimVector& to : kShapes) {
      for (const int64_t step : {1, 2, 3, -1, -2}) {
        for (const int64_t start : {0, 1, 2, 3, 6}) {
          // Of the value of shape `from`, every step-th element of the first
          // dimension with several, from `start` on.
          const Shape whole = Of(from);
          const int dim = from[0] > 1 ? 0 : 1;
          const int64_t room = step > 0 ? from[dim] - 1 - start : start;
          if (room < 0 || start >= from[dim]) continue;
          DimVector extents = from;
          extents[dim] = room / std::abs(step) + 1;
          const Shape space = Of(extents);
          View view = View::Identity(space);
          view.start[dim] = start;
          if (extents[dim] > 1) view.axes[dim] = {dim, step};
          const View flat = Flatten(view, whole);
          const auto split = Unflatten(flat, space, Of(to));
          if (!split) continue;
          ++affine;
          const Shape split_space = SplitShape(split->factors);
          EXPECT_EQ(Places(split->view, split_space, Of(to)),
                    Places(flat, space, Of({24})));
          EXPECT_EQ(
              Places(SplitSpace(flat, split->factors), split_space, Of({24})),
              Places(flat, space, Of({24})));
        }
      }
    }
  }
  EXPECT_GT(affine, 1000);
}

TEST(ViewTest, ASpaceOfNoElementsIsAffine) {
  const View flat{{{}, {}}, {0}};
  const auto split = Unflatten(flat, Of({0, 5}), Of({5, 0, 3}));
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(SplitShape(split->factors).num_elements(), 0);
  EXPECT_EQ(split->view.start, (DimVector{0, 0, 0}));
}

}  // namespace
}  // namespace stridecast
