// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Layouts, SEMANTICS.md 1.2 and 1.4: sizes, slots, and the questions that a
// layout answers. What is accepted and refused: corner_cases_test.cc.

#include "stridecast/layout.h"

#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/reference.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using enum DType;

Layout MakeLayout(const DimVector& shape, const PhysicalForm& form = {},
                  DType type = kF32) {
  return Desc(type, shape, form).layout();
}

TEST(LayoutTest, PaddingStandsAtTheEndOfADimension) {
  // Dimension 0 fastest, 2 elements in 3 slots; 3 columns in 5.
  const Layout layout = MakeLayout({2, 3}, Order({0, 1}, {3, 5}));
  EXPECT_THAT(layout.strides(), ElementsAre(1, 3));
  EXPECT_EQ(layout.offset(), 0);
  EXPECT_EQ(layout.num_slots(), 15);
  EXPECT_EQ(layout.SlotOf({1, 2}), 7);
  EXPECT_EQ(layout.IndexOf(7), (DimVector{1, 2}));
  EXPECT_EQ(layout.IndexOf(2), std::nullopt);  // below the column 0
  EXPECT_EQ(layout.IndexOf(9), std::nullopt);  // column 3
}

TEST(LayoutTest, NoneStatedIsRowMajor) {
  const Layout layout = MakeLayout({2, 3, 4});
  EXPECT_THAT(layout.strides(), ElementsAre(12, 4, 1));
  EXPECT_EQ(layout.num_slots(), 24);
  const auto* order = std::get_if<DimensionOrder>(&layout.form());
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->minor_to_major, (DimVector{2, 1, 0}));
  EXPECT_TRUE(order->padded_dimensions.empty());
}

TEST(LayoutTest, OrdersOfARank) {
  EXPECT_EQ(RowMajorOrder(3), (DimVector{2, 1, 0}));
  EXPECT_EQ(ColumnMajorOrder(3), (DimVector{0, 1, 2}));
  EXPECT_EQ(RowMajorOrder(0), DimVector());
}

TEST(LayoutTest, TheDefaultIsAScalar) {
  EXPECT_EQ(Layout().shape().rank(), 0);
  EXPECT_EQ(Layout().num_slots(), 1);
  EXPECT_EQ(Layout().SlotOf({}), 0);
  EXPECT_EQ(Layout().IndexOf(0), DimVector());
}

struct SizeRow {
  DimVector shape;
  PhysicalForm form;
  int64_t num_slots;
};

// DirectML's DMLCalcBufferTensorSize without rounding to 4 bytes; XLA's
// ByteSizeOf for dimension orders.
TEST(LayoutTest, NumSlots) {
  const SizeRow kRows[] = {
      {{2, 3}, Strides({5, 1}), 8},  // the last row's padding is not part of it
      {{2, 3}, Strides({5, 1}, 0, 10), 10},
      {{2, 3}, Order({1, 0}, {2, 5}), 10},  // XLA disagrees about the tail
      {{2, 3}, Strides({0, 1}), 3},
      {{2, 3}, Strides({0, 0}), 1},
      {{2, 2, 3}, Strides({6, 3, 1}), 12},
      {{1, 1, 3, 5}, Strides({15, 1, 5, 1}), 15},
      {{1, 1, 3, 5}, Strides({15, 15, 5, 1}), 15},
      {{2, 2, 2}, Strides({2, 2, 3}), 8},
      {{4}, Strides({-1}, 3), 4},
      {{4}, Strides({-1}, 5), 6},
      {{2, 3}, Strides({-3, 1}, 3), 6},
      {{2, 3}, Strides({1, 2}, 7), 13},
      {{}, Strides({}), 1},
      {{}, Strides({}, 4), 5},
      {{}, Order({}), 1},
      {{1}, Strides({-1000}), 1},
      {{0, 3}, {}, 0},
      {{0, 3}, Strides({3, 1}), 0},
      {{0, 3}, Strides({3, 1}, 9), 0},
      {{0, 3}, Strides({3, 1}, 0, 5), 5},
      {{0, 3}, Order({1, 0}, {2, 3}), 6},  // nothing but padding
      {{0, 3}, Order({1, 0}, {0, 4}), 0},
      {{int64_t{1} << 33}, {}, int64_t{1} << 33},
  };
  for (const SizeRow& row : kRows) {
    const Layout layout = MakeLayout(row.shape, row.form);
    EXPECT_EQ(layout.num_slots(), row.num_slots)
        << ListToString(row.shape) << " strides "
        << ListToString(layout.strides());
  }
}

