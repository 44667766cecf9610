// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/log.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/call_record.h"

namespace stridecast {
namespace {

TEST(TraceIdTest, IsTakenFromWhatTheStandardAllows) {
  const struct {
    const char* traceparent;
    const char* id;
  } kRows[] = {
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
       "4bf92f3577b34da6a3ce929d0e0e4736"},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
       "4bf92f3577b34da6a3ce929d0e0e4736"},
      {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes",
       "4bf92f3577b34da6a3ce929d0e0e4736"},
      {"", ""},
      {"00", ""},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", ""},
      {"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more", ""},
      {"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""},
      {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", ""},
      {"00-4bf92f3577b34da6a3ce929d0e0e473\"-00f067aa0ba902b7-01", ""},
      {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", ""},
      {"00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", ""},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TraceIdOf(row.traceparent), row.id) << row.traceparent;
  }
}

// What a stranger calls a method neither ends the line nor fills the log.
TEST(RefusalTest, IsLoggedAsCallsAre) {
  constexpr auto kCode = absl::StatusCode::kUnauthenticated;
  const struct {
    std::string path;
    std::string text;
    std::string json;
  } kRows[] = {
      {"/stridecast.v1.TensorCompute/Compute",
       "/stridecast.v1.TensorCompute/Compute UNAUTHENTICATED no \"token\"",
       R"("method":"Compute","code":"UNAUTHENTICATED",)"
       R"("message":"no \"token\"")"},
      {"/a\"\n\xff" + std::string(200, 'x'),
       R"(/a\"\n\377)" + std::string(95, 'x') +
           R"( UNAUTHENTICATED no "token")",
       R"("method":"/a\"\n)"
       "\xef\xbf\xbd" +
           std::string(95, 'x') +
           R"(","code":"UNAUTHENTICATED","message":"no \"token\"")"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(FormatRefusal(row.path, kCode, "no \"token\"", LogFormat::kText),
              row.text);
    EXPECT_EQ(FormatRefusal(row.path, kCode, "no \"token\"", LogFormat::kJson),
              row.json);
  }
}

TEST(RateLimiterTest, LetsSoManyThroughEachSecond) {
  RateLimiter limiter(3);
  const RateLimiter::Clock::time_point start(std::chrono::seconds(1000));
  int64_t held_back = -1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(limiter.Pass(start + std::chrono::milliseconds(i), held_back));
    EXPECT_EQ(held_back, 0);
  }
  for (int i = 3; i < 1000; ++i) {
    EXPECT_FALSE(limiter.Pass(start + std::chrono::milliseconds(i), held_back));
  }
  EXPECT_TRUE(limiter.Pass(start + std::chrono::seconds(1), held_back));
  EXPECT_EQ(held_back, 997);
  EXPECT_TRUE(limiter.Pass(start + std::chrono::seconds(1), held_back));
  EXPECT_EQ(held_back, 0);
}

}  // namespace
}  // namespace stridecast
