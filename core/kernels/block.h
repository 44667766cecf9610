// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of blocks that all forms share: joining rows, short copies.
// Plain C++, inlined into kernels of every target; so internal linkage only,
// lest a copy compiled for one target be linked into another.

#ifndef STRIDECAST_CORE_KERNELS_BLOCK_H_
#define STRIDECAST_CORE_KERNELS_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/kernels/kernel.h"

namespace stridecast {

// In bytes, from the multiple of `size` before the address.
[[gnu::always_inline]] static inline int64_t PlaceIn(int64_t size,
                                                     const std::byte* address) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) %
                              static_cast<uintptr_t>(size));
}

// A block whose rows follow each other without gaps, in the result and in every
// operand (or repeat one element throughout), becomes a single row. A block of
// one column counts as dense. One array for each property: as an array of
// operands it would be copied in vectors, which stall on addresses just stored.
template <int kArity>
struct Block {
  int64_t rows;
  int64_t cols;
  const std::byte* data[kArity];
  int64_t row_stride[kArity];
  int64_t col_stride[kArity];
  BlockResult result;
};

template <int kArity>
[[gnu::always_inline]] static inline Block<kArity> JoinRows(
    int64_t rows, int64_t cols, const BlockOperand* operands,
    BlockResult result, const int64_t* operand_bytes, int64_t result_bytes) {
  Block<kArity> block{rows, cols, {}, {}, {}, result};
  bool joins = result.row_stride() == cols * result_bytes;
  for (int k = 0; k < kArity; ++k) {
    block.data[k] = operands[k].data;
    block.row_stride[k] = operands[k].row_stride;
    block.col_stride[k] = operands[k].col_stride;
    if (cols == 1) {
      block.col_stride[k] = block.row_stride[k] == 0 ? 0 : operand_bytes[k];
    }
    joins = joins && block.row_stride[k] == cols * block.col_stride[k];
  }
  if (joins) {
    block.cols = rows * cols;
    block.rows = 1;
  }
  return block;
}

// memcpy without the call, for num_bytes in [0, 128].
[[gnu::always_inline]] static inline void CopyShort(std::byte* to,
                                                    const std::byte* from,
                                                    size_t num_bytes) {
  if (num_bytes > 128) __builtin_unreachable();
  if (num_bytes >= 16) {
    for (size_t i = 0; i + 16 <= num_bytes; i += 16) {
      std::memcpy(to + i, from + i, 16);
    }
    std::memcpy(to + num_bytes - 16, from + num_bytes - 16, 16);
  } else if (num_bytes >= 8) {
    uint64_t low;
    uint64_t high;
    std::memcpy(&low, from, 8);
    std::memcpy(&high, from + num_bytes - 8, 8);
    std::memcpy(to, &low, 8);
    std::memcpy(to + num_bytes - 8, &high, 8);
  } else if (num_bytes >= 4) {
    uint32_t low;
    uint32_t high;
    std::memcpy(&low, from, 4);
    std::memcpy(&high, from + num_bytes - 4, 4);
    std::memcpy(to, &low, 4);
    std::memcpy(to + num_bytes - 4, &high, 4);
  } else if (num_bytes != 0) {
    const std::byte first = from[0];
    const std::byte middle = from[num_bytes / 2];
    const std::byte last = from[num_bytes - 1];
    to[0] = first;
    to[num_bytes / 2] = middle;
    to[num_bytes - 1] = last;
  }
}

// Writes the kBytes-sized element at `element` kCount times.
template <size_t kBytes, size_t kCount>
[[gnu::always_inline]] static inline void Repeat(std::byte* to,
                                                 const std::byte* element) {
  struct Element {
    std::byte bytes[kBytes];
  };
  Element value;
  std::memcpy(&value, element, kBytes);
  for (size_t i = 0; i < kCount; ++i) {
    std::memcpy(to + i * kBytes, &value, kBytes);
  }
}

// Fills num_bytes (a multiple of kBytes, itself a power of two up to 16) with
// the element at `element`.
template <size_t kBytes>
[[gnu::always_inline]] static inline void FillRow(std::byte* to,
                                                  const std::byte* element,
                                                  int64_t num_bytes) {
  alignas(64) std::byte pattern[64];
  Repeat<kBytes, 64 / kBytes>(pattern, element);
  int64_t done = 0;
  for (; done + 64 <= num_bytes; done += 64) {
    std::memcpy(to + done, pattern, 64);
  }
  CopyShort(to + done, pattern, static_cast<size_t>(num_bytes - done));
}

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_BLOCK_H_
