// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/random_part.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stridecast::testing {

DimVector ArrayPart::ByteStrides(int64_t element_bytes) const {
  DimVector byte_strides = strides;
  for (int64_t& stride : byte_strides) stride *= element_bytes;
  return byte_strides;
}

ArrayPart RandomPart(Random& random, PartOf use) {
  ArrayPart part;
  part.positions = {0};
  for (int64_t rank = random.Between(0, 5), d = 0; d < rank; ++d) {
    const int64_t extent = random.OneIn(20) ? 0 : random.Between(1, 4);
    const int64_t step =
        use == PartOf::kOperand ? random.Between(-3, 3) : random.Between(1, 3);
    const int64_t length = std::max<int64_t>(extent - 1, 0) * std::abs(step);
    const int64_t array_extent = length + random.Between(1, 3);
    const int64_t start =
        (step < 0 ? length : 0) + random.Below(array_extent - length);
    // The dimensions so far make room for a faster one.
    for (int64_t& stride : part.strides) stride *= array_extent;
    part.strides.push_back(step);
    part.extents.push_back(extent);
    part.array_size *= array_extent;
    part.origin = part.origin * array_extent + start;
    std::vector<size_t> positions;
    for (const size_t position : part.positions) {
      for (int64_t i = 0; i < extent; ++i) {
        positions.push_back(position * static_cast<size_t>(array_extent) +
                            static_cast<size_t>(start + i * step));
      }
    }
    part.positions = std::move(positions);
  }
  return part;
}

}  // namespace stridecast::testing
