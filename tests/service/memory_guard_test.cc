// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/memory_guard.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"
#include "spdlog/sinks/ringbuffer_sink.h"
#include "spdlog/spdlog.h"
#include "tests/service/service_testing.h"
#include "tests/service/unsent_call.h"
#include "tests/service/waiting_calls.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

constexpr int64_t kMB = 1'000'000;
constexpr int64_t kMaxBytes = 100 * kMB;

// A guard of memory that a test says the figures of.
class GuardedMemory {
 public:
  GuardedMemory(WaitingCalls& calls, int64_t resident_bytes,
                int64_t allocated_bytes, bool can_close = false)
      : resident_bytes_(resident_bytes),
        allocated_bytes_(allocated_bytes),
        can_close_(can_close),
        guard_(kMaxBytes,
               {.resident_bytes =
                    [this] {
                      ++num_looks_;
                      return resident_bytes_.load();
                    },
                .allocated_bytes = [this] { return allocated_bytes_.load(); },
                .give_back =
                    [this] {
                      ++num_given_back_;
                      resident_bytes_ = std::min(resident_bytes_.load(),
                                                 allocated_bytes_.load());
                    },
                .system_bytes = [this] { return system_bytes_.load(); },
                .explained_bytes = [this] { return explained_bytes_.load(); },
                .close_deaf =
                    [this](std::chrono::milliseconds) {
                      ++num_looks_for_deaf_;
                      return int64_t{0};
                    },
                .close =
                    [this](const std::string& peer) {
                      const std::scoped_lock lock(mutex_);
                      if (absl::c_linear_search(closed_, peer)) return false;
                      closed_.push_back(peer);
                      if (can_close_) Set(kMB, kMB);
                      return can_close_.load();
                    }},
               {&calls.all()}, &calls.held()) {}

  void Set(int64_t resident_bytes, int64_t allocated_bytes,
           int64_t system_bytes = 0) {
    system_bytes_ = system_bytes;
    allocated_bytes_ = allocated_bytes;
    resident_bytes_ = resident_bytes;
  }
  // What it is used for, but for what connections hold: by default, all.
  void SetExplained(int64_t bytes) { explained_bytes_ = bytes; }
  bool WaitForLooks(int count) {
    const int end = num_looks_ + count;
    return WaitUntil([this, end] { return num_looks_ >= end; });
  }
  // From now on connections can be closed, which frees all memory.
  void LetClose() { can_close_ = true; }
  // Those that were to be.
  std::vector<std::string> closed() {
    const std::scoped_lock lock(mutex_);
    return closed_;
  }
  bool is_growing() const { return guard_.is_growing(); }
  bool is_flooded() const { return guard_.is_flooded(); }
  int num_given_back() const { return num_given_back_; }
  int num_looks_for_deaf() const { return num_looks_for_deaf_; }
  int64_t num_ended() const { return guard_.num_ended(); }

 private:
  std::atomic<int64_t> resident_bytes_;
  std::atomic<int64_t> allocated_bytes_;
  std::atomic<int64_t> system_bytes_ = 0;
  std::atomic<int64_t> explained_bytes_ = kMaxBytes;
  std::atomic<int> num_looks_ = 0;
  std::atomic<int> num_given_back_ = 0;
  std::atomic<int> num_looks_for_deaf_ = 0;
  std::atomic<bool> can_close_;
  std::mutex mutex_;
  std::vector<std::string> closed_;
  MemoryGuard guard_;
};

// Those of the connection that has sent most, first those that wait longest, as
// many as hold what is too much and a sixteenth of the limit.
TEST(MemoryGuardTest, WhoHoldsMostEnds) {
  WaitingCalls calls;
  calls.Add(0, 4, {});
  calls.Add(1, 4, {});
  calls.Add(0, 4, {});
  calls.SetReceived(0, 80 * kMB);
  calls.SetReceived(1, 40 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(105 * kMB, 105 * kMB);
  // (5 + 6.25) / 10
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 2; }));
  memory.Set(kMB, kMB);
  std::vector<int> first = calls.given_up();
  first.resize(2);
  EXPECT_THAT(first, ElementsAre(0, 1));
}

