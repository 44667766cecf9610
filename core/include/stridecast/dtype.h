// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Element types. The numbers are those of XLA's PrimitiveType and of
// stridecast.v1.DType on the wire.
// Elements are little-endian; a pred is one byte: 0 is false, anything else is
// true on input, results hold exactly 0 or 1; complex numbers are (real, imag).

#ifndef STRIDECAST_DTYPE_H_
#define STRIDECAST_DTYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace stridecast {

enum class DType : int8_t {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kC64 = 15,
  kBF16 = 16,
  kC128 = 18,
};

inline constexpr DType kAllDTypes[] = {
    DType::kPred, DType::kS8,  DType::kS16, DType::kS32,  DType::kS64,
    DType::kU8,   DType::kU16, DType::kU32, DType::kU64,  DType::kF16,
    DType::kF32,  DType::kF64, DType::kC64, DType::kBF16, DType::kC128};

// One more than the greatest DType number: the size of a table by type.
inline constexpr int kDTypeTableSize = 19;

// A bit each, so that an operation can state the set that it is defined on.
enum TypeClass : unsigned {
  kPredClass = 1,
  kSignedClass = 2,
  kUnsignedClass = 4,
  kFloatClass = 8,
  kComplexClass = 16,
};

// True if `number` is the number of an element type.
bool IsDType(int number);

// Bytes of one element: 1, 2, 4, 8 or 16.
int64_t ElementBytes(DType type);

TypeClass ClassOf(DType type);

inline bool IsInteger(DType type) {
  return (ClassOf(type) & (kSignedClass | kUnsignedClass)) != 0;
}
inline bool IsFloat(DType type) { return ClassOf(type) == kFloatClass; }
inline bool IsComplex(DType type) { return ClassOf(type) == kComplexClass; }

// The type of the parts of a complex type (c64: f32); any other type itself.
DType RealType(DType type);

// The complex type whose parts are `type` (f32, f64), if there is one.
std::optional<DType> ComplexType(DType type);

// XLA's lower-case name: "pred", "s8", "bf16", "c64".
absl::string_view DTypeName(DType type);

// The type of that name, if there is one.
std::optional<DType> ParseDType(absl::string_view name);

}  // namespace stridecast

#endif  // STRIDECAST_DTYPE_H_
