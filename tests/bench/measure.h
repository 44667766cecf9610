// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A case and what it is measured against, by turns, in the same buffers.

#ifndef STRIDECAST_TESTS_BENCH_MEASURE_H_
#define STRIDECAST_TESTS_BENCH_MEASURE_H_

#include <cstdint>
#include <string>

#include "tests/bench/cases.h"

namespace stridecast::bench {

struct Measurement {
  int64_t bytes = 0;  // read and written; repeated operands count once
  double seconds = 0;
  const char* baseline = "";
  double baseline_seconds = 0;

  double ratio() const { return baseline_seconds / seconds; }
};

// Medians over at least `seconds` of wall time and 7 turns.
Measurement Measure(const Case& c, double seconds);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_MEASURE_H_
