// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Callers that make one call after the other, small ones and great ones, while
// a test does something to the servers.

#ifndef STRIDECAST_TESTS_E2E_CONSTANT_LOAD_H_
#define STRIDECAST_TESTS_E2E_CONSTANT_LOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "stridecast/client.h"

namespace stridecast::testing {

class ConstantLoad {
 public:
  struct Figures {
    int64_t num_calls = 0;              // that have ended
    std::vector<std::string> failures;  // errors and wrong values
    // The longest time in which a caller got no answer, the one that it now
    // waits for included.
    absl::Duration longest_gap;
  };

  // Four callers of 1 KiB and two of 4 MiB.
  explicit ConstantLoad(const Client& client);
  // Waits for the calls that are out.
  ~ConstantLoad();

  // Returns when each caller has had so many answers more; false if that takes
  // more than a minute.
  bool WaitForAnswers(int num_answers);

  // Since the last time that this was asked, or since the begin.
  Figures Take();

 private:
  class Caller;
  std::vector<std::unique_ptr<Caller>> callers_;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_E2E_CONSTANT_LOAD_H_