// Where there is more than a sixteenth too much, connections are closed, those
// that hold most, and no more than do: 20 + 6.25 here, and what comes
// meanwhile.
TEST(MemoryGuardTest, WhoSendsTooFastIsClosed) {
  WaitingCalls calls;
  calls.Add(0, 4, {});
  calls.Add(1, 4, {});
  calls.Add(2, 4, {});
  calls.SetReceived(0, 10 * kMB);
  calls.SetReceived(1, 80 * kMB);
  calls.SetReceived(2, 1000);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  memory.Set(120 * kMB, 120 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 4; }));
  EXPECT_THAT(memory.closed(), ElementsAre(calls.peer(1)));
  EXPECT_EQ(memory.num_ended(), 4);
  EXPECT_THAT(calls.given_up(), IsEmpty());
}

// Where nobody is known to hold what is too much, those are closed who send
// what no call accounts for: at least 64 KiB, and a quarter of what the
// greatest of them did.
TEST(MemoryGuardTest, WhoSendsAndDoesNotCallIsClosed) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 1000);
  calls.SetReceivedFrom("flood", 8 * kMB);
  calls.SetReceivedFrom("its like", 2 * kMB);
  calls.SetReceivedFrom("other", 2 * kMB - 1);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  memory.Set(107 * kMB, 107 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 2; }));
  EXPECT_THAT(memory.closed(), ElementsAre("flood", "its like"));
  EXPECT_EQ(memory.num_ended(), 2);
  EXPECT_THAT(calls.given_up(), IsEmpty());
}

// Also where a quarter of the limit, and more, is used for what nobody knows,
// but not who has a call, whose message it may be.
TEST(MemoryGuardTest, WhoSendsIsClosedWhereMemoryIsUnexplained) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 9 * kMB);
  calls.SetReceivedFrom("flood", kMB);
  calls.SetReceivedFrom("its like", kMB / 4);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  memory.SetExplained(15 * kMB);
  // A call, beside its message, takes 14 KiB.
  memory.Set(49 * kMB, 49 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(20));
  EXPECT_THAT(memory.closed(), IsEmpty());
  memory.SetExplained(14 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 2; }));
  EXPECT_THAT(memory.closed(), ElementsAre("flood", "its like"));
  EXPECT_EQ(memory.num_ended(), 2);
  EXPECT_FALSE(memory.is_growing());
  EXPECT_TRUE(memory.is_flooded());
}

// However much memory there is.
TEST(MemoryGuardTest, WhoSendsMuchWithoutAnyCallIsClosed) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 9 << 20);
  calls.SetReceivedFrom("other", (8 << 20) - 1);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  EXPECT_FALSE(memory.is_flooded());
  ASSERT_TRUE(memory.WaitForLooks(10));
  EXPECT_THAT(memory.closed(), IsEmpty());
  calls.SetReceivedFrom("other", 8 << 20);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() == 1; }));
  EXPECT_THAT(memory.closed(), ElementsAre("other"));
  EXPECT_FALSE(memory.is_flooded());
}

// In one line a second, however many they are.
TEST(MemoryGuardTest, WhoWasClosedIsLogged) {
  const auto lines = std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(16);
  const std::shared_ptr<spdlog::logger> usual = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", lines));
  {
    WaitingCalls calls;
    for (int i = 0; i < 6; ++i) {
      calls.SetReceivedFrom(absl::StrCat("ipv4:192.0.2.1:", i), (9 + i) << 20);
    }
    GuardedMemory memory(calls, kMB, kMB, /*can_close=*/true);
    EXPECT_TRUE(WaitUntil([&] { return !lines->last_raw().empty(); }));
  }
  spdlog::set_default_logger(usual);
  EXPECT_THAT(lines->last_formatted(),
              ElementsAre(EndsWith(
                  "connections closed for the memory they hold, or what they "
                  "sent without calls: 6; sent or held most: "
                  "ipv4:192.0.2.1:5 (14680064 bytes), "
                  "ipv4:192.0.2.1:4 (13631488 bytes), "
                  "ipv4:192.0.2.1:3 (12582912 bytes), "
                  "ipv4:192.0.2.1:2 (11534336 bytes)\n")));
}

