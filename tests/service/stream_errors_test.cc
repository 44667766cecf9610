// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// ComputeStream over a real connection: what callers may get wrong.

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/service/service_testing.h"
#include "tests/service/stream_testing.h"

namespace stridecast::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct BadStream {
  std::string name;
  std::function<void(Stream&)> send;
  grpc::StatusCode code;
  std::string text;
};

constexpr char kNegate4[] = R"(
  operands { type: F32 dimensions: 4 }
  instructions { opcode: NEGATE operands: 0 }
  results {})";

std::vector<BadStream> BadStreams() {
  using grpc::StatusCode;
  const auto with_begin = [](std::function<void(Stream&)> then) {
    return [then](Stream& stream) {
      stream.Begin(kNegate4);
      then(stream);
    };
  };
  return {
      {"NoBegin", [](Stream& s) { s.HalfClose(); },
       StatusCode::FAILED_PRECONDITION, "begin: half-closed before it"},
      {"ChunkBeforeBegin", [](Stream& s) { s.Send(0, 0, "1234"); },
       StatusCode::FAILED_PRECONDITION, "operand: a chunk before begin"},
      {"TwoBegins", with_begin([](Stream& s) { s.Begin(kNegate4); }),
       StatusCode::FAILED_PRECONDITION, "begin: a second one"},
      {"NoEvent", with_begin([](Stream& s) { s.Write({}); }),
       StatusCode::INVALID_ARGUMENT, "event: not set"},
      {"OffsetAhead", with_begin([](Stream& s) { s.Send(0, 4, "1234"); }),
       StatusCode::FAILED_PRECONDITION,
       "operand.offset: 4 for operand 0, of which 0 bytes were sent"},
      {"Overlap", with_begin([](Stream& s) {
         s.Send(0, 0, "12345678");
         s.Send(0, 4, "5678");
       }),
       StatusCode::FAILED_PRECONDITION,
       "operand.offset: 4 for operand 0, of which 8 bytes were sent"},
      {"NegativeOffset", with_begin([](Stream& s) { s.Send(0, -4, "1234"); }),
       StatusCode::FAILED_PRECONDITION, "operand.offset: -4"},
      {"NoSuchOperand", with_begin([](Stream& s) { s.Send(1, 0, "1234"); }),
       StatusCode::INVALID_ARGUMENT, "operand.index: 1; there are 1 operands"},
      {"PastTheEnd",
       with_begin([](Stream& s) { s.Send(0, 0, std::string(17, 'x')); }),
       StatusCode::INVALID_ARGUMENT,
       "operand.data: 17 bytes at 0 of operand 0, which has 16 bytes"},
      {"AfterTheEnd", with_begin([](Stream& s) {
         s.Send(0, 0, std::string(16, 'x'));
         s.Send(0, 16, "x");
       }),
       StatusCode::INVALID_ARGUMENT,
       "operand.data: 1 bytes at 16 of operand 0, which has 16 bytes"},
      {"Missing", with_begin([](Stream& s) {
         s.Send(0, 0, "12345678");
         s.HalfClose();
       }),
       StatusCode::INVALID_ARGUMENT,
       "operand.data: half-closed after 8 of 16 bytes of operand 0"},
      {"GreatChunk", with_begin([](Stream& s) {
         s.Send(0, 0, std::string((2 << 20) + 1, 'x'));
       }),
       StatusCode::RESOURCE_EXHAUSTED,
       "operand.data: 2097153 bytes; a chunk has at most 2097152"},
      {"UnknownField", with_begin([](Stream& s) {
         v1::ComputeStreamRequest request;
         auto* chunk = request.mutable_operand();
         chunk->GetReflection()->MutableUnknownFields(chunk)->AddVarint(7, 1);
         s.Write(request);
       }),
       StatusCode::INVALID_ARGUMENT, "operand.7"},
      {"TypedResult",
       [](Stream& s) {
         s.Begin(R"(operands { type: F32 dimensions: 4 }
                    instructions { opcode: NEGATE operands: 0 }
                    results { encoding: TYPED })");
       },
       StatusCode::INVALID_ARGUMENT, "begin.results[0].encoding"},
      {"BadSpec",
       [](Stream& s) {
         s.Begin(R"(operands { type: F32 dimensions: -4 } results {})");
       },
       StatusCode::INVALID_ARGUMENT, "begin.operands[0]"},
  };
}

