// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Whose connections are to be closed because nobody reads how calls ended.

#include "server/caller_waits.h"

#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/service/waiting_calls.h"

namespace stridecast::testing {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> EndLate(WaitingCalls& calls, CallerWait::Time now) {
  return calls.all().EndLate([](Crowd) { return false; }, now);
}

class LateCallsTest : public ::testing::Test {
 protected:
  const CallerWait::Time start_ = CallerWait::Time::clock::now();
  WaitingCalls calls_;
};

TEST_F(LateCallsTest, TwentySecondsAfterTheyWereFoundEnded) {
  const int call = calls_.Add(0);
  calls_.Deliver(call, 100);
  calls_.SetEnded(call);
  calls_.SetLate(call, start_ + seconds(10));
  EXPECT_THAT(EndLate(calls_, start_ + seconds(9)), IsEmpty());
  EXPECT_FALSE(calls_.was_stuck(call));
  EXPECT_THAT(EndLate(calls_, start_ + seconds(11)), IsEmpty());
  EXPECT_TRUE(calls_.was_stuck(call));
  EXPECT_THAT(EndLate(calls_, start_ + seconds(30)), IsEmpty());
  EXPECT_THAT(EndLate(calls_, start_ + seconds(31)),
              ElementsAre(calls_.peer(0)));
  calls_.End(call);
  EXPECT_THAT(EndLate(calls_, start_ + seconds(32)), IsEmpty());
}

TEST_F(LateCallsTest, NotWhileTheyWaitForAnythingElse) {
  const int call = calls_.Add(0);
  calls_.Deliver(call, 100);
  calls_.SetLate(call, start_);
  EXPECT_THAT(EndLate(calls_, start_ + seconds(1)), IsEmpty());
  EXPECT_THAT(EndLate(calls_, start_ + seconds(60)), IsEmpty());
  EXPECT_FALSE(calls_.was_stuck(call));
  calls_.SetEnded(call);
  EXPECT_THAT(EndLate(calls_, start_ + seconds(61)), IsEmpty());
  EXPECT_THAT(EndLate(calls_, start_ + seconds(81)),
              ElementsAre(calls_.peer(0)));
}

// As a stream that still reads when its writes are stuck.
TEST_F(LateCallsTest, WhoWaitedForAMessage) {
  const int call = calls_.Add(0);
  EXPECT_EQ(calls_.all().num_for_messages(), 1);
  calls_.SetEnded(call);
  calls_.SetLate(call, start_);
  EXPECT_EQ(calls_.all().num_for_messages(), 0);
  EXPECT_THAT(EndLate(calls_, start_ + seconds(1)), IsEmpty());
  EXPECT_THAT(EndLate(calls_, start_ + seconds(21)),
              ElementsAre(calls_.peer(0)));
  EXPECT_THAT(calls_.given_up(), IsEmpty());
}

TEST_F(LateCallsTest, WhoWasToldToGiveUp) {
  calls_.Linger();
  const int told = calls_.Add(0);
  const int deaf = calls_.Add(1);
  EXPECT_EQ(calls_.all().EndLongest(2, GivingUp::kShortMemory), 2);
  EXPECT_THAT(calls_.given_up(), ElementsAre(told, deaf));
  calls_.SetEnded(deaf);
  EXPECT_THAT(EndLate(calls_, start_ + seconds(1)), IsEmpty());
  EXPECT_THAT(EndLate(calls_, start_ + seconds(21)),
              ElementsAre(calls_.peer(1)));
}

}  // namespace
}  // namespace stridecast::testing
