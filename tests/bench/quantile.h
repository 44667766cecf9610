// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_BENCH_QUANTILE_H_
#define STRIDECAST_TESTS_BENCH_QUANTILE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stridecast::bench {

// Of 0 the least, of 1 the greatest; NaN of no values.
inline double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  const auto at = static_cast<std::ptrdiff_t>(
      static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_QUANTILE_H_
