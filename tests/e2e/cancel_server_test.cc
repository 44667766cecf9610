// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Calls that are cancelled while the server has them: it stops, and holds
// nothing of them afterwards.

#include <csignal>
#include <memory>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/async_client.h"
#include "stridecast/async_stream_client.h"
#include "stridecast/client.h"
#include "stridecast/stream_client.h"
#include "tests/service/service_testing.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// A relayout in one of the forms that a call can have.
enum class Form { kBlocking, kAsync, kStream, kAsyncStream };
constexpr Form kForms[] = {Form::kBlocking, Form::kAsync, Form::kStream,
                           Form::kAsyncStream};

absl::Status Relayout(const Client& client, Form form,
                      const TensorView& operand,
                      const MutableTensorView& result,
                      const CallOptions& options) {
  switch (form) {
    case Form::kBlocking:
      return client.RelayoutInto(operand, result, {}, options);
    case Form::kAsync:
      return AsyncClient(client)
          .RelayoutInto(operand, result, {}, options)
          .get();
    case Form::kStream:
      return StreamClient(client).RelayoutInto(operand, result, {},
                                               {.call = options});
    case Form::kAsyncStream:
      return AsyncStreamClient(client)
          .RelayoutInto(operand, result, {}, {.call = options})
          .get();
  }
  return absl::OkStatus();
}

TEST(CancelServerTest, WhileTheServerComputes) {
  const std::vector<float> in(6);
  std::vector<float> out(6);
  for (const Form form : kForms) {
    const auto control = std::make_shared<FakeControl>();  // computes forever
    TestServer server(TestOptions(), control);
    std::stop_source source;
    std::jthread stopper([&] {
      EXPECT_TRUE(WaitUntil([&] { return control->num_at_gate == 1; }));
      source.request_stop();
    });
    const absl::Status status =
        Relayout(Client(server.NewChannel()), form, *View(in, {6}),
                 *MutableView(out, {6}),
                 {.timeout = absl::Hours(1), .stop = source.get_token()});
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    EXPECT_TRUE(WaitUntil([&] { return control->num_cancelled == 1; }));
  }
}

TEST(CancelServerTest, WhileAStreamIsOnItsWay) {
  TestServer server;
  const StreamClient stream(Client(server.NewChannel()));
  const std::vector<uint8_t> in(16 * kMiB);
  std::vector<uint8_t> out(in.size());
  std::stop_source source;
  StreamOptions options;
  options.call.stop = source.get_token();
  options.on_progress = [&](const StreamProgress& progress) {
    if (progress.received_bytes > 4 * kMiB) source.request_stop();
  };
  const absl::Status status = stream.RelayoutInto(
      *View(in, {16, kMiB}), *MutableView(out, {16, kMiB}), {}, options);
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

// A server with room for one transposition of kMiBs, which are thrice in
// memory, and not much more.
TEST(CancelServerTest, AtRandomMomentsAndNothingIsLeft) {
  constexpr uint64_t kSeed = 20266;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  constexpr int64_t kMiBs = 30;
  ServerProcess server(STRIDECAST_SERVER_PROGRAM,
                       {"--listen=127.0.0.1:0", "--drain-delay-seconds=0",
                        "--max-inflight-bytes=" + std::to_string(96 * kMiB)});
  const Client client = Client::Connect(server.WaitForAddress());
  const DimensionOrder column_major{{0, 1}, {}, {}};
  std::vector<uint8_t> in(kMiBs * kMiB);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i / 999);
  std::vector<uint8_t> out(in.size());
  // Of the first 2 MiB, so that all moments of a call are met.
  const std::span<uint8_t> few_in(in.data(), 2 * kMiB);
  const std::span<uint8_t> few_out(out.data(), 2 * kMiB);
  const TensorView operand = *View(few_in, {1024, 2048});
  const MutableTensorView result =
      *MutableView(few_out, {1024, 2048}, column_major);

  std::mt19937_64 engine(kSeed);
  int num_cancelled = 0;
  int num_ended = 0;
  for (int i = 0; i < 300; ++i) {
    const absl::Duration moment = absl::Microseconds(
        std::uniform_int_distribution<int64_t>(0, 6000)(engine));
    std::stop_source source;
    std::jthread stopper([&] {
      absl::SleepFor(moment);
      source.request_stop();
    });
    const absl::Status status = Relayout(client, kForms[i % 3], operand, result,
                                         {.stop = source.get_token()});
    EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
    num_cancelled += absl::IsCancelled(status);
    num_ended += status.ok();
  }
  EXPECT_GT(num_cancelled, 30);
  RecordProperty("ended", num_ended);

  // The server may still be noticing the last one.
  absl::Status status;
  EXPECT_TRUE(WaitUntil([&] {
    status =
        client.RelayoutInto(*View(in, {kMiBs, kMiB}),
                            *MutableView(out, {kMiBs, kMiB}, column_major));
    return !absl::IsResourceExhausted(status);
  })) << status;
  EXPECT_TRUE(status.ok()) << status;
  int64_t num_wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    num_wrong += out[(i % kMiB) * kMiBs + i / kMiB] != in[i];
  }
  EXPECT_EQ(num_wrong, 0);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.err();
}

}  // namespace
}  // namespace stridecast::testing
