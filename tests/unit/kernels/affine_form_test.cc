// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/kernels/affine_form.h"

#include "gtest/gtest.h"

namespace stridecast {
namespace {

using enum ChainOperation;

// Exact, since all numbers are small powers of two and their sums.
TEST(AffineFormTest, IsTheChain) {
  struct Link {
    ChainOperation operation;
    double operand;
  };
  AffineForm form;
  for (const auto& [operation, operand] :
       {Link{kDivide, 4}, Link{kSubtract, 0.5}, Link{kMultiply, -8},
        Link{kAdd, 3}, Link{kSubtractFrom, 16}}) {
    const auto next = form.After(operation, operand);
    ASSERT_TRUE(next.has_value());
    form = *next;
  }
  for (const double x : {-128.0, -1.0, 0.0, 1.0, 2.0, 255.0}) {
    EXPECT_EQ(form.slope * x + form.offset, 16 - ((x / 4 - 0.5) * -8 + 3)) << x;
  }
}

TEST(AffineFormTest, OthersHaveNone) {
  for (const auto operation :
       {kDivideInto, kMaximum, kMinimum, kSqrt, kSquare}) {
    EXPECT_FALSE(AffineForm().After(operation, 2).has_value());
  }
}

}  // namespace
}  // namespace stridecast
