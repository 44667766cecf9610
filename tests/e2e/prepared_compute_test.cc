// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Requests that are encoded once and sent many times.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/client.h"
#include "stridecast/program.h"
#include "tests/e2e/fake_transport.h"

namespace stridecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string BytesOfMessage(const grpc::ByteBuffer& message) {
  grpc::Slice whole;
  EXPECT_TRUE(message.DumpToSingleSlice(&whole).ok());
  return std::string(whole.begin(), whole.end());
}

// Doubles the first operand of a Doubling() request, in the form asked for if
// that is row-major.
Transport::Reply Double(const CallHeader&, const grpc::ByteBuffer& message) {
  const auto request = DecodeComputeRequest(message);
  if (!request.ok()) return request.status();
  std::vector<float> numbers(6);
  request->payloads[0].CopyTo(0, 24,
                              reinterpret_cast<std::byte*>(numbers.data()));
  for (float& number : numbers) number *= 2;
  return ComputeReply(*ParseShapeString("f32[2,3]"), numbers);
}

const DimensionOrder kColumnMajor{{0, 1}, {}, {}};

TEST(PreparedComputeTest, IsTheSameOnTheWire) {
  std::string sent;
  const Client client =
      ClientOf([&](const CallHeader& header,
                   const grpc::ByteBuffer& message) -> Transport::Reply {
        sent = header.method + BytesOfMessage(message);
        return absl::AbortedError("enough seen");
      });
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]{0,1}"));
  const Value y = b.Parameter(*ParseShapeString("s16[]"));
  b.Result(b.Add(x, b.Convert(y, DType::kF32)), kColumnMajor);
  b.Result(b.Transpose(x, {1, 0}));
  const Signature program = *b.Build();
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  const std::vector<int16_t> scalar = {7};
  const std::vector<TensorView> operands = {
      *View(numbers, {2, 3}, kColumnMajor), *View(scalar, {})};
  std::vector<float> out(12);
  const std::vector<MutableTensorView> buffers = {
      *MutableView(std::span(out).subspan(0, 6), {2, 3}, kColumnMajor),
      *MutableView(std::span(out).subspan(6, 6), {3, 2}, kColumnMajor)};

  EXPECT_FALSE(client.Compute(program, operands).ok());
  const std::string expected = sent;
  EXPECT_FALSE(client.Compute(PreparedCompute(program), operands).ok());
  EXPECT_EQ(sent, expected);

  EXPECT_FALSE(client.ComputeInto(program, operands, buffers).ok());
  const std::string expected_into = sent;
  EXPECT_NE(expected_into, expected);
  const PreparedCompute into(program, {buffers[0].desc, buffers[1].desc});
  EXPECT_FALSE(client.ComputeInto(into, operands, buffers).ok());
  EXPECT_EQ(sent, expected_into);
}

TEST(PreparedComputeTest, SendsOtherDataEachTime) {
  const Client client = ClientOf(&Double);
  const PreparedCompute prepared(Doubling());
  EXPECT_EQ(prepared.signature().operands.size(), 1u);
  for (int i = 0; i < 100; ++i) {
    const std::vector<float> numbers(6, static_cast<float>(i));
    const auto results = client.Compute(prepared, {*View(numbers, {2, 3})});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_THAT(results->front().slots<float>(),
                ::testing::Each(static_cast<float>(2 * i)));
  }
}

TEST(PreparedComputeTest, FillsBuffersOfWhatItWasPreparedFor) {
  const Client client = ClientOf(&Double);
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6, -1);
  const MutableTensorView buffer = *MutableView(out, {2, 3});
  // What the signature says of the result gives way.
  const PreparedCompute prepared(Doubling(kColumnMajor), {buffer.desc});
  const absl::Status status =
      client.ComputeInto(prepared, {*View(numbers, {2, 3})}, {buffer});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(PreparedComputeTest, OtherTensorsAreNotTouched) {
  const Client client =
      ClientOf([](const CallHeader&, const grpc::ByteBuffer&) {
        ADD_FAILURE() << "called";
        return absl::InternalError("");
      });
  const std::vector<float> numbers(6);
  const TensorView operand = *View(numbers, {2, 3});
  std::vector<float> out(6);
  std::vector<double> doubles(6);
  const MutableTensorView buffer = *MutableView(out, {2, 3});
  const PreparedCompute prepared(Doubling(), {buffer.desc});
  const PreparedCompute without_buffers(Doubling());
  const PreparedCompute too_many(Doubling(), {buffer.desc, buffer.desc});
  const PreparedCompute too_few(Doubling(), {});
  const struct {
    const PreparedCompute& prepared;
    std::vector<TensorView> operands;
    std::vector<MutableTensorView> buffers;
    const char* text;
  } kRows[] = {
      {prepared,
       {operand},
       {},
       "0 buffers given for 1 results; prepared were 1"},
      {prepared,
       {operand},
       {buffer, buffer},
       "2 buffers given for 1 results; prepared were 1"},
      {prepared,
       {operand},
       {*MutableView(doubles, {2, 3})},
       "buffer 0 is f64[2,3]{1,0}, 48 bytes; prepared was f32[2,3]{1,0}, 24 "
       "bytes, with exactly the strides of that"},
      {prepared,
       {operand},
       {*MutableView(out, {2, 3}, kColumnMajor)},
       "buffer 0 is f32[2,3]{0,1}"},
      {prepared, {}, {buffer}, "0 operands given to a program of 1"},
      {without_buffers, {operand}, {buffer}, "prepared were 0"},
      {without_buffers, {operand}, {}, "0 buffers given for 1 results"},
      {too_many, {operand}, {buffer, buffer}, "2 buffers given for 1 results"},
      {too_few, {operand}, {}, "0 buffers given for 1 results"}};
  for (const auto& row : kRows) {
    const absl::Status status =
        client.ComputeInto(row.prepared, row.operands, row.buffers);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(status.message(), HasSubstr(row.text));
  }
  EXPECT_THAT(client.Compute(prepared, {}).status().message(),
              HasSubstr("0 operands given to a program of 1"));
}

TEST(PreparedComputeTest, WhatWasMovedFromCanBeSent) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  PreparedCompute prepared(Doubling());
  const PreparedCompute moved = std::move(prepared);
  EXPECT_EQ(&prepared.signature(), &moved.signature());
  EXPECT_TRUE(
      ClientOf(&Double).Compute(prepared, {*View(numbers, {2, 3})}).ok());
}

TEST(PreparedComputeTest, CopiesShareItAcrossThreads) {
  const Client client = ClientOf(&Double);
  auto original = std::make_optional<PreparedCompute>(Doubling());
  std::atomic<int> num_wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&client, &num_wrong, t, prepared = *original] {
      const std::vector<float> numbers(6, static_cast<float>(t));
      for (int i = 0; i < 100; ++i) {
        const auto results = client.Compute(prepared, {*View(numbers, {2, 3})});
        num_wrong += !results.ok() || results->front().at<float>({1, 2}) !=
                                          static_cast<float>(2 * t);
      }
    });
  }
  original.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

}  // namespace
}  // namespace stridecast