class BadStreamTest : public ::testing::TestWithParam<BadStream> {};

TEST_P(BadStreamTest, IsToldWhatIsWrong) {
  TestServer server;
  Stream stream(server);
  GetParam().send(stream);
  const grpc::Status status = stream.End();
  EXPECT_EQ(status.error_code(), GetParam().code) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Streams, BadStreamTest,
                         ::testing::ValuesIn(BadStreams()),
                         [](const auto& row) { return row.param.name; });

// Instead of a deadlock: the other operand can only come after this one.
TEST(StreamErrorsTest, RunningAheadIsRefused) {
  TestServer server;
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(R"(
    operands { type: F32 dimensions: [16384, 1024] }
    operands { type: F32 dimensions: [16384, 1024] }
    instructions { opcode: ADD operands: [0, 1] }
    results {})"));
  for (int64_t at = 0; at < 64 * kMiB; at += kMiB) {
    if (!stream.Send(0, at, std::string(kMiB, 'x'))) break;
  }
  const grpc::Status status = stream.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(),
              HasSubstr("operand.offset: operand 0 is at byte 22020096 while "
                        "operand 1 is at byte 0 of 67108864: more than "
                        "stream_window_bytes 16777216"));
}

TEST(StreamErrorsTest, SilenceEndsIt) {
  ServerOptions options = TestOptions();
  options.stream_idle_seconds = 1;
  TestServer server(options);
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(kNegate4));
  const grpc::Status status = stream.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(status.error_message(),
              HasSubstr("the client sends nothing, nor half-closes for 1 s "
                        "(--stream-idle-seconds)"));
}

// Its results stay in the server's memory no longer than that either.
TEST(StreamErrorsTest, NotReadingEndsIt) {
  ServerOptions options = TestOptions();
  options.stream_idle_seconds = 1;
  constexpr char kGreat[] = R"(
    instructions { opcode: IOTA
      iota { type: F32 shape { dimensions: [131072, 1024] } dimension: 0 } }
    results {})";
  options.max_inflight_bytes = 12 * kMiB;  // of one such stream
  TestServer server(options);
  Stream stream(server);
  ASSERT_TRUE(stream.Begin(kGreat));
  stream.ReadReady();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_THAT(stream.End().error_code(),
              AnyOf(grpc::StatusCode::ABORTED, grpc::StatusCode::CANCELLED));
  EXPECT_TRUE(WaitUntil([&] {
    Stream next(server);
    next.Begin(kGreat);
    v1::ComputeStreamResponse response;
    return next.Read(response) && response.has_ready();
  }));
}

TEST(StreamErrorsTest, MessagesOverTheLimitAreRefused) {
  ServerOptions options = TestOptions();
  options.max_message_bytes = 100'000;
  TestServer server(options);
  Stream stream(server);
  stream.Begin("operands { type: U8 dimensions: 1000000 } results {}");
  stream.ReadReady();
  stream.Send(0, 0, std::string(200'000, 'x'));
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(),
              HasSubstr("bytes, more than --max-message-bytes 100000"));
}

TEST(StreamErrorsTest, SilenceBeforeBeginEnds) {
  ServerOptions options = TestOptions();
  options.stream_idle_seconds = 1;
  TestServer server(options);
  Stream stream(server);
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(status.error_message(), HasSubstr("--stream-idle-seconds"));
}

// There is room for one of them.
TEST(StreamErrorsTest, StreamsAreAdmittedBeforeBegin) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 100'000;
  options.stream_idle_seconds = 1;
  TestServer server(options);
  Stream first(server);
  Stream second(server);
  EXPECT_THAT(
      (std::vector{first.Finish().error_code(), second.Finish().error_code()}),
      ::testing::UnorderedElementsAre(grpc::StatusCode::ABORTED,
                                      grpc::StatusCode::RESOURCE_EXHAUSTED));
}

TEST(StreamErrorsTest, CompressedMessagesAreRefused) {
  TestServer server;
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    const auto stream = server.stub().ComputeStream(&context);
    v1::ComputeStreamRequest request;
    *request.mutable_begin() = FromText<v1::ComputeSpec>(kNegate4);
    request.mutable_begin()->mutable_operands(0)->set_dimensions(0, 10'000);
    stream->Write(request);
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED)
        << algorithm;
  }
}

}  // namespace
}  // namespace stridecast::testing
