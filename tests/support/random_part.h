// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random parts of row-major arrays, as NumPy slices them, for tests of views.
// Every n-th element, backwards, one element repeated, none at all: made from
// positions alone, without a layout.

#ifndef STRIDECAST_TESTS_SUPPORT_RANDOM_PART_H_
#define STRIDECAST_TESTS_SUPPORT_RANDOM_PART_H_

#include <cstdint>
#include <vector>

#include "stridecast/shape.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {

// Positions, counts and strides are in elements of the array.
struct ArrayPart {
  int64_t array_size = 1;
  int64_t origin = 0;  // of the element whose indices are all 0; in the array
  DimVector extents;
  DimVector strides;
  // Of the part's elements in row-major order.
  std::vector<size_t> positions;

  DimVector ByteStrides(int64_t element_bytes) const;
};

enum class PartOf {
  kOperand,
  kResult,  // no element twice, none backwards
};

// Of rank 0 to 5.
ArrayPart RandomPart(Random& random, PartOf use);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_RANDOM_PART_H_
