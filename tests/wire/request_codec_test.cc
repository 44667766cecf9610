// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/request_codec.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/payload_codec.h"
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
using testing::ViewOf;

absl::StatusOr<DecodedRequest> DecodeCompute(absl::string_view text) {
  return DecodeComputeRequest(ToByteBuffer(FromText<v1::ComputeRequest>(text)));
}

// x + y, where y is one row, column-major.
Signature AddRow() {
  Signature signature;
  signature.operands = {Desc(DType::kF32, {2, 3}), Desc(DType::kF32, {3})};
  signature.instructions = {{Opcode::kAdd, {0, 1}, {1}, {}}};
  signature.results = {{}};
  signature.results[0].form = DimensionOrder{{0, 1}, {}, {}};
  return signature;
}

TEST(RequestCodec, WhatTheClientSaysTheServerReads) {
  const std::string x(24, 'x');
  const std::string y(12, 'y');
  const std::vector<SegmentedBytes> payloads = {ViewOf(x), ViewOf(y)};
  const auto request = DecodeComputeRequest(
      EncodeComputeRequest(AddRow(), payloads, {Encoding::kAuto}));
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->source, SpecSource::kCompute);
  ASSERT_EQ(request->signature.operands.size(), 2u);
  EXPECT_EQ(request->signature.operands[0].ToString(), "f32[2,3]{1,0}");
  ASSERT_EQ(request->signature.instructions.size(), 1u);
  EXPECT_EQ(request->signature.instructions[0].opcode, Opcode::kAdd);
  ASSERT_EQ(request->signature.results.size(), 1u);
  EXPECT_EQ(request->signature.results[0].form,
            PhysicalForm(DimensionOrder{{0, 1}, {}, {}}));
  ASSERT_EQ(request->payloads.size(), 2u);
  EXPECT_EQ(ToBytes(request->payloads[0]), x);
  EXPECT_EQ(ToBytes(request->payloads[1]), y);
  EXPECT_THAT(request->encodings, ::testing::ElementsAre(Encoding::kRaw));
}

TEST(RequestCodec, OperandsAreNotCopied) {
  const std::string x(1001, 'x');
  Signature signature;
  signature.operands = {Desc(DType::kU8, {1000})};
  signature.results = {{}};
  SegmentedBytes pieces;
  const auto* bytes = reinterpret_cast<const std::byte*>(x.data());
  pieces.Append(bytes, 400);
  pieces.Append(bytes + 401, 600);  // gRPC would join neighbours
  const auto request = DecodeComputeRequest(
      EncodeComputeRequest(signature, {pieces}, {Encoding::kAuto}));
  ASSERT_THAT(request, IsOk());
  ASSERT_EQ(request->payloads[0].segments().size(), 2u);
  EXPECT_EQ(request->payloads[0].segments()[0].data, bytes);
  EXPECT_EQ(request->payloads[0].segments()[1].data, bytes + 401);
}

// Every field of a specification that Instruction's tests do not cover.
TEST(RequestCodec, ASpecificationReturnsUnchanged) {
  const char* text = R"(
    operands { type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1]
      padded_dimensions: [2, 4] padding_value: ONE_PAD } }
    operands { type: S8 dimensions: 3
      strides { strides: -1 offset: 2 total_elements: 5 } }
    instructions { opcode: NEGATE operands: 1 }
    results { value: 0 type: F32 shape { dimensions: [2, 3] }
      layout { minor_to_major: [1, 0] padded_dimensions: [4, 4]
               padding_value: HIGHEST_PAD } encoding: TYPED }
    results { shape {} strides { strides: 2 offset: 1 total_elements: 9 }
      encoding: RAW }
    results { })";
  const auto message =
      FromText<v1::ExplainRequest>(absl::StrCat("compute {", text, "}"));
  const auto request = DecodeExplainRequest(ToByteBuffer(message));
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->source, SpecSource::kExplainCompute);
  EXPECT_TRUE(request->payloads.empty());
  EXPECT_THAT(
      request->encodings,
      ::testing::ElementsAre(Encoding::kTyped, Encoding::kRaw, Encoding::kRaw));
  v1::ComputeRequest again;
  const std::string bytes = ToBytes(EncodeComputeRequest(
      request->signature, {},
      {Encoding::kTyped, Encoding::kRaw, Encoding::kAuto}));
  ASSERT_TRUE(again.ParseFromString(bytes));
  EXPECT_EQ(again.spec().DebugString(), message.compute().DebugString());

  v1::ExplainRequest explain;
  ASSERT_TRUE(explain.ParseFromString(ToBytes(EncodeExplainRequest(AddRow()))));
  EXPECT_EQ(explain.compute().instructions(0).opcode(), v1::Instruction::ADD);
}

