// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Asks a server's health again and again, as an orchestrator does, on a
// connection of its own. A process of its own, since gRPC's threads serve all
// that a process has.

#ifndef STRIDECAST_TESTS_BENCH_HEALTH_PROBE_H_
#define STRIDECAST_TESTS_BENCH_HEALTH_PROBE_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/support/server_process.h"

namespace stridecast::bench {

// The process's work, until SIGTERM: a line for each answer, of its seconds,
// and 1 if it was SERVING or else 0.
int ProbeHealth(const std::string& address);

class HealthProbe {
 public:
  // `self` is this program, which calls ProbeHealth() if its arguments are
  // "probe" and an address.
  HealthProbe(const std::string& self, const std::string& address)
      : process_(self, {"probe", address}) {}

  struct Answers {
    std::vector<double> seconds;
    int num_not_serving = 0;
  };
  // All of them. Ends it.
  Answers Stop();

 private:
  testing::ServerProcess process_;
};

}  // namespace stridecast::bench

#endif  // STRIDECAST_TESTS_BENCH_HEALTH_PROBE_H_
