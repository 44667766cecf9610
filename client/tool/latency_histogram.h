// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Counts of durations in buckets that are at most 1/64 of their value wide: a
// percentile is at most that much too high. Memory does not grow with the
// number of calls.

#ifndef STRIDECAST_CLIENT_TOOL_LATENCY_HISTOGRAM_H_
#define STRIDECAST_CLIENT_TOOL_LATENCY_HISTOGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace stridecast {

class LatencyHistogram {
 public:
  LatencyHistogram();

  void Add(absl::Duration latency);
  void Add(const LatencyHistogram& other);

  int64_t count() const { return count_; }
  absl::Duration max() const { return max_; }

  // The least duration that `percent` of all do not exceed, to the bucket; zero
  // if there are none. 100 is max().
  absl::Duration Percentile(double percent) const;

 private:
  std::vector<int64_t> buckets_;
  int64_t count_ = 0;
  absl::Duration max_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_LATENCY_HISTOGRAM_H_
