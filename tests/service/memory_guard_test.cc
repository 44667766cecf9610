// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_guard.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"
#include "server/caller_waits.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"

namespace stridecast::testing {
namespace {

using ::testing::IsEmpty;

constexpr int64_t kMaxBytes = 1000;

// Calls that are nobody's, which note in which order they gave up.
class WaitingCalls {
 public:
  CallerWaits& all() { return all_; }

  void Add(int count) {
    for (int i = 0; i < count; ++i) {
      waits_.push_back(all_.ForMessage(
          std::make_shared<Call>(this, static_cast<int>(waits_.size())),
          &context_));
    }
  }
  void EndWait(size_t call) { waits_[call] = CallerWait(); }

  std::vector<int> given_up() {
    const std::scoped_lock lock(mutex_);
    return given_up_;
  }

 private:
  class Call final : public AwaitingCall {
   public:
    Call(WaitingCalls* calls, int number) : calls_(calls), number_(number) {}
    void GiveUp(GivingUp why) override {
      EXPECT_EQ(why, GivingUp::kShortMemory);
      const std::scoped_lock lock(calls_->mutex_);
      calls_->given_up_.push_back(number_);
      calls_->EndWait(static_cast<size_t>(number_));
    }

   private:
    WaitingCalls* const calls_;
    const int number_;
  };

  std::mutex mutex_;
  std::vector<int> given_up_;
  grpc::CallbackServerContext context_;
  CallerWaits all_;
  std::vector<CallerWait> waits_;
};

// A guard of memory that is short as `is_short` says, which knows how often it
// was looked at, this time included, and how often given back.
class GuardedMemory {
 public:
  GuardedMemory(WaitingCalls& calls,
                std::function<bool(int num_looks, int num_given_back)> is_short)
      : guard_(
            kMaxBytes, {&calls.all()},
            [this, is_short = std::move(is_short)] {
              return is_short(++num_looks_, num_given_back_) ? kMaxBytes + 1
                                                             : kMaxBytes;
            },
            [this] { ++num_given_back_; }) {}

  bool WaitForLooks() {
    return WaitUntil([this] { return num_looks_ > 4; });
  }
  int num_given_back() const { return num_given_back_; }
  int64_t num_ended() const { return guard_.num_ended(); }

 private:
  std::atomic<int> num_looks_ = 0;
  std::atomic<int> num_given_back_ = 0;
  MemoryGuard guard_;
};

// Those that wait longest, eight of them or a quarter, each time it looks.
TEST(MemoryGuardTest, APartGivesUpWhileMemoryIsShort) {
  WaitingCalls calls;
  calls.Add(100);
  calls.EndWait(1);
  // Short at the first look, and after what is given back.
  GuardedMemory memory(calls,
                       [](int num_looks, int) { return num_looks <= 2; });
  ASSERT_TRUE(memory.WaitForLooks());
  const std::vector<int> given_up = calls.given_up();
  ASSERT_EQ(given_up.size(), 24);  // a quarter of 99
  EXPECT_EQ(given_up.front(), 0);
  EXPECT_EQ(given_up[1], 2);
  EXPECT_EQ(given_up.back(), 24);
  EXPECT_EQ(memory.num_ended(), 24);
}

TEST(MemoryGuardTest, InTheEndAllGiveUp) {
  WaitingCalls calls;
  calls.Add(50);
  GuardedMemory memory(calls, [](int, int) { return true; });
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() == 50; }));
  EXPECT_EQ(calls.all().num_for_messages(), 0);
}

TEST(MemoryGuardTest, WhatNobodyUsesIsGivenBackFirst) {
  WaitingCalls calls;
  calls.Add(1);
  GuardedMemory memory(
      calls, [](int, int num_given_back) { return num_given_back == 0; });
  ASSERT_TRUE(memory.WaitForLooks());
  EXPECT_EQ(memory.num_given_back(), 1);
  EXPECT_THAT(calls.given_up(), IsEmpty());
}

TEST(MemoryGuardTest, WithinTheLimitNothingIsDone) {
  WaitingCalls calls;
  calls.Add(1);
  GuardedMemory memory(calls, [](int, int) { return false; });
  ASSERT_TRUE(memory.WaitForLooks());
  EXPECT_EQ(memory.num_given_back(), 0);
  EXPECT_THAT(calls.given_up(), IsEmpty());
}

// Of each method: one byte is less than any process has.
TEST(MemoryGuardTest, CallersAreToldAndCounted) {
  ServerOptions options = TestOptions();
  options.max_memory_bytes = 1;
  TestServer server(options);
  const MemoryGuard& guard = server.server().memory_guard();
  int64_t num_calls = 0;
  for (const char* path :
       {"/stridecast.v1.TensorCompute/Compute",
        "/stridecast.v1.TensorCompute/GetServerInfo",
        "/stridecast.v1.TensorCompute/ComputeStream",
        "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}) {
    for (const std::optional<int64_t> stated :
         {std::optional<int64_t>(), std::optional<int64_t>(100)}) {
      UnsentCall call(server.channel(), stated, path);
      const absl::Status status = FromGrpcStatus(call.End());
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << path;
      EXPECT_EQ(status.message(),
                "request: memory ran short while it was on its way "
                "(--max-memory-bytes)");
      EXPECT_EQ(RetryDelay(status), kRetryDelay);
      ++num_calls;
      EXPECT_TRUE(WaitUntil([&] { return guard.num_ended() == num_calls; }));
    }
  }
  EXPECT_TRUE(
      WaitUntil([&] { return server.server().service().num_calls() == 0; }));
}

}  // namespace
}  // namespace stridecast::testing
