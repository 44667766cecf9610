// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// When calls end that wait for their replies to be read.

#include "server/held_endings.h"

#include <chrono>
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

class HeldEndingsTest : public ::testing::Test {
 protected:
  void Add(const std::string& peer) {
    endings_.Add({.peer = peer,
                  .leave_to_others = [this] { return others_wait_; },
                  .end = [this, peer] { ended_.push_back(peer); }});
  }
  void EndThoseOf(const std::string& read, Arrival others) {
    endings_.EndThose([&](const std::string& peer) {
      return peer == read ? Arrival::kRead : others;
    });
  }

  HeldEndings endings_;
  bool others_wait_ = false;
  std::vector<std::string> ended_;
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

TEST_F(HeldEndingsTest, WhatIsLeftToOthersEnds) {
  endings_.SetHolding(true);
  Add("a");
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, IsEmpty());
  others_wait_ = true;
  Add("b");
  EXPECT_THAT(ended_, ElementsAre("b"));
  EndThoseOf("none", Arrival::kUnsent);
  EXPECT_THAT(ended_, ElementsAre("b", "a"));
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
