// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What is measured: programs, and what each is measured against.

#ifndef STRIDECAST_TESTS_BENCH_CASES_H_
#define STRIDECAST_TESTS_BENCH_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "stridecast/request.h"
#include "tests/bench/hand_written.h"

namespace stridecast::bench {

struct Case {
  std::string group;  // a row of the table of targets
  std::string name;
  Signature signature;
  // The share of its limit that is wanted of the case alone.
  double wanted = 0;
  // Measured against the fastest of these loops instead of the memory's limit.
  std::vector<HandWritten> hand_written = {};
  double seconds_over = 0;  // and so much more
  // Prepared for every run, and measured against this time.
  double seconds_with_prepare = 0;
  // Measured against the engine's own estimate, plan/cost.h, instead.
  bool estimated = false;
  int num_threads = 0;  // 0: all
  // Its tensors stay in the last-level cache: each contender is timed when it
  // has just run, or would find what another one wrote past the caches.
  bool is_cached = false;
  // Measured against one thread: the ratio is how many times as fast they are.
  bool scales = false;
};

// `small` scales everything down, for a quick look.
std::vector<Case> AllCases(bool small);

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_CASES_H_
