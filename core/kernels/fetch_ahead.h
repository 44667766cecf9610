// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Cache lines that will be read soon, asked for by and by: all at once they
// would keep the CPU from writing meanwhile. Inlined into kernels of every
// target, see block.h.

#ifndef STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
#define STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_

#include <cstddef>
#include <cstdint>

namespace stridecast {

class FetchAhead {
 public:
  // Nothing.
  FetchAhead() = default;
  // Runs of `run_bytes` > 0 at base + offsets[i], i < count: the first line of
  // each, then the second ones, and so on.
  FetchAhead(const std::byte* base, const int64_t* offsets, int64_t count,
             int64_t run_bytes)
      : base_(base), offsets_(offsets), count_(count), last_(run_bytes - 1) {}

  // Into L2. Once all lines are asked for, nothing.
  [[gnu::always_inline]] void Fetch(int64_t num_lines) {
    while (num_lines > 0 && at_ <= last_) {
      const int64_t left = count_ - next_;
      const int64_t end = next_ + (num_lines < left ? num_lines : left);
      const std::byte* const line = base_ + at_;
      for (int64_t i = next_; i < end; ++i) {
        __builtin_prefetch(line + offsets_[i], 0, 2);
      }
      num_lines -= end - next_;
      next_ = end;
      if (next_ == count_) NextLine();
    }
  }

 private:
  // A run that does not begin with a line ends in one more.
  [[gnu::always_inline]] void NextLine() {
    next_ = 0;
    at_ = at_ == last_ || at_ + kStep <= last_ ? at_ + kStep : last_;
  }

  static constexpr int64_t kStep = 64;

  const std::byte* base_ = nullptr;
  const int64_t* offsets_ = nullptr;
  int64_t count_ = 0;
  int64_t next_ = 0;
  int64_t at_ = 0;  // in bytes, within each run
  int64_t last_ = -1;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
