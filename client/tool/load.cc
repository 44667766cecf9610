// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/load.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Between a call that failed and the next: a server that refuses at once is
// not to be flooded.
constexpr absl::Duration kPauseAfterError = absl::Milliseconds(10);

// What the callers share. Calls are counted from `begin` on and begun until
// `end`.
struct Schedule {
  absl::Time begin;
  absl::Time end;
  std::atomic<int64_t> calls_left;
  std::atomic<bool> is_given_up = false;
};

void CallRepeatedly(Schedule& schedule,
                    const std::function<absl::Status()>& call,
                    LoadResult* result) {
  for (;;) {
    const absl::Time begin = absl::Now();
    const bool counts = begin >= schedule.begin;
    if (begin >= schedule.end || schedule.is_given_up) return;
    if (counts && schedule.calls_left.fetch_sub(1) <= 0) return;
    const absl::Status status = call();
    const absl::Time end = absl::Now();
    if (counts) {
      result->elapsed = end - schedule.begin;
      if (status.ok()) {
        result->latencies.Add(end - begin);
      } else {
        ++result->errors[absl::StatusCodeToString(status.code())];
      }
    }
    if (!status.ok()) absl::SleepFor(kPauseAfterError);
  }
}

}  // namespace

int64_t LoadResult::num_errors() const {
  int64_t sum = 0;
  for (const auto& [code, count] : errors) sum += count;
  return sum;
}

absl::StatusOr<LoadResult> RunLoad(
    const LoadOptions& options, const std::function<absl::Status(int)>& call) {
  Schedule schedule;
  schedule.begin = absl::Now() + options.warm_up;
  schedule.end = schedule.begin + options.duration;
  schedule.calls_left =
      options.max_calls.value_or(std::numeric_limits<int64_t>::max());
  std::vector<LoadResult> results(static_cast<size_t>(options.callers));
  std::vector<std::thread> threads;
  absl::Status started;
  try {
    for (int i = 0; i < options.callers; ++i) {
      LoadResult* result = &results[static_cast<size_t>(i)];
      threads.emplace_back([&schedule, &call, i, result] {
        CallRepeatedly(
            schedule, [&call, i] { return call(i); }, result);
      });
    }
  } catch (const std::system_error& error) {
    schedule.is_given_up = true;
    started = absl::ResourceExhaustedError(
        absl::StrCat(options.callers, " callers: the system gives ",
                     threads.size(), " threads: ", error.code().message()));
  }
  for (std::thread& thread : threads) thread.join();
  RETURN_IF_ERROR(started);
  LoadResult total;
  for (const LoadResult& result : results) {
    total.latencies.Add(result.latencies);
    for (const auto& [code, count] : result.errors) total.errors[code] += count;
    total.elapsed = std::max(total.elapsed, result.elapsed);
  }
  return total;
}

}  // namespace stridecast
