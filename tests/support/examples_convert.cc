// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of CONVERT: out of range, ties, one rounding, SEMANTICS.md 4.

#include <limits>

#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using enum DType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMax32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaxU64 = std::numeric_limits<uint64_t>::max();
constexpr double kMaxF32 = std::numeric_limits<float>::max();

// Rounds to the nearest f32.
double F32(double value) { return static_cast<float>(value); }

Example Convert(std::string name, DType from, DType to, Overflow overflow,
                Numbers x, Numbers result) {
  const auto parts = static_cast<int64_t>(x.size());
  return {std::move(name),
          Program({Desc(from, {IsComplex(from) ? parts / 2 : parts})},
                  {Op(Opcode::kConvert, {0}, ConvertAttribute{to, overflow})}),
          {std::move(x)},
          {std::move(result)}};
}

void AddToIntegers(std::vector<Example>& rows) {
  const Numbers floats = {1.9, -1.9, 3e9, -3e9, kNan, kInf, -kInf, -0.5};
  const Numbers saturated = {1, -1, kMax32, kMin32, 0, kMax32, kMin32, 0};
  rows.push_back(Convert("ConvertF32ToS32Saturates", kF32, kS32,
                         Overflow::kUnspecified, floats, saturated));
  rows.push_back(Convert("ConvertF32ToS32Saturate", kF32, kS32,
                         Overflow::kSaturate, floats, saturated));
  rows.push_back(Convert("ConvertF32ToS32Wrap", kF32, kS32, Overflow::kWrap,
                         floats, {1, -1, -1294967296, 1294967296, 0, 0, 0, 0}));
  rows.push_back(Convert("ConvertF32ToU8Saturates", kF32, kU8,
                         Overflow::kUnspecified, {300.7, -1.5, 254.9, kNan},
                         {255, 0, 254, 0}));
  rows.push_back(Convert("ConvertF32ToU8Wrap", kF32, kU8, Overflow::kWrap,
                         {300.7, -1.5, 0x1p100, kInf}, {44, 255, 0, 0}));
  rows.push_back(Convert("ConvertF64ToU64Saturates", kF64, kU64,
                         Overflow::kUnspecified, {0x1p63, 0x1p64, -1},
                         {uint64_t{1} << 63, kMaxU64, 0}));
  rows.push_back(Convert("ConvertF64ToS64Saturates", kF64, kS64,
                         Overflow::kUnspecified, {0x1p62, 0x1p63, -0x1p63},
                         {int64_t{1} << 62, kMax64, kMin64}));
  rows.push_back(Convert("ConvertS32ToU8Wraps", kS32, kU8,
                         Overflow::kUnspecified, {300, -1, 255},
                         {44, 255, 255}));
  rows.push_back(Convert("ConvertS32ToU8Wrap", kS32, kU8, Overflow::kWrap,
                         {300, -1, 255}, {44, 255, 255}));
  rows.push_back(Convert("ConvertS32ToU8Saturate", kS32, kU8,
                         Overflow::kSaturate, {300, -1, 255}, {255, 0, 255}));
  rows.push_back(Convert("ConvertU64ToS64Saturate", kU64, kS64,
                         Overflow::kSaturate, {kMaxU64, 5}, {kMax64, 5}));
  rows.push_back(Convert("ConvertS8ToU64Wraps", kS8, kU64,
                         Overflow::kUnspecified, {-1, 127}, {kMaxU64, 127}));
  rows.push_back(Convert("ConvertF32ToPred", kF32, kPred,
                         Overflow::kUnspecified, {0.0, -0.0, kNan, 0.5, kInf},
                         {0, 0, 1, 1, 1}));
  rows.push_back(Convert("ConvertS64ToPred", kS64, kPred,
                         Overflow::kUnspecified, {0, int64_t{1} << 40, -1},
                         {0, 1, 1}));
  rows.push_back(Convert("ConvertC64ToPredLooksAtTheRealPart", kC64, kPred,
                         Overflow::kUnspecified, {0, 1, 1, 0}, {0, 1}));
  rows.push_back(Convert("ConvertC64ToS16KeepsTheRealPart", kC64, kS16,
                         Overflow::kUnspecified, {3.7, 9, -1e9, 2},
                         {3, -32768}));
}

