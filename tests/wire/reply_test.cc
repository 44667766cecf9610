// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Replies, which are put together from slices: they must be what protobuf would
// write, without copies of raw payloads.

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/request_codec.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/support/builders.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::Desc;
using testing::FailsWith;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;
using testing::ToByteBuffer;
using testing::ToBytes;

TensorDesc Bytes(int64_t count) { return Desc(DType::kU8, {count}); }

grpc::Slice SliceOf(int64_t count) {
  return grpc::Slice(std::string(static_cast<size_t>(count), 'r'));
}

TEST(Reply, IsWhatProtobufWrites) {
  // Around the lengths at which a varint grows by a byte.
  for (int64_t count : {0,     1,     22,    23,    24,    122,     123,
                        124,   125,   126,   127,   128,   129,     16378,
                        16379, 16380, 16383, 16384, 16385, 2097147, 2097152}) {
    v1::ComputeResponse expected;
    *expected.add_results() = TensorDescToProto(Bytes(count));
    expected.add_payloads()->set_raw(
        std::string(static_cast<size_t>(count), 'r'));
    const grpc::Slice payload = SliceOf(count);
    EXPECT_TRUE(ToBytes(EncodeReply(SpecSource::kCompute, {Bytes(count)},
                                    {Encoding::kRaw}, {payload})) ==
                expected.SerializeAsString())
        << count;
    v1::RelayoutResponse relayout;
    *relayout.mutable_result() = expected.results(0);
    *relayout.mutable_payload() = expected.payloads(0);
    EXPECT_TRUE(ToBytes(EncodeReply(SpecSource::kRelayout, {Bytes(count)},
                                    {Encoding::kRaw}, {payload})) ==
                relayout.SerializeAsString())
        << count;
  }
}

TEST(Reply, ManyResultsOfBothEncodings) {
  const auto expected = FromText<v1::ComputeResponse>(R"(
    results { type: U8 dimensions: 5
              layout { minor_to_major: 0 padding_value: ZERO_PAD } }
    results { type: S16 dimensions: [2, 1]
              strides { strides: [-1, 7] offset: 1 total_elements: 2 } }
    results { type: F32 dimensions: 0
              layout { minor_to_major: 0 padding_value: ZERO_PAD } }
    results { type: F32 dimensions: 0
              layout { minor_to_major: 0 padding_value: ZERO_PAD } }
    results { type: PRED layout { padding_value: ZERO_PAD } }
    payloads { raw: "hello" }
    payloads { sint32s: [513, -1] }
    payloads { }
    payloads { }
    payloads { raw: "\001" })");
  std::vector<TensorDesc> results;
  for (const v1::TensorDesc& desc : expected.results()) {
    results.push_back(TensorDescFromProto(desc).value());
  }
  const std::vector<grpc::Slice> payloads = {
      grpc::Slice("hello"), grpc::Slice("\x01\x02\xFF\xFF"), grpc::Slice(),
      grpc::Slice(), grpc::Slice("\x01")};
  const grpc::ByteBuffer reply =
      EncodeReply(SpecSource::kCompute, results,
                  {Encoding::kRaw, Encoding::kTyped, Encoding::kRaw,
                   Encoding::kTyped, Encoding::kRaw},
                  payloads);
  EXPECT_EQ(ToBytes(reply), expected.SerializeAsString());

  const auto decoded = DecodeComputeResponse(reply);
  ASSERT_THAT(decoded, IsOk());
  ASSERT_EQ(decoded->results.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(decoded->results[i].layout().form(), results[i].layout().form());
    EXPECT_EQ(ToBytes(decoded->payloads[i]),
              std::string(payloads[i].begin(), payloads[i].end()));
  }
}

TEST(Reply, RawPayloadsAreNotCopied) {
  std::string bytes(1000, 'r');
  bool released = false;
  struct Owner {
    bool* released;
  } owner{&released};
  const void* sent = bytes.data();
  {
    const grpc::Slice payload(
        bytes.data(), bytes.size(),
        [](void* user_data) {
          *static_cast<Owner*>(user_data)->released = true;
        },
        &owner);
    const grpc::ByteBuffer reply = EncodeReply(
        SpecSource::kRelayout, {Bytes(1000)}, {Encoding::kRaw}, {payload});
    const auto decoded = DecodeRelayoutResponse(reply);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(decoded->payloads[0].data(), sent);
    EXPECT_FALSE(released);
  }
  EXPECT_TRUE(released);
}

TEST(Reply, TypedResultsAreLimitedTogether) {
  const std::vector<Encoding> encodings = {Encoding::kTyped, Encoding::kRaw,
                                           Encoding::kTyped};
  const std::vector<TensorDesc> fitting = {Bytes(kMaxTypedElements - 1),
                                           Bytes(kMaxTypedElements), Bytes(1)};
  EXPECT_THAT(CheckTypedResults(SpecSource::kCompute, encodings, fitting),
              IsOk());
  const std::vector<TensorDesc> over = {Bytes(kMaxTypedElements - 1),
                                        Bytes(kMaxTypedElements), Bytes(2)};
  EXPECT_THAT(CheckTypedResults(SpecSource::kCompute, encodings, over),
              IsInvalid("spec.results[2].encoding: typed results of 1048575 "
                        "and 2 elements"));
  EXPECT_THAT(CheckTypedResults(SpecSource::kRelayout, {Encoding::kTyped},
                                {Bytes(kMaxTypedElements + 1)}),
              IsInvalid("result.encoding: "));
}

TEST(Reply, ANewerServersFieldsAreIgnored) {
  v1::ComputeResponse reply = FromText<v1::ComputeResponse>(
      "results { type: U8 } payloads { raw: 'x' }");
  const auto add_unknown = [](google::protobuf::Message& message) {
    message.GetReflection()->MutableUnknownFields(&message)->AddVarint(99, 1);
  };
  add_unknown(reply);
  add_unknown(*reply.mutable_results(0));
  add_unknown(*reply.mutable_payloads(0));
  const auto decoded = DecodeComputeResponse(ToByteBuffer(reply));
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(ToBytes(decoded->payloads[0]), "x");
}

TEST(Reply, BadOnesAreInternal) {
  for (const char* text :
       {"results { type: U8 }", "results { }  payloads { raw: 'x' }",
        "results { type: U8 } payloads { raw: 'xy' }",
        "results { type: U8 } payloads { uint32s: 256 }"}) {
    EXPECT_THAT(DecodeComputeResponse(
                    ToByteBuffer(FromText<v1::ComputeResponse>(text))),
                FailsWith(absl::StatusCode::kInternal, "the reply is "))
        << text;
  }
  for (const char* bytes : {"\x0A", "\x0A\x01\x08", "\xFF"}) {
    EXPECT_THAT(DecodeComputeResponse(ToByteBuffer(bytes)),
                FailsWith(absl::StatusCode::kInternal, "the reply is "));
    EXPECT_THAT(DecodeRelayoutResponse(ToByteBuffer(bytes)),
                FailsWith(absl::StatusCode::kInternal, "the reply is "));
  }
}

}  // namespace
}  // namespace stridecast
