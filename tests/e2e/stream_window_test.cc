// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Operands of a stream that are read from different places on: they stay within
// the server's window because `ready` says which bytes are read, and would not
// without.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/program.h"
#include "stridecast/stream_client.h"
#include "stridecast/transport.h"
#include "tests/service/service_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;
// One operand is read from its end alone, the other as a whole.
constexpr int64_t kSize = 128 * kMiB;
constexpr int64_t kBegin = 96 * kMiB;

using ChangePlan = std::function<void(v1::Plan&)>;

// Hands on to another transport, but for what `ready` says.
class ChangedPlans : public Transport {
 public:
  ChangedPlans(std::shared_ptr<Transport> inner, ChangePlan change)
      : inner_(std::move(inner)), change_(std::move(change)) {}

  void Call(const CallHeader& header, const grpc::ByteBuffer& request,
            std::function<void(Reply)> done) override {
    inner_->Call(header, request, std::move(done));
  }
  std::unique_ptr<TransportStream> OpenStream(
      const CallHeader& header, TransportStream::OnEvent on_event) override {
    return inner_->OpenStream(
        header, [change = change_, on_event = std::move(on_event)](
                    TransportStream::Event event, grpc::ByteBuffer message) {
          if (event == TransportStream::Event::kRead) {
            auto reply = DecodeStreamResponse(message);
            if (auto* plan = std::get_if<v1::Plan>(&*reply)) {
              change(*plan);
              message = EncodeStreamReady(*plan);
            }
          }
          on_event(event, std::move(message));
        });
  }

 private:
  const std::shared_ptr<Transport> inner_;
  const ChangePlan change_;
};

std::byte ByteAt(int64_t offset, int operand) {
  return static_cast<std::byte>(offset / 4096 + 3 * operand);
}

ReadBytes Pattern(int operand) {
  return [operand](int64_t offset, absl::Span<std::byte> into) {
    for (size_t i = 0; i < into.size(); ++i) {
      into[i] = ByteAt(offset + static_cast<int64_t>(i), operand);
    }
    return absl::OkStatus();
  };
}

// The first operand's last quarter xor all of the second.
absl::Status XorOfATail(TestServer& server, const ChangePlan& change,
                        int64_t& num_wrong) {
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kU8, {kSize}));
  const Value y =
      b.Parameter(*TensorDesc::Create(DType::kU8, {kSize - kBegin}));
  b.Result(b.Xor(b.Slice(x, {kBegin}, {kSize}, {1}), y));
  const WriteBytes check = [&](int64_t offset,
                               absl::Span<const std::byte> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const int64_t at = offset + static_cast<int64_t>(i);
      num_wrong += bytes[i] != (ByteAt(kBegin + at, 0) ^ ByteAt(at, 1));
    }
    return absl::OkStatus();
  };
  const auto transport = std::make_shared<ChangedPlans>(
      MakeChannelTransport(server.NewChannel()), change);
  return StreamClient(Client(transport))
      .Compute(*b.Build(), {Pattern(0), Pattern(1)}, {check});
}

TEST(StreamWindowTest, WhatIsReadDecidesWhatIsSent) {
  TestServer server;
  int64_t num_wrong = 0;
  const absl::Status status = XorOfATail(
      server,
      [](const v1::Plan& plan) {
        EXPECT_EQ(plan.operands(0).streaming(), v1::TensorPlan::STREAMED);
        EXPECT_EQ(plan.operands(0).stream_begin(), kBegin);
        EXPECT_EQ(plan.operands(0).stream_end(), kSize);
        EXPECT_EQ(plan.operands(1).streaming(), v1::TensorPlan::STREAMED);
      },
      num_wrong);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(num_wrong, 0);
}

TEST(StreamWindowTest, WithoutItTheWindowIsLeft) {
  const ChangePlan kWithout[] = {
      // Each operand's share of all its bytes.
      [](v1::Plan& plan) {
        for (auto& operand : *plan.mutable_operands()) {
          operand.set_stream_begin(0);
          operand.set_stream_end(operand.size_bytes());
        }
      },
      // One after the other.
      [](v1::Plan& plan) {
        for (auto& operand : *plan.mutable_operands()) {
          operand.set_stream_begin(0);
          operand.set_stream_end(0);
        }
      }};
  for (const ChangePlan& change : kWithout) {
    TestServer server;
    int64_t num_wrong = 0;
    const absl::Status status = XorOfATail(server, change, num_wrong);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(status.message(), HasSubstr("more than stream_window_bytes"));
  }
}

}  // namespace
}  // namespace stridecast::testing
