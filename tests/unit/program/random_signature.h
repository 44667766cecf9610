// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random programs and layouts for properties. Extents are small, so that shapes
// meet and whole tensors can be compared.

#ifndef STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_
#define STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_

#include <cstdint>
#include <random>

#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/request.h"
#include "stridecast/shape.h"

namespace stridecast::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}

  // In [0, limit); limit >= 1.
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(bits_() % static_cast<uint64_t>(limit));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  // [0, size) in any order.
  DimVector Permutation(size_t size);
  // Mostly 1 to 4, now and then 0.
  int64_t Extent() { return OneIn(40) ? 0 : Below(4) + 1; }

 private:
  std::mt19937_64 bits_;
};

// A layout that a result may have: any order, padding, gaps and offset.
PhysicalForm RandomResultForm(Random& random, const DimVector& shape);

// A layout that an operand may have: also repeated, reversed, overlapping.
PhysicalForm RandomOperandForm(Random& random, const DimVector& shape);

// Up to 15 instructions on up to 3 operands, views among them, and up to 7
// results, all dense; every value is of `type`, a pred or an integer.
Signature RandomSignature(Random& random, DType type);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_
