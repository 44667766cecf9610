// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The log: what its lines look like, and those of calls.
//   text  TIME LEVEL MESSAGE
//   json  {"time":TIME,"level":LEVEL,"message":MESSAGE}
// A line of a call has the call's figures in place of the message. Lines of
// calls that failed are limited: whoever sends nonsense fills no disk.

#ifndef STRIDECAST_SERVER_LOG_H_
#define STRIDECAST_SERVER_LOG_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/call_record.h"

namespace spdlog {
class logger;
}

namespace stridecast {

enum class LogFormat { kText, kJson };

// `name` is that of ServerOptions.
inline LogFormat ToLogFormat(absl::string_view name) {
  return name == "json" ? LogFormat::kJson : LogFormat::kText;
}

// Makes the process's log one on stderr. `level` is one of spdlog's names.
void SetUpLog(const std::string& level, LogFormat format);

// What a call's line says after time and level.
std::string FormatCall(const CallRecord& record, LogFormat format);

// The same of a call that no service saw: `path` and `message` may hold any
// bytes.
std::string FormatRefusal(absl::string_view path, absl::StatusCode code,
                          absl::string_view message, LogFormat format);

// Of the process's log, for lines as these two make them.
std::shared_ptr<spdlog::logger> CallLogger();

// Lets so many through each second, and counts the others. Thread-safe.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimiter(int64_t max_per_second)
      : max_per_second_(max_per_second) {}

  // Whether one passes at `now`; `num_held_back` is how many did not since the
  // last that did.
  bool Pass(Clock::time_point now, int64_t& num_held_back);

 private:
  const int64_t max_per_second_;
  absl::Mutex mutex_;
  Clock::time_point second_began_ ABSL_GUARDED_BY(mutex_);
  int64_t num_passed_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_held_back_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Writes a line for each call.
class CallLog final : public CallObserver {
 public:
  static constexpr int64_t kMaxFailuresPerSecond = 100;

  explicit CallLog(LogFormat format);

  void OnCallEnd(const CallRecord& record) override;

 private:
  const LogFormat format_;
  const std::shared_ptr<spdlog::logger> logger_;
  RateLimiter failures_{kMaxFailuresPerSecond};
};

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_LOG_H_
