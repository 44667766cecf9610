// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Relayout, the call that says less than a Compute and becomes the same.

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/support/builders.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::Desc;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;
using testing::ToByteBuffer;
using testing::ToBytes;
using testing::ViewOf;

absl::StatusOr<DecodedRequest> Decode(absl::string_view text) {
  return DecodeRelayoutRequest(
      ToByteBuffer(FromText<v1::RelayoutRequest>(text)));
}

TEST(Relayout, WithoutAConversion) {
  const auto request = Decode(R"(
    operand { type: U8 dimensions: [2, 3] layout { minor_to_major: [0, 1] } }
    payload { raw: "abcdef" })");
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->source, SpecSource::kRelayout);
  EXPECT_EQ(request->signature.operands.size(), 1u);
  EXPECT_TRUE(request->signature.instructions.empty());
  ASSERT_EQ(request->signature.results.size(), 1u);
  EXPECT_EQ(request->signature.results[0].form, PhysicalForm());
  EXPECT_EQ(ToBytes(request->payloads[0]), "abcdef");
  EXPECT_THAT(request->encodings, ::testing::ElementsAre(Encoding::kRaw));
}

TEST(Relayout, AConversionIsOneInstruction) {
  const auto request = Decode(R"(
    operand { type: U8 }
    result { strides { offset: 1 } type: S8 shape {} }
    convert { type: S8 overflow: SATURATE }
    payload { uint32s: 200 })");
  ASSERT_THAT(request, IsOk());
  ASSERT_EQ(request->signature.instructions.size(), 1u);
  const Instruction& convert = request->signature.instructions[0];
  EXPECT_EQ(convert.opcode, Opcode::kConvert);
  EXPECT_THAT(convert.operands, ::testing::ElementsAre(0u));
  const auto attribute = std::get<ConvertAttribute>(convert.attribute);
  EXPECT_EQ(attribute.type, DType::kS8);
  EXPECT_EQ(attribute.overflow, Overflow::kSaturate);
  EXPECT_EQ(ToBytes(request->payloads[0]), "\xC8");
  EXPECT_THAT(request->encodings, ::testing::ElementsAre(Encoding::kTyped));
}

TEST(Relayout, WhatTheClientSaysTheServerReads) {
  Signature signature;
  signature.operands = {Desc(DType::kU8, {2, 3})};
  signature.instructions = {
      {Opcode::kConvert, {0}, {}, ConvertAttribute{DType::kF32}}};
  signature.results = {{1, DType::kF32, DimVector{2, 3},
                        DimensionOrder{{0, 1}, {2, 4}, PaddingValue::kOne}}};
  const std::string x = "abcdef";
  const auto request = DecodeRelayoutRequest(
      EncodeRelayoutRequest(signature, ViewOf(x), Encoding::kTyped));
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->signature.operands[0].ToString(), "u8[2,3]{1,0}");
  ASSERT_EQ(request->signature.instructions.size(), 1u);
  EXPECT_EQ(
      std::get<ConvertAttribute>(request->signature.instructions[0].attribute)
          .type,
      DType::kF32);
  const ResultSpec& result = request->signature.results[0];
  EXPECT_EQ(result.value, std::nullopt);
  EXPECT_EQ(result.type, DType::kF32);
  EXPECT_EQ(result.shape, (DimVector{2, 3}));
  EXPECT_EQ(result.form, signature.results[0].form);
  EXPECT_EQ(request->payloads[0].data(),
            reinterpret_cast<const std::byte*>(x.data()));
  EXPECT_THAT(request->encodings, ::testing::ElementsAre(Encoding::kTyped));
}

TEST(Relayout, APayloadOfNoBytesMayBeAbsent) {
  EXPECT_THAT(Decode("operand { type: U8 dimensions: [0] }"), IsOk());
  EXPECT_THAT(Decode("operand { type: U8 dimensions: [0] } payload {}"),
              IsOk());
}

struct ErrorCase {
  const char* message;
  const char* error;
};

const ErrorCase kErrors[] = {
    {"", "operand: not set"},
    {"operand { }", "operand.type: "},
    {"operand { type: U8 dimensions: 2 strides { } }",
     "operand.strides.strides: 0 entries for rank 1"},
    {"operand { type: U8 } result { value: 0 }", "result.value: 0 is set"},
    {"operand { type: U8 } result { type: 50 }", "result.type: 50 is not"},
    {"operand { type: U8 } result { encoding: 50 }",
     "result.encoding: 50 is not"},
    {"operand { type: U8 } convert { }", "convert.type: "},
    {"operand { type: U8 } convert { type: S8 overflow: 9 }",
     "convert.overflow: 9 is not"},
    {"operand { type: U8 }", "payload.raw: 0 bytes"},
    {"operand { type: U8 } payload { raw: '12' }", "payload.raw: 2 bytes"},
    {"operand { type: U8 } payload { uint32s: 256 }",
     "payload.uint32s[0]: 256 is out of the range"},
};

TEST(Relayout, Errors) {
  for (const ErrorCase& test : kErrors) {
    EXPECT_THAT(Decode(test.message), IsInvalid(test.error)) << test.message;
  }
}

TEST(Relayout, ExplainedWithoutItsPayload) {
  for (const char* payload : {"", "payload { raw: 'anything' }"}) {
    const auto request = DecodeExplainRequest(
        ToByteBuffer(FromText<v1::ExplainRequest>(absl::StrCat(
            "relayout { operand { type: F32 } convert { type: S8 } ", payload,
            "}"))));
    ASSERT_THAT(request, IsOk());
    EXPECT_EQ(request->source, SpecSource::kExplainRelayout);
    EXPECT_EQ(request->signature.instructions.size(), 1u);
    EXPECT_TRUE(request->payloads.empty());
  }
}

}  // namespace
}  // namespace stridecast
