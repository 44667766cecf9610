// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the builder's calls are on the wire, as text of the messages.

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "stridecast/program.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

v1::ComputeSpec ToProto(const Signature& signature) {
  grpc::ByteBuffer bytes = EncodeExplainRequest(signature);
  grpc::ProtoBufferReader reader(&bytes);
  v1::ExplainRequest request;
  EXPECT_TRUE(request.ParseFromZeroCopyStream(&reader));
  return request.compute();
}

template <typename Message>
void ExpectIs(const Message& actual, const std::string& text) {
  Message expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &expected))
      << text;
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(actual, expected))
      << "actual:   " << actual.ShortDebugString()
      << "\nexpected: " << expected.ShortDebugString();
}

TEST(ProgramBuilderTest, MatrixPlusVector) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value v = b.Parameter(*ParseShapeString("f32[3]"));
  b.Result(b.Add(x, v, /*broadcast_dimensions=*/{1}));
  ExpectIs(ToProto(b.Build()), R"(
      operands { type: F32 dimensions: 2 dimensions: 3
                 layout { minor_to_major: 1 minor_to_major: 0
                          padding_value: ZERO_PAD } }
      operands { type: F32 dimensions: 3
                 layout { minor_to_major: 0 padding_value: ZERO_PAD } }
      instructions { opcode: ADD operands: 0 operands: 1
                     broadcast_dimensions: 1 }
      results { value: 2 })");
}

struct InstructionCase {
  const char* name;
  std::function<Value(ProgramBuilder&, Value, Value, Value)> build;
  const char* expected;
};

class InstructionTest : public testing::TestWithParam<InstructionCase> {};

// x, y and z are parameters 0 to 2.
TEST_P(InstructionTest, IsEncoded) {
  ProgramBuilder b;
  const TensorDesc desc = *ParseShapeString("f32[2,3]");
  const Value x = b.Parameter(desc);
  const Value y = b.Parameter(desc);
  const Value z = b.Parameter(desc);
  GetParam().build(b, x, y, z);
  const v1::ComputeSpec spec = ToProto(b.Build());
  ASSERT_EQ(spec.instructions_size(), 1);
  ExpectIs(spec.instructions(0), GetParam().expected);
}

#define CALL(call)                                                          \
  [](ProgramBuilder& b, [[maybe_unused]] Value x, [[maybe_unused]] Value y, \
     [[maybe_unused]] Value z) { return b.call; }

const InstructionCase kInstructions[] = {
    {"Identity", CALL(Identity(x)), "opcode: IDENTITY operands: 0"},
    {"Negate", CALL(Negate(x)), "opcode: NEGATE operands: 0"},
    {"Abs", CALL(Abs(x)), "opcode: ABS operands: 0"},
    {"Not", CALL(Not(x)), "opcode: NOT operands: 0"},
    {"Sqrt", CALL(Sqrt(y)), "opcode: SQRT operands: 1"},
    {"Unary", CALL(Unary(Opcode::kTanh, x)), "opcode: TANH operands: 0"},
    {"Convert", CALL(Convert(x, DType::kU8)),
     "opcode: CONVERT operands: 0 convert { type: U8 }"},
    {"ConvertWrap", CALL(Convert(x, DType::kU8, Overflow::kWrap)),
     "opcode: CONVERT operands: 0 convert { type: U8 overflow: WRAP }"},
    {"Add", CALL(Add(x, y)), "opcode: ADD operands: 0 operands: 1"},
    {"Subtract", CALL(Subtract(y, x, {0, 1})),
     "opcode: SUBTRACT operands: 1 operands: 0 broadcast_dimensions: 0 "
     "broadcast_dimensions: 1"},
    {"Multiply", CALL(Multiply(x, y)),
     "opcode: MULTIPLY operands: 0 operands: 1"},
    {"Divide", CALL(Divide(x, y)), "opcode: DIVIDE operands: 0 operands: 1"},
    {"Remainder", CALL(Remainder(x, y)),
     "opcode: REMAINDER operands: 0 operands: 1"},
    {"Maximum", CALL(Maximum(x, y)), "opcode: MAXIMUM operands: 0 operands: 1"},
    {"Minimum", CALL(Minimum(x, y)), "opcode: MINIMUM operands: 0 operands: 1"},
    {"And", CALL(And(x, y)), "opcode: AND operands: 0 operands: 1"},
    {"Or", CALL(Or(x, y)), "opcode: OR operands: 0 operands: 1"},
    {"Xor", CALL(Xor(x, y)), "opcode: XOR operands: 0 operands: 1"},
    {"Binary", CALL(Binary(Opcode::kAtan2, x, y, {1})),
     "opcode: ATAN2 operands: 0 operands: 1 broadcast_dimensions: 1"},
    {"Eq", CALL(Eq(x, y)),
     "opcode: COMPARE operands: 0 operands: 1 compare { direction: EQ }"},
    {"Ne", CALL(Ne(x, y)),
     "opcode: COMPARE operands: 0 operands: 1 compare { direction: NE }"},
    {"Ge", CALL(Ge(x, y)),
     "opcode: COMPARE operands: 0 operands: 1 compare { direction: GE }"},
    {"Gt", CALL(Gt(x, y)),
     "opcode: COMPARE operands: 0 operands: 1 compare { direction: GT }"},
    {"Le", CALL(Le(x, y)),
     "opcode: COMPARE operands: 0 operands: 1 compare { direction: LE }"},
    {"Lt", CALL(Lt(x, y, {1})),
     "opcode: COMPARE operands: 0 operands: 1 broadcast_dimensions: 1 "
     "compare { direction: LT }"},
    {"CompareTotalOrder",
     CALL(Compare(x, y, {CompareAttribute::Direction::kLt, true})),
     "opcode: COMPARE operands: 0 operands: 1 "
     "compare { direction: LT total_order: true }"},
    {"Select", CALL(Select(z, x, y)),
     "opcode: SELECT operands: 2 operands: 0 operands: 1"},
    {"Clamp", CALL(Clamp(y, x, z)),
     "opcode: CLAMP operands: 1 operands: 0 operands: 2"},
    {"BroadcastInDim", CALL(BroadcastInDim(x, {4, 2, 3}, {1, 2})),
     "opcode: BROADCAST_IN_DIM operands: 0 broadcast_in_dim { "
     "shape { dimensions: 4 dimensions: 2 dimensions: 3 } "
     "dimensions: 1 dimensions: 2 }"},
    {"Transpose", CALL(Transpose(x, {1, 0})),
     "opcode: TRANSPOSE operands: 0 "
     "dimensions { dimensions: 1 dimensions: 0 }"},
    {"Reverse", CALL(Reverse(x, {1})),
     "opcode: REVERSE operands: 0 dimensions { dimensions: 1 }"},
    {"Slice", CALL(Slice(x, {0, 1}, {2, 3})),
     "opcode: SLICE operands: 0 "
     "slice { start: 0 start: 1 limit: 2 limit: 3 }"},
    {"SliceStep", CALL(Slice(x, {0, 0}, {2, 3}, {1, 2})),
     "opcode: SLICE operands: 0 slice { start: 0 start: 0 limit: 2 limit: 3 "
     "step: 1 step: 2 }"},
    {"ConstantScalar", CALL(Constant(1.0f)),
     "opcode: CONSTANT constant { desc { type: F32 "
     "layout { padding_value: ZERO_PAD } } "
     "payload { raw: '\\000\\000\\200\\077' } }"},
    {"ConstantVector", CALL(Constant({uint8_t{1}, uint8_t{2}})),
     "opcode: CONSTANT constant { desc { type: U8 dimensions: 2 "
     "layout { minor_to_major: 0 padding_value: ZERO_PAD } } "
     "payload { raw: '\\001\\002' } }"},
    {"ConstantHalf", CALL(Constant(ToBF16(1.0f))),
     "opcode: CONSTANT constant { desc { type: BF16 "
     "layout { padding_value: ZERO_PAD } } "
     "payload { raw: '\\200\\077' } }"},
    {"Append",
     CALL(Append(Opcode::kConcatenate, {x, y}, DimensionsAttribute{{0}})),
     "opcode: CONCATENATE operands: 0 operands: 1 "
     "dimensions { dimensions: 0 }"},
};

