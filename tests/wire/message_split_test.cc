// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/message_split.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/v1/service.pb.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::FailsWith;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;
using testing::ToByteBuffer;
using testing::ToBytes;

std::string Bytes(const char* text) {
  return FromText<v1::ComputeRequest>(text).SerializeAsString();
}

TEST(MessageSplit, PayloadsApartFromTheRest) {
  const std::string spec = Bytes("spec { operands { type: F32 } }");
  const auto parts =
      Split(ToByteBuffer(spec + Bytes("payloads { raw: \"abcd\" }")),
            PayloadField::kRepeated);
  ASSERT_THAT(parts, IsOk());
  EXPECT_EQ(parts->head, spec);
  ASSERT_EQ(parts->payloads.size(), 1u);
  EXPECT_EQ(ToBytes(parts->payloads[0].raw), "abcd");
  EXPECT_EQ(parts->payloads[0].rest, "");
}

// Cut into slices of any size, nothing changes and raw bytes are not copied.
TEST(MessageSplit, AnySlices) {
  const std::string raw(300, 'r');
  const std::string spec =
      Bytes("spec { operands { type: F32 dimensions: [1, 2, 300] } }");
  const std::string message =
      spec + Bytes(("payloads { raw: \"" + raw + "\" }").c_str()) +
      Bytes("payloads { }") + Bytes("payloads { floats: [1, 2, 3] }");
  for (size_t slice_bytes = 1; slice_bytes < 400; ++slice_bytes) {
    const auto parts =
        Split(ToByteBuffer(message, slice_bytes), PayloadField::kRepeated);
    ASSERT_THAT(parts, IsOk());
    EXPECT_EQ(parts->head, spec);
    ASSERT_EQ(parts->payloads.size(), 3u);
    EXPECT_EQ(ToBytes(parts->payloads[0].raw), raw);
    for (const Segment& segment : parts->payloads[0].raw.segments()) {
      bool inside = false;
      for (const grpc::Slice& slice : parts->storage->slices) {
        const auto* begin = reinterpret_cast<const std::byte*>(slice.begin());
        inside |= segment.data >= begin &&
                  segment.data + segment.size_bytes <= begin + slice.size();
      }
      EXPECT_TRUE(inside);
    }
    EXPECT_EQ(parts->payloads[1].raw.size_bytes(), 0);
    EXPECT_EQ(parts->payloads[2].rest,
              FromText<v1::Payload>("floats: [1, 2, 3]").SerializeAsString());
  }
}

TEST(MessageSplit, NoBytes) {
  for (const grpc::ByteBuffer& message :
       {grpc::ByteBuffer(), ToByteBuffer("")}) {
    const auto parts = Split(message, PayloadField::kRepeated);
    ASSERT_THAT(parts, IsOk());
    EXPECT_EQ(parts->head, "");
    EXPECT_TRUE(parts->payloads.empty());
  }
}

// What protobuf makes of fields in any order, repeated or in parts.
TEST(MessageSplit, EqualsProtobuf) {
  const std::string merged = Bytes("payloads { raw: \"late\" }") +
                             Bytes("spec { operands { type: F32 } }") +
                             Bytes("payloads { raw: \"x\" bools: true }") +
                             Bytes("spec { operands { type: S8 } }");
  const auto parts = Split(ToByteBuffer(merged), PayloadField::kRepeated);
  ASSERT_THAT(parts, IsOk());
  v1::ComputeRequest head;
  ASSERT_TRUE(head.ParseFromString(parts->head));
  EXPECT_EQ(head.spec().operands_size(), 2);
  ASSERT_EQ(parts->payloads.size(), 2u);
  EXPECT_EQ(ToBytes(parts->payloads[0].raw), "late");
  EXPECT_EQ(ToBytes(parts->payloads[1].raw), "x");

  // The last raw wins, in one payload and over merged ones.
  const std::string twice = std::string("\x7A\x06\x0A\x01y\x0A\x01z", 8);
  const auto last = Split(ToByteBuffer(twice), PayloadField::kRepeated);
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(ToBytes(last->payloads[0].raw), "z");

  const std::string singular =
      twice + Bytes("payloads { floats: 1 }") + Bytes("payloads { floats: 2 }");
  const auto one = Split(ToByteBuffer(singular), PayloadField::kSingular);
  ASSERT_THAT(one, IsOk());
  ASSERT_EQ(one->payloads.size(), 1u);
  v1::RelayoutRequest whole;
  ASSERT_TRUE(whole.ParseFromString(singular));
  EXPECT_EQ(ToBytes(one->payloads[0].raw), whole.payload().raw());
  v1::Payload lists;
  ASSERT_TRUE(lists.ParseFromString(one->payloads[0].rest));
  EXPECT_EQ(lists.floats_size(), whole.payload().floats_size());
}

