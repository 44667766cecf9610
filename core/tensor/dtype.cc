// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/dtype.h"

#include <cassert>

namespace stridecast {
namespace {

struct TypeRow {
  absl::string_view name;  // empty: no such type
  int8_t element_bytes = 0;
  TypeClass type_class = kPredClass;
};

// Indexed by the DType number.
constexpr TypeRow kTypes[kDTypeTableSize] = {
    {},
    {"pred", 1, kPredClass},
    {"s8", 1, kSignedClass},
    {"s16", 2, kSignedClass},
    {"s32", 4, kSignedClass},
    {"s64", 8, kSignedClass},
    {"u8", 1, kUnsignedClass},
    {"u16", 2, kUnsignedClass},
    {"u32", 4, kUnsignedClass},
    {"u64", 8, kUnsignedClass},
    {"f16", 2, kFloatClass},
    {"f32", 4, kFloatClass},
    {"f64", 8, kFloatClass},
    {},
    {},
    {"c64", 8, kComplexClass},
    {"bf16", 2, kFloatClass},
    {},
    {"c128", 16, kComplexClass},
};

const TypeRow& RowOf(DType type) {
  assert(IsDType(static_cast<int>(type)));
  return kTypes[static_cast<int>(type)];
}

}  // namespace

bool IsDType(int number) {
  return number >= 0 && number < kDTypeTableSize &&
         !kTypes[number].name.empty();
}

int64_t ElementBytes(DType type) { return RowOf(type).element_bytes; }

TypeClass ClassOf(DType type) { return RowOf(type).type_class; }

DType RealType(DType type) {
  if (type == DType::kC64) return DType::kF32;
  if (type == DType::kC128) return DType::kF64;
  return type;
}

std::optional<DType> ComplexType(DType type) {
  if (type == DType::kF32) return DType::kC64;
  if (type == DType::kF64) return DType::kC128;
  return std::nullopt;
}

absl::string_view DTypeName(DType type) { return RowOf(type).name; }

std::optional<DType> ParseDType(absl::string_view name) {
  for (DType type : kAllDTypes) {
    if (DTypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace stridecast