TEST(RequestCodec, TypedPayloads) {
  const std::string x("\x00\x00\x80\x3F\x00\x00\x00\x40", 8);  // 1, 2
  Signature signature;
  signature.operands = {Desc(DType::kF32, {2})};
  signature.results = {{}};
  const grpc::ByteBuffer message = EncodeComputeRequest(
      signature, {ViewOf(x)}, {Encoding::kAuto}, /*typed_payloads=*/true);
  v1::ComputeRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(ToBytes(message)));
  EXPECT_THAT(parsed.payloads(0).floats(), ::testing::ElementsAre(1, 2));
  const auto request = DecodeComputeRequest(message);
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(ToBytes(request->payloads[0]), x);
  EXPECT_THAT(request->encodings, ::testing::ElementsAre(Encoding::kTyped));
}

TEST(RequestCodec, TypedPayloadsThatCannotBeAreSentRaw) {
  Signature signature;
  signature.operands = {Desc(DType::kU8, {kMaxTypedElements + 1}),
                        Desc(DType::kU8, {3})};
  signature.results = {{}};
  const std::string large(kMaxTypedElements + 1, 'x');
  v1::ComputeRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(ToBytes(EncodeComputeRequest(
      signature, {ViewOf(large), ViewOf("wrong")}, {Encoding::kAuto}, true))));
  EXPECT_EQ(parsed.payloads(0).raw(), large);
  EXPECT_EQ(parsed.payloads(1).raw(), "wrong");
}

struct AutoCase {
  const char* name;
  const char* payloads;
  Encoding encoding;
};

TEST(RequestCodec, AutoIsTypedIfAllPayloadsAre) {
  const AutoCase cases[] = {
      {"AllRaw", "payloads { raw: '12' } payloads { raw: '34' }",
       Encoding::kRaw},
      {"AllTyped", "payloads { uint32s: [1,2] } payloads { uint32s: [3,4] }",
       Encoding::kTyped},
      {"Mixed", "payloads { uint32s: [1,2] } payloads { raw: '34' }",
       Encoding::kRaw},
  };
  for (const AutoCase& test : cases) {
    const auto request = DecodeCompute(absl::StrCat(
        "spec { operands { type: U8 dimensions: 2 } operands { type: U8 "
        "dimensions: 2 } results {} results { encoding: RAW }"
        " results { encoding: TYPED } }",
        test.payloads));
    ASSERT_THAT(request, IsOk()) << test.name;
    EXPECT_THAT(
        request->encodings,
        ::testing::ElementsAre(test.encoding, Encoding::kRaw, Encoding::kTyped))
        << test.name;
  }
  // A payload of 0 bytes is neither; no operands: raw.
  EXPECT_EQ(DecodeCompute("spec { operands { type: U8 dimensions: 0 } operands "
                          "{ type: U8 } results {} } payloads {}"
                          "payloads { uint32s: 1 }")
                ->encodings[0],
            Encoding::kTyped);
  EXPECT_EQ(DecodeCompute("spec { operands { type: U8 dimensions: 0 } results "
                          "{} } payloads {}")
                ->encodings[0],
            Encoding::kRaw);
  EXPECT_EQ(DecodeCompute("spec { results {} }")->encodings[0], Encoding::kRaw);
}

struct ErrorCase {
  const char* message;
  const char* error;
};

const ErrorCase kComputeErrors[] = {
    {"", "spec: not set"},
    {"spec { operands { type: F32 dimensions: [1, 2, 3] } operands { type: F32 "
     "dimensions: [1, 2, 3] strides { strides: [1, 1] } } }",
     "spec.operands[1].strides.strides: 2 entries for rank 3"},
    {"spec { operands { } }", "spec.operands[0].type: DTYPE_UNSPECIFIED"},
    {"spec { instructions { opcode: ADD } instructions { opcode: ADD pad {} } "
     "}",
     "spec.instructions[1].pad (ADD): set, but the operation takes no "
     "attribute"},
    {"spec { results { type: 77 } }", "spec.results[0].type: 77 is not"},
    {"spec { results { } results { layout { padding_value: 9 } } }",
     "spec.results[1].layout.padding_value: 9 is not"},
    {"spec { results { encoding: 3 } }", "spec.results[0].encoding: 3 is not"},
    {"spec { operands { type: F32 } }", "payloads: 0 payloads for 1 tensors"},
    {"spec { } payloads { }", "payloads: 1 payloads for 0 tensors"},
    {"spec { operands { type: F32 } operands { type: F32 } }"
     "payloads { raw: '1234' } payloads { raw: '123' }",
     "payloads[1].raw: 3 bytes; the buffer of f32[] has 4"},
    {"spec { operands { type: F32 } } payloads { doubles: 1 }",
     "payloads[0].doubles: set for f32, which travels in floats"},
    {"spec { operands { type: F32 } } payloads { raw: '1234' floats: 1 }",
     "payloads[0].floats: set beside raw"},
    {"spec { operands { type: U8 } } payloads { uint32s: 256 }",
     "payloads[0].uint32s[0]: 256 is out of the range of u8, 0 to 255"},
};

TEST(RequestCodec, ComputeErrors) {
  for (const ErrorCase& test : kComputeErrors) {
    EXPECT_THAT(DecodeCompute(test.message), IsInvalid(test.error))
        << test.message;
  }
  EXPECT_THAT(
      DecodeCompute("spec { instructions { opcode: 31 } instructions { opcode: "
                    "999 } }"),
      FailsWith(absl::StatusCode::kUnimplemented,
                "spec.instructions[1].opcode: 999 is not an operation"));
}

