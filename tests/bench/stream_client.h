// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A ComputeStream as a caller drives it who writes and reads at once.

#ifndef STRIDECAST_TESTS_BENCH_STREAM_CLIENT_H_
#define STRIDECAST_TESTS_BENCH_STREAM_CLIENT_H_

#include <cstdint>
#include <string>

namespace stridecast::bench {

// Seconds of x + 1 on f32 of so many bytes, a multiple of 1 MiB, in chunks of
// 1 MiB. Exits the program if the stream fails or a result is wrong.
double StreamAddOne(const std::string& address, int64_t num_bytes);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_STREAM_CLIENT_H_
