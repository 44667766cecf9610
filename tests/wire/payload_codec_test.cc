// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/payload_codec.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stridecast/float16.h"
#include "tests/support/builders.h"
#include "tests/wire/wire_test_util.h"

namespace stridecast {
namespace {

using testing::Desc;
using testing::FromText;
using testing::IsInvalid;
using testing::IsOk;

// The buffer that a payload without raw bytes stands for.
absl::StatusOr<std::string> Decode(const TensorDesc& desc,
                                   const v1::Payload& payload) {
  int64_t left = kMaxTypedElements;
  const auto kind = CheckPayload(desc, 0, payload, left);
  if (!kind.ok()) return kind.status();
  std::string bytes(static_cast<size_t>(desc.size_bytes()), '\xAA');
  if (*kind == PayloadKind::kEmpty) return bytes;
  EXPECT_EQ(*kind, PayloadKind::kTyped);
  EXPECT_EQ(left, kMaxTypedElements - desc.layout().num_slots());
  const absl::Status status =
      ListToBytes(desc, payload, reinterpret_cast<std::byte*>(bytes.data()));
  if (!status.ok()) return status;
  return bytes;
}

v1::Payload Encode(const TensorDesc& desc, const std::string& bytes) {
  return BytesToList(desc, reinterpret_cast<const std::byte*>(bytes.data()));
}

template <typename T>
std::string BytesOf(const std::vector<T>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()),
                     numbers.size() * sizeof(T));
}

struct TypeCase {
  DType type;
  const char* payload;
  std::string bytes;
};

std::vector<TypeCase> TypeCases() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr float kInfF = std::numeric_limits<float>::infinity();
  return {
      {DType::kPred, "bools: [false, true]", BytesOf<uint8_t>({0, 1})},
      {DType::kS8, "sint32s: [-128, 127]", BytesOf<int8_t>({-128, 127})},
      {DType::kS16, "sint32s: [-32768, 32767]",
       BytesOf<int16_t>({-32768, 32767})},
      {DType::kS32, "sint32s: [-2147483648, 2147483647]",
       BytesOf<int32_t>({INT32_MIN, INT32_MAX})},
      {DType::kS64, "sint64s: [-9223372036854775808, 9223372036854775807]",
       BytesOf<int64_t>({INT64_MIN, INT64_MAX})},
      {DType::kU8, "uint32s: [0, 255]", BytesOf<uint8_t>({0, 255})},
      {DType::kU16, "uint32s: [0, 65535]", BytesOf<uint16_t>({0, 65535})},
      {DType::kU32, "uint32s: [0, 4294967295]",
       BytesOf<uint32_t>({0, UINT32_MAX})},
      {DType::kU64, "uint64s: [0, 18446744073709551615]",
       BytesOf<uint64_t>({0, UINT64_MAX})},
      {DType::kF16, "floats: [-inf, 65504]",
       BytesOf<uint16_t>({0xFC00, 0x7BFF})},
      {DType::kBF16, "floats: [inf, -0.0]",
       BytesOf<uint16_t>({0x7F80, 0x8000})},
      {DType::kF32, "floats: [1.5, inf]", BytesOf<float>({1.5f, kInfF})},
      {DType::kF64, "doubles: [1e300, -inf]", BytesOf<double>({1e300, -kInf})},
      {DType::kC64, "floats: [1, -2, -0.0, inf]",
       BytesOf<float>({1, -2, -0.0f, kInfF})},
      {DType::kC128, "doubles: [1, -2, -0.0, inf]",
       BytesOf<double>({1, -2, -0.0, kInf})},
  };
}

TEST(PayloadCodec, EveryTypeHasItsList) {
  std::vector<DType> types;
  for (const TypeCase& test : TypeCases()) {
    SCOPED_TRACE(DTypeName(test.type));
    types.push_back(test.type);
    const auto payload = FromText<v1::Payload>(test.payload);
    const TensorDesc desc = Desc(test.type, {2});
    const auto bytes = Decode(desc, payload);
    ASSERT_THAT(bytes, IsOk());
    EXPECT_EQ(*bytes, test.bytes);
    EXPECT_EQ(Encode(desc, *bytes).SerializeAsString(),
              payload.SerializeAsString());
  }
  EXPECT_THAT(types, ::testing::UnorderedElementsAreArray(kAllDTypes));
}

