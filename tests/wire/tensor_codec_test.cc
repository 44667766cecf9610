// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/tensor_codec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;

TEST(TensorCodec, ADescriptorIsItsMessage) {
  const auto message = FromText<v1::TensorDesc>(R"(
    type: F32
    dimensions: [ 2, 3 ]
    layout { minor_to_major: [ 0, 1 ] })");
  const auto desc = TensorDescFromProto(message);
  ASSERT_THAT(desc, IsOk());
  EXPECT_EQ(desc->type(), DType::kF32);
  EXPECT_EQ(desc->shape().ToString(), "[2,3]");
  EXPECT_EQ(desc->byte_strides(), (DimVector{4, 8}));
  EXPECT_EQ(desc->size_bytes(), 24);
}

struct RoundTripCase {
  const char* name;
  const char* message;
  const char* reply;  // what TensorDescToProto makes of it
};

const RoundTripCase kRoundTrips[] = {
    {"Scalar", "type: F64", "type: F64 layout { padding_value: ZERO_PAD }"},
    {"RowMajorIsMadeExplicit", "type: PRED dimensions: [2, 3]",
     "type: PRED dimensions: [2, 3]"
     "layout { minor_to_major: [1, 0] padding_value: ZERO_PAD }"},
    {"ColumnMajor",
     "type: C128 dimensions: [2, 3] layout { minor_to_major: [0, 1] }",
     "type: C128 dimensions: [2, 3] layout { minor_to_major: [0, 1] }"},
    {"Padded",
     "type: BF16 dimensions: [2, 3] layout { minor_to_major: [1, 0]"
     " padded_dimensions: [2, 8] padding_value: LOWEST_PAD }",
     "type: BF16 dimensions: [2, 3] layout { minor_to_major: [1, 0]"
     " padded_dimensions: [2, 8] padding_value: LOWEST_PAD }"},
    {"StridesStateTheirTotal",
     "type: U8 dimensions: [2, 3] strides { strides: [5, 1] }",
     "type: U8 dimensions: [2, 3]"
     "strides { strides: [5, 1] total_elements: 8 }"},
    {"NegativeAndRepeatingStrides",
     "type: S16 dimensions: [2, 3]"
     "strides { strides: [0, -1] offset: 2 total_elements: 9 }",
     "type: S16 dimensions: [2, 3]"
     "strides { strides: [0, -1] offset: 2 total_elements: 9 }"},
    {"Empty", "type: U64 dimensions: [0, 3] strides { strides: [3, 1] }",
     "type: U64 dimensions: [0, 3] strides { strides: [3, 1] }"},
};

TEST(TensorCodec, RoundTrips) {
  for (const RoundTripCase& test : kRoundTrips) {
    SCOPED_TRACE(test.name);
    const auto desc =
        TensorDescFromProto(FromText<v1::TensorDesc>(test.message));
    ASSERT_THAT(desc, IsOk());
    const v1::TensorDesc reply = TensorDescToProto(*desc);
    EXPECT_EQ(reply.DebugString(),
              FromText<v1::TensorDesc>(test.reply).DebugString());
    EXPECT_NE(reply.physical_case(), v1::TensorDesc::PHYSICAL_NOT_SET);
    const auto again = TensorDescFromProto(reply);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->layout().form(), desc->layout().form());
    EXPECT_EQ(again->size_bytes(), desc->size_bytes());
  }
}

TEST(TensorCodec, AllTypes) {
  for (DType type : kAllDTypes) {
    EXPECT_THAT(DTypeFromProto(DTypeToProto(type), "type").value(), type);
  }
}

struct ErrorCase {
  const char* message;
  const char* error;
};

const ErrorCase kErrors[] = {
    {"dimensions: 3", "type: DTYPE_UNSPECIFIED"},
    {"type: 19", "type: 19 is not"},
    {"type: -1", "type: -1 is not"},
    {"type: F32 dimensions: [2, -3]", "dimensions[1]: "},
    {"type: F32 dimensions: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
     "dimensions: 17"},
    {"type: F32 dimensions: [4294967296, 4294967296]", "dimensions: "},
    {"type: F32 dimensions: 3 layout {}", "layout.minor_to_major: "},
    {"type: F32 dimensions: [2, 3] layout { minor_to_major: [1, 1] }",
     "layout.minor_to_major: "},
    {"type: F32 dimensions: 3 "
     "layout { minor_to_major: 0 padded_dimensions: 2 }",
     "layout.padded_dimensions[0]: "},
    {"type: F32 layout { padding_value: 6 }", "layout.padding_value: 6 is not"},
    {"type: F32 dimensions: [1, 2, 3] strides { strides: [3, 1] }",
     "strides.strides: 2 entries for rank 3"},
    {"type: F32 strides { offset: -1 }", "strides.offset: "},
    {"type: F32 dimensions: 3 strides { strides: 2 total_elements: 4 }",
     "strides.total_elements: 4 is less than the 5"},
};

TEST(TensorCodec, Errors) {
  for (const ErrorCase& test : kErrors) {
    EXPECT_THAT(TensorDescFromProto(FromText<v1::TensorDesc>(test.message)),
                IsInvalid(test.error))
        << test.message;
  }
}

}  // namespace
}  // namespace stridecast
