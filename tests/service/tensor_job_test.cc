// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How operands reach the plan: where they were received, or gathered.

#include "server/tensor_job.h"

#include <cstring>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "stridecast/v1/service.pb.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kNumFloats = 1 << 16;
constexpr int64_t kPayloadBytes = kNumFloats * 4;

class TensorJobTest : public ::testing::Test {
 protected:
  TensorJobTest() : values_(kNumFloats), control_(new FakeControl) {
    std::iota(values_.begin(), values_.end(), 0.0f);
    control_->gate_open = true;
  }

  // A copy of the operand.
  PlanCache::Value Planned(FakeEngine& engine) {
    PlannedRequest planned;
    planned.spec.source = SpecSource::kCompute;
    planned.spec.signature.operands = {
        TensorDesc::Create(DType::kF32, {kNumFloats}).value()};
    planned.spec.signature.results.emplace_back();
    planned.plan = engine.Prepare(planned.spec.signature).value();
    planned.reply_head =
        EncodeReplyHead(SpecSource::kCompute, planned.plan->results());
    return std::make_shared<const PlannedRequest>(std::move(planned));
  }

  // The operand in pieces of that size.
  RequestBody BodyInPieces(int64_t piece_bytes) {
    RequestBody body;
    body.encodings = {Encoding::kRaw};
    const auto* bytes = reinterpret_cast<const std::byte*>(values_.data());
    SegmentedBytes& payload = body.payloads.emplace_back();
    for (int64_t at = 0; at < kPayloadBytes; at += piece_bytes) {
      payload.Append(bytes + at, std::min(piece_bytes, kPayloadBytes - at));
    }
    return body;
  }

  // Runs it and returns how many segments the plan saw.
  int SegmentsSeen(int64_t piece_bytes) {
    FakeEngine engine(control_);
    Reservation reservation = memory_->budget.Reserve(0).value();
    absl::StatusOr<TensorJob> job =
        TensorJob::Create(Planned(engine), BodyInPieces(piece_bytes), memory_,
                          /*request_bytes=*/0, reservation);
    EXPECT_TRUE(job.ok()) << job.status();
    held_bytes_ = memory_->budget.inflight_bytes();
    v1::ComputeResponse response;
    EXPECT_TRUE(
        response.ParseFromString(ToString(job->Run(CancelToken()).value())));
    EXPECT_EQ(FloatsOf(response.payloads(0)), values_);
    return control_->num_segments;
  }

  std::vector<float> values_;
  const std::shared_ptr<FakeControl> control_;
  const std::shared_ptr<CallMemory> memory_ =
      std::make_shared<CallMemory>(int64_t{1} << 30, int64_t{1} << 27);
  int64_t held_bytes_ = 0;
};

TEST_F(TensorJobTest, StreamedOperandIsReadWhereItWasReceived) {
  EXPECT_EQ(SegmentsSeen(1 << 14), 16);
  EXPECT_EQ(held_bytes_, kPayloadBytes);  // the result
  EXPECT_EQ(memory_->budget.inflight_bytes(), 0);
}

TEST_F(TensorJobTest, HeldOperandIsGathered) {
  control_->streamed = false;
  EXPECT_EQ(SegmentsSeen(1 << 14), 1);
  EXPECT_EQ(held_bytes_, 2 * kPayloadBytes);
  EXPECT_EQ(memory_->budget.inflight_bytes(), 0);
}

TEST_F(TensorJobTest, HeldOperandInOnePieceIsNot) {
  control_->streamed = false;
  EXPECT_EQ(SegmentsSeen(kPayloadBytes), 1);
  EXPECT_EQ(held_bytes_, kPayloadBytes);
}

// Frames of a few bytes are an attack.
TEST_F(TensorJobTest, TinySegmentsAreGathered) {
  EXPECT_EQ(SegmentsSeen(7), 1);
  EXPECT_EQ(held_bytes_, 2 * kPayloadBytes);
}

TEST_F(TensorJobTest, ScratchIsReserved) {
  control_->scratch_bytes = 1000;
  (void)SegmentsSeen(kPayloadBytes);
  EXPECT_EQ(held_bytes_, kPayloadBytes + 1000);
  EXPECT_EQ(memory_->budget.inflight_bytes(), 0);
}

TEST_F(TensorJobTest, CancelledRunHasNoReply) {
  FakeEngine engine(control_);
  Reservation reservation = memory_->budget.Reserve(0).value();
  absl::StatusOr<TensorJob> job =
      TensorJob::Create(Planned(engine), BodyInPieces(kPayloadBytes), memory_,
                        /*request_bytes=*/0, reservation);
  ASSERT_TRUE(job.ok());
  const std::atomic<bool> cancelled = true;
  EXPECT_TRUE(absl::IsCancelled(job->Run(CancelToken(&cancelled)).status()));
}

}  // namespace
}  // namespace stridecast::testing
