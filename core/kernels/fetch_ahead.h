// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Cache lines that will be read soon, asked for by and by: all at once they
// would keep the CPU from writing meanwhile. Inlined into kernels of every
// target, see block.h.

#ifndef STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
#define STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_

#include <algorithm>
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

// The most lines that a run of `run_bytes` > 0 has a part of.
constexpr int64_t LinesOfRun(int64_t run_bytes) {
  return (run_bytes + kLine - 2) / kLine + 1;
}

// Runs that are read side by side: 256 bytes of each, then the next 256 of
// each, and so on; then the next ones.
// Tested by tests/unit/kernels/fetch_ahead_test.cc.
class FetchAhead {
 public:
  // At base + offsets[i], begin <= i < end, of matrices of so many runs each,
  // of which so many are read side by side. Those sizes are > 0.
  struct Runs {
    const std::byte* base = nullptr;
    const int64_t* offsets = nullptr;
    int64_t begin = 0;
    int64_t end = 0;
    int64_t run_bytes = 1;
    int64_t matrix_runs = 1;
    int64_t side_by_side = 1;
  };

  // `then` after `first`.
  FetchAhead(const Runs& first, const Runs& then) : runs_(first), then_(then) {
    Begin();
  }

  // Once all lines are asked for, nothing.
  [[gnu::always_inline]] void Fetch(int64_t num_lines) {
    ForEach(num_lines, [](const std::byte* at) { FetchLine(at); });
  }

  // Calls fetch(at) with a byte of each of the next `num_lines` lines, or of
  // all there are.
  template <class FetchAt>
  [[gnu::always_inline]] void ForEach(int64_t num_lines, const FetchAt& fetch) {
    while (num_lines > 0 && next_ < group_end_) {
      const std::byte* const run = runs_.base + runs_.offsets[next_];
      const int64_t last = runs_.run_bytes - 1;
      const bool is_last = part_ + kPart > last;
      const int64_t part_end = is_last ? last : part_ + kPart;
      for (; num_lines > 0 && at_ < part_end; --num_lines, at_ += kLine) {
        fetch(run + at_);
      }
      if (num_lines == 0) return;
      // A run that does not begin with a line may end in one more.
      if (is_last &&
          (at_ == 0 || !AreInOneLine(run + at_ - kLine, run + last))) {
        fetch(run + last);
        --num_lines;
      }
      if (++next_ == group_end_) {
        if (is_last) {
          part_ = 0;
          runs_.begin = group_end_;
          Begin();
        } else {
          part_ += kPart;
          next_ = runs_.begin;
        }
      }
      at_ = part_;
    }
  }

 private:
  static constexpr int64_t kPart = 4 * kLine;

  [[gnu::always_inline]] static bool AreInOneLine(const std::byte* a,
                                                  const std::byte* b) {
    return reinterpret_cast<uintptr_t>(a) / kLine ==
           reinterpret_cast<uintptr_t>(b) / kLine;
  }

  // With the next group of the runs.
  [[gnu::always_inline]] void Begin() {
    if (runs_.begin == runs_.end) {
      runs_ = then_;
      then_ = Runs();
    }
    next_ = runs_.begin;
    const int64_t matrix_end =
        (next_ / runs_.matrix_runs + 1) * runs_.matrix_runs;
    group_end_ = std::min({next_ + runs_.side_by_side, matrix_end, runs_.end});
  }

  Runs runs_;
  Runs then_;
  // Of the group that begins with the first of `runs_`.
  int64_t next_ = 0;
  int64_t group_end_ = 0;
  // In bytes, within each run: of the part, and of the next line.
  int64_t part_ = 0;
  int64_t at_ = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
