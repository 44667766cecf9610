// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// When calls end that wait for their replies to be read.

#include "server/held_endings.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/open_connections.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct FakeKeeper final : ConnectionKeeper {
  bool is_keeping() const override { return keeps; }
  bool LeaveItToOthers() override {
    keeps = keeps && !others_keep;
    return !keeps;
  }
  void StopKeeping() override { keeps = false; }

  bool keeps = true;
  bool others_keep = false;
};

class HeldEndingsTest : public ::testing::Test {
 protected:
  FakeKeeper& Add(const std::string& peer) {
    FakeKeeper& keeper = *keepers_.emplace_back(std::make_unique<FakeKeeper>());
    endings_.Add(
        {.peer = peer, .keeper = &keeper, .end = [this, peer, &keeper] {
           EXPECT_FALSE(keeper.keeps);
           ended_.push_back(peer);
         }});
    return keeper;
  }
  void EndThoseOf(const std::string& read, Arrival others) {
    endings_.EndThose([&](absl::Span<Written* const> written) {
      std::vector<Arrival> arrivals;
      for (Written* each : written) {
        num_new_ += static_cast<int>(!each->is_known);
        each->is_known = true;
        arrivals.push_back(each->peer == read ? Arrival::kRead : others);
      }
      return arrivals;
    });
  }

  HeldEndings endings_;
  std::vector<std::unique_ptr<FakeKeeper>> keepers_;
  std::vector<std::string> ended_;
  int num_new_ = 0;
};

TEST_F(HeldEndingsTest, NothingIsHeldUnasked) {
  Add("a");
  EXPECT_THAT(ended_, ElementsAre("a"));
}

TEST_F(HeldEndingsTest, WhatWasReadEnds) {
  endings_.SetHolding(true);
  Add("a");
  Add("b");
  Add("c");
  EXPECT_THAT(ended_, IsEmpty());
  EndThoseOf("b", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("b"));
  EndThoseOf("a", Arrival::kAcknowledged);
  EXPECT_THAT(ended_, ElementsAre("b", "a"));
  endings_.SetHolding(false);
  EXPECT_THAT(ended_, ElementsAre("b", "a", "c"));
  Add("d");
  EXPECT_THAT(ended_, ElementsAre("b", "a", "c", "d"));
}

// But not before the peer has everything, for those might leave.
TEST_F(HeldEndingsTest, WhatHasArrivedIsLeftToOthers) {
  endings_.SetHolding(true);
  FakeKeeper& a = Add("a");
  FakeKeeper& b = Add("b");
  EXPECT_EQ(endings_.num_held(), 2);
  a.others_keep = true;
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_EQ(num_new_, 2);
  EndThoseOf("none", Arrival::kAcknowledged);
  EXPECT_THAT(ended_, ElementsAre("a"));
  EXPECT_EQ(endings_.num_held(), 1);
  EXPECT_EQ(num_new_, 2);  // asked once
  b.keeps = false;         // its caller has left
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("a", "b"));
  EXPECT_EQ(endings_.num_held(), 0);
}

TEST_F(HeldEndingsTest, WhatMayEndNowKeepsNothing) {
  FakeKeeper keeper;
  EXPECT_TRUE(endings_.MayEndNow(keeper));
  EXPECT_FALSE(keeper.keeps);
  keeper.keeps = true;
  endings_.SetHolding(true);
  keeper.others_keep = true;
  EXPECT_FALSE(endings_.MayEndNow(keeper));
  EXPECT_TRUE(keeper.keeps);
  keeper.keeps = false;
  EXPECT_TRUE(endings_.MayEndNow(keeper));
}

// A call may end while others are looked at, and is held with them.
TEST_F(HeldEndingsTest, WhatIsAddedDuringALookStays) {
  endings_.SetHolding(true);
  Add("a");
  endings_.EndThose([this](absl::Span<Written* const> written) {
    Add("b");
    EXPECT_EQ(endings_.num_held(), 2);
    return std::vector<Arrival>(written.size(), Arrival::kUnsent);
  });
  EXPECT_EQ(endings_.num_held(), 2);
  EndThoseOf("b", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("b"));
  endings_.SetHolding(false);
  EXPECT_THAT(ended_, ElementsAre("b", "a"));
}

TEST_F(HeldEndingsTest, AConnectionThatIsNeverSilentHoldsForSeconds) {
  endings_.SetHolding(true);
  Add("a");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(WaitUntil([this] {
    EndThoseOf("none", Arrival::kAcknowledged);
    return !ended_.empty();
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace stridecast::testing
