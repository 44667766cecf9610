// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What memory allows: the time in which the same bytes are read and written by
// code that computes nothing. On as many threads as the engine.

#ifndef STRIDECAST_TESTS_BENCH_LIMIT_H_
#define STRIDECAST_TESTS_BENCH_LIMIT_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace stridecast::bench {

// Calls body(0) ... body(num_threads - 1), each on a thread of its own.
void OnThreads(int num_threads, absl::FunctionRef<void(int)> body);

// memcpy, of buffers of one size.
void RunCopy(int num_threads, absl::Span<std::byte> source,
             absl::Span<std::byte> destination);

// Reads all of `sources` and overwrites all of `destinations`, by turns of some
// KiB; `past_cache`: with stores that do not fetch the line first.
void RunStream(bool past_cache, int num_threads,
               absl::Span<const absl::Span<std::byte>> sources,
               absl::Span<const absl::Span<std::byte>> destinations);

// The same by turns of a line; only where TakesLines() of them.
void RunLines(bool past_cache, int num_threads,
              absl::Span<const absl::Span<std::byte>> sources,
              absl::Span<const absl::Span<std::byte>> destinations);
// One or two sources and one destination of about one size.
bool TakesLines(absl::Span<const absl::Span<std::byte>> sources,
                absl::Span<const absl::Span<std::byte>> destinations);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_LIMIT_H_
