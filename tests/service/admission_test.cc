// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/admission.h"

#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"

namespace stridecast {
namespace {

using ::testing::HasSubstr;

TEST(AdmissionTest, BytesAreHeldAndGivenBack) {
  ByteBudget budget(100);
  {
    absl::StatusOr<Reservation> call = budget.Reserve(30);
    ASSERT_TRUE(call.ok());
    EXPECT_EQ(budget.inflight_bytes(), 30);
    ASSERT_TRUE(call->Grow(70).ok());
    EXPECT_EQ(budget.inflight_bytes(), 100);
    EXPECT_EQ(call->bytes(), 100);
  }
  EXPECT_EQ(budget.inflight_bytes(), 0);
}

TEST(AdmissionTest, RemembersItsPeak) {
  ByteBudget budget(100);
  {
    Reservation call = *budget.Reserve(30);
    ASSERT_TRUE(call.Grow(50).ok());
    EXPECT_FALSE(call.Grow(30).ok());
  }
  const Reservation held = *budget.Reserve(10);
  EXPECT_EQ(budget.TakePeakBytes(), 80);
  EXPECT_EQ(budget.TakePeakBytes(), 10);
}

TEST(AdmissionTest, ResizeGivesBackOrTakes) {
  ByteBudget budget(100);
  Reservation call = *budget.Reserve(60);
  EXPECT_TRUE(call.Resize(20).ok());
  EXPECT_EQ(call.bytes(), 20);
  EXPECT_EQ(budget.inflight_bytes(), 20);
  EXPECT_TRUE(call.Resize(100).ok());
  EXPECT_EQ(budget.inflight_bytes(), 100);
  EXPECT_EQ(RetryDelay(call.Resize(101)), std::nullopt);
  EXPECT_EQ(call.bytes(), 100);
}

TEST(AdmissionTest, SplitOutlivesTheCall) {
  ByteBudget budget(100);
  Reservation reply;
  {
    Reservation call = *budget.Reserve(80);
    reply = call.Split(50);
    EXPECT_EQ(call.bytes(), 30);
    EXPECT_EQ(budget.inflight_bytes(), 80);
  }
  EXPECT_EQ(budget.inflight_bytes(), 50);
  reply = Reservation();
  EXPECT_EQ(budget.inflight_bytes(), 0);
}

TEST(AdmissionTest, ClosedAdmitsNobodyNew) {
  ByteBudget budget(100);
  Reservation before = *budget.Reserve(10);
  budget.Close();
  EXPECT_EQ(budget.Reserve(10).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(before.Grow(20).ok());
  EXPECT_EQ(budget.inflight_bytes(), 30);
}

TEST(AdmissionTest, MovedFromHoldsNothing) {
  ByteBudget budget(100);
  Reservation first = *budget.Reserve(40);
  {
    const Reservation second = std::move(first);
    EXPECT_EQ(second.bytes(), 40);
  }
  EXPECT_EQ(budget.inflight_bytes(), 0);
}

TEST(AdmissionTest, NoRoomNowSaysWhenToRetry) {
  ByteBudget budget(100);
  const Reservation other = *budget.Reserve(60);
  const absl::Status status = budget.Reserve(41).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("needs 41 bytes, 60 of --max-inflight-bytes 100"));
  EXPECT_EQ(RetryDelay(status), kRetryDelay);
  EXPECT_EQ(budget.inflight_bytes(), 60);
  EXPECT_TRUE(budget.Reserve(40).ok());
}

TEST(AdmissionTest, NeverRoomSaysNoRetry) {
  ByteBudget budget(100);
  Reservation call = *budget.Reserve(60);
  for (int64_t bytes : {int64_t{41}, std::numeric_limits<int64_t>::max()}) {
    const absl::Status status = call.Grow(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("more than --max-inflight-bytes 100"));
    EXPECT_EQ(RetryDelay(status), std::nullopt);
  }
  EXPECT_EQ(call.bytes(), 60);
  EXPECT_EQ(budget.inflight_bytes(), 60);
}

// (A1), (A2)
// What is forecast for a message of 1 MiB, in MiB.
double ForecastMiB(const RunBytesForecast& forecast) {
  return static_cast<double>(forecast.For(1 << 20, int64_t{100} << 20)) /
         (1 << 20);
}

TEST(RunBytesForecastTest, FollowsWhatCallsTake) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  RunBytesForecast forecast;
  EXPECT_EQ(ForecastMiB(forecast), 2);
  // u8 to f32.
  for (int i = 0; i < 30; ++i) forecast.Learn(kMiB, 4 * kMiB);
  EXPECT_NEAR(ForecastMiB(forecast), 4, .01);
  // Those that take less weigh less than those that take more.
  forecast.Learn(kMiB, 0);
  EXPECT_NEAR(ForecastMiB(forecast), 3.98, .01);
  forecast.Learn(kMiB, 12 * kMiB);
  EXPECT_NEAR(ForecastMiB(forecast), 5.98, .01);
  // Never below a copy and a result, nor told by small messages.
  for (int i = 0; i < 2000; ++i) forecast.Learn(kMiB, 0);
  for (int i = 0; i < 2000; ++i) forecast.Learn(1000, 1'000'000);
  EXPECT_NEAR(ForecastMiB(forecast), 2, .01);
}

TEST(RunBytesForecastTest, HasBounds) {
  constexpr int64_t kMost = int64_t{1} << 62;
  RunBytesForecast forecast;
  for (int i = 0; i < 100; ++i) forecast.Learn(1 << 20, kMost);
  EXPECT_NEAR(ForecastMiB(forecast), 32, .01);
  EXPECT_EQ(forecast.For(1 << 20, 1000), 1000);
  // Small calls stay small, whatever large ones take.
  EXPECT_EQ(forecast.For(4096, kMost), 8192);
  EXPECT_EQ(forecast.For(kMost, kMost), kMost);
  EXPECT_EQ(forecast.For(0, kMost), 0);
}

TEST(AdmissionTest, SmallCallsHaveAPartOfTheirOwn) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  ByteBudget budget(64 * kMiB);
  {
    // Who is alone may have all.
    const Reservation all = *budget.Reserve(64 * kMiB);
    EXPECT_FALSE(budget.Reserve(1).ok());
  }
  Reservation first = *budget.Reserve(31 * kMiB);
  const Reservation second = *budget.Reserve(31 * kMiB);
  const absl::Status refused = budget.Reserve(kMiB).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.message(), HasSubstr("2097152 are for small calls"));
  EXPECT_FALSE(first.Grow(1).ok());
  std::vector<Reservation> small;
  for (int i = 0; i < 32; ++i) {
    absl::StatusOr<Reservation> call = budget.Reserve(kSmallCallBytes);
    ASSERT_TRUE(call.ok()) << i;
    small.push_back(*std::move(call));
  }
  EXPECT_FALSE(budget.Reserve(1).ok());
  // What has grown is small no more.
  small.pop_back();
  Reservation call = *budget.Reserve(kSmallCallBytes / 2);
  EXPECT_FALSE(call.Grow(kSmallCallBytes / 2 + 1).ok());
  EXPECT_TRUE(call.Grow(kSmallCallBytes / 2).ok());
}

TEST(AdmissionTest, ThreadsNeverExceedCapacity) {
  ByteBudget budget(1000);
  std::atomic<bool> exceeded = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        absl::StatusOr<Reservation> call = budget.Reserve(100 + 37 * t);
        if (!call.ok()) continue;
        (void)call->Grow(i % 200);
        if (budget.inflight_bytes() > 1000) exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(budget.inflight_bytes(), 0);
}

}  // namespace
}  // namespace stridecast