void AddToFloats(std::vector<Example>& rows) {
  const Overflow unspecified = Overflow::kUnspecified;
  // Through f64 these would be ties, and round to even.
  rows.push_back(Convert("ConvertS64ToF32RoundsOnce", kS64, kF32, unspecified,
                         {(int64_t{1} << 62) + (int64_t{1} << 38) + 1,
                          (int64_t{1} << 62) + (int64_t{1} << 38)},
                         {0x1p62 + 0x1p39, 0x1p62}));
  rows.push_back(Convert("ConvertS64ToBF16RoundsOnce", kS64, kBF16, unspecified,
                         {(int64_t{1} << 62) + (int64_t{1} << 54) + 1},
                         {0x1p62 + 0x1p55}));
  rows.push_back(Convert("ConvertS64ToF16", kS64, kF16, unspecified,
                         {32784, 32785, 65519, 65520, -65520},
                         {32768, 32800, 65504, kInf, -kInf}));
  rows.push_back(Convert("ConvertU64ToF32", kU64, kF32, unspecified,
                         {kMaxU64, uint64_t{16777217}}, {0x1p64, 16777216}));
  rows.push_back(Convert("ConvertS32ToF32", kS32, kF32, unspecified,
                         {16777217, 16777219, kMin32},
                         {16777216, 16777220, -0x1p31}));
  // Through f32 the first would be a tie, and round to even.
  rows.push_back(Convert(
      "ConvertF64ToF16RoundsOnce", kF64, kF16, unspecified,
      {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 65520, 0x1p-25, 0x1p-25 + 0x1p-60},
      {1 + 0x1p-10, 1, kInf, 0, 0x1p-24}));
  rows.push_back(Convert("ConvertF64ToBF16RoundsOnce", kF64, kBF16, unspecified,
                         {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8}, {1 + 0x1p-7, 1}));
  rows.push_back(Convert("ConvertF32ToBF16", kF32, kBF16, unspecified,
                         {1 + 0x1p-8, 1 + 0x1p-7 + 0x1p-8, kMaxF32, -0.0, kNan},
                         {1, 1 + 0x1p-6, kInf, -0.0, kNan}));
  rows.push_back(Convert("ConvertF32ToF16", kF32, kF16, unspecified,
                         {65519, 65520, 0x1p-24, 0x1p-26, -kInf, kNan},
                         {65504, kInf, 0x1p-24, 0, -kInf, kNan}));
  rows.push_back(Convert("ConvertF64ToF32", kF64, kF32, unspecified,
                         {1e39, 0.1, 0x1p-150, 0x1p-149},
                         {kInf, F32(0.1), 0, 0x1p-149}));
  // The overflow rule is about integers: floats go to infinity.
  rows.push_back(Convert("ConvertF32ToF16SaturateOverflowsToInfinity", kF32,
                         kF16, Overflow::kSaturate, {1e6}, {kInf}));
  rows.push_back(Convert("ConvertF16ToF32", kF16, kF32, unspecified,
                         {0x1p-24, 65504, -0.0, kNan},
                         {0x1p-24, 65504, -0.0, kNan}));
  rows.push_back(
      Convert("ConvertPredToF32", kPred, kF32, unspecified, {0, 1}, {0, 1}));
  rows.push_back(
      Convert("ConvertPredToS64", kPred, kS64, unspecified, {0, 1}, {0, 1}));
  rows.push_back(Convert("ConvertF32ToC64", kF32, kC64, unspecified,
                         {2.5, -0.0}, {2.5, 0, -0.0, 0}));
  rows.push_back(Convert("ConvertC64ToF32KeepsTheRealPart", kC64, kF32,
                         unspecified, {1.5, 7, -2, kNan}, {1.5, -2}));
  rows.push_back(Convert("ConvertC128ToC64", kC128, kC64, unspecified,
                         {0.1, 1e39}, {F32(0.1), kInf}));
}

}  // namespace

std::vector<Example> ConversionExamples() {
  std::vector<Example> rows;
  AddToIntegers(rows);
  AddToFloats(rows);
  return rows;
}

}  // namespace stridecast::testing
