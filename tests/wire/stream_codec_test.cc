// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Events of ComputeStream, against protobuf's own parser and serializer.

#include "proto/wire/stream_codec.h"

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/spec_codec.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::FailsWith;
using testing::FromText;
using testing::IsOk;
using testing::ToByteBuffer;
using testing::ToBytes;

constexpr char kSpec[] = R"(
  operands { type: F32 dimensions: 4 }
  instructions { opcode: NEGATE operands: 0 }
  results {})";

TEST(StreamCodec, ChunksAreWhatProtobufWrites) {
  for (const uint32_t index : {0u, 1u, 127u, 128u, 4'000'000'000u}) {
    for (const int64_t offset :
         {int64_t{0}, int64_t{1}, int64_t{300}, int64_t{1} << 40}) {
      for (const size_t size : {0, 1, 100, 127, 128, 16384, 1 << 20}) {
        const std::string data(size, 'd');
        v1::ComputeStreamRequest request;
        request.mutable_operand()->set_index(index);
        request.mutable_operand()->set_offset(offset);
        request.mutable_operand()->set_data(data);
        const grpc::Slice pieces[] = {grpc::Slice(data.substr(0, size / 3)),
                                      grpc::Slice(data.substr(size / 3))};
        EXPECT_EQ(ToBytes(EncodeStreamOperand(index, offset, pieces)),
                  request.SerializeAsString());
        v1::ComputeStreamResponse response;
        *response.mutable_result() = request.operand();
        const grpc::ByteBuffer reply =
            EncodeStreamResult(index, offset, grpc::Slice(data));
        EXPECT_EQ(ToBytes(reply), response.SerializeAsString());
        const auto decoded = DecodeStreamResponse(reply);
        ASSERT_THAT(decoded, IsOk());
        const auto& chunk = std::get<StreamChunk>(*decoded);
        EXPECT_EQ(chunk.index, index);
        EXPECT_EQ(chunk.offset, offset);
        EXPECT_EQ(ToBytes(chunk.data), data);
      }
    }
  }
}

TEST(StreamCodec, BeginAndReady) {
  v1::ComputeStreamRequest request;
  *request.mutable_begin() = FromText<v1::ComputeSpec>(kSpec);
  const auto event = DecodeStreamRequest(ToByteBuffer(request, 3));
  ASSERT_THAT(event, IsOk());
  const auto& begin = std::get<DecodedRequest>(*event);
  EXPECT_EQ(begin.source, SpecSource::kComputeStream);
  EXPECT_EQ(begin.signature.operands.size(), 1u);
  // What is written says more, not something else.
  const auto again = DecodeStreamRequest(EncodeStreamBegin(begin.signature));
  ASSERT_THAT(again, IsOk());
  const Signature& signature = std::get<DecodedRequest>(*again).signature;
  EXPECT_EQ(signature.operands[0].ToString(), "f32[4]{0}");
  EXPECT_EQ(signature.instructions[0].opcode, Opcode::kNegate);
  EXPECT_EQ(signature.results.size(), 1u);

  const auto plan = FromText<v1::Plan>("scratch_bytes: 7 text: 'two loops'");
  v1::ComputeStreamResponse response;
  *response.mutable_ready() = plan;
  const grpc::ByteBuffer ready = EncodeStreamReady(plan);
  EXPECT_EQ(ToBytes(ready), response.SerializeAsString());
  const auto reply = DecodeStreamResponse(ready);
  ASSERT_THAT(reply, IsOk());
  EXPECT_EQ(std::get<v1::Plan>(*reply).text(), "two loops");
}

// Events merged, repeated and overtaken by others, cut into slices anywhere.
TEST(StreamCodec, AnyOrderDecodesAsProtobufDoes) {
  std::mt19937 random(1);
  int begins = 0;
  int chunks = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes;
    for (auto fields = random() % 4; fields-- > 0;) {
      v1::ComputeStreamRequest part;
      if (random() % 3 == 0) {
        *part.mutable_begin() = FromText<v1::ComputeSpec>(kSpec);
      } else {
        v1::Chunk& chunk = *part.mutable_operand();
        if (random() % 2 != 0) {
          chunk.set_index(static_cast<uint32_t>(random() % 300));
        }
        if (random() % 2 != 0)
          chunk.set_offset(static_cast<int64_t>(random() % 100000));
        if (random() % 2 != 0) chunk.set_data(std::string(random() % 50, 'x'));
      }
      bytes += part.SerializeAsString();
    }
    v1::ComputeStreamRequest expected;
    ASSERT_TRUE(expected.ParseFromString(bytes));
    const auto event =
        DecodeStreamRequest(ToByteBuffer(bytes, 1 + random() % 40));
    switch (expected.event_case()) {
      case v1::ComputeStreamRequest::kBegin: {
        // A specification merged twice has two operands for one instruction.
        int64_t typed_elements = 1;
        const auto spec = SpecFromProto(expected.begin(), typed_elements);
        ASSERT_EQ(event.ok(), spec.ok());
        if (!spec.ok()) break;
        EXPECT_EQ(std::get<DecodedRequest>(*event).signature.operands.size(),
                  spec->signature.operands.size());
        ++begins;
        break;
      }
      case v1::ComputeStreamRequest::kOperand: {
        ASSERT_THAT(event, IsOk());
        const auto& chunk = std::get<StreamChunk>(*event);
        EXPECT_EQ(chunk.index, expected.operand().index());
        EXPECT_EQ(chunk.offset, expected.operand().offset());
        EXPECT_EQ(ToBytes(chunk.data), expected.operand().data());
        ++chunks;
        break;
      }
      default:
        EXPECT_THAT(event, FailsWith(absl::StatusCode::kInvalidArgument,
                                     "event: not set"));
    }
  }
  EXPECT_GT(begins, 300);
  EXPECT_GT(chunks, 300);
}

// Never a crash; what protobuf refuses is refused.
TEST(StreamCodec, AnyBytesDecodeOrFail) {
  std::mt19937 random(2);
  v1::ComputeStreamRequest request;
  request.mutable_operand()->set_index(3);
  request.mutable_operand()->set_data("0123456789");
  const std::string valid = request.SerializeAsString();
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = valid;
    for (auto changes = 1 + random() % 3; changes-- > 0;) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const auto event = DecodeStreamRequest(ToByteBuffer(bytes));
    v1::ComputeStreamRequest parsed;
    if (!parsed.ParseFromString(bytes)) {
      EXPECT_FALSE(event.ok());
      ++refused;
    }
    (void)DecodeStreamResponse(ToByteBuffer(bytes));
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace stridecast