TEST(LayoutTest, TheFormIsMadeExplicit) {
  const Layout strided = MakeLayout({2, 3}, Strides({5, 1}, 1));
  EXPECT_EQ(std::get<ElementStrides>(strided.form()), Strides({5, 1}, 1, 9));
  const DimensionOrder order = Order({0, 1}, {3, 5}, PaddingValue::kOne);
  EXPECT_EQ(std::get<DimensionOrder>(MakeLayout({2, 3}, order).form()), order);
}

TEST(LayoutTest, SlotsWithoutElementHold) {
  const auto value = [](const PhysicalForm& form) {
    return MakeLayout({2}, form).padding_value();
  };
  for (PaddingValue stated : {PaddingValue::kZero, PaddingValue::kOne,
                              PaddingValue::kLowest, PaddingValue::kHighest}) {
    EXPECT_EQ(value(Order({0}, {3}, stated)), stated);
  }
  EXPECT_EQ(value(Order({0}, {3}, PaddingValue::kUnspecified)),
            PaddingValue::kZero);
  EXPECT_EQ(value(Order({0}, {3}, PaddingValue::kUnknown)),
            PaddingValue::kZero);
  EXPECT_EQ(value(Strides({2})), PaddingValue::kZero);
  EXPECT_EQ(value({}), PaddingValue::kZero);
}

struct QuestionRow {
  const char* name;
  DimVector shape;
  PhysicalForm form;
  bool unique, packed, contiguous, dim0_minor, dim0_major;
};

TEST(LayoutTest, Questions) {
  const QuestionRow kRows[] = {
      {"row major", {2, 3}, {}, true, true, true, false, true},
      {"column major", {2, 3}, Order({0, 1}), true, true, false, true, false},
      {"padded",
       {2, 3},
       Order({1, 0}, {2, 5}),
       true,
       false,
       false,
       false,
       true},
      {"padded by nothing",
       {2, 3},
       Order({1, 0}, {2, 3}),
       true,
       true,
       true,
       false,
       true},
      {"gaps", {2, 3}, Strides({5, 1}), true, false, false, false, true},
      {"dense strides", {2, 3}, Strides({3, 1}), true, true, true, false, true},
      {"dense strides, longer buffer",
       {2, 3},
       Strides({3, 1}, 0, 7),
       true,
       false,
       false,
       false,
       true},
      {"dense strides, offset",
       {2, 3},
       Strides({3, 1}, 1),
       true,
       false,
       false,
       false,
       true},
      {"column strides",
       {2, 3},
       Strides({1, 2}),
       true,
       true,
       false,
       true,
       false},
      {"repeated row",
       {2, 3},
       Strides({0, 1}),
       false,
       false,
       false,
       true,
       false},
      // Six slots for six elements, yet two of them unused.
      {"size of a dense one, with overlap and gaps",
       {2, 3},
       Strides({5, 0}),
       false,
       false,
       false,
       false,
       true},
      {"eight slots for eight elements",
       {2, 2, 2},
       Strides({2, 2, 3}),
       false,
       false,
       false,
       true,
       false},
      // Offsets 0 2 4 3 5 7 differ, which nested strides would prove.
      {"interlocked",
       {2, 3},
       Strides({3, 2}),
       false,
       false,
       false,
       false,
       true},
      {"reversed", {4}, Strides({-1}, 3), true, true, false, true, true},
      {"reversed columns",
       {2, 3},
       Strides({3, -1}, 2),
       true,
       true,
       false,
       false,
       true},
      // The stride of an extent of 1 is not looked at.
      {"odd stride of an extent of 1",
       {2, 1, 3},
       Strides({3, 0, 1}),
       true,
       true,
       true,
       false,
       true},
      {"negative stride of an extent of 1",
       {1, 3},
       Strides({-7, 1}),
       true,
       true,
       true,
       true,
       true},
      {"one channel, NHWC",
       {1, 1, 3, 5},
       Strides({15, 1, 5, 1}),
       true,
       true,
       true,
       false,
       true},
      {"order of extents of 1",
       {1, 3, 1},
       Order({0, 1, 2}),
       true,
       true,
       true,
       true,
       true},
      {"scalar", {}, {}, true, true, true, true, true},
      {"scalar with offset",
       {},
       Strides({}, 1),
       true,
       false,
       false,
       true,
       true},
      {"one element", {1, 1}, Order({0, 1}), true, true, true, true, true},
      {"no elements", {2, 0}, {}, true, true, true, true, true},
      {"all three dimensions mixed",
       {2, 3, 4},
       Order({1, 2, 0}),
       true,
       true,
       false,
       false,
       false},
  };
  for (const QuestionRow& row : kRows) {
    SCOPED_TRACE(row.name);
    const Layout layout = MakeLayout(row.shape, row.form);
    EXPECT_EQ(layout.IsUnique(), row.unique);
    EXPECT_EQ(layout.IsPacked(), row.packed);
    EXPECT_EQ(layout.IsContiguous(), row.contiguous);
    EXPECT_EQ(layout.IsDim0Minor(), row.dim0_minor);
    EXPECT_EQ(layout.IsDim0Major(), row.dim0_major);
  }
}