TEST(PayloadCodec, EveryOtherListIsRefused) {
  for (const TypeCase& test : TypeCases()) {
    for (const TypeCase& other : TypeCases()) {
      const auto payload = FromText<v1::Payload>(other.payload);
      const auto wanted = FromText<v1::Payload>(test.payload);
      const auto* reflection = payload.GetReflection();
      std::vector<const google::protobuf::FieldDescriptor*> set, taken;
      reflection->ListFields(payload, &set);
      reflection->ListFields(wanted, &taken);
      if (set == taken) continue;
      EXPECT_THAT(Decode(Desc(test.type, {2}), payload),
                  IsInvalid(absl::StrCat(
                      set[0]->name(), ": set for ", DTypeName(test.type),
                      ", which travels in ", taken[0]->name())));
    }
  }
}

TEST(PayloadCodec, RandomBuffersReturnUnchanged) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (DType type : kAllDTypes) {
    SCOPED_TRACE(DTypeName(type));
    // Padding and gaps are part of the buffer.
    const TensorDesc desc =
        Desc(type, {7, 5}, DimensionOrder{{0, 1}, {8, 6}, {}});
    std::string bytes(static_cast<size_t>(desc.size_bytes()), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (type == DType::kPred) {
      for (char& byte : bytes) byte &= 1;
    }
    if (type == DType::kF16 || type == DType::kBF16) {
      // NaNs lose their payload.
      for (size_t i = 0; i < bytes.size(); i += 2) {
        uint16_t bits;
        std::memcpy(&bits, &bytes[i], 2);
        const bool nan = type == DType::kF16 ? std::isnan(ToFloat(F16{bits}))
                                             : std::isnan(ToFloat(BF16{bits}));
        if (nan) bytes[i + 1] = 0;
      }
    }
    const auto again = Decode(desc, Encode(desc, bytes));
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(*again, bytes);
  }
}

