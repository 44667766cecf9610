// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/log.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "server/buffered_log.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/spdlog.h"

namespace stridecast {
namespace {

constexpr char kTimePattern[] = "%Y-%m-%dT%H:%M:%S.%f%z";
// Its messages are members of a JSON object already.
constexpr char kCallLogger[] = "stridecast.calls";

// A stranger says it: not many bytes.
constexpr size_t kMaxPathBytes = 100;
constexpr absl::string_view kServicePrefix = "/stridecast.v1.TensorCompute/";

std::string QuotedJson(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false,
                                   nlohmann::json::error_handler_t::replace);
}

// The message of a line as members of a JSON object.
class JsonMembers final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text(message.payload.data(), message.payload.size());
    const std::string members =
        message.logger_name == kCallLogger
            ? text
            : absl::StrCat("\"message\":", QuotedJson(text));
    out.append(members.data(), members.data() + members.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMembers>();
  }
};

std::unique_ptr<spdlog::formatter> MakeFormatter(LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (format == LogFormat::kText) {
    formatter->set_pattern(absl::StrCat(kTimePattern, " %l %v"));
  } else {
    formatter->add_flag<JsonMembers>('*').set_pattern(
        absl::StrCat("{\"time\":\"", kTimePattern, "\",\"level\":\"%l\",%*}"));
  }
  return formatter;
}

int64_t Micros(CallRecord::Clock::duration duration) {
  return absl::ToInt64Microseconds(absl::FromChrono(duration));
}

}  // namespace

void SetUpLog(const std::string& level, LogFormat format) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "stridecast", std::make_shared<BufferedStderr>()));
  spdlog::set_formatter(MakeFormatter(format));
  spdlog::set_level(spdlog::level::from_str(level));
}

std::string FormatCall(const CallRecord& record, LogFormat format) {
  const absl::string_view method = MethodName(record.method());
  const std::string code = absl::StatusCodeToString(record.code());
  std::string line;
  if (format == LogFormat::kText) {
    absl::StrAppend(&line, method, " ", code, " in=", record.request_bytes,
                    "B out=", record.reply_bytes, "B ",
                    Micros(record.duration()), "us");
    for (Stage stage : kOurStages) {
      absl::StrAppend(&line, " ", StageName(stage), "=",
                      Micros(record.stage(stage)), "us");
    }
    absl::StrAppend(&line, " id=", record.request_id());
  } else {
    // None of the texts has a character that JSON escapes.
    absl::StrAppend(&line, "\"method\":\"", method, "\",\"code\":\"", code,
                    "\",\"request_bytes\":", record.request_bytes,
                    ",\"reply_bytes\":", record.reply_bytes,
                    ",\"duration_us\":", Micros(record.duration()));
    for (Stage stage : kOurStages) {
      absl::StrAppend(&line, ",\"", StageName(stage),
                      "_us\":", Micros(record.stage(stage)));
    }
    absl::StrAppend(&line, ",\"id\":\"", record.request_id(), "\"");
  }
  return line;
}

std::string FormatRefusal(absl::string_view path, absl::StatusCode code,
                          absl::string_view message, LogFormat format) {
  path = path.substr(0, kMaxPathBytes);
  if (format == LogFormat::kText) {
    return absl::StrCat(absl::CEscape(path), " ",
                        absl::StatusCodeToString(code), " ", message);
  }
  return absl::StrCat(
      "\"method\":",
      QuotedJson(std::string(absl::StripPrefix(path, kServicePrefix))),
      ",\"code\":\"", absl::StatusCodeToString(code),
      "\",\"message\":", QuotedJson(std::string(message)));
}

std::shared_ptr<spdlog::logger> CallLogger() {
  return spdlog::default_logger()->clone(kCallLogger);
}

bool RateLimiter::Pass(Clock::time_point now, int64_t& num_held_back) {
  absl::MutexLock lock(&mutex_);
  if (now - second_began_ >= std::chrono::seconds(1)) {
    second_began_ = now;
    num_passed_ = 0;
  }
  if (num_passed_ >= max_per_second_) {
    ++num_held_back_;
    return false;
  }
  ++num_passed_;
  num_held_back = std::exchange(num_held_back_, 0);
  return true;
}

CallLog::CallLog(LogFormat format) : format_(format), logger_(CallLogger()) {}

void CallLog::OnCallEnd(const CallRecord& record) {
  const bool has_failed = record.code() != absl::StatusCode::kOk;
  const auto level = has_failed ? spdlog::level::warn : spdlog::level::info;
  if (!logger_->should_log(level)) return;
  if (has_failed) {
    int64_t num_held_back = 0;
    if (!failures_.Pass(RateLimiter::Clock::now(), num_held_back)) return;
    if (num_held_back > 0) {
      spdlog::warn("{} lines of calls that failed are left out", num_held_back);
    }
  }
  logger_->log(level, FormatCall(record, format_));
}

}  // namespace stridecast
