// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that a std::stop_token ends, at each moment that the client alone can
// be caught in. Inside the server: cancel_server_test.cc.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/e2e/fake_transport.h"
#include "tests/e2e/generic_server.h"
#include "tests/e2e/pages.h"

namespace stridecast {
namespace {

enum class Form { kBlocking, kAsync, kStream, kAsyncStream };

class CancelTest : public ::testing::TestWithParam<Form> {
 protected:
  // Sends `operand` as it is, in the form that is tested.
  absl::Status Send(const Client& client, const TensorView& operand,
                    const CallOptions& options) {
    ProgramBuilder b;
    b.Result(b.Parameter(operand.desc));
    const Signature program = *b.Build();
    switch (GetParam()) {
      case Form::kBlocking:
        return client.Compute(program, {operand}, options).status();
      case Form::kAsync:
        return AsyncClient(client)
            .Compute(program, {operand}, options)
            .get()
            .status();
      case Form::kAsyncStream:
        return AsyncStreamClient(client)
            .Compute(program, {operand}, {.call = options})
            .get()
            .status();
      case Form::kStream:
        const auto ignore = [](int64_t, absl::Span<const std::byte>) {
          return absl::OkStatus();
        };
        const auto read = [&](int64_t offset, absl::Span<std::byte> into) {
          std::copy_n(operand.data + offset, into.size(), into.data());
          return absl::OkStatus();
        };
        return StreamClient(client).Compute(program, {read}, {ignore},
                                            {.call = options});
    }
    return absl::OkStatus();
  }

  std::stop_source source_;
};

TEST_P(CancelTest, BeforeTheCall) {
  GenericServer server(
      [](const auto&) { return new EchoReactor(grpc::Status::OK); });
  source_.request_stop();
  const std::vector<float> buffer(6);
  const absl::Status status =
      Send(Client::Connect(server.target()), *View(buffer, {2, 3}),
           {.stop = source_.get_token()});
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST_P(CancelTest, WhileTheServerIsNotThere) {
  const std::vector<float> buffer(6);
  std::jthread stopper([&] {
    absl::SleepFor(absl::Milliseconds(20));
    source_.request_stop();
  });
  const absl::Status status = Send(
      Client::Connect("unix:/nowhere/stridecast.sock"), *View(buffer, {2, 3}),
      {.timeout = absl::Hours(1),
       .wait_for_ready = true,
       .stop = source_.get_token()});
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST_P(CancelTest, DuringTheUploadAndMemoryIsFree) {
  absl::Notification began;
  GenericServer server([&](const auto&) {
    began.Notify();
    return new DeafReactor;
  });
  const auto desc = TensorDesc::Create(DType::kU8, {int64_t{64} << 20});
  Pages operand(static_cast<size_t>(desc->size_bytes()));
  std::jthread stopper([&] {
    began.WaitForNotification();
    source_.request_stop();
  });
  const absl::Status status =
      Send(Client::Connect(server.target()), {*desc, operand.data()},
           {.timeout = absl::Hours(1), .stop = source_.get_token()});
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  operand.Forbid();
  // Who still wrote from the memory would do so now.
  absl::SleepFor(absl::Milliseconds(50));
}

std::string NameOf(const ::testing::TestParamInfo<Form>& test) {
  const char* const kNames[] = {"Blocking", "Async", "Stream", "AsyncStream"};
  return kNames[static_cast<int>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Forms, CancelTest,
                         ::testing::Values(Form::kBlocking, Form::kAsync,
                                           Form::kStream, Form::kAsyncStream),
                         &NameOf);

// Far longer than a test may take.
const absl::Status kComeBackLater =
    WithRetryDelay(absl::UnavailableError("busy"), absl::Hours(1));

TEST(CancelBackoffTest, EndsTheWaitForAnotherAttempt) {
  std::stop_source source;
  absl::Notification failed;
  const Client client = ClientOf(
      [&](const CallHeader&, const grpc::ByteBuffer&) -> Transport::Reply {
        failed.Notify();
        return kComeBackLater;
      });
  std::jthread stopper([&] {
    failed.WaitForNotification();
    absl::SleepFor(absl::Milliseconds(20));
    source.request_stop();
  });
  const auto info = client.GetServerInfo(
      {.timeout = absl::InfiniteDuration(), .stop = source.get_token()});
  EXPECT_EQ(info.status(), absl::CancelledError("the caller cancelled"));
}

// Before the wait begins, as it begins: it must not be slept through.
TEST(CancelBackoffTest, AStopBetweenFailureAndWaitIsNotLost) {
  for (int i = 0; i < 200; ++i) {
    std::stop_source source;
    absl::Notification failed;
    std::jthread stopper([&] {
      failed.WaitForNotification();
      source.request_stop();
    });
    const Client client = ClientOf(
        [&](const CallHeader&, const grpc::ByteBuffer&) -> Transport::Reply {
          if (i == 0) source.request_stop();
          failed.Notify();
          return kComeBackLater;
        });
    const auto info = client.GetServerInfo(
        {.timeout = absl::InfiniteDuration(), .stop = source.get_token()});
    EXPECT_EQ(info.status(), absl::CancelledError("the caller cancelled"));
  }
}

TEST(CancelAsyncTest, AfterTheEndItHasNoEffect) {
  std::stop_source source;
  GenericServer server(
      [](const auto&) { return new EchoReactor(grpc::Status::OK); });
  const std::vector<uint8_t> buffer = {1, 2, 3};
  const Client client = Client::Connect(server.target());
  // A relayout's request, sent back, reads as its reply.
  const AsyncClient async(client);
  auto future =
      async.Relayout(*View(buffer, {3}), {}, {}, {.stop = source.get_token()});
  future.wait();
  source.request_stop();
  const auto result = future.get();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->at<uint8_t>({2}), 3);
  EXPECT_TRUE(client.Relayout(*View(buffer, {3}), {}).ok());
}

// One call's end stops the others, on gRPC's thread.
TEST(CancelAsyncTest, TheFirstAnswerMayStopTheOthers) {
  std::atomic<int> num_calls = 0;
  GenericServer server([&](const auto&) -> Reactor* {
    if (++num_calls == 5) return new EchoReactor(grpc::Status::OK);
    return new DeafReactor;
  });
  const AsyncClient async(Client::Connect(server.target()));
  const std::vector<uint8_t> buffer = {1, 2, 3};
  std::stop_source source;
  std::atomic<int> num_ok = 0;
  std::atomic<int> num_cancelled = 0;
  absl::BlockingCounter all(5);
  for (int i = 0; i < 5; ++i) {
    async.Relayout(*View(buffer, {3}), {}, {},
                   [&](const absl::StatusOr<OwnedTensor>& result) {
                     num_ok += result.ok();
                     num_cancelled += absl::IsCancelled(result.status());
                     source.request_stop();
                     all.DecrementCount();
                   },
                   {.stop = source.get_token()});
  }
  all.Wait();
  EXPECT_EQ(num_ok, 1);
  EXPECT_EQ(num_cancelled, 4);
}

}  // namespace
}  // namespace stridecast
