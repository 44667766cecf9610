// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/held_bytes.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/service/waiting_calls.h"

namespace stridecast::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Pair;

constexpr int64_t kMB = 1'000'000;

using Estimate = HeldBytes::Estimate;

// Bytes and calls of each connection.
std::vector<std::pair<int64_t, int64_t>> Holdings(
    WaitingCalls& calls, Estimate estimate = Estimate::kKnown) {
  std::vector<std::pair<int64_t, int64_t>> holdings;
  for (const HeldBytes::Holding& holding : calls.held().Holdings(estimate)) {
    holdings.emplace_back(holding.bytes, holding.num_calls);
  }
  return holdings;
}

// As many bytes, but for what messages have beside them.
auto About(int64_t bytes) { return AllOf(Ge(bytes - bytes / 100), Le(bytes)); }

TEST(HeldBytesTest, TheGreatestFirst) {
  WaitingCalls calls;
  EXPECT_THAT(Holdings(calls), IsEmpty());
  calls.Add(0);
  calls.Add(1);
  calls.Add(1);
  calls.Add(2);
  calls.SetReceived(0, 5 * kMB);
  calls.SetReceived(1, 20 * kMB);
  calls.SetReceived(2, 0);
  EXPECT_THAT(Holdings(calls),
              ElementsAre(Pair(About(20 * kMB), 2), Pair(About(5 * kMB), 1),
                          Pair(0, 1)));
}

// Of two epochs at most.
TEST(HeldBytesTest, SendersAreWhoseBytesNoCallAccountsFor) {
  WaitingCalls calls;
  const int call = calls.Add(0);
  calls.SetReceived(0, 5 * kMB);
  calls.Deliver(call, 4 * kMB);
  calls.SetReceivedFrom("other", 3 * kMB);
  const auto senders = [&] {
    std::vector<std::pair<std::string, int64_t>> all;
    for (const HeldBytes::Sender& sender : calls.held().Senders()) {
      all.emplace_back(sender.peer, sender.bytes);
    }
    return all;
  };
  // A message has 5 bytes and 1/512 beside it, a call 256.
  const auto of_call = Pair(calls.peer(0), kMB - 4 * kMB / 512 - 5 - 256);
  EXPECT_THAT(senders(), ElementsAre(Pair("other", 3 * kMB), of_call));
  calls.held().BeginEpoch();
  EXPECT_THAT(senders(), ElementsAre(Pair("other", 3 * kMB), of_call));
  calls.held().BeginEpoch();
  EXPECT_THAT(senders(), IsEmpty());
  calls.SetReceivedFrom("other", 4 * kMB);
  EXPECT_THAT(senders(), ElementsAre(Pair("other", kMB)));
}

TEST(HeldBytesTest, KnownBytesAreOfAllConnectionsWithCalls) {
  WaitingCalls calls;
  EXPECT_EQ(calls.held().KnownBytes(), 0);
  calls.Add(0, 3, {});
  const int ended = calls.Add(1);
  calls.SetEnded(ended);
  calls.SetReceived(0, 5 * kMB);
  calls.SetReceived(1, 2 * kMB);
  calls.SetReceivedFrom("other", 3 * kMB);
  EXPECT_EQ(calls.held().KnownBytes(), 7 * kMB - 4 * 256 + 4 * (14 << 10));
}

TEST(HeldBytesTest, WhatComesOnUnixSocketsMayBeAnything) {
  WaitingCalls calls(
      absl::StrCat("unix:", ::testing::TempDir(), "known-", getpid()));
  const int call = calls.Add(0);
  // What came is read with what is known.
  EXPECT_THAT(calls.held().KnownBytes(), Ge(int64_t{1} << 61));
  calls.Deliver(call, 1000);
  EXPECT_EQ(calls.held().KnownBytes(), 14 << 10);
}

// As if their calls were refused while they sent.
TEST(HeldBytesTest, SendersMayHaveHadCalls) {
  WaitingCalls calls;
  const auto has_calls = [&] {
    std::vector<bool> all;
    for (const HeldBytes::Sender& sender : calls.held().Senders()) {
      all.push_back(sender.has_calls);
    }
    return all;
  };
  calls.SetReceivedFrom("other", 9 * kMB);
  EXPECT_THAT(has_calls(), ElementsAre(false));
  const int call = calls.Add(0);
  calls.SetReceived(0, 5 * kMB);
  EXPECT_THAT(has_calls(), ElementsAre(false, true));
  calls.End(call);
  ASSERT_TRUE(WaitUntil([&] { return Holdings(calls).empty(); }));
  EXPECT_THAT(has_calls(), ElementsAre(false, true));
  calls.held().BeginEpoch();
  calls.SetReceived(0, 8 * kMB);
  EXPECT_THAT(has_calls(), ElementsAre(false, true));
  calls.held().BeginEpoch();
  calls.SetReceived(0, 9 * kMB);
  EXPECT_THAT(has_calls(), ElementsAre(false));
}

