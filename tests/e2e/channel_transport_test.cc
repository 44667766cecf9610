// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The transport over real connections, to a server that knows no messages.

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "proto/wire/status_codec.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "stridecast/transport.h"

namespace stridecast {
namespace {

using Reactor = grpc::ServerGenericBidiReactor;

// Reads a message, then sends it back and ends, or only ends with `status`.
class EchoReactor : public Reactor {
 public:
  explicit EchoReactor(grpc::Status status) : status_(std::move(status)) {
    StartRead(&message_);
  }
  void OnReadDone(bool ok) override {
    if (!ok || !status_.ok()) return Finish(status_);
    StartWriteAndFinish(&message_, grpc::WriteOptions(), status_);
  }
  void OnDone() override { delete this; }

 private:
  grpc::Status status_;
  grpc::ByteBuffer message_;
};

// Never reads and never answers.
class DeafReactor : public Reactor {
 public:
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

class TestService : public grpc::CallbackGenericService {
 public:
  explicit TestService(std::function<Reactor*()> make_reactor)
      : make_reactor_(std::move(make_reactor)) {}

 private:
  Reactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return make_reactor_();
  }
  std::function<Reactor*()> make_reactor_;
};

// A server on a port of its own.
class TestServer {
 public:
  explicit TestServer(std::function<Reactor*()> make_reactor)
      : service_(std::move(make_reactor)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(-1);
    server_ = builder.BuildAndStart();
    target_ = absl::StrCat("127.0.0.1:", port);
  }
  ~TestServer() { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& target() const { return target_; }

 private:
  TestService service_;
  std::unique_ptr<grpc::Server> server_;
  std::string target_;
};

std::shared_ptr<Transport> TransportTo(const std::string& target) {
  return MakeChannelTransport(
      grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
}

grpc::ByteBuffer BufferOf(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

CallHeader AnyMethod(absl::Duration timeout) {
  CallHeader header;
  header.method = "/any.Service/Method";
  header.deadline = absl::Now() + timeout;
  return header;
}

TEST(ChannelTransportTest, CarriesBytesThereAndBack) {
  TestServer server([] { return new EchoReactor(grpc::Status::OK); });
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
  TestServer server([&] { return new EchoReactor(ToGrpcStatus(sent)); });
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

// Memory that faults if it is read after the call that lent it.
class Pages {
 public:
  explicit Pages(size_t size) : size_(size) {
    address_ = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Pages() { munmap(address_, size_); }
  const std::byte* data() const {
    return static_cast<const std::byte*>(address_);
  }
  void Forbid() { mprotect(address_, size_, PROT_NONE); }

 private:
  size_t size_;
  void* address_;
};

TEST(ClientOverTcpTest, MemoryIsFreeWhenAnUploadRanOutOfTime) {
  TestServer server([] { return new DeafReactor; });
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

TEST(ClientOverTcpTest, RepliesOfAnySizeAreTaken) {
  // gRPC's default refuses more than 4 MiB. The request of a relayout, sent
  // back, reads as a reply: the operand and its bytes have the same fields.
  TestServer server([] { return new EchoReactor(grpc::Status::OK); });
  const Client client = Client::Connect(server.target());
  const std::vector<uint8_t> bytes(8 << 20, 7);
  const auto result = client.Relayout(*View(bytes, {8 << 20}), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(std::ranges::equal(result->slots<uint8_t>(), bytes));
}

}  // namespace
}  // namespace stridecast
