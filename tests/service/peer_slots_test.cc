// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/peer_slots.h"

#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "server/admission.h"

namespace stridecast {
namespace {

// Two connections.
constexpr char kNames[2] = {};
constexpr ConnectionId a = &kNames[0], b = &kNames[1];

TEST(PeerSlotsTest, NoPeerHasMoreThanItsShare) {
  PeerSlots slots(5, 2, "calls");
  PeerSlot first = *slots.Take(a);
  const PeerSlot second = *slots.Take(a);
  const absl::Status refused = slots.Take(a).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(refused.message(),
            "2 calls, as many as a connection may have, are under way on this "
            "one");
  EXPECT_EQ(RetryDelay(refused), kRetryDelay);
  EXPECT_TRUE(slots.Take(b).ok());
  first = PeerSlot();
  EXPECT_EQ(slots.num_taken(), 1);
  EXPECT_TRUE(slots.Take(a).ok());
  EXPECT_EQ(slots.num_refused(), 1);
}

TEST(PeerSlotsTest, AllPeersTogetherHaveNoMoreThanThereAre) {
  PeerSlots slots(3, 2, "calls");
  std::vector<PeerSlot> taken;
  for (const ConnectionId id : {a, a, b}) taken.push_back(*slots.Take(id));
  const absl::Status refused = slots.Take(b).status();
  EXPECT_EQ(refused.message(),
            "3 calls, as many as there may be, are under way");
  EXPECT_EQ(RetryDelay(refused), kRetryDelay);
  taken.erase(taken.begin());
  EXPECT_TRUE(slots.Take(b).ok());
  taken.clear();
  EXPECT_EQ(slots.num_taken(), 0);
}

TEST(PeerSlotsTest, RoomIsMadeWhereAllAreTaken) {
  PeerSlots slots(2, 2, "calls");
  std::vector<PeerSlot> taken;
  const auto give_back = [&] {
    if (taken.empty()) return false;
    taken.erase(taken.begin());
    return true;
  };
  for (int i = 0; i < 2; ++i) taken.push_back(*slots.Take(a, give_back));
  EXPECT_FALSE(slots.Take(a, give_back).ok()) << "has its share";
  EXPECT_EQ(slots.num_taken(), 2);
  EXPECT_EQ(slots.num_refused(), 1);
  const auto fresh = slots.Take(b, give_back);
  EXPECT_TRUE(fresh.ok());
  EXPECT_EQ(taken.size(), 1);
  EXPECT_EQ(slots.num_taken(), 2);
  EXPECT_EQ(slots.num_refused(), 2);
  EXPECT_TRUE(slots.Take(b, give_back).ok());
  EXPECT_EQ(slots.num_taken(), 1);
}

TEST(PeerSlotsTest, ASlotIsGivenBackOnce) {
  PeerSlots slots(2, 2, "calls");
  {
    PeerSlot slot = *slots.Take(a);
    PeerSlot moved = std::move(slot);
    slot = std::move(moved);
    EXPECT_EQ(slots.num_taken(), 1);
  }
  EXPECT_EQ(slots.num_taken(), 0);
}

TEST(PeerSlotsTest, ManyThreads) {
  PeerSlots slots(8, 4, "calls");
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&slots, t] {
      for (int i = 0; i < 10'000; ++i) {
        const absl::StatusOr<PeerSlot> slot =
            slots.Take((t + i) % 2 == 0 ? a : b);
        ASSERT_TRUE(slot.ok()) << "four threads never need more";
      }
    });
  }
  threads.clear();
  EXPECT_EQ(slots.num_taken(), 0);
}

}  // namespace
}  // namespace stridecast