// If half of it is used, new connections wait.
TEST(MemoryGuardTest, WhoSendsMuchWhereMemoryIsUsedKeepsOthersOut) {
  WaitingCalls calls;
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(51 * kMB, 51 * kMB);
  memory.LetClose();
  EXPECT_FALSE(memory.is_flooded());
  calls.SetReceivedFrom("other", 8 << 20);
  EXPECT_TRUE(WaitUntil([&] { return memory.is_flooded(); }));
  EXPECT_THAT(memory.closed(), ElementsAre("other"));
  EXPECT_TRUE(WaitUntil([&] { return !memory.is_flooded(); }));
}

TEST(MemoryGuardTest, WhoSendsLittleBesideCallsIsNotClosed) {
  WaitingCalls calls;
  calls.SetReceivedFrom("other", 65'535);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  memory.Set(200 * kMB, 200 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(10));
  EXPECT_THAT(memory.closed(), IsEmpty());
  calls.SetReceivedFrom("other", 65'536);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() == 1; }));
}

// New connections wait, as long as none can be closed.
TEST(MemoryGuardTest, MemoryGrows) {
  WaitingCalls calls;
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(106 * kMB, 106 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(3));
  EXPECT_FALSE(memory.is_growing());
  memory.Set(107 * kMB, 107 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.is_growing(); }));
  memory.Set(kMB, kMB);
  EXPECT_TRUE(WaitUntil([&] { return !memory.is_growing(); }));
}

// But not for what hundreds of their kind would not make good.
TEST(MemoryGuardTest, WhoHoldsLittleIsNotClosed) {
  WaitingCalls calls;
  calls.Add(0);
  calls.Add(1);
  calls.SetReceived(0, 5000);
  calls.SetReceived(1, 5 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.LetClose();
  memory.Set(120 * kMB, 120 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 1; }));
  EXPECT_THAT(memory.closed(), ElementsAre(calls.peer(1)));
}

// They are told in the order of their waits where all are to end.
TEST(MemoryGuardTest, OthersEndWhereThatDoesNotDo) {
  WaitingCalls calls;
  calls.Add(0, 2, {});
  calls.Add(1, 2, {});
  calls.Add(2, 1, {});
  calls.SetReceived(0, 20 * kMB);
  calls.SetReceived(1, 10 * kMB);
  calls.SetReceived(2, 1000);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(150 * kMB, 150 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 4; }));
  memory.Set(kMB, kMB);
  EXPECT_THAT(calls.given_up(), ElementsAre(0, 1, 2, 3));
}

TEST(MemoryGuardTest, StreamsBetweenMessagesEndLast) {
  WaitingCalls calls;
  calls.Add(0, 2, {.is_between_messages = true});
  calls.Add(0, 2, {});
  calls.SetReceived(0, 40 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(150 * kMB, 150 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 4; }));
  memory.Set(kMB, kMB);
  EXPECT_THAT(calls.given_up(), ElementsAre(2, 3, 0, 1));
}

// Who has its message, and sends more.
TEST(MemoryGuardTest, CallsThatWaitForNoMessageEndToo) {
  WaitingCalls calls;
  calls.Deliver(calls.Add(0), 10);
  calls.Deliver(calls.Add(0), 10);
  calls.Add(1);
  calls.SetReceived(0, 40 * kMB);
  calls.SetReceived(1, 1'000);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(130 * kMB, 130 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 2; }));
  memory.Set(kMB, kMB);
  EXPECT_THAT(calls.given_up(), ElementsAre(0, 1));
}

TEST(MemoryGuardTest, WhatNobodyUsesIsGivenBack) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 50 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(120 * kMB, 90 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(10));
  EXPECT_EQ(memory.num_given_back(), 1);
  EXPECT_THAT(calls.given_up(), IsEmpty());
}

