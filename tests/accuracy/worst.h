// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where errors are greatest: of all inputs, and region by region.

#ifndef STRIDECAST_TESTS_ACCURACY_WORST_H_
#define STRIDECAST_TESTS_ACCURACY_WORST_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tests/accuracy/inputs.h"

namespace stridecast::accuracy {

// The greatest error so far, of all threads.
class Worst {
 public:
  double error() const { return error_.load(std::memory_order_relaxed); }

  // Of equal errors that of the least bits stays: whatever thread came first.
  void Offer(double error, Input input) {
    const std::lock_guard lock(mutex_);
    const bool is_first =
        input.x < input_.x || (input.x == input_.x && input.y < input_.y);
    if (error < error_ || (error == error_ && !is_first)) return;
    error_ = error;
    input_ = input;
  }
  void Fail(const std::string& fault) {
    const std::lock_guard lock(mutex_);
    if (fault_.empty()) fault_ = fault;
  }

  Input input() const { return input_; }
  const std::string& fault() const { return fault_; }

 private:
  std::atomic<double> error_ = -1;
  std::mutex mutex_;
  Input input_;
  std::string fault_;
};

// The greatest error of each region of inputs, those whose first numbers share
// all but the lowest bits.
class Regions {
 public:
  explicit Regions(int free_bits) : free_bits_(free_bits) {}

  void Offer(double error, Input input) {
    Peak& peak = peaks_[input.x >> free_bits_];
    if (IsBefore({error, input}, peak)) peak = {error, input};
  }

  void Merge(const Regions& other) {
    for (const auto& [region, peak] : other.peaks_) {
      Offer(peak.error, peak.input);
    }
  }

  // Of so many regions, the worst first.
  std::vector<Input> Worst(size_t count) const {
    std::vector<Peak> peaks;
    for (const auto& [region, peak] : peaks_) peaks.push_back(peak);
    std::sort(peaks.begin(), peaks.end(), IsBefore);
    std::vector<Input> inputs;
    for (size_t i = 0; i < std::min(count, peaks.size()); ++i) {
      inputs.push_back(peaks[i].input);
    }
    return inputs;
  }

 private:
  struct Peak {
    double error = -1;
    Input input = {};
  };
  // A strict order, lest the table depend on threads.
  static bool IsBefore(const Peak& a, const Peak& b) {
    return std::tuple(-a.error, a.input.x, a.input.y) <
           std::tuple(-b.error, b.input.x, b.input.y);
  }

  int free_bits_;
  absl::flat_hash_map<uint64_t, Peak> peaks_;
};

}  // namespace stridecast::accuracy

#endif  // STRIDECAST_TESTS_ACCURACY_WORST_H_
