// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The floating-point types as bits, for constant expressions.

#ifndef STRIDECAST_CORE_KERNELS_FLOAT_FORMAT_H_
#define STRIDECAST_CORE_KERNELS_FLOAT_FORMAT_H_

#include <cstdint>

#include "stridecast/dtype.h"

namespace stridecast {

struct FloatFormat {
  int mantissa_bits;
  int exponent_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr uint64_t canonical_nan() const {
    return infinity() | uint64_t{1} << (mantissa_bits - 1);
  }
};

// Of a floating-point type.
constexpr FloatFormat FloatFormatOf(DType type) {
  switch (type) {
    case DType::kF16:
      return {10, 5};
    case DType::kBF16:
      return {7, 8};
    case DType::kF32:
      return {23, 8};
    default:
      return {52, 11};
  }
}

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_FLOAT_FORMAT_H_
