// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Streams that do not wait, over transports that the test plays and over real
// connections: values, on which thread functions are called, and who owns what.
// Cancelling: cancel_test.cc; metadata: call_metadata_test.cc.

#include "stridecast/async_stream_client.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "client/stream_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/generic_server.h"
#include "tests/e2e/pages.h"
#include "tests/e2e/scripted_stream.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers with bytes 'r', 24 of them.
class AsyncStreamTest : public ::testing::Test {
 protected:
  Client AnsweringClient() {
    record_ = {};
    return ClientOfReplies(
        {Ready({{}}, 1, 10), Result(0, 0, 20), Result(0, 20, 4)}, record_);
  }
  AsyncStreamClient Stream() { return AsyncStreamClient(AnsweringClient()); }

  // What came into `out_`, which is cleared, or into the tensor.
  std::string TakeOut() {
    const std::string bytes(reinterpret_cast<const char*>(out_.data()), 24);
    out_.assign(6, 0);
    return bytes;
  }
  static std::string BytesOf(const OwnedTensor& tensor) {
    EXPECT_EQ(tensor.desc().ToString(), "f32[2,3]{1,0}");
    return std::string(reinterpret_cast<const char*>(tensor.data()), 24);
  }

  void ExpectAllSent() {
    EXPECT_THAT(record_.sent, ElementsAre("begin", "0@0+10", "0@10+10",
                                          "0@20+4", "half-close"));
    EXPECT_EQ(record_.operand_bytes,
              std::string(reinterpret_cast<const char*>(in_.data()), 24));
    EXPECT_TRUE(record_.is_destroyed);
  }

  const std::string expected_ = std::string(24, 'r');
  const std::vector<float> in_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> out_ = std::vector<float>(6);
  std::string written_;
  StreamRecord record_;
  const TensorView operand_ = *View(in_, {2, 3});
  const MutableTensorView result_ = *MutableView(out_, {2, 3});
  const ReadBytes read_ = [this](int64_t offset, absl::Span<std::byte> into) {
    std::copy_n(operand_.data + offset, into.size(), into.data());
    return absl::OkStatus();
  };
  const WriteBytes write_ = [this](int64_t offset,
                                   absl::Span<const std::byte> bytes) {
    EXPECT_EQ(offset, static_cast<int64_t>(written_.size()));
    written_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return absl::OkStatus();
  };
};

TEST_F(AsyncStreamTest, EveryMethodAsAFuture) {
  const auto results = Stream().Compute(Sum(1), {operand_}).get();
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(BytesOf(results->front()), expected_);
  ExpectAllSent();

  EXPECT_TRUE(Stream().Compute(Sum(1), {operand_}, {write_}).get().ok());
  EXPECT_EQ(std::exchange(written_, {}), expected_);
  ExpectAllSent();
  EXPECT_TRUE(Stream().Compute(Sum(1), {read_}, {write_}).get().ok());
  EXPECT_EQ(std::exchange(written_, {}), expected_);
  ExpectAllSent();

  EXPECT_TRUE(Stream().ComputeInto(Sum(1), {operand_}, {result_}).get().ok());
  EXPECT_EQ(TakeOut(), expected_);
  const auto owned = Stream().Relayout(operand_, {}).get();
  ASSERT_TRUE(owned.ok()) << owned.status();
  EXPECT_EQ(BytesOf(*owned), expected_);
  ExpectAllSent();
  EXPECT_TRUE(Stream().RelayoutInto(operand_, result_).get().ok());
  EXPECT_EQ(TakeOut(), expected_);
  ExpectAllSent();
}

TEST_F(AsyncStreamTest, EveryMethodWithAFunction) {
  int num_calls = 0;
  const auto is_ok = [&](const absl::Status& status) {
    ++num_calls;
    EXPECT_TRUE(status.ok()) << status;
  };
  // The transport answers before these return.
  Stream().Compute(Sum(1), {operand_},
                   [&](const AsyncStreamClient::Results& results) {
                     is_ok(results.status());
                     EXPECT_EQ(BytesOf(results->front()), expected_);
                   });
  Stream().Compute(Sum(1), {operand_}, {write_}, is_ok);
  EXPECT_EQ(std::exchange(written_, {}), expected_);
  Stream().Compute(Sum(1), {read_}, {write_}, is_ok);
  EXPECT_EQ(std::exchange(written_, {}), expected_);
  Stream().ComputeInto(Sum(1), {operand_}, {result_}, is_ok);
  EXPECT_EQ(TakeOut(), expected_);
  Stream().Relayout(operand_, {}, {},
                    [&](const absl::StatusOr<OwnedTensor>& result) {
                      is_ok(result.status());
                      EXPECT_EQ(BytesOf(*result), expected_);
                    });
  Stream().RelayoutInto(operand_, result_, {}, is_ok);
  EXPECT_EQ(TakeOut(), expected_);
  EXPECT_EQ(num_calls, 6);
}

// The same of the blocking forms that stream_run_test.cc has not.
TEST_F(AsyncStreamTest, BlockingFormsOwnTheirResultsToo) {
  const auto results =
      StreamClient(AnsweringClient()).Compute(Sum(1), {operand_});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(BytesOf(results->front()), expected_);
  const auto owned = StreamClient(AnsweringClient()).Relayout(operand_, {});
  ASSERT_TRUE(owned.ok()) << owned.status();
  EXPECT_EQ(BytesOf(*owned), expected_);
  EXPECT_TRUE(StreamClient(AnsweringClient())
                  .Compute(Sum(1), {operand_}, {write_})
                  .ok());
  EXPECT_EQ(written_, expected_);
  ExpectAllSent();
}

