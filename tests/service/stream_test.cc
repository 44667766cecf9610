// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// ComputeStream over a real connection: what flows when, and what is held.

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/spec_codec.h"
#include "proto/wire/stream_codec.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using ::testing::HasSubstr;

std::string Floats(int64_t count, float first, float step) {
  std::string bytes(static_cast<size_t>(count) * 4, '\0');
  for (int64_t i = 0; i < count; ++i) {
    const float value = first + step * static_cast<float>(i % 4096);
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

float FloatAt(const std::string& bytes, int64_t index) {
  float value;
  std::memcpy(&value, bytes.data() + index * 4, 4);
  return value;
}

constexpr char kAddRows[] = R"(
  operands { type: F32 dimensions: [5000, 1024] }
  operands { type: F32 dimensions: [5000, 1024] }
  instructions { opcode: ADD operands: [0, 1] }
  results {})";
constexpr int64_t kAddBytes = int64_t{5000} * 1024 * 4;

TEST(StreamTest, ResultsFlowWhileOperandsArrive) {
  TestServer server;
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(kAddRows));
  const v1::Plan plan = stream.ReadReady();
  EXPECT_EQ(plan.operands(0).streaming(), v1::TensorPlan::STREAMED);
  EXPECT_EQ(plan.results(0).streaming(), v1::TensorPlan::STREAMED);
  EXPECT_EQ(plan.stream_window_bytes(), 16 * kMiB);
  EXPECT_EQ(plan.max_chunk_bytes(), 2 * kMiB);
  EXPECT_LT(plan.stream_memory_bytes(), 70 * kMiB);

  const std::string x = Floats(kAddBytes / 4, 1, 1);
  const std::string y = Floats(kAddBytes / 4, 0.5, 0);
  std::string sum;
  const auto read_to = [&](int64_t end) {
    v1::ComputeStreamResponse response;
    while (static_cast<int64_t>(sum.size()) < end && stream.Read(response)) {
      EXPECT_EQ(response.result().offset(), static_cast<int64_t>(sum.size()));
      sum += response.result().data();
    }
    return static_cast<int64_t>(sum.size()) >= end;
  };
  // A quarter of the operands, then results before anything else is sent.
  int64_t sent = 0;
  const auto send_to = [&](int64_t end) {
    for (; sent < end; sent += kMiB) {
      const auto at = static_cast<size_t>(sent);
      ASSERT_TRUE(stream.Send(0, sent, x.substr(at, kMiB)));
      ASSERT_TRUE(stream.Send(1, sent, y.substr(at, kMiB)));
    }
  };
  send_to(5 * kMiB);
  ASSERT_TRUE(read_to(4 * kMiB));
  // Who writes must read.
  std::thread reader([&] { EXPECT_TRUE(read_to(kAddBytes)); });
  send_to(kAddBytes);
  stream.HalfClose();
  reader.join();
  const grpc::Status status = stream.End();
  ASSERT_TRUE(status.ok()) << status.error_message();
  int64_t wrong = 0;
  for (int64_t i = 0; i < kAddBytes / 4; ++i) {
    wrong += FloatAt(sum, i) != FloatAt(x, i) + 0.5f ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

// The whole operand has to be there before the first element of the result.
TEST(StreamTest, ATransposeIsHeld) {
  TestServer server;
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(R"(
    operands { type: F32 dimensions: [1000, 1100] }
    instructions { opcode: TRANSPOSE operands: 0
                   dimensions { dimensions: [1, 0] } }
    results {})"));
  const v1::Plan plan = stream.ReadReady();
  EXPECT_EQ(plan.operands(0).streaming(), v1::TensorPlan::HELD);
  std::string x(1000 * 1100 * 4, '\0');
  for (int i = 0; i < 1000 * 1100; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(x.data() + i * 4, &value, 4);
  }
  for (size_t at = 0; at < x.size(); at += 700'001) {
    ASSERT_TRUE(
        stream.Send(0, static_cast<int64_t>(at), x.substr(at, 700'001)));
  }
  stream.HalfClose();
  const auto results = stream.ReadResults();
  const grpc::Status status = stream.Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(results.at(0).size(), x.size());
  int64_t wrong = 0;
  for (int64_t c = 0; c < 1100; ++c) {
    for (int64_t r = 0; r < 1000; ++r) {
      wrong += FloatAt(results.at(0), c * 1000 + r) !=
                       static_cast<float>(r * 1100 + c)
                   ? 1
                   : 0;
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Every example of SEMANTICS.md, operands in chunks of 3 bytes by turns.
TEST(StreamTest, ExamplesAnswerOrRefuse) {
  TestServer server;
  for (const Example& example : AllExamples()) {
    SCOPED_TRACE(example.name);
    Stream stream(server);
    const std::vector<Encoding> encodings(example.signature.results.size(),
                                          Encoding::kRaw);
    stream.Begin(SpecToProto(example.signature, encodings));
    bool is_more = true;
    for (size_t at = 0; is_more; at += 3) {
      is_more = false;
      for (size_t i = 0; i < example.operands.size(); ++i) {
        const Bytes bytes = EncodeNumbers(example.signature.operands[i].type(),
                                          example.operands[i]);
        if (at >= bytes.size()) continue;
        const size_t count = std::min<size_t>(3, bytes.size() - at);
        is_more |= stream.Send(
            static_cast<uint32_t>(i), static_cast<int64_t>(at),
            std::string(reinterpret_cast<const char*>(bytes.data()) + at,
                        count));
      }
    }
    stream.HalfClose();
    const auto results = stream.ReadResults();
    const grpc::Status status = stream.Finish();
    if (example.code != absl::StatusCode::kOk) {
      EXPECT_EQ(static_cast<int>(status.error_code()),
                static_cast<int>(example.code))
          << status.error_message();
      // What is too large for a Compute is too costly here.
      if (example.code == absl::StatusCode::kResourceExhausted) continue;
      for (const std::string& text : example.texts) {
        EXPECT_THAT(status.error_message(), HasSubstr(text));
      }
      continue;
    }
    ASSERT_TRUE(status.ok()) << status.error_message();
    const auto plan = Engine::Create({}).value()->Prepare(example.signature);
    for (size_t r = 0; r < example.results.size(); ++r) {
      const DType type = (*plan)->results()[r].type();
      const auto found = results.find(static_cast<uint32_t>(r));
      const std::string bytes = found == results.end() ? "" : found->second;
      const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
      EXPECT_EQ(NumbersToString(type, Bytes(begin, begin + bytes.size())),
                NumbersToString(type, EncodeNumbers(type, example.results[r])));
    }
  }
}

// No message and no buffer holds such a tensor.
TEST(StreamTest, MoreThanTwoGibibytes) {
  TestServer server;
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(R"(
    instructions { opcode: IOTA
      iota { type: U8 shape { dimensions: [33000, 65536] } dimension: 0 } }
    results {})"));
  const v1::Plan plan = stream.ReadReady();
  EXPECT_EQ(plan.results(0).size_bytes(), int64_t{33000} * 65536);
  EXPECT_LT(plan.stream_memory_bytes(), 32 * kMiB);
  stream.HalfClose();
  int64_t received = 0;
  int64_t wrong = 0;
  v1::ComputeStreamResponse response;
  while (stream.Read(response)) {
    ASSERT_EQ(response.result().offset(), received);
    const std::string& data = response.result().data();
    for (size_t i = 0; i < data.size(); i += 4097) {
      const int64_t row = (received + static_cast<int64_t>(i)) / 65536;
      wrong += static_cast<uint8_t>(data[i]) != row % 256 ? 1 : 0;
    }
    received += static_cast<int64_t>(data.size());
  }
  const grpc::Status status = stream.Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(received, plan.results(0).size_bytes());
  EXPECT_EQ(wrong, 0);
}

// max_result_bytes bounds what is held, not what flows.
TEST(StreamTest, ResultsOverTheLimitOfACallFlow) {
  ServerOptions options = TestOptions();
  options.max_result_bytes = kMiB;
  TestServer server(options);
  Stream flowing(server);
  ASSERT_TRUE(flowing.Begin(R"(
    instructions { opcode: IOTA
      iota { type: F32 shape { dimensions: [4096, 1024] } dimension: 0 } }
    results {})"));
  flowing.HalfClose();
  EXPECT_EQ(flowing.ReadResults()[0].size(), size_t{16} << 20);
  EXPECT_TRUE(flowing.Finish().ok());

  // Results of two shapes take two passes over the operand.
  Stream held(server);
  ASSERT_TRUE(held.Begin(R"(
    operands { type: F32 dimensions: [4096, 1024] }
    instructions { opcode: NEGATE operands: 0 }
    instructions { opcode: TRANSPOSE operands: 0
                   dimensions { dimensions: [1, 0] } }
    results { value: 1 }
    results { value: 2 })"));
  const grpc::Status status = held.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("begin.results[0]"));
}

TEST(StreamTest, OverTheBudgetIsRefusedBeforeData) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 32 * kMiB;
  TestServer server(options);
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(kAddRows));
  const grpc::Status status = stream.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("--max-inflight-bytes"));
}

// Room for one such stream: the next one gets it as soon as this one is gone.
TEST(StreamTest, CancelledStreamsFreeWhatTheyHeld) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 100 * kMiB;
  TestServer server(options);
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      Stream stream(server);
      stream.Begin(kAddRows);
      v1::ComputeStreamResponse response;
      if (!stream.Read(response)) {
        EXPECT_EQ(stream.Finish().error_code(),
                  grpc::StatusCode::RESOURCE_EXHAUSTED);
        ASSERT_LT(std::chrono::steady_clock::now() - start,
                  std::chrono::seconds(20));
        continue;
      }
      for (int64_t at = 0; at < i % 6 * kMiB; at += kMiB) {
        stream.Send(0, at, std::string(kMiB, 'x'));
        stream.Send(1, at, std::string(kMiB, 'y'));
      }
      stream.Cancel();
      EXPECT_EQ(stream.End().error_code(), grpc::StatusCode::CANCELLED);
      break;
    }
  }
}

// An operand of which the program reads a part, sent whole.
TEST(StreamTest, WhatIsNotReadIsNotKept) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 48 * kMiB;
  for (const char* range : {"start: [0, 0] limit: [1024, 1024]",
                            "start: [15360, 0] limit: [16384, 1024]"}) {
    SCOPED_TRACE(range);
    TestServer server(options);
    Stream stream(server);
    ASSERT_TRUE(stream.Begin(absl::StrCat(R"(
      operands { type: F32 dimensions: [16384, 1024] }
      operands { type: F32 dimensions: [8192, 1024] }
      instructions { opcode: SLICE operands: 0 slice { )",
                                          range, R"( } }
      instructions { opcode: NEGATE operands: 2 }
      results {})")
                                 .c_str()));
    std::thread reader([&] {
      const auto results = stream.ReadResults();
      ASSERT_EQ(results.size(), 1u);
      EXPECT_EQ(results.at(0).size(), size_t{4} << 20);
      EXPECT_EQ(FloatAt(results.at(0), 77), -1.0f);
    });
    const std::string ones = Floats(kMiB / 4, 1, 0);
    for (int64_t at = 0; at < 64 * kMiB; at += kMiB) stream.Send(0, at, ones);
    for (int64_t at = 0; at < 32 * kMiB; at += kMiB) stream.Send(1, at, ones);
    stream.HalfClose();
    reader.join();
    const grpc::Status status = stream.Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

// What lies before and after a result's elements is as large as it is.
TEST(StreamTest, GapsOfResultsAreCounted) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 64 * kMiB;
  TestServer server(options);
  for (const char* strides :
       {"strides: [1024, 1] offset: 100000000",
        "strides: [1024, 1] total_elements: 100000000",
        "strides: [1024, 1] total_elements: 2000000000000000000"}) {
    Stream stream(server);
    ASSERT_TRUE(stream.Begin(absl::StrCat(R"(
      instructions { opcode: IOTA
        iota { type: F32 shape { dimensions: [1024, 1024] } dimension: 0 } }
      results { strides { )",
                                          strides, " } }")
                                 .c_str()));
    const grpc::Status status = stream.End();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
        << strides << ": " << status.error_message();
  }
}

}  // namespace
}  // namespace stridecast::testing
