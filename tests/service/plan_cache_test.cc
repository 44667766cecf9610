// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "server/plan_cache.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace stridecast {
namespace {

// What a cache was asked to make, with a number of its own in each.
struct Maker {
  absl::StatusOr<PlanCache::Value> operator()() const {
    PlannedRequest made;
    made.reply_head = absl::StrCat(++count);
    return std::make_shared<const PlannedRequest>(std::move(made));
  }
  mutable int count = 0;
};

class PlanCacheTest : public ::testing::Test {
 protected:
  // The number of what the cache has or makes.
  std::string Get(const std::string& head,
                  SpecSource source = SpecSource::kCompute) {
    return cache_.Get(source, head, maker_).value()->reply_head;
  }

  Maker maker_;
  PlanCache cache_{3};
};

TEST_F(PlanCacheTest, EqualBytesShareAnEntry) {
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get(std::string("a")), "1");
  EXPECT_EQ(cache_.counts().hits, 2);
  EXPECT_EQ(cache_.counts().misses, 1);
  EXPECT_EQ(cache_.counts().entries, 1);
}

TEST_F(PlanCacheTest, OtherBytesOrMethodsDoNot) {
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("a", SpecSource::kRelayout), "2");
  EXPECT_EQ(Get(std::string("a\0", 2)), "3");
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("a", SpecSource::kRelayout), "2");
}

TEST_F(PlanCacheTest, TheLeastRecentlyUsedOneGoes) {
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("b"), "2");
  EXPECT_EQ(Get("c"), "3");
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("d"), "4");
  EXPECT_EQ(cache_.counts().entries, 3);
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("c"), "3");
  EXPECT_EQ(Get("b"), "5");
}

TEST_F(PlanCacheTest, WhatIsInUseOutlivesItsEntry) {
  const PlanCache::Value value =
      cache_.Get(SpecSource::kCompute, "a", maker_).value();
  for (const char* head : {"b", "c", "d"}) Get(head);
  EXPECT_EQ(value->reply_head, "1");
  EXPECT_EQ(value.use_count(), 1);
}

TEST_F(PlanCacheTest, ErrorsAreNotKept) {
  const auto fail = []() -> absl::StatusOr<PlanCache::Value> {
    return absl::InvalidArgumentError("no plan");
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cache_.Get(SpecSource::kCompute, "a", fail).status().message(),
              "no plan");
  }
  EXPECT_EQ(cache_.counts().entries, 0);
  EXPECT_EQ(Get("a"), "1");
}

TEST_F(PlanCacheTest, LongRequestsAreNotKept) {
  const std::string head(4097, 'a');
  EXPECT_EQ(Get(head), "1");
  EXPECT_EQ(Get(head), "2");
  EXPECT_EQ(cache_.counts().entries, 0);
  EXPECT_EQ(Get(head.substr(1)), "3");
  EXPECT_EQ(Get(head.substr(1)), "3");
}

TEST_F(PlanCacheTest, WithoutEntriesNothingIsKept) {
  PlanCache none(0);
  for (const char* number : {"1", "2"}) {
    EXPECT_EQ(none.Get(SpecSource::kCompute, "a", maker_).value()->reply_head,
              number);
  }
}

// A reference of a byte in a CONCATENATE is a pass of its own in the plan.
TEST_F(PlanCacheTest, LargePlansAreNotKept) {
  const auto engine = Engine::Create({}).value();
  for (const auto& [num_parts, is_kept] :
       std::vector<std::pair<int, bool>>{{4, true}, {1000, false}}) {
    PlanCache cache(10);
    const auto make = [&, count =
                              num_parts]() -> absl::StatusOr<PlanCache::Value> {
      PlannedRequest made;
      made.plan =
          engine
              ->Prepare(testing::Program(
                  {testing::Desc(DType::kF32, {2, 2})},
                  {testing::Op(Opcode::kConcatenate,
                               testing::ValueIds(static_cast<size_t>(count), 0),
                               DimensionsAttribute{{0}})}))
              .value();
      EXPECT_GT(made.plan->memory_bytes(), 500 * count);
      return std::make_shared<const PlannedRequest>(std::move(made));
    };
    EXPECT_TRUE(cache.Get(SpecSource::kCompute, "a", make).ok());
    EXPECT_EQ(cache.counts().entries, is_kept ? 1 : 0);
    EXPECT_LT(cache.counts().bytes, 256 << 10);
  }
}

TEST_F(PlanCacheTest, AllPlansTogetherAreBounded) {
  const auto engine = Engine::Create({}).value();
  PlanCache cache(100'000);
  const auto make = [&]() -> absl::StatusOr<PlanCache::Value> {
    PlannedRequest made;
    made.plan =
        engine
            ->Prepare(testing::Program(
                {testing::Desc(DType::kF32, {2, 2})},
                {testing::Op(Opcode::kConcatenate, testing::ValueIds(50, 0),
                             DimensionsAttribute{{0}})}))
            .value();
    return std::make_shared<const PlannedRequest>(std::move(made));
  };
  int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(cache.Get(SpecSource::kCompute, absl::StrCat(i), make).ok());
    most = std::max(most, cache.counts().bytes);
  }
  EXPECT_LE(most, 16 << 20);
  EXPECT_GT(most, 15 << 20);
  EXPECT_LT(cache.counts().entries, 2000);
}

TEST_F(PlanCacheTest, IsSharedByThreads) {
  constexpr int kThreads = 4;
  constexpr int kTurns = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kTurns; ++i) {
        const std::string head = absl::StrCat((i + t) % 5);
        const auto make = [&]() -> absl::StatusOr<PlanCache::Value> {
          PlannedRequest made;
          made.reply_head = head;
          return std::make_shared<const PlannedRequest>(std::move(made));
        };
        const auto value = cache_.Get(SpecSource::kCompute, head, make);
        ASSERT_EQ((*value)->reply_head, head);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const PlanCache::Counts counts = cache_.counts();
  EXPECT_EQ(counts.hits + counts.misses, kThreads * kTurns);
  EXPECT_EQ(counts.entries, 3);
}

}  // namespace
}  // namespace stridecast
