// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Streams over a transport that the test plays: in which order what is sent,
// what is made of replies, those of a server that misbehaves included.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/stream_client.h"
#include "tests/e2e/scripted_stream.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StreamRunTest : public ::testing::Test {
 protected:
  absl::Status Run(const Client& client, int num_operands = 1,
                   const StreamOptions& options = {}) {
    const std::vector<TensorView> operands(static_cast<size_t>(num_operands),
                                           *View(in_, {2, 3}));
    return StreamClient(client).ComputeInto(
        Sum(num_operands), operands, {*MutableView(out_, {2, 3})}, options);
  }

  const std::vector<float> in_ = {1, 2, 3, 4, 5, 6};
  std::vector<float> out_ = std::vector<float>(6);
  StreamRecord record_;
};

TEST_F(StreamRunTest, SendsAllInChunksAndTakesAll) {
  std::vector<std::pair<int64_t, int64_t>> progress;
  StreamOptions options;
  options.on_progress = [&](const StreamProgress& now) {
    progress.emplace_back(now.sent_bytes, now.received_bytes);
    EXPECT_EQ(now.operand_bytes, 24);
    EXPECT_EQ(now.result_bytes, 24);
  };
  int num_ready = 0;
  options.on_ready = [&](const Explanation& ready) {
    ++num_ready;
    EXPECT_TRUE(progress.empty());
    EXPECT_TRUE(ready.operands[0].is_streamed);
    EXPECT_EQ(ready.results[0].desc.ToString(), "f32[2,3]{1,0}");
    return absl::OkStatus();
  };
  const auto client =
      ClientOfReplies({Ready({{}}, 1, 10), Result(0, 0, 20), Result(0, 20, 4)},
                      record_, absl::OkStatus(), 5);
  const absl::Status status = Run(client, 1, options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(record_.sent, ElementsAre("begin", "0@0+10", "0@10+10", "0@20+4",
                                        "half-close"));
  EXPECT_EQ(record_.operand_bytes,
            std::string(reinterpret_cast<const char*>(in_.data()), 24));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(out_.data()), 24),
            std::string(24, 'r'));
  EXPECT_EQ(num_ready, 1);
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_THAT(progress, ElementsAre(Pair(10, 0), Pair(20, 0), Pair(24, 0),
                                    Pair(24, 20), Pair(24, 24)));
  EXPECT_EQ(record_.header.method,
            "/stridecast.v1.TensorCompute/ComputeStream");
  EXPECT_EQ(record_.header.deadline, absl::InfiniteFuture());
  EXPECT_TRUE(record_.is_destroyed);
}

struct OrderCase {
  const char* name;
  std::vector<Planned> operands;
  int64_t chunk_bytes;
  std::vector<std::string> expected;  // between begin and half-close
};

class SendOrderTest : public StreamRunTest,
                      public ::testing::WithParamInterface<OrderCase> {};

