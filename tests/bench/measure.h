// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A case and what it is measured against, by turns, in the same buffers.

#ifndef STRIDECAST_TESTS_BENCH_MEASURE_H_
#define STRIDECAST_TESTS_BENCH_MEASURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "tests/bench/cases.h"

namespace stridecast::bench {

struct Measurement {
  // Read and written; repeated operands count once, their padding not.
  int64_t bytes = 0;
  double seconds = 0;
  const char* baseline = "";
  double baseline_seconds = 0;
  // Of limits: without the kernels that read and write by turns of a line,
  // which elements that change places cannot.
  double piecewise_seconds = 0;
  // Of several draws of buffers, of which this is the median.
  double least_ratio = 0;
  double greatest_ratio = 0;

  double ratio() const { return baseline_seconds / seconds; }
};

// A case with its plan and with buffers that are there already.
class BoundCase {
 public:
  explicit BoundCase(const Case& c);
  ~BoundCase();
  BoundCase(const BoundCase&) = delete;
  BoundCase& operator=(const BoundCase&) = delete;

  void Run() const;
  // With a plan of its own.
  void PrepareAndRun() const;
  int64_t bytes() const { return bytes_; }
  double cost_ns() const;
  // As many bytes of each operand's buffer as are read of it.
  absl::Span<const absl::Span<std::byte>> sources() const;
  absl::Span<const absl::Span<std::byte>> results() const;

 private:
  struct Parts;
  const Signature signature_;
  const int num_threads_;
  std::unique_ptr<Parts> parts_;
  int64_t bytes_ = 0;
};

// Medians over at least `seconds` of wall time and some turns, in three draws
// of buffers: pages differ, some are twice as fast as others.
Measurement Measure(const Case& c, double seconds);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_MEASURE_H_
