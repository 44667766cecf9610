// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the builder's calls are on the wire, as text of the messages.

#include <functional>
#include <map>
#include <set>
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

// The server may be newer than the library.
TEST(ProgramBuilderTest, OperationsThatTheLibraryDoesNotKnowAreSent) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value y = b.Append(static_cast<Opcode>(250), {x});
  EXPECT_EQ(b.TypeOf(y).status().code(), absl::StatusCode::kUnimplemented);
  b.Result(b.Negate(y));
  const absl::StatusOr<Signature> signature = b.Build();
  ASSERT_TRUE(signature.ok()) << signature.status();
  const v1::ComputeSpec spec = ToProto(*signature);
  ASSERT_EQ(spec.instructions_size(), 2);
  EXPECT_EQ(static_cast<int>(spec.instructions(0).opcode()), 250);
}

TEST(ProgramBuilderTest, AConstantWithoutDataIsAFault) {
  ProgramBuilder b;
  const TensorDesc desc = *ParseShapeString("f32[2,3]");
  b.Result(b.Constant(TensorView{desc, nullptr}));
  EXPECT_EQ(b.Build().status().message(),
            "a constant of 24 bytes without data");
}

TEST(ProgramBuilderTest, DimensionsOfLayoutsCountFromBehind) {
  const TensorDesc desc = *ParseShapeString("f32[2,3]");
  ProgramBuilder b;
  const Value x = b.Parameter(desc);
  b.Result(b.Negate(x), DimensionOrder{{-2, -1}, {}, {}});
  const PhysicalForm expected = DimensionOrder{{0, 1}, {}, {}};
  EXPECT_EQ(b.Build()->results[0].form, expected);
  EXPECT_EQ(RelayoutSignature(desc, DimensionOrder{{-2, 1}, {}, {}}, {})
                .results[0]
                .form,
            expected);
}