TEST_F(AsyncStreamTest, ErrorsOfFunctionsEndItOnce) {
  const absl::Status full = absl::DataLossError("the disk is full");
  const WriteBytes bad_write = [&](int64_t, absl::Span<const std::byte>) {
    return full;
  };
  const ReadBytes bad_read = [&](int64_t, absl::Span<std::byte>) {
    return full;
  };
  StreamOptions bad_ready;
  bad_ready.on_ready = [&](const Explanation&) { return full; };
  EXPECT_EQ(Stream().Compute(Sum(1), {read_}, {bad_write}).get(), full);
  EXPECT_TRUE(record_.is_destroyed);
  EXPECT_EQ(Stream().Compute(Sum(1), {bad_read}, {write_}).get(), full);
  EXPECT_TRUE(record_.is_destroyed);
  EXPECT_EQ(Stream().Compute(Sum(1), {operand_}, bad_ready).get().status(),
            full);
  EXPECT_TRUE(record_.is_destroyed);
}

TEST_F(AsyncStreamTest, EndsWhenTheTransportHasLetGoOfTheMemory) {
  record_.keeps_messages = true;
  const Client client = ClientOfReplies({Ready({{}}, 1, 10)}, record_,
                                        absl::AbortedError("stalled"));
  absl::Notification ended;
  AsyncStreamClient(client).ComputeInto(
      Sum(1), {operand_}, {result_}, [&](const absl::Status& status) {
        EXPECT_EQ(status, absl::AbortedError("stalled"));
        ended.Notify();
      });
  EXPECT_TRUE(record_.is_destroyed);
  EXPECT_FALSE(ended.HasBeenNotified());
  record_.kept.clear();
  ended.WaitForNotification();
}

TEST_F(AsyncStreamTest, WhatCannotBeginEndsOnce) {
  const ReadBytes no_read;
  int num_calls = 0;
  Stream().Compute(Sum(1), {no_read}, {write_}, [&](const absl::Status& ended) {
    ++num_calls;
    EXPECT_EQ(ended.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ended.message(), "operand 0: its function is empty");
  });
  Stream().Compute(Sum(1), {operand_}, {write_},
                   [&](const absl::Status& ended) {
                     ++num_calls;
                     EXPECT_THAT(ended.message(), HasSubstr("the key \"Key\""));
                   },
                   {.call = {.metadata = {{"Key", ""}}}});
  EXPECT_EQ(num_calls, 2);
  EXPECT_TRUE(record_.sent.empty());
}

// Constants past 2 GiB: too much memory for a test, so the empty message that
// stands for them is made here.
TEST_F(AsyncStreamTest, AnUnencodableBeginIsNotSent) {
  const auto transport = std::make_shared<ScriptedTransport>(
      std::deque<grpc::ByteBuffer>(), record_, absl::OkStatus(), 0);
  std::vector<absl::Status> outcomes = {StreamRun::Run(transport, {}, {})};
  StreamRun::Start(transport, {}, {}, [&](const absl::Status& ended) {
    outcomes.push_back(ended);
  });
  ASSERT_EQ(outcomes.size(), 2u);
  for (const absl::Status& outcome : outcomes) {
    EXPECT_EQ(outcome.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(outcome.message(), HasSubstr("2 GiB"));
  }
  EXPECT_TRUE(record_.sent.empty());
}

// Streams end on gRPC's threads when their clients are gone, with nothing left
// of what was handed over.
TEST(AsyncStreamOverTcpTest, TheLastStreamMayOutliveAllClients) {
  for (int i = 0; i < 30; ++i) {
    absl::Notification ended;
    {
      const std::vector<float> in(6);
      const std::vector<WriteBytes> writers(
          1, [](int64_t, absl::Span<const std::byte>) {
            return absl::OkStatus();
          });
      AsyncStreamClient(Client::Connect("unix:/nowhere/stridecast.sock"))
          .Compute(Sum(1), {*View(in, {2, 3})}, writers,
                   [&](const absl::Status& status) {
                     EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
                     ended.Notify();
                   });
      ended.WaitForNotification();
    }
  }
}

// Answers `ready` to a begin, and never reads again.
class StuckReactor : public Reactor {
 public:
  explicit StuckReactor(grpc::ByteBuffer ready) : ready_(std::move(ready)) {
    StartRead(&begin_);
  }
  void OnReadDone(bool ok) override {
    if (ok) StartWrite(&ready_);
  }
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer begin_;
  grpc::ByteBuffer ready_;
};

TEST(AsyncStreamOverTcpTest, MemoryIsFreeWhenTheFunctionIsCalled) {
  constexpr int64_t kSize = int64_t{64} << 20;
  v1::Plan plan;
  v1::TensorPlan* const operand = plan.add_operands();
  operand->mutable_desc()->set_type(v1::U8);
  operand->mutable_desc()->add_dimensions(kSize);
  operand->set_streaming(v1::TensorPlan::STREAMED);
  operand->set_stream_end(kSize);
  *plan.add_results() = *operand;
  GenericServer server(
      [&](const auto&) { return new StuckReactor(EncodeStreamReady(plan)); });
  const AsyncStreamClient stream(Client::Connect(server.target()));
  const auto desc = TensorDesc::Create(DType::kU8, {kSize});
  for (int i = 0; i < 3; ++i) {
    Pages pages(static_cast<size_t>(kSize));
    absl::Notification ended;
    stream.Relayout(
        {*desc, pages.data()}, {}, {},
        [&](const absl::StatusOr<OwnedTensor>& result) {
          EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded)
              << result.status();
          pages.Forbid();
          ended.Notify();
        },
        {.call = {.timeout = absl::Milliseconds(200)}});
    ended.WaitForNotification();
    // Who still wrote from the memory would do so now.
    absl::SleepFor(absl::Milliseconds(50));
  }
}

}  // namespace
}  // namespace stridecast