TEST(HeldBytesTest, MessagesThatCameAreNotHeld) {
  WaitingCalls calls;
  const int first = calls.Add(0);
  calls.Add(0);
  calls.SetReceived(0, 12 * kMB);
  calls.Deliver(first, 4 * kMB);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(8 * kMB), 2)));
  calls.End(first);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(8 * kMB), 1)));
}

// Headers and frames come too.
TEST(HeldBytesTest, CallsForHoursHoldNothing) {
  WaitingCalls calls;
  calls.Add(0);  // without which all would be forgotten
  constexpr int64_t kMessage = 1000, kHeaders = 120;
  int64_t received = 0;
  for (int i = 0; i < 200; ++i) {
    const int call = calls.Add(0);
    calls.Deliver(call, kMessage);
    calls.End(call);
    received += kMessage + kHeaders;
    calls.SetReceived(0, received);
    if (i % 10 == 0) calls.held().BeginEpoch();
  }
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(Le(kHeaders), 1)));
  // Nor have they credit.
  calls.SetReceived(0, received + kMB);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(kMB), 1)));
}

// Each takes seven bytes of a connection, headers of frames left out.
TEST(HeldBytesTest, MessagesOfNothingHideNothing) {
  WaitingCalls calls;
  const int stream = calls.Add(0);
  calls.Add(0);
  constexpr int kNumMessages = 10'000;
  for (int i = 0; i < kNumMessages; ++i) calls.Deliver(stream, 0);
  calls.SetReceived(0, kMB + 7 * kNumMessages);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(Ge(kMB), 2)));
}

// Calls that have their message hold what they do not read.
TEST(HeldBytesTest, WhatCallsDoNotReadIsHeld) {
  WaitingCalls calls;
  calls.Deliver(calls.Add(0), 10);
  calls.SetReceived(0, kMB);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(kMB), 1)));
}

// What was sent for them is gone, as soon as none of then waits.
TEST(HeldBytesTest, CallsThatEndedAreForgotten) {
  WaitingCalls calls;
  const int ended = calls.Add(0);
  calls.SetReceived(0, 9 * kMB);
  calls.End(ended);
  calls.Add(0);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(9 * kMB), 1)));
  calls.held().BeginEpoch();
  const int old = calls.Add(0);
  calls.End(1);
  calls.SetReceived(0, 11 * kMB);
  calls.held().BeginEpoch();
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(About(2 * kMB), 1)));
  // While that is there it may be what holds it; and is so less and less.
  calls.held().BeginEpoch();
  calls.held().BeginEpoch();
  EXPECT_THAT(Holdings(calls),
              ElementsAre(Pair(
                  AllOf(Ge(2 * kMB / 64 * 61), Le(2 * kMB / 64 * 63)), 1)));
  for (int i = 0; i < 44; ++i) calls.held().BeginEpoch();
  EXPECT_THAT(Holdings(calls),
              ElementsAre(Pair(AllOf(Ge(2 * kMB / 100 * 45), Le(kMB)), 1)));
  calls.End(old);
  calls.held().BeginEpoch();
  calls.Add(0);
  EXPECT_THAT(Holdings(calls), ElementsAre(Pair(0, 1)));
}

TEST(HeldBytesTest, WhatIsGivenUpIsNotHeld) {
  WaitingCalls calls;
  calls.Add(0);
  calls.Add(0);
  calls.Add(1);
  calls.SetReceived(0, 10 * kMB);
  calls.SetReceived(1, kMB);
  const auto holdings = calls.held().Holdings(Estimate::kKnown);
  CallerWaits::Quotas quotas = {
      {holdings[0].connection, {.num_calls = 1, .bytes_each = 5 * kMB}}};
  EXPECT_EQ(calls.all().EndOf(quotas, GivingUp::kShortMemory), 1);
  EXPECT_THAT(calls.given_up(), ElementsAre(0));
  EXPECT_THAT(Holdings(calls),
              ElementsAre(Pair(About(5 * kMB), 1), Pair(About(kMB), 1)));
  // The one that ended may have held nothing.
  EXPECT_THAT(Holdings(calls, Estimate::kPossible),
              ElementsAre(Pair(About(10 * kMB), 1), Pair(About(kMB), 1)));
}

