// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds below 128 have a bucket each; above, each power of two has 64.

#include "client/tool/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stridecast {
namespace {

constexpr int kSubBits = 6;
constexpr size_t kBuckets = size_t{64 - kSubBits} << kSubBits;

// Drops all but the first 7 bits; the highest of them is always set.
size_t BucketOf(uint64_t nanoseconds) {
  const int dropped =
      std::max(0, static_cast<int>(std::bit_width(nanoseconds)) - kSubBits - 1);
  return (static_cast<size_t>(dropped) << kSubBits) + (nanoseconds >> dropped);
}

// The greatest duration of a bucket.
absl::Duration EndOf(size_t bucket) {
  if (bucket < size_t{2} << kSubBits) {
    return absl::Nanoseconds(static_cast<int64_t>(bucket));
  }
  const size_t dropped = (bucket >> kSubBits) - 1;
  const size_t first_bits = bucket - (dropped << kSubBits);
  return absl::Nanoseconds(
      static_cast<int64_t>(((first_bits + 1) << dropped) - 1));
}

}  // namespace

LatencyHistogram::LatencyHistogram() : buckets_(kBuckets) {}

void LatencyHistogram::Add(absl::Duration latency) {
  const int64_t nanoseconds =
      std::max(int64_t{0}, absl::ToInt64Nanoseconds(latency));
  ++buckets_[BucketOf(static_cast<uint64_t>(nanoseconds))];
  ++count_;
  max_ = std::max(max_, latency);
}

void LatencyHistogram::Add(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

absl::Duration LatencyHistogram::Percentile(double percent) const {
  const double share = percent / 100 * static_cast<double>(count_);
  const int64_t wanted =
      std::max(int64_t{1}, static_cast<int64_t>(std::ceil(share)));
  int64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(EndOf(i), max_);
  }
  return max_;
}

}  // namespace stridecast