TEST(MemoryGuardTest, WhoDoesNotReadIsLookedForWhereThatDoesNotDo) {
  WaitingCalls calls;
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(120 * kMB, 90 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(5));
  EXPECT_EQ(memory.num_looks_for_deaf(), 0);
  memory.Set(120 * kMB, 120 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_looks_for_deaf() > 1; }));
}

// Of great buffers, say, that were lent and not written to.
TEST(MemoryGuardTest, WhatWasNeverTouchedIsNotUsed) {
  WaitingCalls calls;
  calls.Linger();
  calls.Add(0, 30, {});
  calls.SetReceived(0, 150 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(101 * kMB, 200 * kMB);
  // (1 + 6.25) / 5, where (100 + 6.25) / 5 would be 22.
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() > 0; }));
  EXPECT_LE(memory.num_ended(), 10);
  memory.Set(kMB, kMB);
}

// Pages of libraries, stacks.
TEST(MemoryGuardTest, WhatIsNoAllocatorsCountsToo) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 50 * kMB);
  GuardedMemory memory(calls, /*resident_bytes=*/20 * kMB,
                       /*allocated_bytes=*/kMB);
  memory.Set(120 * kMB, 90 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 1; }));
}

TEST(MemoryGuardTest, BuffersOfTheSystemCountToo) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 50 * kMB);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(60 * kMB, 60 * kMB, 30 * kMB);
  ASSERT_TRUE(memory.WaitForLooks(5));
  EXPECT_EQ(memory.num_ended(), 0);
  memory.Set(60 * kMB, 60 * kMB, 50 * kMB);
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 1; }));
}

// What came on a connection is known, unless a test does not say it.
TEST(MemoryGuardTest, WhoMayHoldSomethingEndsAfterWhoDoes) {
  WaitingCalls calls;
  calls.Add(0, 3, {});
  calls.Add(1, 2, {});
  calls.Add(2, 2, {.is_between_messages = true});
  calls.SetReceived(1, 40 * kMB);
  calls.SetReceived(2, 100);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(101 * kMB, 101 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 5; }));
  memory.Set(kMB, kMB);
  EXPECT_THAT(calls.given_up(), ElementsAre(3, 4, 0, 1, 2));
}

// But when nobody else is found for some looks, a quarter, and again.
TEST(MemoryGuardTest, WhoHoldsNothingIsTheLastResort) {
  WaitingCalls calls;
  calls.Add(0, 1, {.is_between_messages = true});
  calls.Add(0, 3, {});
  calls.SetReceived(0, 1'000);
  GuardedMemory memory(calls, kMB, kMB);
  memory.Set(110 * kMB, 110 * kMB);
  ASSERT_TRUE(WaitUntil([&] { return memory.num_ended() >= 1; }));
  EXPECT_TRUE(WaitUntil([&] { return memory.num_ended() >= 4; }));
  EXPECT_THAT(calls.given_up(), ElementsAre(1, 2, 3, 0));
}

// For 100 ms, in which those that are told to end have time to: a machine that
// is busy may take longer for this, and then it is tried again.
TEST(MemoryGuardTest, WhatIsAboutToBeFreedIsKnown) {
  WaitingCalls calls;
  calls.Linger();
  EXPECT_TRUE(WaitUntil([&] {
    calls.Add(0);
    const auto holdings = calls.held().Holdings(HeldBytes::Estimate::kKnown);
    CallerWaits::Quotas quotas = {
        {holdings[0].connection, {.num_calls = 1, .bytes_each = 5 * kMB}}};
    EXPECT_EQ(calls.all().EndOf(quotas, GivingUp::kShortMemory), 1);
    return calls.all().leaving_bytes() == 5 * kMB;
  }));
  EXPECT_TRUE(WaitUntil([&] { return calls.all().leaving_bytes() == 0; }));
}

TEST(MemoryGuardTest, WithinTheLimitNothingIsDone) {
  WaitingCalls calls;
  calls.Add(0);
  calls.SetReceived(0, 90 * kMB);
  GuardedMemory memory(calls, kMaxBytes, kMaxBytes);
  ASSERT_TRUE(memory.WaitForLooks(10));
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
