// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// One channel to several server programs: calls by turns, servers that drain
// and servers that die.

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/channel.h"
#include "stridecast/client.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;

class RoundRobinTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> addresses;
    for (int i = 0; i < 3; ++i) {
      servers_.push_back(std::make_unique<ServerProcess>(
          STRIDECAST_SERVER_PROGRAM,
          // Longer than the test may take: the test ends it.
          std::vector<std::string>{"--listen=127.0.0.1:0",
                                   "--drain-delay-seconds=100"}));
    }
    for (const auto& server : servers_) {
      addresses.push_back(server->WaitForAddress());
      ASSERT_FALSE(addresses.back().empty()) << server->err();
    }
    ChannelOptions options;
    options.round_robin = true;
    const auto channel =
        MakeChannel("ipv4:" + absl::StrJoin(addresses, ","), options);
    ASSERT_TRUE(channel.ok()) << channel.status();
    client_ = std::make_unique<Client>(*channel);
    ASSERT_TRUE(CallsUntil([&] {
      const std::vector<int> counts = Counts();
      return *std::min_element(counts.begin(), counts.end()) > 0;
    })) << "not all are connected";
  }

  // How many calls each server has ended.
  std::vector<int> Counts() {
    // A call is in the log a little after its end.
    absl::Time limit = absl::Now() + absl::Seconds(10);
    std::vector<int> counts;
    do {
      counts.clear();
      for (const auto& server : servers_) {
        const std::string log = server->err();
        int count = 0;
        for (size_t at = 0;
             (at = log.find("GetServerInfo OK", at)) != std::string::npos;
             ++at) {
          ++count;
        }
        counts.push_back(count);
      }
    } while (counts[0] + counts[1] + counts[2] < num_calls_ &&
             absl::Now() < limit);
    return counts;
  }

  // None may fail.
  void Call(int count) {
    for (int i = 0; i < count; ++i) {
      const auto info = client_->GetServerInfo();
      ASSERT_TRUE(info.ok()) << info.status();
      ++num_calls_;
    }
  }

  template <typename Condition>
  bool CallsUntil(const Condition& condition) {
    const absl::Time limit = absl::Now() + absl::Seconds(30);
    while (!condition()) {
      if (HasFatalFailure() || absl::Now() > limit) return false;
      Call(1);
    }
    return true;
  }

  // How many of the next calls each server gets.
  std::vector<int> CountsOf(int num_calls) {
    const std::vector<int> before = Counts();
    Call(num_calls);
    std::vector<int> counts = Counts();
    for (size_t i = 0; i < counts.size(); ++i) counts[i] -= before[i];
    return counts;
  }

  std::vector<std::unique_ptr<ServerProcess>> servers_;
  std::unique_ptr<Client> client_;
  int num_calls_ = 0;
};

TEST_F(RoundRobinTest, CallsAreSpreadEvenly) {
  EXPECT_THAT(CountsOf(30), Each(10));
}

// Each attempt to reach a server that is gone starts the turns anew, anywhere:
// the counts need not be equal.
TEST_F(RoundRobinTest, AServerThatDrainsGetsNoCallsAndNoneFails) {
  servers_[1]->Signal(SIGTERM);
  EXPECT_TRUE(CallsUntil([&] { return CountsOf(10)[1] == 0; }));
  const std::vector<int> counts = CountsOf(20);
  EXPECT_THAT(counts, ElementsAre(Ge(8), 0, Ge(8)));
  // The other two know nothing of it.
  servers_[1]->Signal(SIGTERM);  // at once
  EXPECT_TRUE(servers_[1]->WaitForExit().has_value());
  EXPECT_THAT(CountsOf(20), ElementsAre(Ge(8), 0, Ge(8)));
}

TEST_F(RoundRobinTest, AServerThatDiesIsLeftAndNoCallFails) {
  servers_[0]->Signal(SIGKILL);
  EXPECT_EQ(servers_[0]->WaitForExit(), 128 + SIGKILL);
  Call(30);
  const std::vector<int> counts = CountsOf(20);
  EXPECT_THAT(counts, ElementsAre(0, Ge(8), Ge(8)));
}

}  // namespace
}  // namespace stridecast::testing
