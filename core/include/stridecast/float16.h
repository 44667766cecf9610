// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The two 16-bit floating-point types as storage, and their conversion from
// and to float: IEEE 754 binary16 and bfloat16, to nearest even, subnormals
// kept, overflow to infinity, every NaN to the quiet positive one with payload
// 0 (when narrowing; widening keeps the payload).

#ifndef STRIDECAST_FLOAT16_H_
#define STRIDECAST_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace stridecast {

struct F16 {
  uint16_t bits = 0;
};
struct BF16 {
  uint16_t bits = 0;
};

inline BF16 ToBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return BF16{0x7FC0};
  return BF16{
      static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)};
}

inline float ToFloat(BF16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

inline F16 ToF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return F16{0x7E00};
  // 65520 is half way between the greatest f16 and the next power of two.
  if (magnitude >= 0x477FF000) return F16{static_cast<uint16_t>(sign | 0x7C00)};
  if (magnitude < 0x38800000) {
    // Below the least normal, 2^-14: adding 0.5 aligns the last bit of the
    // f16 subnormals, 2^-24, with that of the float, and rounds there.
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return F16{static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(aligned) - 0x3F000000))};
  }
  const uint32_t rebiased = magnitude - ((127 - 15) << 23);
  return F16{static_cast<uint16_t>(
      sign | ((rebiased + 0xFFF + ((rebiased >> 13) & 1)) >> 13))};
}

inline float ToFloat(F16 value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  const uint32_t magnitude = value.bits & 0x7FFF;
  if (magnitude >= 0x7C00) {
    return std::bit_cast<float>(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
  }
  if (magnitude < 0x400) {
    const float value_f32 = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value_f32));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + ((127 - 15) << 23)));
}

}  // namespace stridecast

#endif  // STRIDECAST_FLOAT16_H_
