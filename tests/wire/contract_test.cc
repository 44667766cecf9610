// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The enums of the contract and those of the core are the same numbers and
// names; the codec casts between them.

#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "proto/wire/message_split.h"
#include "proto/wire/request_codec.h"
#include "stridecast/dtype.h"
#include "stridecast/layout.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"
#include "stridecast/v1/service.pb.h"

namespace stridecast {
namespace {

using Numbers = std::map<int, std::string>;

// All values of a proto enum but 0.
Numbers NumbersOf(const google::protobuf::EnumDescriptor* descriptor) {
  Numbers numbers;
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const auto& value = *descriptor->value(i);
    if (value.number() != 0) numbers[value.number()] = value.name();
  }
  return numbers;
}

TEST(Contract, OpcodesAreOperationsInc) {
  Numbers operations;
#define STRIDECAST_OPERATION(name, number, label, form, types, result, cost) \
  operations[number] = label;
#include "stridecast/operations.inc"
#undef STRIDECAST_OPERATION
  EXPECT_EQ(NumbersOf(v1::Instruction::Opcode_descriptor()), operations);
}

TEST(Contract, DTypesAreXlas) {
  Numbers types;
  for (DType type : kAllDTypes) {
    types[static_cast<int>(type)] = absl::AsciiStrToUpper(DTypeName(type));
  }
  EXPECT_EQ(NumbersOf(v1::DType_descriptor()), types);
  for (int number = -1; number < 130; ++number) {
    EXPECT_EQ(IsDType(number), types.count(number) == 1) << number;
  }
}

TEST(Contract, SmallEnums) {
  EXPECT_EQ(
      NumbersOf(v1::PaddingValue_descriptor()),
      (Numbers{{static_cast<int>(PaddingValue::kZero), "ZERO_PAD"},
               {static_cast<int>(PaddingValue::kOne), "ONE_PAD"},
               {static_cast<int>(PaddingValue::kLowest), "LOWEST_PAD"},
               {static_cast<int>(PaddingValue::kHighest), "HIGHEST_PAD"},
               {static_cast<int>(PaddingValue::kUnknown), "UNKNOWN_PAD"}}));
  EXPECT_EQ(NumbersOf(v1::Convert::Overflow_descriptor()),
            (Numbers{{static_cast<int>(Overflow::kSaturate), "SATURATE"},
                     {static_cast<int>(Overflow::kWrap), "WRAP"}}));
  using Direction = CompareAttribute::Direction;
  EXPECT_EQ(NumbersOf(v1::Compare::Direction_descriptor()),
            (Numbers{{static_cast<int>(Direction::kEq), "EQ"},
                     {static_cast<int>(Direction::kNe), "NE"},
                     {static_cast<int>(Direction::kGe), "GE"},
                     {static_cast<int>(Direction::kGt), "GT"},
                     {static_cast<int>(Direction::kLe), "LE"},
                     {static_cast<int>(Direction::kLt), "LT"}}));
  EXPECT_EQ(NumbersOf(v1::ResultSpec::Encoding_descriptor()),
            (Numbers{{static_cast<int>(Encoding::kRaw), "RAW"},
                     {static_cast<int>(Encoding::kTyped), "TYPED"}}));
}

TEST(Contract, AttributesHaveTheNamesOfTheirFields) {
  const auto* oneof =
      v1::Instruction::descriptor()->FindOneofByName("attributes");
  std::vector<std::string> fields;
  for (int i = 0; i < oneof->field_count(); ++i) {
    fields.emplace_back(oneof->field(i)->name());
  }
  const Attribute alternatives[] = {ConstantAttribute{},
                                    BroadcastInDimAttribute{},
                                    DimensionsAttribute{},
                                    SliceAttribute{},
                                    PadAttribute{},
                                    ReshapeAttribute{},
                                    ConvertAttribute{},
                                    CompareAttribute{},
                                    ReducePrecisionAttribute{},
                                    ScalarsAttribute{},
                                    QuantizeAttribute{},
                                    IotaAttribute{}};
  std::vector<std::string> names;
  for (const Attribute& attribute : alternatives) {
    names.emplace_back(AttributeName(attribute));
  }
  EXPECT_EQ(names, fields);
}

// message_join.h writes payloads last, which is where protobuf puts them only
// if no field has a greater number.
TEST(Contract, PayloadsHaveTheGreatestNumber) {
  for (const auto* descriptor :
       {v1::ComputeRequest::descriptor(), v1::ComputeResponse::descriptor(),
        v1::RelayoutRequest::descriptor(),
        v1::RelayoutResponse::descriptor()}) {
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const auto& field = *descriptor->field(i);
      const bool is_payload = field.message_type() == v1::Payload::descriptor();
      EXPECT_EQ(is_payload, field.number() == PayloadField::kRepeated.number)
          << field.full_name();
      EXPECT_LE(field.number(), PayloadField::kRepeated.number)
          << field.full_name();
    }
  }
}

}  // namespace
}  // namespace stridecast
