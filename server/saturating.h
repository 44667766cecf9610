// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Sums and products of sizes, none negative, that stay at the greatest number
// instead of wrapping: a request for that much is refused.

#ifndef STRIDECAST_SERVER_SATURATING_H_
#define STRIDECAST_SERVER_SATURATING_H_

#include <cstdint>
#include <limits>

namespace stridecast {

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_SATURATING_H_