TEST(ProgramBuilderTest, MatrixPlusVector) {
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2,3]"));
  const Value v = b.Parameter(*ParseShapeString("f32[3]"));
  b.Result(b.Add(x, v, /*broadcast_dimensions=*/{1}));
  ExpectIs(ToProto(*b.Build()), R"(
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
  const v1::ComputeSpec spec = ToProto(*b.Build());
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
    {"UnaryScalar", CALL(LeakyRelu(x, 0.25)),
     "opcode: LEAKY_RELU operands: 0 scalars { alpha: 0.25 }"},
    {"UnaryScalarDefault", CALL(Elu(x)), "opcode: ELU operands: 0 scalars { }"},
    {"UnaryScalars", CALL(HardSigmoid(x, 0.25, 0.5)),
     "opcode: HARD_SIGMOID operands: 0 scalars { alpha: 0.25 beta: 0.5 }"},
    {"IsClose", CALL(IsClose(x, y, 0.5, {}, {0, -1})),
     "opcode: IS_CLOSE operands: 0 operands: 1 broadcast_dimensions: 0 "
     "broadcast_dimensions: 1 scalars { alpha: 0.5 }"},
    {"Fma", CALL(Fma(x, y, z)),
     "opcode: FMA operands: 0 operands: 1 operands: 2"},
    {"BitcastConvert", CALL(BitcastConvert(x, DType::kU8)),
     "opcode: BITCAST_CONVERT operands: 0 convert { type: U8 }"},
    {"ReducePrecision", CALL(ReducePrecision(x, 5, 10)),
     "opcode: REDUCE_PRECISION operands: 0 "
     "reduce_precision { exponent_bits: 5 mantissa_bits: 10 }"},
    {"Quantize", CALL(Quantize(x, y, z, DType::kU8, {-1})),
     "opcode: QUANTIZE operands: 0 operands: 1 operands: 2 "
     "quantize { type: U8 broadcast_dimensions: 1 }"},
    {"Dequantize", CALL(Dequantize(x, y, z, {0, 1})),
     "opcode: DEQUANTIZE operands: 0 operands: 1 operands: 2 "
     "quantize { type: F32 broadcast_dimensions: 0 "
     "broadcast_dimensions: 1 }"},
    {"Reshape", CALL(Reshape(x, {3, 2})),
     "opcode: RESHAPE operands: 0 reshape { dimensions: 3 dimensions: 2 }"},
    {"ReshapeRest", CALL(Reshape(x, {3, -1, 1})),
     "opcode: RESHAPE operands: 0 "
     "reshape { dimensions: 3 dimensions: 2 dimensions: 1 }"},
    {"ReshapeNoRest", CALL(Reshape(x, {4, -1})),
     "opcode: RESHAPE operands: 0 reshape { dimensions: 4 dimensions: -1 }"},
    {"ReshapeTwoRests", CALL(Reshape(x, {-1, -1})),
     "opcode: RESHAPE operands: 0 reshape { dimensions: -1 dimensions: -1 }"},
    {"Pad", CALL(Pad(x, y, {1, 2}, {3, -1})),
     "opcode: PAD operands: 0 operands: 1 pad { low: 1 low: 2 high: 3 "
     "high: -1 interior: 0 interior: 0 }"},
    {"PadInterior", CALL(Pad(x, y, {1, 2}, {3, 4}, {5, 6})),
     "opcode: PAD operands: 0 operands: 1 pad { low: 1 low: 2 high: 3 "
     "high: 4 interior: 5 interior: 6 }"},
    {"Iota", CALL(Iota(DType::kS32, {4, 5}, -1)),
     "opcode: IOTA iota { type: S32 shape { dimensions: 4 dimensions: 5 } "
     "dimension: 1 }"},
    {"Scalar", CALL(Scalar(1, DType::kU16)),
     "opcode: CONSTANT constant { desc { type: U16 "
     "layout { padding_value: ZERO_PAD } } payload { raw: '\\001\\000' } }"},

    // Negative dimension numbers; those that are none stay as they are.
    {"AddNegative", CALL(Add(x, y, {-2, -1})),
     "opcode: ADD operands: 0 operands: 1 broadcast_dimensions: 0 "
     "broadcast_dimensions: 1"},
    {"AddTooNegative", CALL(Add(x, y, {-3, 7})),
     "opcode: ADD operands: 0 operands: 1 broadcast_dimensions: -3 "
     "broadcast_dimensions: 7"},
    {"CompareNegative", CALL(Ge(x, y, {-1})),
     "opcode: COMPARE operands: 0 operands: 1 broadcast_dimensions: 1 "
     "compare { direction: GE }"},
    {"TransposeNegative", CALL(Transpose(x, {-1, 0})),
     "opcode: TRANSPOSE operands: 0 "
     "dimensions { dimensions: 1 dimensions: 0 }"},
    {"ReverseNegative", CALL(Reverse(x, {-2})),
     "opcode: REVERSE operands: 0 dimensions { dimensions: 0 }"},
    {"BroadcastInDimNegative", CALL(BroadcastInDim(x, {4, 2, 3}, {-2, -1})),
     "opcode: BROADCAST_IN_DIM operands: 0 broadcast_in_dim { "
     "shape { dimensions: 4 dimensions: 2 dimensions: 3 } "
     "dimensions: 1 dimensions: 2 }"},
    {"ConcatenateNegative", CALL(Concatenate({x, y}, -1)),
     "opcode: CONCATENATE operands: 0 operands: 1 "
     "dimensions { dimensions: 1 }"},
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
  const Signature signature = *b.Build();
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
  const Signature signature = *b.Build();
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
  const v1::ComputeSpec spec = ToProto(*b.Build());
  ExpectIs(spec.results(0), R"(
      value: 0 layout { minor_to_major: 0 minor_to_major: 1
                        padded_dimensions: 2 padded_dimensions: 4
                        padding_value: LOWEST_PAD })");
  ExpectIs(spec.results(1), R"(
      value: 0 type: F32 shape { dimensions: 2 dimensions: 3 }
      strides { strides: 4 strides: 1 total_elements: 8 })");
}

// What each row of operations.inc is to be in elementwise.inc.
absl::string_view MacroOf(Form form) {
  switch (form) {
    case Form::kUnary:
      return "UNARY";
    case Form::kUnaryScalar:
      return "UNARY_SCALAR";
    case Form::kUnaryScalars:
      return "UNARY_SCALARS";
    case Form::kBinary:
      return "BINARY";
    default:
      return "";
  }
}

