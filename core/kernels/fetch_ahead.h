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

inline constexpr int64_t kLine = 64;  // bytes of a cache line

// Into L2. Not by the builtin: g++ 12 takes functions that only prefetch for
// such without effects, and leaves out their calls.
[[gnu::always_inline]] inline void FetchLine(const void* at) {
  asm volatile("prefetcht1 %0" : : "m"(*static_cast<const std::byte*>(at)));
}

// `num_bytes` > 0.
[[gnu::always_inline]] inline void FetchRun(const std::byte* from,
                                            int64_t num_bytes) {
  for (int64_t at = 0; at < num_bytes; at += kLine) FetchLine(from + at);
  // A run that does not begin with a line ends in one more.
  FetchLine(from + num_bytes - 1);
}

// From a row to the first one that begins 2 KiB or more after it. CPUs'
// prefetchers follow a run in either direction, but not short runs with gaps
// between them, nor such that are read in one direction while they follow each
// other in the other.
[[gnu::always_inline]] inline int64_t RowsAhead(int64_t row_stride) {
  constexpr int64_t kAheadBytes = 2048;
  if (row_stride == 0) return 0;
  const int64_t size = row_stride < 0 ? -row_stride : row_stride;
  return ((kAheadBytes - 1) / size + 1) * row_stride;
}

class FetchAhead {
 public:
  // Nothing.
  FetchAhead() = default;
  // Runs of `run_bytes` > 0 at base + offsets[i], i < count: 256 bytes of each,
  // then the next 256 of each, and so on.
  FetchAhead(const std::byte* base, const int64_t* offsets, int64_t count,
             int64_t run_bytes)
      : base_(base), offsets_(offsets), count_(count), last_(run_bytes - 1) {}

  // Once all lines are asked for, nothing.
  [[gnu::always_inline]] void Fetch(int64_t num_lines) {
    while (num_lines > 0 && part_ <= last_) {
      const std::byte* const run = base_ + offsets_[next_];
      const bool is_end = part_ + kPart > last_;
      const int64_t end = is_end ? last_ : part_ + kPart;
      for (; num_lines > 0 && at_ < end; --num_lines, at_ += kLine) {
        FetchLine(run + at_);
      }
      if (num_lines == 0) return;
      if (is_end) {
        // A run that does not begin with a line ends in one more.
        FetchLine(run + last_);
        --num_lines;
      }
      if (++next_ == count_) {
        next_ = 0;
        part_ += kPart;
      }
      at_ = part_;
    }
  }

 private:
  static constexpr int64_t kPart = 256;

  const std::byte* base_ = nullptr;
  const int64_t* offsets_ = nullptr;
  int64_t count_ = 0;
  int64_t next_ = 0;
  // In bytes, within each run: of the part, and of the next line.
  int64_t part_ = 0;
  int64_t at_ = 0;
  int64_t last_ = -1;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
