// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Messages in HTTP/2 frames that no gRPC client makes: of one byte each, or too
// few of them.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/call.h"
#include "tests/service/background_call.h"
#include "tests/service/http2_client.h"
#include "tests/service/service_testing.h"
#include "tests/support/http2_bytes.h"

namespace stridecast::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int64_t kNumFloats = 1024;

// The bytes of 0, 1, 2 ...
std::string Floats() { return IdentityRequest(kNumFloats).payloads(0).raw(); }

v1::ComputeSpec TwiceX() {
  return FromText<v1::ComputeSpec>(R"(
    operands { type: F32 dimensions: 1024 }
    instructions { opcode: ADD operands: [0, 0] }
    results { encoding: RAW })");
}

// A Compute of x + x.
std::string TwiceXRequest() {
  v1::ComputeRequest request;
  *request.mutable_spec() = TwiceX();
  request.add_payloads()->set_raw(Floats());
  return http2::WithPrefix(request.SerializeAsString());
}

void ExpectTwiceX(const std::string& raw) {
  v1::Payload payload;
  payload.set_raw(raw);
  const std::vector<float> values = FloatsOf(payload);
  ASSERT_EQ(values.size(), kNumFloats);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], 2 * static_cast<float>(i));
  }
}

// What a server of so much budget sets, once a call has been answered.
std::map<uint16_t, uint32_t> SettingsWithBudget(int64_t max_inflight_bytes) {
  ServerOptions options = TestOptions();
  options.max_connections = 50;
  options.max_inflight_bytes = max_inflight_bytes;
  TestServer server(options);
  Http2Client client(server.server().addresses()[0]);
  EXPECT_TRUE(client.StartCall(1, "GetServerInfo"));
  EXPECT_TRUE(client.SendData(1, http2::WithPrefix(""), /*is_last=*/true));
  EXPECT_TRUE(client.ReadReply(1).has_value());
  return client.settings();
}