TEST(LayoutTest, OfSeveralIndicesTheFirstIsFound) {
  const Layout repeated = MakeLayout({2, 3}, Strides({0, 1}));
  EXPECT_EQ(repeated.IndexOf(1), (DimVector{0, 1}));
  const Layout window = MakeLayout({3, 2}, Strides({1, 1}));
  EXPECT_EQ(window.IndexOf(1), (DimVector{0, 1}));
  EXPECT_EQ(window.IndexOf(3), (DimVector{2, 1}));
  const Layout interlocked = MakeLayout({2, 3}, Strides({3, 2}));
  EXPECT_EQ(interlocked.IndexOf(5), (DimVector{1, 1}));
  EXPECT_EQ(interlocked.IndexOf(1), std::nullopt);
}

TEST(LayoutTest, SlotsOfNoElementHaveNoIndex) {
  const Layout padded = MakeLayout({2, 0}, Order({0, 1}, {2, 2}));
  for (int64_t slot = 0; slot < padded.num_slots(); ++slot) {
    EXPECT_EQ(padded.IndexOf(slot), std::nullopt);
  }
  const Layout scalar = MakeLayout({}, Strides({}, 1, 3));
  EXPECT_EQ(scalar.IndexOf(0), std::nullopt);
  EXPECT_EQ(scalar.IndexOf(1), DimVector());
  EXPECT_EQ(scalar.IndexOf(2), std::nullopt);
}

// --- any layout, by brute force ---

using Random = std::mt19937_64;

int64_t Below(Random& random, int64_t bound) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
}

PhysicalForm AnyForm(Random& random, const DimVector& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (Below(random, 2) == 0) {
    DimensionOrder order = Order(RowMajorOrder(static_cast<int>(rank)));
    std::shuffle(order.minor_to_major.begin(), order.minor_to_major.end(),
                 random);
    if (Below(random, 2) == 0) {
      for (int64_t extent : shape) {
        order.padded_dimensions.push_back(extent + Below(random, 3));
      }
    }
    return order;
  }
  ElementStrides strided;
  int64_t lowest = 0;
  for (int64_t extent : shape) {
    const int64_t stride = Below(random, 24) - 8;
    strided.strides.push_back(stride);
    if (stride < 0 && extent > 0) lowest += (extent - 1) * stride;
  }
  strided.offset = Below(random, 3) - lowest;
  return strided;
}

TEST(LayoutTest, AnyLayoutIsTheMapThatItsDescriptionSays) {
  Random random(7);
  int unique_strided = 0;
  for (int i = 0; i < 4000; ++i) {
    DimVector shape;
    const int64_t rank = Below(random, 5);
    for (int64_t d = 0; d < rank; ++d) shape.push_back(Below(random, 5));
    const PhysicalForm form = AnyForm(random, shape);
    const Layout layout = MakeLayout(shape, form);
    const SlotMap expected = ReferenceSlots(shape, form);
    SCOPED_TRACE(ListToString(shape) + " strides " +
                 ListToString(layout.strides()));
    ASSERT_EQ(layout.num_slots(), expected.num_slots);

    // The first index of each slot, and how often the slot is met.
    const auto num_slots = static_cast<size_t>(layout.num_slots());
    std::vector<std::optional<DimVector>> first(num_slots);
    bool overlaps = false;
    bool in_sequence = true;
    int64_t position = 0;
    ForEachIndex(shape, [&](const DimVector& index) {
      const int64_t slot = layout.SlotOf(index);
      EXPECT_EQ(slot, expected(index));
      in_sequence &= slot == position++;
      auto& met = first[static_cast<size_t>(slot)];
      overlaps |= met.has_value();
      if (!met) met = index;
    });
    for (size_t slot = 0; slot < num_slots; ++slot) {
      ASSERT_EQ(layout.IndexOf(static_cast<int64_t>(slot)), first[slot])
          << "slot " << slot;
    }
    const bool filled =
        std::find(first.begin(), first.end(), std::nullopt) == first.end();
    if (overlaps) {
      EXPECT_FALSE(layout.IsUnique());
    }
    if (std::holds_alternative<DimensionOrder>(form)) {
      EXPECT_TRUE(layout.IsUnique());
    } else if (layout.IsUnique()) {
      ++unique_strided;
    }
    EXPECT_EQ(layout.IsPacked(), layout.IsUnique() && filled);
    if (layout.shape().num_elements() > 0) {
      EXPECT_EQ(layout.IsContiguous(), layout.IsPacked() && in_sequence);
    }
  }
  EXPECT_GT(unique_strided, 400);  // the test has seen what it is about
}

}  // namespace
}  // namespace stridecast::testing
