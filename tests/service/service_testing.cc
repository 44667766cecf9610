// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/service/service_testing.h"

#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "proto/wire/status_codec.h"
#include "spdlog/spdlog.h"

namespace stridecast::testing {

ServerOptions TestOptions() {
  spdlog::set_level(spdlog::level::off);
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.metrics_listen = "off";
  options.max_inflight_bytes = int64_t{1} << 30;
  options.drain_delay_seconds = 0;
  options.drain_deadline_seconds = 10;
  return options;
}

TestServer::TestServer(const ServerOptions& options)
    : server_(Server::Start(options).value()) {
  Connect();
}

TestServer::TestServer(const ServerOptions& options,
                       std::shared_ptr<FakeControl> control)
    : server_(Server::Start(options,
                            std::make_unique<FakeEngine>(std::move(control)))
                  .value()) {
  Connect();
}

void TestServer::Connect() {
  channel_ = NewChannel();
  stub_ = v1::TensorCompute::NewStub(channel_);
}

std::shared_ptr<grpc::Channel> TestServer::NewChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(
      server_->addresses()[0], grpc::InsecureChannelCredentials(), arguments);
}

absl::StatusOr<grpc::ByteBuffer> CallRaw(
    const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
    const grpc::ByteBuffer& request, grpc::ClientContext& context) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      &context, "/stridecast.v1.TensorCompute/" + method, request, &queue);
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->StartCall();
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  if (!status.ok()) return FromGrpcStatus(status);
  return reply;
}

absl::StatusOr<grpc::ByteBuffer> CallRaw(
    const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
    const grpc::ByteBuffer& request) {
  grpc::ClientContext context;
  context.set_deadline(SecondsFromNow(60));
  return CallRaw(channel, method, request, context);
}

grpc::ByteBuffer ToByteBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

bool WaitUntil(const std::function<bool()>& condition) {
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

v1::ComputeRequest IdentityRequest(int64_t num_floats) {
  auto request = FromText<v1::ComputeRequest>(
      absl::StrCat("spec { operands { type: F32 dimensions: ", num_floats,
                   " } instructions { opcode: IDENTITY operands: 0 }"
                   " results { encoding: RAW } }"));
  std::vector<float> values(static_cast<size_t>(num_floats));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  request.add_payloads()->set_raw(values.data(), values.size() * sizeof(float));
  return request;
}

v1::ComputeRequest IotaRequest(int64_t num_bytes) {
  return FromText<v1::ComputeRequest>(absl::StrCat(
      "spec { instructions { opcode: IOTA iota { type: U8 shape { dimensions: ",
      num_bytes, " } } } results { encoding: RAW } }"));
}

std::vector<float> FloatsOf(const v1::Payload& payload) {
  std::vector<float> values(payload.raw().size() / sizeof(float));
  std::memcpy(values.data(), payload.raw().data(), payload.raw().size());
  return values;
}

}  // namespace stridecast::testing
