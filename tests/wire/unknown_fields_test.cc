// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/unknown_fields.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "proto/wire/request_codec.h"
#include "stridecast/v1/service.pb.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;
using testing::ToByteBuffer;

struct Place {
  std::string path;  // empty, or ending with a dot
  Message* message;
};

// `message` and all messages in it.
void AddPlaces(const std::string& path, Message* message,
               std::vector<Place>* places) {
  places->push_back({path, message});
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      AddPlaces(absl::StrCat(path, field->name(), "."),
                reflection->MutableMessage(message, field), places);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      AddPlaces(absl::StrCat(path, field->name(), "[", i, "]."),
                reflection->MutableRepeatedMessage(message, field, i), places);
    }
  }
}

// Puts an unknown field into every message inside a valid request, one at a
// time.
template <typename Request, typename Decode>
void ExpectRefusedEverywhere(Request request, size_t least_places,
                             Decode decode) {
  ASSERT_THAT(decode(ToByteBuffer(request)), IsOk());
  std::vector<Place> places;
  AddPlaces("", &request, &places);
  EXPECT_GE(places.size(), least_places);
  for (const Place& place : places) {
    auto* unknown =
        place.message->GetReflection()->MutableUnknownFields(place.message);
    unknown->AddVarint(1000, 1);
    EXPECT_THAT(
        decode(ToByteBuffer(request)),
        IsInvalid(absl::StrCat(place.path, "1000: unknown field 1000 of ",
                               place.message->GetDescriptor()->full_name())));
    unknown->Clear();
    unknown->AddLengthDelimited(18999, "text");
    EXPECT_THAT(decode(ToByteBuffer(request)),
                IsInvalid(absl::StrCat(place.path, "18999: ")));
    unknown->Clear();
  }
}

constexpr char kSpec[] = R"(
  operands { type: F32 dimensions: 2 layout { minor_to_major: 0 } }
  operands { type: F32 dimensions: 2 strides { strides: 1 } }
  instructions { opcode: ADD operands: [0, 1] }
  instructions { opcode: CONVERT operands: 2 convert { type: S8 } }
  instructions { opcode: COMPARE operands: [0, 1] compare { direction: EQ } }
  instructions { opcode: RESHAPE operands: 0 reshape { dimensions: 2 } }
  instructions { opcode: TRANSPOSE operands: 0 dimensions { dimensions: 0 } }
  instructions { opcode: SLICE operands: 0 slice { start: 0 limit: 1 } }
  instructions { opcode: PAD operands: [0, 0] pad { low: 0 } }
  instructions { opcode: ELU operands: 0 scalars { alpha: 1 } }
  instructions { opcode: QUANTIZE quantize { type: S8 } }
  instructions { opcode: IOTA iota { type: S8 shape { } } }
  instructions { opcode: REDUCE_PRECISION reduce_precision { } }
  instructions { opcode: BROADCAST_IN_DIM broadcast_in_dim { shape { } } }
  instructions { opcode: CONSTANT constant {
    desc { type: U8 layout { } } payload { raw: "x" } } }
  results { layout { minor_to_major: 0 } shape { } }
  results { strides { strides: 1 } })";

TEST(UnknownFields, AnywhereInACompute) {
  ExpectRefusedEverywhere(
      FromText<v1::ComputeRequest>(absl::StrCat(
          "spec {", kSpec,
          "} payloads { raw: \"12345678\" } payloads { floats: [1, 2] }")),
      40, DecodeComputeRequest);
}

constexpr char kRelayout[] = R"(
  operand { type: F32 dimensions: 2 layout { minor_to_major: 0 } }
  result { strides { strides: 1 } shape { dimensions: 2 } }
  convert { type: S8 })";

TEST(UnknownFields, AnywhereInARelayout) {
  ExpectRefusedEverywhere(FromText<v1::RelayoutRequest>(absl::StrCat(
                              kRelayout, "payload { raw: \"12345678\" }")),
                          8, DecodeRelayoutRequest);
}

TEST(UnknownFields, AnywhereInAnExplain) {
  ExpectRefusedEverywhere(
      FromText<v1::ExplainRequest>(absl::StrCat("compute {", kSpec, "}")), 38,
      DecodeExplainRequest);
  ExpectRefusedEverywhere(FromText<v1::ExplainRequest>(absl::StrCat(
                              "relayout {", kRelayout, " payload { } }")),
                          9, DecodeExplainRequest);
}

TEST(UnknownFields, KnownNumberWithAnotherWireType) {
  // payloads (15) as a varint; spec (1) as 32 bits.
  EXPECT_THAT(DecodeComputeRequest(ToByteBuffer("\x78\x01")),
              IsInvalid("15: unknown field 15 of stridecast.v1.Compute"));
  EXPECT_THAT(DecodeComputeRequest(ToByteBuffer("\x0D....")),
              IsInvalid("1: unknown field 1 of stridecast.v1.Compute"));
  // ExplainRequest has no payloads at all.
  EXPECT_THAT(DecodeExplainRequest(ToByteBuffer(std::string("\x7A\x00", 2))),
              IsInvalid("15: unknown field 15 of stridecast.v1.Explain"));
}

}  // namespace
}  // namespace stridecast
