// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#ifndef STRIDECAST_TESTS_BENCH_FAIL_H_
#define STRIDECAST_TESTS_BENCH_FAIL_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace stridecast::bench {

// Ends the program: figures after a fault mean nothing.
[[noreturn]] inline void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_FAIL_H_
