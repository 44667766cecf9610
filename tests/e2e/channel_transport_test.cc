// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The transport over real connections, to a server that knows no messages.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/transport.h"
#include "tests/e2e/generic_server.h"
#include "tests/e2e/pages.h"
#include "tests/e2e/resetting_server.h"

namespace stridecast {
namespace {

std::shared_ptr<Transport> TransportTo(const std::string& target) {
  return MakeChannelTransport(
      grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
}

grpc::ByteBuffer BufferOf(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

Transport::Reply CallAndWait(Transport& transport, const CallHeader& header,
                             const grpc::ByteBuffer& request) {
  Transport::Reply reply = absl::UnknownError("");
  absl::Notification done;
  transport.Call(header, request, [&reply, &done](Transport::Reply ended) {
    reply = std::move(ended);
    done.Notify();
  });
  done.WaitForNotification();
  return reply;
}

CallHeader AnyMethod(absl::Duration timeout) {
  CallHeader header;
  header.method = "/any.Service/Method";
  header.deadline = absl::Now() + timeout;
  return header;
}

TEST(ChannelTransportTest, CarriesBytesThereAndBack) {
  GenericServer server(
      [](const auto&) { return new EchoReactor(grpc::Status::OK); });
  const auto reply =
      CallAndWait(*TransportTo(server.target()), AnyMethod(absl::Seconds(30)),
                  BufferOf("hello"));
  ASSERT_TRUE(reply.ok()) << reply.status();
  grpc::Slice bytes;
  ASSERT_TRUE(reply->DumpToSingleSlice(&bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "hello");
}

TEST(ChannelTransportTest, ErrorsKeepCodeTextAndDetails) {
  const absl::Status sent = WithRetryDelay(
      absl::ResourceExhaustedError("no room"), absl::Milliseconds(250));
  GenericServer server(
      [&](const auto&) { return new EchoReactor(ToGrpcStatus(sent)); });
  const auto reply =
      CallAndWait(*TransportTo(server.target()), AnyMethod(absl::Seconds(30)),
                  BufferOf("hello"));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(reply.status().message(), "no room");
  EXPECT_EQ(RetryDelay(reply.status()), absl::Milliseconds(250));
}

TEST(ChannelTransportTest, AnUnreachableServerIsUnavailableAtOnce) {
  const auto transport = TransportTo("unix:/nowhere/stridecast.sock");
  const absl::Time start = absl::Now();
  const auto reply =
      CallAndWait(*transport, AnyMethod(absl::Seconds(30)), BufferOf(""));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST(ChannelTransportTest, WaitingForAnUnreachableServerEndsAtTheDeadline) {
  const auto transport = TransportTo("unix:/nowhere/stridecast.sock");
  CallHeader header = AnyMethod(absl::Milliseconds(100));
  header.wait_for_ready = true;
  const auto reply = CallAndWait(*transport, header, BufferOf(""));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ClientOverTcpTest, MemoryIsFreeWhenAnUploadRanOutOfTime) {
  GenericServer server([](const auto&) { return new DeafReactor; });
  const Client client = Client::Connect(server.target());
  const auto desc = TensorDesc::Create(DType::kU8, {int64_t{64} << 20});
  ProgramBuilder b;
  b.Result(b.Parameter(*desc));
  for (int i = 0; i < 3; ++i) {
    Pages operand(static_cast<size_t>(desc->size_bytes()));
    const auto results =
        client.Compute(*b.Build(), {TensorView{*desc, operand.data()}},
                       {.timeout = absl::Milliseconds(200)});
    EXPECT_EQ(results.status().code(), absl::StatusCode::kDeadlineExceeded);
    operand.Forbid();
    absl::SleepFor(absl::Milliseconds(50));
  }
}

TEST(ClientOverTcpTest, CallsWhoseStreamsAreResetAreMadeAgain) {
  constexpr uint32_t kInternalError = 2;
  ResettingServer server(kInternalError);
  ASSERT_NE(server.target(), "");
  const Client client = Client::Connect(server.target());
  const auto info = client.GetServerInfo();
  EXPECT_EQ(info.status().code(), absl::StatusCode::kInternal) << info.status();
  EXPECT_EQ(server.num_calls(), 3);
}

TEST(ClientOverTcpTest, RepliesOfAnySizeAreTaken) {
  // gRPC's default refuses more than 4 MiB. The request of a relayout, sent
  // back, reads as a reply: the operand and its bytes have the same fields.
  GenericServer server(
      [](const auto&) { return new EchoReactor(grpc::Status::OK); });
  const Client client = Client::Connect(server.target());
  const std::vector<uint8_t> bytes(8 << 20, 7);
  const auto result = client.Relayout(*View(bytes, {8 << 20}), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(std::ranges::equal(result->slots<uint8_t>(), bytes));
}

}  // namespace
}  // namespace stridecast
