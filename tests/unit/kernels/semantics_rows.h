// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Rows of the specification of element-wise semantics: operands and the result,
// bit by bit. Each row runs on every target of this machine, alone and as part
// of a long row.

#ifndef STRIDECAST_TESTS_UNIT_KERNELS_SEMANTICS_ROWS_H_
#define STRIDECAST_TESTS_UNIT_KERNELS_SEMANTICS_ROWS_H_

#include <cstdint>
#include <vector>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"

namespace stridecast::kernel_tests {

// The bits of an element; `high` of a c128 alone (its imaginary part).
struct Bits {
  uint64_t low;
  uint64_t high = 0;
  constexpr Bits(uint64_t bits) : low(bits) {}  // NOLINT: a literal
  constexpr Bits(uint64_t re, uint64_t im) : low(re), high(im) {}
};

inline constexpr uint64_t C64(uint32_t re, uint32_t im) {
  return static_cast<uint64_t>(im) << 32 | re;
}

struct Row {
  const char* what;
  Opcode opcode;
  DType type;
  std::vector<Bits> operands;
  Bits expected;
  Attribute attribute = {};
};

// Expects of every row that all kernels give its result.
void Check(const std::vector<Row>& rows);

// f32
inline constexpr uint32_t k0 = 0;
inline constexpr uint32_t kMinus0 = 0x80000000;
inline constexpr uint32_t k1 = 0x3F800000;
inline constexpr uint32_t kMinus1 = 0xBF800000;
inline constexpr uint32_t k2 = 0x40000000;
inline constexpr uint32_t k3 = 0x40400000;
inline constexpr uint32_t k4 = 0x40800000;
inline constexpr uint32_t k5 = 0x40A00000;
inline constexpr uint32_t kMinus2 = 0xC0000000;
inline constexpr uint32_t kMinus4 = 0xC0800000;
inline constexpr uint32_t kPi = 0x40490FDB;
inline constexpr uint32_t kMinusPi = 0xC0490FDB;
inline constexpr uint32_t kInf = 0x7F800000;
inline constexpr uint32_t kMinusInf = 0xFF800000;
inline constexpr uint32_t kMax = 0x7F7FFFFF;
inline constexpr uint32_t kNan = 0x7FC00000;      // the canonical one
inline constexpr uint32_t kPayload = 0xFFC12345;  // quiet, negative
inline constexpr uint32_t kSignalling = 0x7F800001;
// f64
inline constexpr uint64_t k1_64 = 0x3FF0000000000000;
inline constexpr uint64_t kInf64 = 0x7FF0000000000000;
inline constexpr uint64_t kMinusInf64 = 0xFFF0000000000000;
inline constexpr uint64_t kNan64 = 0x7FF8000000000000;
inline constexpr uint64_t kTwo63 = 0x43E0000000000000;

inline constexpr uint64_t kS8Min = 0x80;
inline constexpr uint64_t kS16Min = 0x8000;
inline constexpr uint64_t kS32Min = 0x80000000;
inline constexpr uint64_t kS64Min = 0x8000000000000000;
inline constexpr uint64_t kAll8 = 0xFF;
inline constexpr uint64_t kAll16 = 0xFFFF;
inline constexpr uint64_t kAll32 = 0xFFFFFFFF;
inline constexpr uint64_t kAll64 = 0xFFFFFFFFFFFFFFFF;

}  // namespace stridecast::kernel_tests

#endif  // STRIDECAST_TESTS_UNIT_KERNELS_SEMANTICS_ROWS_H_