TEST(ProgramBuilderTest, HasAMethodForEveryElementwiseOperation) {
  std::map<Opcode, absl::string_view> macros;
  ProgramBuilder b;
  const Value x = b.Parameter(*ParseShapeString("f32[2]"));
#define STRIDECAST_UNARY(name)       \
  macros[Opcode::k##name] = "UNARY"; \
  b.name(x);
#define STRIDECAST_UNARY_SCALAR(name)       \
  macros[Opcode::k##name] = "UNARY_SCALAR"; \
  b.name(x, 0.5);
#define STRIDECAST_UNARY_SCALARS(name)       \
  macros[Opcode::k##name] = "UNARY_SCALARS"; \
  b.name(x, 0.5, 0.5);
#define STRIDECAST_BINARY(name)       \
  macros[Opcode::k##name] = "BINARY"; \
  b.name(x, x);
#include "stridecast/elementwise.inc"
#undef STRIDECAST_UNARY
#undef STRIDECAST_UNARY_SCALAR
#undef STRIDECAST_UNARY_SCALARS
#undef STRIDECAST_BINARY
  for (const Operation& operation : AllOperations()) {
    const auto found = macros.find(operation.opcode);
    EXPECT_EQ(found == macros.end() ? "" : found->second,
              MacroOf(operation.form))
        << operation.label;
  }
  std::set<Opcode> appended;
  const Signature signature = *b.Build();
  for (const Instruction& instruction : signature.instructions) {
    appended.insert(instruction.opcode);
  }
  EXPECT_EQ(appended.size(), macros.size());
}

TEST(ProgramBuilderTest, KnowsTheTypesOfValues) {
  ProgramBuilder b;
  const auto text_of = [&b](Value value) {
    const auto type = b.TypeOf(value);
    return type.ok() ? ShapeToString(type->type, type->shape)
                     : std::string(type.status().message());
  };
  const Value x = b.Parameter(*ParseShapeString("u8[2,3]"));
  EXPECT_EQ(text_of(x), "u8[2,3]");
  const Value y = b.Convert(x, DType::kF32);
  EXPECT_EQ(text_of(y), "f32[2,3]");
  EXPECT_EQ(text_of(b.Transpose(y, {1, 0})), "f32[3,2]");
  EXPECT_EQ(text_of(b.Gt(y, b.Constant({1.0f, 2.0f, 3.0f}), {1})), "pred[2,3]");
  EXPECT_EQ(text_of(b.Constant(int64_t{1})), "s64[]");

  // Rules are broken in the server's words, at the first instruction that does.
  const Value broken = b.Add(x, y);
  const char* const kText =
      "instructions[5] (ADD): Binary op add with different element types: "
      "u8[2,3] and f32[2,3].";
  EXPECT_EQ(text_of(broken), kText);
  EXPECT_EQ(text_of(b.Sqrt(b.Negate(broken))), kText);
  EXPECT_EQ(text_of(b.Slice(y, {0, 0}, {2, 4})),
            "instructions[8].slice.limit[1] (SLICE): 4 is past the extent 3 of "
            "dimension 1 of f32[2,3]");

  // The server is asked all the same.
  EXPECT_TRUE(b.status().ok());
  EXPECT_TRUE(b.Build().ok());
}

TEST(ProgramBuilderTest, ValuesOfTwoBuildersAreAFault) {
  ProgramBuilder a, b;
  const Value x = a.Parameter(TensorDesc());
  const Value y = b.Parameter(TensorDesc());
  const Value nothing = a.Add(x, y);
  a.Result(a.Sqrt(nothing));
  EXPECT_EQ(a.Build().status(),
            absl::InvalidArgumentError(
                "operand 1 of ADD is a value of another ProgramBuilder"));
  EXPECT_EQ(a.TypeOf(nothing).status(), a.status());
  EXPECT_EQ(b.TypeOf(x).status(),
            absl::InvalidArgumentError("a value of another ProgramBuilder"));
  EXPECT_TRUE(b.status().ok());
  b.Result(y);
  b.Result(x);
  EXPECT_EQ(b.Build().status(),
            absl::InvalidArgumentError(
                "result 1 is a value of another ProgramBuilder"));
}

TEST(ProgramBuilderTest, TheFirstFaultStays) {
  ProgramBuilder b;
  const Value x = b.Parameter(TensorDesc());
  b.Scalar(0.5, DType::kU8);
  b.Fail(absl::ResourceExhaustedError("second"));
  b.Result(x);
  EXPECT_EQ(b.Build().status(),
            absl::InvalidArgumentError(
                "0.5 is no integer, u8 holds nothing else; convert the tensor "
                "to a floating-point type"));
}

TEST(ProgramBuilderTest, AnEqualScalarIsThere) {
  ProgramBuilder b;
  Value x = b.Parameter(TensorDesc());
  for (int i = 0; i < 100; ++i) x = b.Add(x, b.Scalar(1, DType::kF32));
  x = b.Multiply(x, b.Scalar(2, DType::kF32));
  // Other bits, another type.
  b.Result(b.Add(x, b.Scalar(-0.0, DType::kF32)));
  b.Result(b.Add(x, b.Scalar(0.0, DType::kF32)));
  b.Result(b.Scalar(1, DType::kS32));
  const auto signature = b.Build();
  ASSERT_TRUE(signature.ok()) << signature.status();
  EXPECT_EQ(
      std::count_if(
          signature->instructions.begin(), signature->instructions.end(),
          [](const Instruction& i) { return i.opcode == Opcode::kConstant; }),
      5);
  EXPECT_EQ(signature->instructions.size(), 108u);
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
