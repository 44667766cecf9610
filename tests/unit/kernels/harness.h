// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Runs kernels on memory where every stray access shows: operands and results
// lie against inaccessible pages, the bytes between the elements of a result
// are watched.

#ifndef STRIDECAST_TESTS_UNIT_KERNELS_HARNESS_H_
#define STRIDECAST_TESTS_UNIT_KERNELS_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"
#include "tests/support/sweep.h"

namespace stridecast::kernel_tests {

// Memory between two inaccessible pages.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t capacity);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  // num_bytes that begin or end `gap` bytes away from a guard.
  std::byte* AtStart(size_t gap = 0) const { return begin_ + gap; }
  std::byte* AtEnd(size_t num_bytes, size_t gap = 0) const {
    return end_ - gap - num_bytes;
  }
  size_t capacity() const { return static_cast<size_t>(end_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* end_;
};

using Random = std::mt19937_64;
using testing::OperandTypes;
using testing::Subject;

// Fills `count` elements: edge cases, random bits and numbers near 1, mixed.
// Preds are 0 or 1.
void FillRandom(Random& random, DType type, int64_t count, std::byte* elements);

enum class RowStride { kTight, kPadded, kNegative, kZero };

struct OperandShape {
  bool repeats = false;  // col_stride 0
  RowStride row_stride = RowStride::kTight;
};

struct KernelCase {
  Subject what;
  int64_t rows = 1;
  int64_t cols = 1;
  OperandShape operands[3];
  RowStride result_row_stride = RowStride::kTight;  // not kZero
  bool past_cache = false;                          // the result
  bool at_end = true;  // which guard the memory lies against
  size_t gap = 0;      // how many bytes away
};

std::string ToString(const KernelCase& test_case);

// Runs `kernel` on random data and checks each element, and the bytes around
// them: against the reference; results that are not exact by rule against those
// of the kernel on that element alone. Returns "" or what is wrong.
std::string RunCase(const KernelCase& test_case, Kernel kernel, Random& random);

// "ADD_f32" and the like; also a valid test name part.
std::string NameOf(const Subject& what);

// The sweep's subjects that kernels.inc lists, which are all but conversions.
std::vector<Subject> ElementwiseKernels();

int ArityOf(const Subject& what);

// Calls `kernel`, with its parameters after `operands`.
void RunKernel(const Subject& what, Kernel kernel, int64_t rows, int64_t cols,
               const BlockOperand* operands, BlockResult result);

}  // namespace stridecast::kernel_tests

#endif  // STRIDECAST_TESTS_UNIT_KERNELS_HARNESS_H_
