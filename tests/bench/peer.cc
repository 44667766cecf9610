// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/peer.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <random>
#include <span>
#include <utility>

#include "proto/wire/request_codec.h"
#include "tests/bench/fail.h"
#include "tests/support/builders.h"

namespace stridecast::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

grpc::ByteBuffer InOneSlice(const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  if (!message.DumpToSingleSlice(&slice).ok()) Fail("no memory");
  return grpc::ByteBuffer(&slice, 1);
}

// Floats of no meaning; not zeros, which memory may move faster.
std::vector<std::byte> Data(int64_t size_bytes) {
  std::vector<float> numbers(static_cast<size_t>(size_bytes / 4));
  std::minstd_rand random(1);
  for (float& number : numbers) number = static_cast<float>(random());
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

Instruction F32Constant(const std::vector<float>& numbers, DimVector shape) {
  return testing::Op(
      Opcode::kConstant, {},
      ConstantAttribute{
          testing::Desc(DType::kF32, shape),
          std::string(reinterpret_cast<const char*>(numbers.data()),
                      numbers.size() * sizeof(float))});
}

struct CallState {
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  grpc::ByteBuffer reply;
  grpc::Status status;
};

}  // namespace

Request AddOne(int64_t operand_bytes) {
  const Signature signature = testing::Program(
      {testing::Desc(DType::kF32, {operand_bytes / 4})},
      {F32Constant({1}, {}), testing::BinaryOp(Opcode::kAdd, 0, 1)});
  const std::vector<std::byte> data = Data(operand_bytes);
  const SegmentedBytes payload(data.data(), operand_bytes);
  return {"/stridecast.v1.TensorCompute/Compute",
          InOneSlice(EncodeComputeRequest(signature, {&payload, 1},
                                          {Encoding::kRaw}))};
}

Request NchwToNhwc(int64_t operand_bytes) {
  Signature signature;
  signature.operands = {
      testing::Desc(DType::kF32, {operand_bytes / 4 / 64 / 4096, 64, 64, 64})};
  signature.results = {testing::Result(testing::Order({1, 3, 2, 0}))};
  const std::vector<std::byte> data = Data(operand_bytes);
  const SegmentedBytes payload(data.data(), operand_bytes);
  return {
      "/stridecast.v1.TensorCompute/Relayout",
      InOneSlice(EncodeRelayoutRequest(signature, payload, Encoding::kRaw))};
}

Request NormalizeImages(int64_t operand_bytes) {
  constexpr int64_t kWidth = 512;
  const int64_t height = operand_bytes / 3 / kWidth;
  const Signature signature = testing::Program(
      {testing::Desc(DType::kU8, {1, height, kWidth, 3})},
      {testing::Op(Opcode::kConvert, {0}, ConvertAttribute{DType::kF32}),
       F32Constant({255}, {}), testing::BinaryOp(Opcode::kDivide, 1, 2),
       F32Constant({.485f, .456f, .406f}, {3}),
       testing::BinaryOp(Opcode::kSubtract, 3, 4, {3}),
       F32Constant({.229f, .224f, .225f}, {3}),
       testing::BinaryOp(Opcode::kDivide, 5, 6, {3}),
       testing::Op(Opcode::kTranspose, {7},
                   DimensionsAttribute{{0, 3, 1, 2}})});
  const std::vector<std::byte> data = Data(height * kWidth * 3);
  const SegmentedBytes payload(data.data(), height * kWidth * 3);
  return {"/stridecast.v1.TensorCompute/Compute",
          InOneSlice(EncodeComputeRequest(signature, {&payload, 1},
                                          {Encoding::kRaw}))};
}

Request HealthCheck() {
  return {"/grpc.health.v1.Health/Check", grpc::ByteBuffer(nullptr, 0)};
}

Peer::Peer(const Endpoint& endpoint, int num_connections) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // Channels of the same arguments share a connection otherwise.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (int i = 0; i < num_connections; ++i) {
    stubs_.push_back(
        std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
            endpoint.address, endpoint.credentials, arguments)));
  }
}

Peer::~Peer() {
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
}

double Peer::Call(const Request& request) {
  const auto start = Clock::now();
  Start(request);
  Wait();
  return SecondsSince(start);
}

double Peer::Calls(const Request& request, int count, int in_flight) {
  const auto start = Clock::now();
  int started = 0;
  for (; started < std::min(in_flight, count); ++started) Start(request);
  for (int done = 0; done < count; ++done) {
    Wait();
    if (started < count) {
      Start(request);
      ++started;
    }
  }
  return SecondsSince(start);
}

void Peer::Start(const Request& request) {
  auto call = std::make_unique<CallState>();
  grpc::GenericStub& stub = *stubs_[next_++ % stubs_.size()];
  call->context.set_wait_for_ready(true);
  call->reader = stub.PrepareUnaryCall(&call->context, request.method,
                                       request.bytes, &queue_);
  call->reader->StartCall();
  CallState* const state = call.release();
  state->reader->Finish(&state->reply, &state->status, state);
}

void Peer::Wait() {
  void* tag;
  bool ok;
  if (!queue_.Next(&tag, &ok)) Fail("the queue is shut down");
  const std::unique_ptr<CallState> call(static_cast<CallState*>(tag));
  if (!call->status.ok()) Fail(call->status.error_message());
}

}  // namespace stridecast::bench
