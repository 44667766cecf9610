// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A closed load: callers that each make one call after the other.

#ifndef STRIDECAST_CLIENT_TOOL_LOAD_H_
#define STRIDECAST_CLIENT_TOOL_LOAD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/tool/latency_histogram.h"

namespace stridecast {

struct LoadOptions {
  int callers = 1;
  // Calls that begin in this time from the start are not counted.
  absl::Duration warm_up;
  // No call begins later than this after the warm-up.
  absl::Duration duration;
  // No more calls than these are counted.
  std::optional<int64_t> max_calls;
};

struct LoadResult {
  LatencyHistogram latencies;             // of calls that succeeded
  std::map<std::string, int64_t> errors;  // by code: "UNAVAILABLE"
  absl::Duration elapsed;                 // to the end of the last call

  int64_t num_errors() const;
};

// Calls `call` with the caller's number, 0 ... callers-1, from a thread per
// caller. Returns when all calls have ended. Errors: kResourceExhausted where
// the system has not so many threads.
absl::StatusOr<LoadResult> RunLoad(
    const LoadOptions& options, const std::function<absl::Status(int)>& call);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_LOAD_H_
