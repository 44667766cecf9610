// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Streams through a real server: values, what is held, what is refused, and
// ends that come too early.

#include "stridecast/stream_client.h"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/program.h"
#include "stridecast/transport.h"
#include "tests/service/service_testing.h"
#include "tests/support/server_process.h"

namespace stridecast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

Client ClientOf(TestServer& server) {
  return Client::Connect(server.server().addresses()[0]);
}

template <typename T>
std::vector<T> Counting(int64_t count) {
  std::vector<T> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<T>(i % 9973);
  }
  return numbers;
}

class StreamClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<TestServer>(); }
  static void TearDownTestSuite() { server_.reset(); }

  static std::unique_ptr<TestServer> server_;
  const Client client_ = ClientOf(*server_);
  const StreamClient stream_{client_};
};

std::unique_ptr<TestServer> StreamClientTest::server_;

TEST_F(StreamClientTest, AHundredMebibytesFromMemoryToMemory) {
  constexpr int64_t kCount = 25 * kMiB;
  const auto in = Counting<float>(kCount);
  std::vector<float> out(in.size());
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {kCount}));
  b.Result(b.Add(x, b.Constant(1.0f)));
  StreamProgress last;
  StreamOptions options;
  options.on_progress = [&](const StreamProgress& progress) {
    EXPECT_GE(progress.sent_bytes, last.sent_bytes);
    EXPECT_GE(progress.received_bytes, last.received_bytes);
    last = progress;
  };
  const absl::Status status =
      stream_.ComputeInto(*b.Build(), {*View(in, {kCount})},
                          {*MutableView(out, {kCount})}, options);
  ASSERT_TRUE(status.ok()) << status;
  int64_t num_wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) num_wrong += out[i] != in[i] + 1;
  EXPECT_EQ(num_wrong, 0);
  EXPECT_EQ(last.sent_bytes, 4 * kCount);
  EXPECT_EQ(last.received_bytes, 4 * kCount);
}

// A vector that every row needs and a tensor that passes by; two results, one
// of which needs all of it.
TEST_F(StreamClientTest, HeldAndStreamedOperandsAndSeveralResults) {
  constexpr int64_t kRows = 3000, kColumns = 700;
  const auto scale = Counting<float>(kColumns);
  const auto in = Counting<float>(kRows * kColumns);
  std::vector<float> scaled(in.size()), turned(in.size());
  ProgramBuilder b;
  const Value factor =
      b.Parameter(*TensorDesc::Create(DType::kF32, {kColumns}));
  const Value x =
      b.Parameter(*TensorDesc::Create(DType::kF32, {kRows, kColumns}));
  const Value y = b.Multiply(x, factor, {1});
  b.Result(y);
  StreamOptions options;
  std::vector<bool> streamed;
  options.on_ready = [&](const Explanation& ready) {
    streamed.clear();
    for (const auto& operand : ready.operands) {
      streamed.push_back(operand.is_streamed);
    }
    return absl::OkStatus();
  };
  const std::vector<TensorView> operands = {*View(scale, {kColumns}),
                                            *View(in, {kRows, kColumns})};
  const absl::Status one = stream_.ComputeInto(
      *b.Build(), operands, {*MutableView(scaled, {kRows, kColumns})}, options);
  ASSERT_TRUE(one.ok()) << one;
  EXPECT_THAT(streamed, ElementsAre(false, true));
  const std::vector<float> expected = scaled;
  for (const size_t i : {size_t{0}, in.size() / 2 + 1, in.size() - 1}) {
    EXPECT_EQ(scaled[i], in[i] * scale[i % kColumns]);
  }

  b.Result(b.Transpose(y, {1, 0}));
  scaled.assign(scaled.size(), 0);
  const absl::Status both =
      stream_.ComputeInto(*b.Build(), operands,
                          {*MutableView(scaled, {kRows, kColumns}),
                           *MutableView(turned, {kColumns, kRows})},
                          options);
  ASSERT_TRUE(both.ok()) << both;
  EXPECT_EQ(scaled, expected);
  int64_t num_wrong = 0;
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < kColumns; ++column) {
      num_wrong +=
          turned[column * kRows + row] != scaled[row * kColumns + column];
    }
  }
  EXPECT_EQ(num_wrong, 0);
}

TEST_F(StreamClientTest, RelayoutOfAHeldOperand) {
  constexpr int64_t kRows = 900, kColumns = 1100;
  const auto in = Counting<uint16_t>(kRows * kColumns);
  std::vector<float> out(in.size());
  const DimensionOrder column_major{{0, 1}, {}, {}};
  StreamOptions options;
  options.on_ready = [](const Explanation& ready) {
    EXPECT_FALSE(ready.operands[0].is_streamed);
    return absl::OkStatus();
  };
  const absl::Status status =
      stream_.RelayoutInto(*View(in, {kRows, kColumns}),
                           *MutableView(out, {kRows, kColumns}, column_major),
                           Overflow::kUnspecified, options);
  ASSERT_TRUE(status.ok()) << status;
  int64_t num_wrong = 0;
  for (size_t row = 0; row < kRows; ++row) {
    for (size_t column = 0; column < kColumns; ++column) {
      num_wrong += out[column * kRows + row] != in[row * kColumns + column];
    }
  }
  EXPECT_EQ(num_wrong, 0);
}

