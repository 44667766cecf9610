// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Any bytes decode to a value or to a Status, and are cut apart as protobuf
// reads them: valid requests with a few bytes changed, cut, doubled or swapped,
// in slices of random sizes.

#include <random>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/status_codec.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/wire/split_check.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::CheckSplit;
using testing::CheckStreamEvent;
using testing::FromText;
using testing::GoldenBytes;
using testing::ToByteBuffer;
using testing::ToBytes;

constexpr int kRounds = 20000;

constexpr char kSpec[] = R"(
  operands { type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1]
    padded_dimensions: [2, 4] padding_value: ONE_PAD } }
  operands { type: S8 dimensions: 3
    strides { strides: -1 offset: 2 total_elements: 5 } }
  instructions { opcode: CONVERT operands: 1 convert { type: F32 } }
  instructions { opcode: ADD operands: [0, 2] broadcast_dimensions: 1 }
  instructions { opcode: CONSTANT constant {
    desc { type: C64 } payload { floats: [1, 2] } } }
  instructions { opcode: SLICE operands: 3
    slice { start: [0, 1] limit: [2, 3] step: [1, 2] } }
  results { value: 3 type: F32 shape { dimensions: [2, 3] }
    strides { strides: [3, 1] } encoding: TYPED }
  results { })";

std::string Mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t limit) { return random() % limit; };
  for (size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(16)));
        break;
      case 4:
        bytes.erase(at, 1 + below(8));
        break;
      default:
        bytes.insert(at, std::string(1 + below(10), '\xFF'));
        break;
    }
  }
  return bytes;
}

// What holds for every request that decodes.
void ExpectConsistent(const absl::StatusOr<DecodedRequest>& request) {
  if (!request.ok()) {
    const auto code = request.status().code();
    EXPECT_TRUE(code == absl::StatusCode::kInvalidArgument ||
                code == absl::StatusCode::kUnimplemented)
        << request.status();
    EXPECT_TRUE(code != absl::StatusCode::kInvalidArgument ||
                !BlamedField(request.status()).empty())
        << request.status();
    return;
  }
  EXPECT_EQ(request->encodings.size(), request->signature.results.size());
  for (size_t i = 0; i < request->payloads.size(); ++i) {
    EXPECT_EQ(ToBytes(request->payloads[i]).size(),
              static_cast<size_t>(request->signature.operands[i].size_bytes()));
  }
}

TEST(Mutation, NeverCrashes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  RecordProperty("seed", absl::StrCat(seed));
  std::mt19937 random(seed);

  auto compute = FromText<v1::ComputeRequest>(
      absl::StrCat("spec {", kSpec, "} payloads { sint32s: [1, 2, 3, 4, 5] }"));
  // In wire order the first operand's payload comes first.
  compute.add_payloads()->set_raw(std::string(32, 'x'));
  compute.mutable_payloads()->SwapElements(0, 1);
  const std::string compute_bytes = compute.SerializeAsString();
  const std::string relayout_bytes =
      FromText<v1::RelayoutRequest>(
          "operand { type: U8 dimensions: [2, 3] } result { layout {"
          " minor_to_major: [0, 1] } } convert { type: F16 }"
          " payload { raw: 'abcdef' }")
          .SerializeAsString();
  const std::string explain_bytes =
      FromText<v1::ExplainRequest>(absl::StrCat("compute {", kSpec, "}"))
          .SerializeAsString();
  const std::string reply_bytes =
      FromText<v1::ComputeResponse>(
          "results { type: U8 dimensions: 3 } results { type: F64 }"
          "payloads { raw: 'abc' } payloads { doubles: 1 }")
          .SerializeAsString();
  const std::string begin_bytes =
      FromText<v1::ComputeStreamRequest>(absl::StrCat("begin {", kSpec, "}"))
          .SerializeAsString();
  const std::string chunk_bytes = GoldenBytes("stream_request_chunk");
  const std::string stream_bytes[] = {
      chunk_bytes,
      begin_bytes,
      begin_bytes + chunk_bytes,
      chunk_bytes + begin_bytes,
      chunk_bytes + chunk_bytes,
      FromText<v1::ComputeStreamRequest>(
          absl::StrCat("operand { data: '", std::string(200, 'd'), "' }"))
          .SerializeAsString(),
  };
  ASSERT_TRUE(DecodeComputeRequest(ToByteBuffer(compute_bytes)).ok());

  int decoded = 0;
  int decoded_chunks = 0;
  for (int round = 0; round < kRounds; ++round) {
    const size_t slice_bytes = 1 + random() % 64;
    const std::string compute_mutant = Mutated(compute_bytes, random);
    EXPECT_EQ(CheckSplit(compute_mutant, slice_bytes, SpecSource::kCompute),
              "");
    const auto request =
        DecodeComputeRequest(ToByteBuffer(compute_mutant, slice_bytes));
    decoded += request.ok() ? 1 : 0;
    ExpectConsistent(request);
    const std::string relayout_mutant = Mutated(relayout_bytes, random);
    EXPECT_EQ(CheckSplit(relayout_mutant, slice_bytes, SpecSource::kRelayout),
              "");
    ExpectConsistent(
        DecodeRelayoutRequest(ToByteBuffer(relayout_mutant, slice_bytes)));
    ExpectConsistent(DecodeExplainRequest(
        ToByteBuffer(Mutated(explain_bytes, random), slice_bytes)));
    const std::string stream_mutant =
        Mutated(stream_bytes[random() % std::size(stream_bytes)], random);
    EXPECT_EQ(
        CheckSplit(stream_mutant, slice_bytes, SpecSource::kComputeStream), "");
    EXPECT_EQ(CheckStreamEvent(stream_mutant, slice_bytes), "");
    const auto event =
        DecodeStreamRequest(ToByteBuffer(stream_mutant, slice_bytes));
    if (!event.ok()) {
      ExpectConsistent(event.status());
    } else if (const auto* begin = std::get_if<DecodedRequest>(&*event)) {
      ExpectConsistent(*begin);
    } else {
      ++decoded_chunks;
    }
    const auto reply = DecodeComputeResponse(
        ToByteBuffer(Mutated(reply_bytes, random), slice_bytes));
    EXPECT_TRUE(reply.ok() ||
                reply.status().code() == absl::StatusCode::kInternal);
    if (HasFailure()) break;
  }
  // Mutations are small enough that some still mean something.
  EXPECT_GT(decoded, kRounds / 100);
  EXPECT_GT(decoded_chunks, kRounds / 100);
}

}  // namespace
}  // namespace stridecast