INSTANTIATE_TEST_SUITE_P(All, InstructionTest, testing::ValuesIn(kInstructions),
                         [](const auto& test) { return test.param.name; });

TEST(ProgramBuilderTest, ParametersMayComeAfterInstructions) {
  ProgramBuilder b;
  const TensorDesc scalar;
  const Value x = b.Parameter(scalar);
  const Value negated = b.Negate(x);
  const Value y = b.Parameter(scalar);
  b.Result(b.Add(negated, y));
  b.Result(x);
  const Signature signature = b.Build();
  ASSERT_EQ(signature.operands.size(), 2u);
  EXPECT_THAT(signature.instructions[0].operands, testing::ElementsAre(0u));
  EXPECT_THAT(signature.instructions[1].operands, testing::ElementsAre(2u, 1u));
  EXPECT_EQ(signature.results[0].value, 3u);
  EXPECT_EQ(signature.results[1].value, 0u);
}

TEST(ProgramBuilderTest, AConstantIsCopied) {
  ProgramBuilder b;
  std::vector<int32_t> numbers = {1, 2, 3};
  b.Constant(numbers);
  numbers = {7, 7, 7};
  const Signature signature = b.Build();
  const auto& constant =
      std::get<ConstantAttribute>(signature.instructions[0].attribute);
  EXPECT_EQ(constant.desc.ToString(), "s32[3]{0}");
  EXPECT_EQ(constant.data, std::string("\1\0\0\0\2\0\0\0\3\0\0\0", 12));
}

TEST(ProgramBuilderTest, ResultsAskForAFormOrForAWholeDescriptor) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  b.Result(x, DimensionOrder{{0, 1}, {2, 4}, PaddingValue::kLowest});
  b.Result(x, *TensorDesc::Create(DType::kF32, {2, 3},
                                  ElementStrides{{4, 1}, 0, 8}));
  const v1::ComputeSpec spec = ToProto(b.Build());
  ExpectIs(spec.results(0), R"(
      value: 0 layout { minor_to_major: 0 minor_to_major: 1
                        padded_dimensions: 2 padded_dimensions: 4
                        padding_value: LOWEST_PAD })");
  ExpectIs(spec.results(1), R"(
      value: 0 type: F32 shape { dimensions: 2 dimensions: 3 }
      strides { strides: 4 strides: 1 total_elements: 8 })");
}

TEST(RelayoutSignatureTest, ConvertsOnlyIfAsked) {
  const TensorDesc desc = *ParseShapeString("u8[2,3]");
  const DimensionOrder column_major{{0, 1}, {}, {}};
  ExpectIs(ToProto(RelayoutSignature(desc, column_major)), R"(
      operands { type: U8 dimensions: 2 dimensions: 3
                 layout { minor_to_major: 1 minor_to_major: 0
                          padding_value: ZERO_PAD } }
      results { layout { minor_to_major: 0 minor_to_major: 1 } })");
  const Signature converted =
      RelayoutSignature(desc, {}, ConvertAttribute{DType::kF32});
  ASSERT_EQ(converted.instructions.size(), 1u);
  EXPECT_EQ(converted.instructions[0].opcode, Opcode::kConvert);
}

}  // namespace
}  // namespace stridecast