TEST(PayloadCodec, NaNs) {
  v1::Payload payload;
  payload.add_floats(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(*Decode(Desc(DType::kF16, {1}), payload),
            BytesOf<uint16_t>({0x7E00}));
  EXPECT_EQ(*Decode(Desc(DType::kBF16, {1}), payload),
            BytesOf<uint16_t>({0x7FC0}));
  // A signalling one with a payload, in types that floats carry as they are.
  const std::string bits = BytesOf<uint32_t>({0xFFA12345});
  const TensorDesc f32 = Desc(DType::kF32, {1});
  EXPECT_EQ(*Decode(f32, Encode(f32, bits)), bits);
}

TEST(PayloadCodec, HalvesRoundToNearestEven) {
  const auto f16 = Desc(DType::kF16, {4});
  EXPECT_EQ(*Decode(f16, FromText<v1::Payload>(
                             "floats: [2049, 2051, 65519.9, 1e-30]")),
            BytesOf<uint16_t>({0x6800, 0x6802, 0x7BFF, 0}));
  const auto bf16 = Desc(DType::kBF16, {2});
  EXPECT_EQ(*Decode(bf16, FromText<v1::Payload>("floats: [257, 259]")),
            BytesOf<uint16_t>({0x4380, 0x4382}));
}

TEST(PayloadCodec, APredThatIsNotZeroIsTrue) {
  const auto desc = Desc(DType::kPred, {3});
  EXPECT_EQ(Encode(desc, std::string("\x00\x01\xFF", 3)).DebugString(),
            FromText<v1::Payload>("bools: [false, true, true]").DebugString());
}

struct RangeCase {
  DType type;
  const char* payload;
  const char* error;
};

const RangeCase kOutOfRange[] = {
    {DType::kS8, "sint32s: [1, 128]",
     "sint32s[1]: 128 is out of the range of s8, -128 to 127"},
    {DType::kS8, "sint32s: [-129, 1]", "sint32s[0]: -129 is"},
    {DType::kS16, "sint32s: [1, 32768]", "sint32s[1]: 32768 is"},
    {DType::kS16, "sint32s: [1, -32769]", "sint32s[1]: -32769 is"},
    {DType::kU8, "uint32s: [1, 256]",
     "uint32s[1]: 256 is out of the range of u8, 0 to 255"},
    {DType::kU16, "uint32s: [65536, 1]", "uint32s[0]: 65536 is"},
    {DType::kF16, "floats: [1, 65520]", "floats[1]: 65520 is"},
    {DType::kF16, "floats: [-1e30, 1]", "floats[0]: -1e+30 is"},
    {DType::kBF16, "floats: [1, 3.4e38]", "floats[1]: 3.4e+38 is"},
};

TEST(PayloadCodec, OutOfRangeNamesTheIndex) {
  for (const RangeCase& test : kOutOfRange) {
    EXPECT_THAT(
        Decode(Desc(test.type, {2}), FromText<v1::Payload>(test.payload)),
        IsInvalid(test.error));
  }
}

struct SizeCase {
  const char* name;
  TensorDesc desc;
  int64_t raw_bytes;
  const char* lists;
  const char* error;  // "" for none
};

TEST(PayloadCodec, Sizes) {
  const TensorDesc f32 = Desc(DType::kF32, {2, 3});
  const TensorDesc c64 = Desc(DType::kC64, {2});
  const TensorDesc padded =
      Desc(DType::kU8, {2, 3}, DimensionOrder{{1, 0}, {2, 4}, {}});
  const TensorDesc empty = Desc(DType::kF32, {0, 3});
  const SizeCase cases[] = {
      {"Raw", f32, 24, "", ""},
      {"RawTooShort", f32, 23, "",
       "raw: 23 bytes; the buffer of f32[2,3]{1,0} has 24"},
      {"RawTooLong", f32, 25, "", "raw: 25 bytes"},
      {"NothingSet", f32, 0, "", "raw: 0 bytes"},
      {"PaddingCounts", padded, 6, "",
       "raw: 6 bytes; the buffer of u8[2,3] has 8"},
      {"EmptyTensor", empty, 0, "", ""},
      {"EmptyTensorWithBytes", empty, 4, "", "raw: 4 bytes"},
      {"EmptyTensorWithEntries", empty, 0, "floats: 1",
       "floats: 1 entries; the buffer of f32[0,3]{1,0} has 0"},
      {"TooFewEntries", f32, 0, "floats: [1, 2]", "floats: 2 entries"},
      {"PaddingHasEntries", padded, 0, "uint32s: [1,2,3,4,5,6]",
       "uint32s: 6 entries; the buffer of u8[2,3] has 8"},
      {"ComplexPairs", c64, 0, "floats: [1, 2]",
       "floats: 2 entries; the buffer of c64[2]{0} has 4, two per element"},
      {"RawAndList", f32, 24, "floats: 1", "floats: set beside raw"},
      {"TwoLists", f32, 0, "floats: 1 doubles: 1",
       "doubles: set beside floats"},
  };
  for (const SizeCase& test : cases) {
    SCOPED_TRACE(test.name);
    int64_t left = kMaxTypedElements;
    const auto kind = CheckPayload(test.desc, test.raw_bytes,
                                   FromText<v1::Payload>(test.lists), left);
    if (*test.error == '\0') {
      ASSERT_THAT(kind, IsOk());
      EXPECT_EQ(*kind,
                test.raw_bytes > 0 ? PayloadKind::kRaw : PayloadKind::kEmpty);
    } else {
      EXPECT_THAT(kind, IsInvalid(test.error));
    }
  }
}

TEST(PayloadCodec, TypedElementsOfAMessageAreLimited) {
  v1::Payload payload;
  payload.mutable_bools()->Resize(1000, true);
  const TensorDesc desc = Desc(DType::kPred, {1000});
  int64_t left = 2500;
  EXPECT_THAT(CheckPayload(desc, 0, payload, left), IsOk());
  EXPECT_THAT(CheckPayload(desc, 0, payload, left), IsOk());
  EXPECT_EQ(left, 500);
  EXPECT_THAT(CheckPayload(desc, 0, payload, left),
              IsInvalid("bools: 1000 elements, with "));
}

}  // namespace
}  // namespace stridecast