TEST_P(SendOrderTest, KeepsOperandsInStep) {
  const OrderCase& row = GetParam();
  const int count = static_cast<int>(row.operands.size());
  const auto client =
      ClientOfReplies({Ready(row.operands, 1, row.chunk_bytes)}, record_,
                      absl::AbortedError("enough seen"));
  EXPECT_EQ(Run(client, count).code(), absl::StatusCode::kAborted);
  std::vector<std::string> expected = {"begin"};
  expected.insert(expected.end(), row.expected.begin(), row.expected.end());
  expected.push_back("half-close");
  EXPECT_EQ(record_.sent, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, SendOrderTest,
    ::testing::Values(
        OrderCase{
            "InTurn", {{}, {}}, 12, {"0@0+12", "1@0+12", "0@12+12", "1@12+12"}},
        OrderCase{"HeldFirst",
                  {{}, {false}},
                  12,
                  {"1@0+12", "1@12+12", "0@0+12", "0@12+12"}},
        OrderCase{"WhatLiesBeforeTheReadPart",
                  {{}, {true, 16, 24}},
                  8,
                  {"0@0+8", "1@0+8", "1@8+8", "1@16+8", "0@8+8", "0@16+8"}},
        OrderCase{"WhatLiesBehindTheReadPart",
                  {{}, {true, 0, 8}},
                  4,
                  {"0@0+4", "1@0+4", "0@4+4", "0@8+4", "0@12+4", "1@4+4",
                   "0@16+4", "0@20+4", "1@8+4", "1@12+4", "1@16+4", "1@20+4"}},
        OrderCase{"WhatIsNotRead",
                  {{true, 0, 0}, {}},
                  12,
                  {"1@0+12", "1@12+12", "0@0+12", "0@12+12"}},
        OrderCase{"OneChunk", {{}}, int64_t{1} << 40, {"0@0+24"}},
        OrderCase{"ChunksNotStated", {{}}, 0, {"0@0+24"}},
        OrderCase{"ChunksThatAreNone", {{}}, -1, {"0@0+24"}}),
    [](const auto& test) { return test.param.name; });

TEST_F(StreamRunTest, ServersThatMisbehaveAreInternalErrors) {
  const grpc::Slice garbage(std::string(50, '\xFF'));
  v1::Plan unlike;
  unlike.add_operands()->mutable_desc()->set_type(v1::F32);
  unlike.add_results()->mutable_desc()->set_type(v1::F64);
  v1::Plan invalid;
  invalid.add_operands()->mutable_desc()->set_type(v1::DTYPE_UNSPECIFIED);
  invalid.add_results()->mutable_desc()->set_type(v1::F32);
  const grpc::ByteBuffer ready = Ready({{}}, 1, 100);
  const struct {
    std::deque<grpc::ByteBuffer> replies;
    const char* text;
  } kRows[] = {
      {{}, "the stream's reply: ended before ready"},
      {{Result(0, 0, 24)}, "the stream's reply: a result before ready"},
      {{ready, ready}, "the stream's reply: a second ready"},
      {{ready}, "ended after 0 of 24 bytes of result 0"},
      {{ready, Result(0, 0, 20)}, "ended after 20 of 24 bytes of result 0"},
      {{ready, Result(1, 0, 24)}, "result 1 of 1"},
      {{ready, Result(0, 4, 4)},
       "4 bytes at 4 of result 0, of which 0 of 24 bytes were received"},
      {{ready, Result(0, 0, 8), Result(0, 4, 4)},
       "4 bytes at 4 of result 0, of which 8 of 24 bytes were received"},
      {{ready, Result(0, -1, 4)}, "4 bytes at -1 of result 0"},
      {{ready, Result(0, 0, 25)}, "25 bytes at 0 of result 0"},
      {{ready, Result(0, 0, 24), Result(0, 24, 1)},
       "1 bytes at 24 of result 0, of which 24 of 24 bytes were received"},
      {{Ready({}, 1, 100)}, "0 operands and 1 results; asked for 1 and 1"},
      {{Ready({{}}, 2, 100)}, "1 operands and 2 results; asked for 1 and 1"},
      {{EncodeStreamReady(unlike)},
       "the server announces f64[], 8 bytes; asked for was f32[2,3]{1,0}, 24"},
      {{EncodeStreamReady(invalid)}, "in the reply: "},
      {{grpc::ByteBuffer(&garbage, 1)},
       "the reply is no ComputeStreamResponse"}};
  for (const auto& row : kRows) {
    record_ = {};
    const absl::Status status = Run(ClientOfReplies(row.replies, record_));
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(status.message(), HasSubstr(row.text));
    EXPECT_TRUE(record_.is_destroyed);
  }
}

TEST_F(StreamRunTest, ErrorsAreTheServers) {
  const absl::Status sent = absl::ResourceExhaustedError("no room");
  EXPECT_EQ(Run(ClientOfReplies({}, record_, sent)), sent);
  EXPECT_EQ(Run(ClientOfReplies({Ready({{}}, 1, 100)}, record_, sent)), sent);
}

TEST_F(StreamRunTest, ErrorsOfFunctionsEndIt) {
  const absl::Status full = absl::DataLossError("the disk is full");
  const auto replies = std::deque<grpc::ByteBuffer>{
      Ready({{}}, 1, 10), Result(0, 0, 8), Result(0, 8, 16)};
  const ReadBytes read = [](int64_t, absl::Span<std::byte> into) {
    std::fill(into.begin(), into.end(), std::byte{1});
    return absl::OkStatus();
  };
  const ReadBytes bad_read = [&](int64_t offset, absl::Span<std::byte>) {
    return offset == 10 ? full : absl::OkStatus();
  };
  const WriteBytes write = [](int64_t, absl::Span<const std::byte>) {
    return absl::OkStatus();
  };
  const WriteBytes bad_write = [&](int64_t offset,
                                   absl::Span<const std::byte>) {
    return offset == 8 ? full : absl::OkStatus();
  };
  const StreamOptions kFine;
  StreamOptions bad_ready;
  bad_ready.on_ready = [&](const Explanation&) { return full; };
  const struct {
    const ReadBytes& read;
    const WriteBytes& write;
    const StreamOptions& options;
    absl::Status expected;
    size_t num_sent;  // messages, half-close included
  } kRows[] = {{read, write, kFine, absl::OkStatus(), 5},
               {bad_read, write, kFine, full, 2},
               {read, bad_write, kFine, full, 5},
               {read, write, bad_ready, full, 1}};
  for (const auto& row : kRows) {
    record_ = {};
    const absl::Status status =
        StreamClient(ClientOfReplies(replies, record_, absl::OkStatus(), 5))
            .Compute(Sum(1), {row.read}, {row.write}, row.options);
    EXPECT_EQ(status, row.expected);
    EXPECT_EQ(record_.sent.size(), row.num_sent);
    EXPECT_TRUE(record_.is_destroyed);
  }
}

TEST_F(StreamRunTest, WhatTheProgramDoesNotTakeIsNotSent) {
  const Client client = ClientOfReplies({}, record_);
  const StreamClient stream(client);
  const std::vector<double> doubles(6);
  EXPECT_THAT(Run(client, 0).message(), HasSubstr("0 operands given"));
  EXPECT_THAT(stream
                  .ComputeInto(Sum(1), {*View(doubles, {2, 3})},
                               {*MutableView(out_, {2, 3})})
                  .message(),
              HasSubstr("operand 0 given as f64[2,3]{1,0}"));
  EXPECT_THAT(stream.ComputeInto(Sum(1), {*View(in_, {2, 3})}, {}).message(),
              HasSubstr("0 buffers given for 1 results"));
  const std::vector<ReadBytes> no_readers;
  const std::vector<WriteBytes> no_writers;
  const std::vector<WriteBytes> one_writer = {
      [](int64_t, absl::Span<const std::byte>) { return absl::OkStatus(); }};
  EXPECT_THAT(stream.Compute(Sum(2), no_readers, no_writers).message(),
              HasSubstr("0 functions for operands given to a program of 2"));
  EXPECT_THAT(
      stream.Compute(Sum(1), {*View(doubles, {2, 3})}, one_writer).message(),
      HasSubstr("operand 0 given as f64[2,3]{1,0}"));
  EXPECT_THAT(
      stream.Compute(Sum(1), {*View(in_, {2, 3})}, no_writers).message(),
      HasSubstr("0 functions for results given to a program of 1"));
  EXPECT_TRUE(record_.sent.empty());
}

}  // namespace
}  // namespace stridecast
