// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Three servers, each on a machine of its own (a network namespace), and a
// client under constant load: what the library's user sees while servers are
// replaced one after the other, die, and vanish from the network. No call may
// fail, and no caller may wait for 5 s.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
#include "tests/e2e/constant_load.h"
#include "tests/support/server_process.h"
#include "tests/support/test_network.h"

namespace stridecast::testing {
namespace {

using ::testing::IsEmpty;

constexpr int kReplicas = 3;
constexpr absl::Duration kLongestGap = absl::Seconds(5);
// After a fault, of each caller: so many that all replicas are asked.
constexpr int kAnswers = 30;

const TestNetwork* network = nullptr;

class RollingRestartTest : public ::testing::Test {
 protected:
  // Starts the servers, with `flags`, and the load; returns when all get calls.
  void Start(const std::vector<std::string>& flags,
             const ChannelOptions& options) {
    flags_ = flags;
    servers_.resize(kReplicas);
    std::vector<std::string> addresses;
    for (int i = 0; i < kReplicas; ++i) {
      ASSERT_NO_FATAL_FAILURE(StartServer(i));
      addresses.push_back(Address(i));
    }
    ChannelOptions round_robin = options;
    round_robin.round_robin = true;
    const auto channel =
        MakeChannel("ipv4:" + absl::StrJoin(addresses, ","), round_robin);
    ASSERT_TRUE(channel.ok()) << channel.status();
    load_ = std::make_unique<ConstantLoad>(Client(*channel));
    for (int i = 0; i < kReplicas; ++i) WaitForCalls(i);
    load_->Take();
  }

  void StartServer(int i) {
    std::vector<std::string> arguments = flags_;
    arguments.push_back("--listen=" + Address(i));
    arguments.push_back("--allow-plaintext");
    {
      const TestNetwork::Visit visit(*network, i);
      server(i) =
          std::make_unique<ServerProcess>(STRIDECAST_SERVER_PROGRAM, arguments);
    }
    ASSERT_EQ(server(i)->WaitForAddress(), Address(i)) << server(i)->err();
  }

  static std::string Address(int i) {
    return TestNetwork::AddressOf(i) + ":50051";
  }

  std::unique_ptr<ServerProcess>& server(int i) {
    return servers_[static_cast<size_t>(i)];
  }

  // How many calls server `i` has answered.
  int64_t CountCalls(int i) {
    const std::string log = server(i)->err();
    int64_t count = 0;
    for (size_t at = 0; (at = log.find("Compute OK", at)) != log.npos; ++at) {
      ++count;
    }
    return count;
  }

  // Returns when server `i` gets calls that it did not get yet.
  void WaitForCalls(int i) {
    const int64_t before = CountCalls(i);
    const absl::Time limit = absl::Now() + absl::Minutes(1);
    while (CountCalls(i) <= before + 10) {
      ASSERT_LT(absl::Now(), limit) << "server " << i << " gets no calls";
      absl::SleepFor(absl::Milliseconds(50));
    }
  }

  // Each server in turn drains, ends and is replaced at the same address.
  void ReplaceAll() {
    for (int i = 0; i < kReplicas; ++i) {
      server(i)->Signal(SIGTERM);
      ASSERT_EQ(server(i)->WaitForExit(), 0) << server(i)->err();
      ASSERT_NO_FATAL_FAILURE(StartServer(i));
      ASSERT_NO_FATAL_FAILURE(WaitForCalls(i));
    }
  }

  // What callers saw since they were asked last.
  void ExpectNoFailures(const std::string& while_what) {
    const ConstantLoad::Figures figures = load_->Take();
    std::printf("%s: %lld calls, %zu failed, longest gap %s\n",
                while_what.c_str(), static_cast<long long>(figures.num_calls),
                figures.failures.size(),
                absl::FormatDuration(figures.longest_gap).c_str());
    EXPECT_THAT(figures.failures, IsEmpty()) << while_what;
    EXPECT_GE(figures.num_calls, 6 * kAnswers) << while_what;
    EXPECT_LT(figures.longest_gap, kLongestGap) << while_what;
    longest_gap_ = figures.longest_gap;
  }

  std::vector<std::string> flags_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
  std::unique_ptr<ConstantLoad> load_;  // ends before the servers
  absl::Duration longest_gap_;
};

TEST_F(RollingRestartTest, WithDefaults) {
  ASSERT_NO_FATAL_FAILURE(Start({}, {}));
  ASSERT_NO_FATAL_FAILURE(ReplaceAll());
  ExpectNoFailures("servers are replaced, after 5 s of draining");
}

// So calls cross the very moments in which a server refuses them and in which
// it closes the connection; twelve times, as about one in twelve did harm.
TEST_F(RollingRestartTest, WhoAsksForNoHealthIsToldLate) {
  ChannelOptions options;
  options.health_service = "";
  ASSERT_NO_FATAL_FAILURE(Start({"--drain-delay-seconds=1"}, options));
  for (int pass = 0; pass < 4; ++pass) {
    ASSERT_NO_FATAL_FAILURE(ReplaceAll());
  }
  ExpectNoFailures("12 servers are replaced, without health");
}

TEST_F(RollingRestartTest, AServerIsKilled) {
  ASSERT_NO_FATAL_FAILURE(Start({}, {}));
  for (int i = 0; i < kReplicas; ++i) {
    server(i)->Signal(SIGKILL);
    ASSERT_EQ(server(i)->WaitForExit(), 128 + SIGKILL);
    ASSERT_TRUE(load_->WaitForAnswers(kAnswers));
    ExpectNoFailures(absl::StrCat("server ", i, " is killed"));
    ASSERT_NO_FATAL_FAILURE(StartServer(i));
    ASSERT_NO_FATAL_FAILURE(WaitForCalls(i));
    ASSERT_TRUE(load_->WaitForAnswers(kAnswers));
    ExpectNoFailures("it is replaced");
  }
}

TEST_F(RollingRestartTest, TheNetworkOfAServerVanishes) {
  ASSERT_NO_FATAL_FAILURE(Start({}, {}));
  for (int i = 0; i < kReplicas; ++i) {
    ASSERT_EQ(network->Unplug(i), absl::OkStatus());
    ASSERT_TRUE(load_->WaitForAnswers(kAnswers));
    ExpectNoFailures(absl::StrCat("the network of server ", i, " vanishes"));
    EXPECT_GT(longest_gap_, absl::Seconds(1)) << "somebody was told";
    ASSERT_EQ(network->Plug(i), absl::OkStatus());
    ASSERT_NO_FATAL_FAILURE(WaitForCalls(i));
    ASSERT_TRUE(load_->WaitForAnswers(kAnswers));
    ExpectNoFailures("it is back");
  }
}

}  // namespace
}  // namespace stridecast::testing

int main(int argc, char** argv) {
  const auto network =
      stridecast::testing::TestNetwork::Create(stridecast::testing::kReplicas);
  if (!network.ok()) {
    const bool is_required = std::getenv("TESTS_REQUIRE_NETNS") != nullptr;
    std::fprintf(stderr, "rolling_restart_test: %s, as it needs root: %s\n",
                 is_required ? "failed" : "skipped",
                 network.status().ToString().c_str());
    return is_required ? 1 : 77;
  }
  stridecast::testing::network = &*network;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
