// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Loops that a programmer would write for one program alone, in f32: all of it
// fused, vectorised for this machine by the compiler.

#ifndef STRIDECAST_TESTS_BENCH_HAND_WRITTEN_H_
#define STRIDECAST_TESTS_BENCH_HAND_WRITTEN_H_

#include <cstdint>

namespace stridecast::bench {

// Elements [begin, end) of the result.
using HandWritten = void (*)(const float* const* operands, float* result,
                             int64_t begin, int64_t end);

void AddLoop(const float* const* operands, float* result, int64_t begin,
             int64_t end);
// sqrt(x*x + y*y)*2 - 1
void NormLoop(const float* const* operands, float* result, int64_t begin,
              int64_t end);
// max(x*y + x, y)
void MulAddMaxLoop(const float* const* operands, float* result, int64_t begin,
                   int64_t end);
// x*y + z
void MulPlusLoop(const float* const* operands, float* result, int64_t begin,
                 int64_t end);
// (x*y + z)*w
void MulPlusMulLoop(const float* const* operands, float* result, int64_t begin,
                    int64_t end);
// A polynomial of degree 6 in x by Horner's rule: 12 operations, unfused.
void PolynomialLoop(const float* const* operands, float* result, int64_t begin,
                    int64_t end);

// The same with stores that do not fetch the line first, 8 elements at a time.
void NormLoopPastCache(const float* const* operands, float* result,
                       int64_t begin, int64_t end);
void MulAddMaxLoopPastCache(const float* const* operands, float* result,
                            int64_t begin, int64_t end);
void MulPlusLoopPastCache(const float* const* operands, float* result,
                          int64_t begin, int64_t end);
void MulPlusMulLoopPastCache(const float* const* operands, float* result,
                             int64_t begin, int64_t end);
void PolynomialLoopPastCache(const float* const* operands, float* result,
                             int64_t begin, int64_t end);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_HAND_WRITTEN_H_