// Until their callers have read how, which lets go of them.
TEST(HeldBytesTest, CallsThatEndedAreHeld) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "ended-calls-", getpid());
  for (const std::string& address :
       {std::string("127.0.0.1:0"), absl::StrCat("unix:", path)}) {
    WaitingCalls calls(address);
    const int one = calls.Add(0);
    const int two = calls.Add(0);
    if (address[0] != 'u') calls.SetReceived(0, 100);
    calls.SetEnded(one);
    calls.SetEnded(one);
    EXPECT_THAT(Holdings(calls), ElementsAre(Pair(kCallFootprintBytes, 2)));
    calls.SetEnded(two);
    EXPECT_THAT(Holdings(calls), ElementsAre(Pair(2 * kCallFootprintBytes, 2)));
    calls.End(one);
    EXPECT_THAT(Holdings(calls), ElementsAre(Pair(kCallFootprintBytes, 1)));
  }
}

TEST(HeldBytesTest, OneCallKeepsItsConnection) {
  WaitingCalls calls;
  const auto add = [&](int connection) -> HeldBytes::Call& {
    HeldBytes::Call& call = calls.held(calls.Add(connection));
    call.StartKeeping();
    return call;
  };
  HeldBytes::Call& one = add(0);
  calls.Add(0);  // as a call of health, it keeps nothing
  EXPECT_FALSE(one.LeaveItToOthers());
  HeldBytes::Call& two = add(0);
  EXPECT_TRUE(one.LeaveItToOthers());
  EXPECT_TRUE(one.LeaveItToOthers());
  EXPECT_FALSE(two.LeaveItToOthers());
  HeldBytes::Call& elsewhere = add(1);
  EXPECT_FALSE(elsewhere.LeaveItToOthers());
  EXPECT_FALSE(two.LeaveItToOthers());
  HeldBytes::Call& three = add(0);
  three.Leave();
  EXPECT_FALSE(two.LeaveItToOthers());
  EXPECT_TRUE(three.LeaveItToOthers());
  const int four = calls.Add(0);
  calls.held(four).StartKeeping();
  calls.End(four);
  EXPECT_FALSE(two.LeaveItToOthers());
  add(0).StopKeeping();
  EXPECT_FALSE(two.LeaveItToOthers());
}

TEST(HeldBytesTest, SmallRepliesAreCountedUntilTheirCallsAreDone) {
  WaitingCalls calls;
  const int one = calls.Add(0);
  EXPECT_EQ(calls.held(one).StartSmallReply(100), 100);
  EXPECT_EQ(calls.held(calls.Add(0)).StartSmallReply(10), 110);
  EXPECT_EQ(calls.held(calls.Add(1)).StartSmallReply(1), 1);
  calls.End(one);
  EXPECT_EQ(calls.held(calls.Add(0)).StartSmallReply(5), 15);
}

// Each is credited more than it takes: that may hide something.
TEST(HeldBytesTest, NobodyHidesBehindManyCalls) {
  WaitingCalls calls;
  calls.Add(0);
  constexpr int kNumCalls = 200;
  constexpr int64_t kHidden = 20'000;
  for (int i = 0; i < kNumCalls; ++i) {
    const int call = calls.Add(0);
    calls.Deliver(call, 0);
    calls.End(call);
  }
  calls.Add(1);
  calls.SetReceived(0, 40 * kNumCalls + kHidden);
  calls.SetReceived(1, 1000);
  EXPECT_THAT(Holdings(calls),
              ElementsAre(Pair(AllOf(Ge(700), Le(1000)), 1), Pair(0, 1)));
  EXPECT_THAT(
      Holdings(calls, Estimate::kPossible),
      ElementsAre(Pair(AllOf(Ge(kHidden), Le(kHidden + kHidden / 20)), 1),
                  Pair(AllOf(Ge(900), Le(1000)), 1)));
}

TEST(HeldBytesTest, UnixSocketsDoNotCountTheirBytes) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "waiting-calls-", getpid());
  WaitingCalls calls(absl::StrCat("unix:", path));
  calls.Add(0);
  calls.Add(0);
  calls.Add(0, {.is_between_messages = true});
  calls.Deliver(calls.Add(0), 10);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_THAT(Holdings(calls), ElementsAre(Pair(0, 4)));
    EXPECT_THAT(Holdings(calls, Estimate::kPossible),
                ElementsAre(Pair((2 << 20) + (2 << 16), 4)));
    calls.held().BeginEpoch();
  }
}

}  // namespace
}  // namespace stridecast::testing
