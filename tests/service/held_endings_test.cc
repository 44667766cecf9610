// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// When calls end that wait for their replies to be read.

#include "server/held_endings.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  FakeKeeper& Add(const std::string& peer, bool is_small = true) {
    FakeKeeper& keeper = *keepers_.emplace_back(std::make_unique<FakeKeeper>());
    endings_.Add({.peer = peer,
                  .keeper = &keeper,
                  .is_small = is_small,
                  .end = [this, peer, &keeper] {
                    EXPECT_FALSE(keeper.keeps);
                    ended_.push_back(peer);
                  }});
    return keeper;
  }
  void EndThoseOf(const std::string& read, Arrival others) {
    endings_.EndThose(
        [&](const std::string& peer, std::optional<int64_t>& written) {
          if (!written.has_value()) written = ++num_written_;
          return peer == read ? Arrival::kRead : others;
        });
  }

  HeldEndings endings_;
  std::vector<std::unique_ptr<FakeKeeper>> keepers_;
  std::vector<std::string> ended_;
  int64_t num_written_ = 0;
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

TEST_F(HeldEndingsTest, SmallOnesAreLeftToOthers) {
  endings_.SetHolding(true);
  FakeKeeper& a = Add("a");
  FakeKeeper& great = Add("b", /*is_small=*/false);
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_EQ(endings_.num_held(), 2);
  EXPECT_EQ(num_written_, 2);
  a.others_keep = true;
  great.others_keep = true;
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("a"));
  EXPECT_EQ(num_written_, 2);  // asked once
  great.keeps = false;         // its caller has left
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("a", "b"));
  EXPECT_EQ(endings_.num_held(), 0);
}

TEST_F(HeldEndingsTest, WhatMayEndNowKeepsNothing) {
  FakeKeeper keeper;
  EXPECT_TRUE(endings_.MayEndNow(keeper, /*is_small=*/false));
  EXPECT_FALSE(keeper.keeps);
  keeper.keeps = true;
  endings_.SetHolding(true);
  EXPECT_FALSE(endings_.MayEndNow(keeper, /*is_small=*/true));
  keeper.others_keep = true;
  EXPECT_FALSE(endings_.MayEndNow(keeper, /*is_small=*/false));
  EXPECT_TRUE(keeper.keeps);
  EXPECT_TRUE(endings_.MayEndNow(keeper, /*is_small=*/true));
  EXPECT_FALSE(keeper.keeps);
}

TEST_F(HeldEndingsTest, AConnectionThatIsNeverSilentHoldsForASecond) {
  endings_.SetHolding(true);
  Add("a");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(WaitUntil([this] {
    EndThoseOf("none", Arrival::kAcknowledged);
    return !ended_.empty();
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace stridecast::testing
