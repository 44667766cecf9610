// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The bytes of the first version, as they are stored in tests/golden: NAME.hex
// beside NAME.txtpb, the same message for people. They never change; a codec
// that cannot read or does not write them breaks callers.

#include <string>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/stream_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::FromText;
using testing::GoldenBytes;
using testing::IsOk;
using testing::ReadGolden;
using testing::ToByteBuffer;
using testing::ToBytes;

// The message of NAME.txtpb, whose bytes must be those of NAME.hex.
template <typename Message>
Message GoldenMessage(const std::string& name) {
  const auto message =
      FromText<Message>(ReadGolden(absl::StrCat(name, ".txtpb")));
  EXPECT_EQ(absl::BytesToHexString(message.SerializeAsString()),
            absl::BytesToHexString(GoldenBytes(name)))
      << name;
  return message;
}

TEST(Golden, ComputeRequests) {
  for (const char* name : {"compute_request_raw", "compute_request_typed"}) {
    SCOPED_TRACE(name);
    const auto message = GoldenMessage<v1::ComputeRequest>(name);
    const std::string bytes = GoldenBytes(name);
    const auto request = DecodeComputeRequest(ToByteBuffer(bytes));
    ASSERT_THAT(request, IsOk());
    std::vector<Encoding> stated;
    for (const v1::ResultSpec& result : message.spec().results()) {
      stated.push_back(static_cast<Encoding>(result.encoding()));
    }
    EXPECT_EQ(ToBytes(EncodeComputeRequest(
                  request->signature, request->payloads, stated,
                  name == std::string("compute_request_typed"))),
              bytes);
  }
}

TEST(Golden, RelayoutRequest) {
  GoldenMessage<v1::RelayoutRequest>("relayout_request");
  const std::string bytes = GoldenBytes("relayout_request");
  const auto request = DecodeRelayoutRequest(ToByteBuffer(bytes));
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(ToBytes(EncodeRelayoutRequest(
                request->signature, request->payloads[0], Encoding::kRaw)),
            bytes);
}

TEST(Golden, ComputeResponse) {
  GoldenMessage<v1::ComputeResponse>("compute_response");
  const std::string bytes = GoldenBytes("compute_response");
  const auto reply = DecodeComputeResponse(ToByteBuffer(bytes));
  ASSERT_THAT(reply, IsOk());
  std::vector<grpc::Slice> payloads;
  for (const SegmentedBytes& payload : reply->payloads) {
    payloads.emplace_back(ToBytes(payload));
  }
  EXPECT_EQ(ToBytes(EncodeReply(SpecSource::kCompute, reply->results,
                                {Encoding::kRaw, Encoding::kTyped}, payloads)),
            bytes);
}

TEST(Golden, StreamChunk) {
  GoldenMessage<v1::ComputeStreamRequest>("stream_request_chunk");
  const std::string bytes = GoldenBytes("stream_request_chunk");
  const auto event = DecodeStreamRequest(ToByteBuffer(bytes));
  ASSERT_THAT(event, IsOk());
  const auto& chunk = std::get<StreamChunk>(*event);
  const grpc::Slice data(ToBytes(chunk.data));
  EXPECT_EQ(ToBytes(EncodeStreamOperand(chunk.index, chunk.offset, {&data, 1})),
            bytes);
}

// Messages that our codec does not write by hand.
TEST(Golden, OtherMessages) {
  GoldenMessage<v1::Plan>("plan");
  GoldenMessage<v1::GetServerInfoResponse>("server_info_response");
}

}  // namespace
}  // namespace stridecast