struct MalformedCase {
  const char* name;
  std::string bytes;
};

TEST(MessageSplit, Malformed) {
  const MalformedCase cases[] = {
      {"HalfATag", "\x80"},
      {"TagZero", std::string("\x00", 1)},
      {"NoLength", "\x7A"},
      {"PastTheEnd", "\x7A\x05\x0A\x01x"},
      {"RawPastThePayload", "\x7A\x03\x0A\x02x\x0A\x01y"},
      {"RawWithoutLength", "\x7A\x01\x0A"},
      {"HugeLength", "\x7A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"},
      {"LengthOverInt", "\x0A\xFF\xFF\xFF\xFF\x0F"},
      {"HeadPastTheEnd", "\x0A\x05xy"},
      {"Group", "\x0B\x0C"},
      {"EndOfGroup", "\x7A\x01\x0C"},
      {"WireTypeSix", std::string("\x0E\x00", 2)},
      {"HalfAVarint", "\x10\x80"},
      {"EndlessVarint", absl::StrCat("\x10", std::string(11, '\x80'))},
      {"HalfAFixed64", "\x11\x01\x02"},
      {"HalfAFixed32", "\x15\x01\x02"},
  };
  for (const MalformedCase& test : cases) {
    for (const PayloadField& field :
         {PayloadField::kRepeated, PayloadField::kSingular}) {
      EXPECT_THAT(Split(ToByteBuffer(test.bytes, 1), field),
                  IsInvalid("request: not a valid message, malformed at byte"))
          << test.name;
    }
  }
}

TEST(MessageSplit, ManyTinySlicesBecomeOne) {
  const std::string bytes(100'000, 'x');
  struct Case {
    size_t slice_bytes;
    size_t num_slices;  // after
  };
  for (const Case& test : {Case{1, 1}, Case{4095, 1}, Case{5000, 20},
                           Case{100'000, 1}, Case{25'000, 4}}) {
    grpc::ByteBuffer message = ToByteBuffer(bytes, test.slice_bytes);
    ASSERT_THAT(JoinTinySlices(message), IsOk());
    std::vector<grpc::Slice> slices;
    ASSERT_TRUE(message.Dump(&slices).ok());
    EXPECT_EQ(slices.size(), test.num_slices) << test.slice_bytes;
    EXPECT_TRUE(ToBytes(message) == bytes);
  }
  // A few do no harm.
  grpc::ByteBuffer few = ToByteBuffer(std::string(1600, 'x'), 100);
  ASSERT_THAT(JoinTinySlices(few), IsOk());
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(few.Dump(&slices).ok());
  EXPECT_EQ(slices.size(), 16u);
  grpc::ByteBuffer none;
  EXPECT_THAT(JoinTinySlices(none), IsOk());
}

TEST(MessageSplit, WhatIsCopiedIsBounded) {
  std::string empty_payloads;
  for (int64_t i = 0; i <= kMaxPayloads; ++i) {
    empty_payloads.append("\x7A\x00", 2);
  }
  EXPECT_THAT(Split(ToByteBuffer(empty_payloads), PayloadField::kRepeated),
              IsInvalid("payloads: more than 4096"));

  std::string empty_specs;
  for (int64_t i = 0; i <= kMaxHeadBytes / 2; ++i) {
    empty_specs.append("\x0A\x00", 2);
  }
  EXPECT_THAT(Split(ToByteBuffer(empty_specs), PayloadField::kRepeated),
              FailsWith(absl::StatusCode::kResourceExhausted, "request: "));
  EXPECT_THAT(CopySmall(ToByteBuffer(empty_specs)),
              FailsWith(absl::StatusCode::kResourceExhausted, "request: "));

  v1::ComputeRequest lists;
  lists.add_payloads()->mutable_bools()->Resize(kMaxListBytes / 2, true);
  *lists.add_payloads() = lists.payloads(0);
  EXPECT_THAT(Split(ToByteBuffer(lists), PayloadField::kRepeated),
              IsInvalid("payloads: more than "));
  // Raw bytes are not copied and not bounded here.
  v1::ComputeRequest raw;
  raw.add_payloads()->set_raw(std::string(kMaxListBytes + 1, 'x'));
  EXPECT_THAT(Split(ToByteBuffer(raw), PayloadField::kRepeated), IsOk());
}

}  // namespace
}  // namespace stridecast