// Rows with a pitch, of a picture of somebody else's, and padded ones.
TEST_F(StreamClientTest, GappedAndPaddedOperandsAndResults) {
  constexpr int64_t kRows = 1500, kColumns = 999, kPitch = 1024;
  const ElementStrides pitched{{kPitch, 1}, 0, kRows * kPitch};
  const DimensionOrder padded{{1, 0}, {kRows, kPitch}, PaddingValue::kOne};
  const auto a = Counting<int32_t>(kRows * kPitch);
  const auto c = Counting<int32_t>(kRows * kPitch);
  std::vector<int32_t> gapped_sum(a.size(), -7), padded_sum(a.size(), -7);
  ProgramBuilder b;
  const TensorView x = *View(a, {kRows, kColumns}, pitched);
  const TensorView y = *View(c, {kRows, kColumns}, padded);
  const Value px = b.Parameter(x.desc);
  const Value py = b.Parameter(y.desc);
  const Value sum = b.Add(px, py);
  b.Result(sum);
  b.Result(sum);
  const absl::Status status = stream_.ComputeInto(
      *b.Build(), {x, y},
      {*MutableView(gapped_sum, {kRows, kColumns}, pitched),
       *MutableView(padded_sum, {kRows, kColumns}, padded)});
  ASSERT_TRUE(status.ok()) << status;
  int64_t num_wrong = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool is_element = i % kPitch < kColumns;
    num_wrong += gapped_sum[i] != (is_element ? a[i] + c[i] : -7);
    num_wrong += padded_sum[i] != (is_element ? a[i] + c[i] : 1);
  }
  EXPECT_EQ(num_wrong, 0);
}

TEST_F(StreamClientTest, TensorsWithoutElements) {
  const std::vector<float> nothing;
  std::vector<float> out;
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {0, 3}));
  b.Result(b.Add(x, x));
  int num_ready = 0;
  StreamOptions options;
  options.on_ready = [&](const Explanation&) {
    ++num_ready;
    return absl::OkStatus();
  };
  options.on_progress = [](const StreamProgress&) { ADD_FAILURE(); };
  const absl::Status status =
      stream_.ComputeInto(*b.Build(), {*View(nothing, {0, 3})},
                          {*MutableView(out, {0, 3})}, options);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(num_ready, 1);
}

TEST_F(StreamClientTest, AProgramWithoutOperandsIntoAFunction) {
  ProgramBuilder b;
  b.Result(b.Iota(DType::kS32, {1000}, 0));
  std::vector<int32_t> got;
  const WriteBytes write = [&got](int64_t offset,
                                  absl::Span<const std::byte> bytes) {
    EXPECT_EQ(static_cast<size_t>(offset), got.size() * sizeof(int32_t));
    const size_t before = got.size();
    got.resize(before + bytes.size() / sizeof(int32_t));
    std::memcpy(got.data() + before, bytes.data(), bytes.size());
    return absl::OkStatus();
  };
  const absl::Status status = stream_.Compute(*b.Build(), {}, {write});
  EXPECT_TRUE(status.ok()) << status;
  std::vector<int32_t> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(got, expected);
}

TEST_F(StreamClientTest, RefusalsNameTheField) {
  const std::vector<float> in(6);
  std::vector<float> out(6);
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {2, 3}));
  b.Result(b.Add(x, x));
  const absl::Status status = stream_.ComputeInto(
      *b.Build(), {*View(in, {2, 3})}, {*MutableView(out, {3, 2})});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("begin.results[0].shape"));
}

TEST(StreamClientLimitsTest, OverTheServersBudget) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 64 * kMiB;
  TestServer server(options);
  const std::vector<uint8_t> in(100 * kMiB);
  std::vector<uint8_t> out(in.size());
  const int64_t rows = 100, columns = kMiB;
  const absl::Status status =
      StreamClient(ClientOf(server))
          .RelayoutInto(*View(in, {rows, columns}),
                        *MutableView(out, {rows, columns},
                                     DimensionOrder{{0, 1}, {}, {}}));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(StreamClientLimitsTest, TheDeadlineEndsIt) {
  const auto control = std::make_shared<FakeControl>();  // computes forever
  TestServer server(TestOptions(), control);
  const std::vector<float> in(6);
  std::vector<float> out(6);
  ProgramBuilder b;
  b.Result(b.Identity(b.Parameter(*TensorDesc::Create(DType::kF32, {6}))));
  const absl::Status status =
      StreamClient(ClientOf(server))
          .ComputeInto(*b.Build(), {*View(in, {6})}, {*MutableView(out, {6})},
                       {.call = {.timeout = absl::Milliseconds(200)}});
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_TRUE(WaitUntil([&] { return control->num_cancelled == 1; }));
}

TEST(StreamClientLimitsTest, AServerThatDiesMidwayIsUnavailable) {
  ServerProcess server(STRIDECAST_SERVER_PROGRAM, {"--listen=127.0.0.1:0"});
  const StreamClient stream(Client::Connect(server.WaitForAddress()));
  constexpr int64_t kCount = 64 * kMiB;
  const std::vector<uint8_t> in(kCount);
  std::vector<uint8_t> out(kCount);
  StreamOptions options;
  options.on_progress = [&](const StreamProgress& progress) {
    if (progress.received_bytes >= kCount / 4) server.Signal(SIGKILL);
  };
  const absl::Status status =
      stream.RelayoutInto(*View(in, {kCount}), *MutableView(out, {kCount}),
                          Overflow::kUnspecified, options);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

}  // namespace
}  // namespace stridecast::testing