TEST(FramesTest, WindowsAreWideWhereTheBudgetHasRoomForAllConnections) {
  EXPECT_THAT(SettingsWithBudget(50 * (int64_t{4} << 20)),
              Contains(Pair(http2::kInitialWindowSize, Ge(2u << 20))));
  const auto narrow = SettingsWithBudget(50 * (int64_t{4} << 20) - 1);
  EXPECT_THAT(narrow, Contains(Pair(http2::kMaxFrameSize, 1u << 20)));
  // RFC 9113's 65535, unless said otherwise.
  EXPECT_THAT(narrow,
              Not(Contains(Pair(http2::kInitialWindowSize, Gt(65'535u)))));
}

// One byte a frame, each a write to the socket.
bool SendByteByByte(Http2Client& client, uint32_t stream,
                    const std::string& bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool is_last = i + 1 == bytes.size();
    if (!client.SendData(stream, bytes.substr(i, 1), is_last)) return false;
  }
  return true;
}

void ExpectAnswersTwiceX(Http2Client& client, uint32_t stream) {
  ASSERT_TRUE(client.StartCall(stream, "Compute"));
  ASSERT_TRUE(SendByteByByte(client, stream, TwiceXRequest()));
  const auto reply = client.ReadReply(stream);
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(reply->headers, Contains(Pair("grpc-status", "0")));
  EXPECT_EQ(reply->reset_code, std::nullopt);
  EXPECT_EQ(reply->rest, "");
  ASSERT_THAT(reply->messages, SizeIs(1));
  v1::ComputeResponse response;
  ASSERT_TRUE(response.ParseFromString(reply->messages[0]));
  ASSERT_EQ(response.payloads_size(), 1);
  ExpectTwiceX(response.payloads(0).raw());
}

TEST(FramesTest, AMessageInFramesOfOneByte) {
  TestServer server;
  Http2Client client(server.server().addresses()[0]);
  ExpectAnswersTwiceX(client, 1);
  // As it comes again its plan is found by its bytes.
  ExpectAnswersTwiceX(client, 3);
}

TEST(FramesTest, AStreamInFramesOfOneByte) {
  TestServer server;
  Http2Client client(server.server().addresses()[0]);
  v1::ComputeStreamRequest begin;
  *begin.mutable_begin() = TwiceX();
  std::string messages = http2::WithPrefix(begin.SerializeAsString());
  const std::string floats = Floats();
  for (size_t at = 0; at < floats.size(); at += 1000) {
    v1::ComputeStreamRequest chunk;
    chunk.mutable_operand()->set_offset(static_cast<int64_t>(at));
    chunk.mutable_operand()->set_data(floats.substr(at, 1000));
    messages += http2::WithPrefix(chunk.SerializeAsString());
  }
  ASSERT_TRUE(client.StartCall(1, "ComputeStream"));
  ASSERT_TRUE(SendByteByByte(client, 1, messages));
  const auto reply = client.ReadReply(1);
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(reply->headers, Contains(Pair("grpc-status", "0")));
  std::string result;
  for (const std::string& message : reply->messages) {
    v1::ComputeStreamResponse response;
    ASSERT_TRUE(response.ParseFromString(message));
    result += response.result().data();
  }
  ExpectTwiceX(result);
}

struct HalfSent {
  std::string name;
  const char* method;
  std::string bytes;
};

// Cut off within the prefix, after it, and within the message.
std::vector<HalfSent> HalfMessages() {
  const std::string request = TwiceXRequest();
  v1::ComputeStreamRequest event;
  *event.mutable_begin() = TwiceX();
  const std::string begin = http2::WithPrefix(event.SerializeAsString());
  event.mutable_operand()->set_data(Floats());
  const std::string chunk = http2::WithPrefix(event.SerializeAsString());
  std::vector<HalfSent> rows;
  for (const size_t count : {1, 4, 5, 6, 100}) {
    const std::string suffix = absl::StrCat("Of", count);
    rows.push_back({"Compute" + suffix, "Compute", request.substr(0, count)});
    rows.push_back({"Begin" + suffix, "ComputeStream",
                    begin.substr(0, std::min(count, begin.size() - 1))});
    rows.push_back(
        {"Chunk" + suffix, "ComputeStream", begin + chunk.substr(0, count)});
  }
  rows.push_back(
      {"AllButOne", "Compute", request.substr(0, request.size() - 1)});
  rows.push_back({"ChunkButOne", "ComputeStream",
                  begin + chunk.substr(0, chunk.size() - 1)});
  return rows;
}

// The prefix promises more than comes before END_STREAM.
TEST(FramesTest, HalfAMessageIsRefused) {
  TestServer server;
  Http2Client client(server.server().addresses()[0]);
  uint32_t stream = 1;
  for (const HalfSent& row : HalfMessages()) {
    SCOPED_TRACE(row.name);
    ASSERT_TRUE(client.StartCall(stream, row.method));
    ASSERT_TRUE(client.SendData(stream, row.bytes, /*is_last=*/true));
    const auto reply = client.ReadReply(stream);
    ASSERT_TRUE(reply.has_value());
    EXPECT_THAT(reply->headers,
                Contains(Pair("grpc-status", Not(AnyOf("", "0")))));
    for (const std::string& message : reply->messages) {
      v1::ComputeStreamResponse response;
      ASSERT_TRUE(response.ParseFromString(message));
      EXPECT_TRUE(response.has_ready());
    }
    stream += 2;
  }
  ExpectAnswersTwiceX(client, stream);
}

// There is room for one such reply. The client opens no window: the reply stays
// in the server beyond its first 64 KiB.
TEST(FramesTest, AReplyThatNobodyReadsIsLetGoOf) {
  ServerOptions options = TestOptions();
  options.max_inflight_bytes = 1'500'000;
  options.default_deadline_seconds = 1;
  TestServer server(options);
  const auto request = FromText<v1::ComputeRequest>(R"(
    spec { instructions { opcode: IOTA
                          iota { type: U8 shape { dimensions: 1000000 } } }
           results { encoding: RAW } })");
  const auto code = [&] {
    grpc::ClientContext context;
    v1::ComputeResponse response;
    return server.stub().Compute(&context, request, &response).error_code();
  };
  Http2Client client(server.server().addresses()[0]);
  ASSERT_TRUE(client.StartCall(1, "Compute"));
  ASSERT_TRUE(client.SendData(1, http2::WithPrefix(request.SerializeAsString()),
                              /*is_last=*/true));
  EXPECT_TRUE(WaitUntil([&] { return code() == grpc::RESOURCE_EXHAUSTED; }));
  EXPECT_TRUE(WaitUntil([&] { return code() == grpc::OK; }));
}

// Some while the server goes through those that are late, once a second.
TEST(FramesTest, CallersWhoLeaveLateReplies) {
  constexpr int kNumClients = 100;
  constexpr uint32_t kCallsOfEach = 8;
  ServerOptions options = TestOptions();
  options.default_deadline_seconds = 1;
  TestServer server(options);
  const std::string request =
      http2::WithPrefix(IotaRequest(70'000).SerializeAsString());
  auto clients = CallersThatDoNotRead(server.server().addresses()[0],
                                      kNumClients, kCallsOfEach, request);
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  while (!clients.empty()) {
    clients.pop_back();
    std::this_thread::sleep_for(std::chrono::milliseconds(12));
  }
  EXPECT_TRUE(
      WaitUntil([&] { return server.server().service().num_calls() == 0; }));
  EXPECT_TRUE(BackgroundCall(server, IdentityRequest(1), 30).Wait().ok());
}

// There is room for one call.
TEST(FramesTest, AConnectionLostWithinAMessageHoldsNothing) {
  ServerOptions options = TestOptions();
  options.max_inflight_calls = 1;
  TestServer server(options);
  const ByteBudget& budget =
      server.server().service().environment().memory->budget;
  const std::string& address = server.server().addresses()[0];
  const std::string request = TwiceXRequest();
  const auto status_of_whole = [&] {
    Http2Client client(address);
    EXPECT_TRUE(client.StartCall(1, "Compute"));
    EXPECT_TRUE(client.SendData(1, request, /*is_last=*/true));
    const auto reply = client.ReadReply(1);
    return reply ? reply->headers.at("grpc-status") : "";
  };
  {
    Http2Client client(address);
    ASSERT_TRUE(client.StartCall(1, "Compute"));
    ASSERT_TRUE(client.SendData(1, request.substr(0, 1000), /*is_last=*/false));
    ASSERT_TRUE(
        WaitUntil([&] { return server.server().service().num_calls() == 1; }));
    EXPECT_EQ(status_of_whole(), "8");
    EXPECT_EQ(budget.inflight_bytes(), kUnstatedRequestBytes);
  }
  EXPECT_TRUE(WaitUntil([&] { return budget.inflight_bytes() == 0; }));
  EXPECT_TRUE(WaitUntil([&] { return status_of_whole() == "0"; }));
}

}  // namespace
}  // namespace stridecast::testing
