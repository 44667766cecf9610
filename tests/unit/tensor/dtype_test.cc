// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Element types: the numbers are XLA's PrimitiveType (SEMANTICS.md 1.3).

#include "stridecast/dtype.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace stridecast {
namespace {

struct TypeRow {
  DType type;
  int number;
  const char* name;
  int64_t element_bytes;
  TypeClass type_class;
  DType real;
};

using enum DType;
const TypeRow kTypes[] = {
    {kF32, 11, "f32", 4, kFloatClass, kF32},
    {kPred, 1, "pred", 1, kPredClass, kPred},
    {kS8, 2, "s8", 1, kSignedClass, kS8},
    {kS16, 3, "s16", 2, kSignedClass, kS16},
    {kS32, 4, "s32", 4, kSignedClass, kS32},
    {kS64, 5, "s64", 8, kSignedClass, kS64},
    {kU8, 6, "u8", 1, kUnsignedClass, kU8},
    {kU16, 7, "u16", 2, kUnsignedClass, kU16},
    {kU32, 8, "u32", 4, kUnsignedClass, kU32},
    {kU64, 9, "u64", 8, kUnsignedClass, kU64},
    {kF16, 10, "f16", 2, kFloatClass, kF16},
    {kF64, 12, "f64", 8, kFloatClass, kF64},
    {kC64, 15, "c64", 8, kComplexClass, kF32},
    {kBF16, 16, "bf16", 2, kFloatClass, kBF16},
    {kC128, 18, "c128", 16, kComplexClass, kF64},
};

TEST(DTypeTest, EveryTypeHasItsNumberNameSizeAndClass) {
  for (const TypeRow& row : kTypes) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(static_cast<int>(row.type), row.number);
    EXPECT_TRUE(IsDType(row.number));
    EXPECT_EQ(DTypeName(row.type), row.name);
    EXPECT_EQ(ParseDType(row.name), row.type);
    EXPECT_EQ(ElementBytes(row.type), row.element_bytes);
    EXPECT_EQ(ClassOf(row.type), row.type_class);
    EXPECT_EQ(RealType(row.type), row.real);
    EXPECT_EQ(IsFloat(row.type), row.type_class == kFloatClass);
    EXPECT_EQ(IsComplex(row.type), row.type_class == kComplexClass);
    EXPECT_EQ(IsInteger(row.type), row.type_class == kSignedClass ||
                                       row.type_class == kUnsignedClass);
  }
}

TEST(DTypeTest, TheListOfAllTypesHasEachOnce) {
  std::set<DType> listed;
  for (DType type : kAllDTypes) {
    EXPECT_TRUE(listed.insert(type).second);
    EXPECT_LT(static_cast<int>(type), kDTypeTableSize);
  }
  EXPECT_EQ(listed.size(), std::size(kTypes));
}

TEST(DTypeTest, OtherNumbersAreNoTypes) {
  // 13 tuple, 14 opaque, 17 token, 19 to 33 XLA's f8, s4 and f4.
  for (int number : {-1, -128, 0, 13, 14, 17, 19, 20, 21, 33, 34, 127, 1000}) {
    EXPECT_FALSE(IsDType(number)) << number;
  }
}

TEST(DTypeTest, OtherNamesAreNoTypes) {
  for (const char* name : {"", "F32", "float", "s4", "f8e5m2", "f32 ", "f3"}) {
    EXPECT_EQ(ParseDType(name), std::nullopt) << name;
  }
}

TEST(DTypeTest, OnlyF32AndF64ArePartsOfComplexTypes) {
  for (DType type : kAllDTypes) {
    const auto complex = ComplexType(type);
    if (type == kF32) {
      EXPECT_EQ(complex, kC64);
    } else if (type == kF64) {
      EXPECT_EQ(complex, kC128);
    } else {
      EXPECT_EQ(complex, std::nullopt) << DTypeName(type);
    }
  }
}

}  // namespace
}  // namespace stridecast
