// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_CLIENT_ROUND_TO_ODD_H_
#define STRIDECAST_CLIENT_ROUND_TO_ODD_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace stridecast {

// A float that rounds to a narrower type as `x` itself does: inexact values
// have their last bit set, so none of them looks like a tie.
inline float RoundedToOdd(double x) {
  const float nearest = static_cast<float>(x);
  if (std::isnan(x) || static_cast<double>(nearest) == x) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(x)) --bits;
  return std::bit_cast<float>(bits | 1);
}

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_ROUND_TO_ODD_H_
