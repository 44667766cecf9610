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

// Rows of which groups are read side by side: 256 bytes of each row of a group,
// then the next 256 of each, and so on; then the next group.
// Tested by tests/unit/kernels/fetch_ahead_test.cc.
class FetchAhead {
 public:
  // At base + offsets[i], i < count.
  struct Rows {
    const std::byte* base = nullptr;
    const int64_t* offsets = nullptr;
    int64_t count = 0;
  };

  // Nothing.
  FetchAhead() = default;
  // Rows of `row_bytes`, those of `first` and then those of `then`; `row_bytes`
  // and `group` > 0.
  FetchAhead(const Rows& first, const Rows& then, int64_t row_bytes,
             int64_t group)
      : rows_(first), then_(then), last_(row_bytes - 1), group_(group) {
    BeginGroup(0);
  }

  // Once all lines are asked for, nothing.
  [[gnu::always_inline]] void Fetch(int64_t num_lines) {
    ForEach(num_lines, [](const std::byte* at) { FetchLine(at); });
  }

  // Calls fetch(at) with a byte of each of the next `num_lines` lines, or of
  // all there are.
  template <class FetchAt>
  [[gnu::always_inline]] void ForEach(int64_t num_lines, const FetchAt& fetch) {
    while (num_lines > 0 && next_ < end_) {
      const std::byte* const row = rows_.base + rows_.offsets[next_];
      const bool is_last = part_ + kPart > last_;
      const int64_t part_end = is_last ? last_ : part_ + kPart;
      for (; num_lines > 0 && at_ < part_end; --num_lines, at_ += kLine) {
        fetch(row + at_);
      }
      if (num_lines == 0) return;
      if (is_last) {
        // Rows that do not begin with a line end in one more.
        fetch(row + last_);
        --num_lines;
      }
      if (++next_ == end_) {
        if (is_last) {
          part_ = 0;
          BeginGroup(end_);
        } else {
          part_ += kPart;
          next_ = begin_;
        }
      }
      at_ = part_;
    }
  }

 private:
  static constexpr int64_t kPart = 4 * kLine;

  void BeginGroup(int64_t row) {
    if (row == rows_.count) {
      rows_ = then_;
      then_ = Rows();
      row = 0;
    }
    begin_ = row;
    next_ = row;
    end_ = row + group_ < rows_.count ? row + group_ : rows_.count;
  }

  Rows rows_;
  Rows then_;
  int64_t last_ = -1;  // byte of a row
  int64_t group_ = 1;
  // Rows of the group, and the next of them.
  int64_t begin_ = 0;
  int64_t end_ = 0;
  int64_t next_ = 0;
  // In bytes, within each row: of the part, and of the next line.
  int64_t part_ = 0;
  int64_t at_ = 0;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_FETCH_AHEAD_H_
