// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a stream's chunks and rounds hold, without a connection.

#include "server/stream_job.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/service/fake_engine.h"
#include "tests/service/stream_testing.h"
#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kOperandBytes = 16 * kMiB;

class StreamJobTest : public ::testing::Test {
 protected:
  StreamJobTest() {
    control_->gate_open = true;
    control_->num_outer_steps = 16;
    control_->scratch_bytes = 1000;
    Signature signature;
    signature.operands = {
        TensorDesc::Create(DType::kU8, {kOperandBytes}).value()};
    plan_ = engine_.Prepare(signature, Delivery::kInParts).value();
    job_ = StreamJob::Create(
               plan_, memory_,
               memory_->budget.Reserve(StreamMemoryBytes(*plan_)).value())
               .value();
  }

  // A chunk of `size_bytes` that goes on where the last one ended.
  absl::Status Accept(int64_t size_bytes) {
    const auto data = std::make_shared<std::string>(
        static_cast<size_t>(size_bytes), static_cast<char>(sent_ / kMiB));
    chunks_.push_back(data);
    const SegmentedBytes view(reinterpret_cast<const std::byte*>(data->data()),
                              size_bytes);
    return job_->Accept(
        {0, std::exchange(sent_, sent_ + size_bytes), view, data});
  }

  // Of the chunks that were accepted, how many are still there.
  int64_t NumChunksHeld() const {
    return std::count_if(chunks_.begin(), chunks_.end(),
                         [](const auto& chunk) { return !chunk.expired(); });
  }

  void ExpectNothingHeld() {
    EXPECT_EQ(memory_->budget.inflight_bytes(), 0);
    EXPECT_EQ(memory_->pool.stats().lent_bytes, 0);
    EXPECT_EQ(memory_.use_count(), 1);
    EXPECT_EQ(NumChunksHeld(), 0);
  }

  const std::shared_ptr<FakeControl> control_ = std::make_shared<FakeControl>();
  FakeEngine engine_{control_};
  const std::shared_ptr<CallMemory> memory_ =
      std::make_shared<CallMemory>(int64_t{1} << 30, int64_t{1} << 27);
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<StreamJob> job_;
  int64_t sent_ = 0;
  std::vector<std::weak_ptr<std::string>> chunks_;
};

TEST_F(StreamJobTest, RoundsFollowTheChunks) {
  for (int round = 0; round < 4; ++round) {
    EXPECT_FALSE(job_->AreRoundsReady(1));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(Accept(kMiB).ok());
    ASSERT_TRUE(job_->AreRoundsReady(1));
    const auto outputs = job_->TakeRound().Run(CancelToken());
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_EQ(outputs->size(), 4u);
    for (int64_t i = 0; i < 4; ++i) {
      const StreamOutput& output = (*outputs)[i];
      EXPECT_EQ(output.offset, (4 * round + i) * kMiB);
      EXPECT_EQ(output.data.size(), static_cast<size_t>(kMiB));
      EXPECT_EQ(*output.data.begin(), 4 * round + i);
    }
    EXPECT_EQ(NumChunksHeld(), 4);
    job_->FinishRound();
    EXPECT_EQ(NumChunksHeld(), 0);
  }
  EXPECT_TRUE(job_->IsDone());
  job_.reset();
  ExpectNothingHeld();
}

// With chunks that are read in place, and small ones that are copied.
TEST_F(StreamJobTest, AFailedRoundHoldsNothing) {
  control_->run_status = absl::InternalError("invariant (X1)");
  control_->num_good_runs = 1;
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(Accept(kMiB).ok());
  ASSERT_TRUE(Accept(1000).ok());
  ASSERT_TRUE(Accept(2 * kMiB - 1000).ok());
  auto sent = job_->TakeRound().Run(CancelToken());
  ASSERT_TRUE(sent.ok());
  job_->FinishRound();
  EXPECT_EQ(job_->TakeRound().Run(CancelToken()).status(),
            control_->run_status);
  job_.reset();
  EXPECT_EQ(NumChunksHeld(), 0);
  // What is being sent is counted until it is gone.
  EXPECT_EQ(memory_->budget.inflight_bytes(), StreamMemoryBytes(*plan_));
  sent->clear();
  ExpectNothingHeld();
}

TEST_F(StreamJobTest, ACancelledRoundHoldsNothing) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Accept(kMiB).ok());
  const std::atomic<bool> cancelled = true;
  EXPECT_TRUE(absl::IsCancelled(
      job_->TakeRound().Run(CancelToken(&cancelled)).status()));
  job_.reset();
  ExpectNothingHeld();
}

// What no round reads is not looked at, so that only offsets cost time.
TEST(StreamJobOffsetTest, PastFourGibibytes) {
  constexpr int64_t kBegin = (int64_t{1} << 32) - kMiB - 3;
  constexpr int64_t kEnd = kBegin + 8 * kMiB;
  const auto engine = Engine::Create({}).value();
  const std::shared_ptr<const Plan> plan =
      engine
          ->Prepare(Program({Desc(DType::kU8, {kEnd})},
                            {Op(Opcode::kSlice, {0},
                                SliceAttribute{{kBegin}, {kEnd}, {1}}),
                             Op(Opcode::kNot, {1})}),
                    Delivery::kInParts)
          .value();
  ASSERT_TRUE(plan->IsOperandStreamed(0));
  const auto memory =
      std::make_shared<CallMemory>(int64_t{1} << 30, int64_t{1} << 27);
  const auto job = StreamJob::Create(
                       plan, memory,
                       memory->budget.Reserve(StreamMemoryBytes(*plan)).value())
                       .value();
  const auto byte_at = [](int64_t i) { return static_cast<uint8_t>(i % 251); };
  int64_t received = 0;
  int64_t wrong = 0;
  const auto data = std::make_shared<std::string>(kMaxChunkBytes, '\0');
  for (int64_t at = 0; at < kEnd; at += kMaxChunkBytes) {
    const int64_t count = std::min(kMaxChunkBytes, kEnd - at);
    std::shared_ptr<std::string> chunk = data;
    if (at + count > kBegin) {
      chunk = std::make_shared<std::string>();
      for (int64_t i = at; i < at + count; ++i) {
        chunk->push_back(static_cast<char>(byte_at(i)));
      }
    }
    const SegmentedBytes view(reinterpret_cast<const std::byte*>(chunk->data()),
                              count);
    ASSERT_EQ(job->Accept({0, at, view, chunk}), absl::OkStatus());
    while (job->AreRoundsReady(1)) {
      const auto outputs = job->TakeRound().Run(CancelToken());
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      for (const StreamOutput& output : *outputs) {
        ASSERT_EQ(output.offset, received);
        for (const uint8_t byte : output.data) {
          wrong += byte != static_cast<uint8_t>(~byte_at(kBegin + received++))
                       ? 1
                       : 0;
        }
      }
      job->FinishRound();
    }
  }
  EXPECT_EQ(job->CheckComplete(), absl::OkStatus());
  EXPECT_TRUE(job->IsDone());
  EXPECT_EQ(received, kEnd - kBegin);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace stridecast::testing