TEST(RequestCodec, NotAMessage) {
  for (const auto& decode :
       {DecodeComputeRequest, DecodeRelayoutRequest, DecodeExplainRequest}) {
    EXPECT_THAT(decode(ToByteBuffer("\x0A\x01\x08")), IsInvalid("request: "));
    EXPECT_THAT(decode(ToByteBuffer("\x0A\x7F")), IsInvalid("request: "));
    // A field of number 0.
    EXPECT_THAT(decode(ToByteBuffer(std::string("\x02\x00", 2))),
                IsInvalid("request: "));
  }
  EXPECT_THAT(DecodeComputeRequest(
                  ToByteBuffer(std::string("\x0A\x00\x7A\x02\x3A\x05", 6))),
              IsInvalid("request: "));
}

TEST(RequestCodec, ExplainErrors) {
  const ErrorCase cases[] = {
      {"", "call: not set"},
      {"compute { operands { } }", "compute.operands[0].type: "},
      {"relayout { }", "relayout.operand: not set"},
      {"relayout { operand { type: F32 } result { encoding: 9 } }",
       "relayout.result.encoding: 9 is not"},
  };
  for (const ErrorCase& test : cases) {
    EXPECT_THAT(DecodeExplainRequest(
                    ToByteBuffer(FromText<v1::ExplainRequest>(test.message))),
                IsInvalid(test.error));
  }
}

TEST(RequestCodec, TypedElementsAreCountedOverTheWholeMessage) {
  v1::ComputeRequest request = FromText<v1::ComputeRequest>(
      "spec { operands { type: PRED dimensions: 600000 } instructions {"
      " opcode: CONSTANT constant { desc { type: PRED dimensions: 600000 } } } "
      "}");
  request.add_payloads()->mutable_bools()->Resize(600000, true);
  *request.mutable_spec()
       ->mutable_instructions(0)
       ->mutable_constant()
       ->mutable_payload() = request.payloads(0);
  EXPECT_THAT(DecodeComputeRequest(ToByteBuffer(request)),
              IsInvalid("payloads[0].bools: 600000 elements, with 600000 in "
                        "typed lists before"));
}

TEST(RequestCodec, CountsAreBounded) {
  v1::ComputeRequest request;
  for (int i = 0; i < 5000; ++i) {
    request.mutable_spec()->add_instructions();
  }
  EXPECT_THAT(DecodeComputeRequest(ToByteBuffer(request)),
              IsInvalid("spec.instructions: 5000 entries"));
}

struct PathCase {
  SpecSource source;
  const char* before;
  const char* after;
};

const PathCase kPaths[] = {
    {SpecSource::kCompute, "results[0].shape: x", "spec.results[0].shape: x"},
    {SpecSource::kCompute, "instructions: 300", "spec.instructions: 300"},
    {SpecSource::kCompute, "operands[1]: x", "spec.operands[1]: x"},
    {SpecSource::kCompute, "instructions[0] (ADD): x",
     "spec.instructions[0] (ADD): x"},
    {SpecSource::kCompute, "cost: x", "cost: x"},
    {SpecSource::kCompute, "resultset: x", "resultset: x"},
    {SpecSource::kExplainCompute, "results[0].shape: x",
     "compute.results[0].shape: x"},
    {SpecSource::kRelayout, "results[0].strides.strides: x",
     "result.strides.strides: x"},
    {SpecSource::kRelayout, "operands[0]: x", "operand: x"},
    {SpecSource::kRelayout, "instructions[0].convert.type: x",
     "convert.type: x"},
    {SpecSource::kRelayout, "instructions[0].operands[0]: x", "operand: x"},
    {SpecSource::kRelayout, "instructions[0]: x", "convert: x"},
    {SpecSource::kRelayout, "instructions[0].convert (CONVERT): x",
     "convert (CONVERT): x"},
    {SpecSource::kRelayout, "instructions[0] (CONVERT): x",
     "convert (CONVERT): x"},
    {SpecSource::kExplainRelayout, "results[0].type: x",
     "relayout.result.type: x"},
    {SpecSource::kExplainRelayout, "too large", "too large"},
};

TEST(RequestCodec, PathsOfTheMessageThatTheCallerSent) {
  for (const PathCase& test : kPaths) {
    for (auto code :
         {absl::StatusCode::kInvalidArgument, absl::StatusCode::kUnimplemented,
          absl::StatusCode::kResourceExhausted}) {
      absl::Status status(code, test.before);
      status.SetPayload("url", absl::Cord("kept"));
      const absl::Status moved = WithFieldPathsOf(test.source, status);
      EXPECT_EQ(moved.code(), code);
      EXPECT_EQ(moved.message(), test.after);
      EXPECT_EQ(moved.GetPayload("url"), absl::Cord("kept"));
    }
  }
  EXPECT_THAT(WithFieldPathsOf(SpecSource::kRelayout, absl::OkStatus()),
              IsOk());
}

}  // namespace
}  // namespace stridecast
