// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of the operations on bits and whole numbers: SEMANTICS.md 4.

#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;

void AddShifts(std::vector<Example>& rows) {
  rows.push_back(Binary("ShiftLeftS8", Opcode::kShiftLeft, kS8,
                        {1, 1, 1, -1, 64, 3}, {0, 7, 8, 1, 1, -1},
                        {1, -128, 0, -2, -128, 0}));
  rows.push_back(Binary("ShiftLeftU16", Opcode::kShiftLeft, kU16,
                        {1, 1, 0x8001, 5}, {15, 16, 1, 65535},
                        {0x8000, 0, 2, 0}));
  rows.push_back(Binary("ShiftLeftS32", Opcode::kShiftLeft, kS32, {1, 1, 1, 5},
                        {31, 32, kMin32, 33}, {kMin32, 0, 0, 0}));
  rows.push_back(Binary("ShiftLeftU64", Opcode::kShiftLeft, kU64, {1, 1, 1},
                        {63, 64, uint64_t{1} << 32},
                        {uint64_t{1} << 63, 0, 0}));
  rows.push_back(Binary("ShiftRightLogicalS8", Opcode::kShiftRightLogical, kS8,
                        {-128, -1, -1, -1, 64}, {7, 1, 8, -1, 6},
                        {1, 127, 0, 0, 1}));
  rows.push_back(Binary("ShiftRightLogicalU32", Opcode::kShiftRightLogical,
                        kU32, {2147483648, 4294967295, 7, 8}, {31, 32, 0, 3},
                        {1, 0, 7, 1}));
  rows.push_back(Binary("ShiftRightLogicalS64", Opcode::kShiftRightLogical,
                        kS64, {-1, -1, kMin64}, {1, -1, 63}, {kMax64, 0, 1}));
  rows.push_back(Binary("ShiftRightArithmeticS8", Opcode::kShiftRightArithmetic,
                        kS8, {-128, -128, -128, 127, 127, -7},
                        {7, 8, -1, 6, 100, 1}, {-1, -1, -1, 1, 0, -4}));
  // The top bit counts as a sign of unsigned numbers too.
  rows.push_back(Binary("ShiftRightArithmeticU8", Opcode::kShiftRightArithmetic,
                        kU8, {128, 128, 128, 127, 255}, {1, 8, 255, 8, 3},
                        {192, 255, 255, 0, 255}));
  rows.push_back(Binary("ShiftRightArithmeticU16",
                        Opcode::kShiftRightArithmetic, kU16, {0x8000, 0x4000},
                        {15, 14}, {65535, 1}));
  rows.push_back(
      Binary("ShiftRightArithmeticS64", Opcode::kShiftRightArithmetic, kS64,
             {kMin64, kMin64, kMax64, -5}, {63, 64, 62, 0}, {-1, -1, 1, -5}));
}

void AddPowers(std::vector<Example>& rows) {
  AddForTypes(kSignedTypes, "Power", BinaryOp(Opcode::kPower, 0, 1),
              {2, -2, 0, 0, 5, 1, 1, -1, -1, -1, 2, 0, -128},
              {6, 3, 0, 5, 0, -1, -128, -1, -2, 3, -1, -1, -1},
              {64, -8, 1, 0, 1, 1, 1, -1, 1, -1, 0, 0, 0}, rows);
  rows.push_back(Binary("PowerS8Wraps", Opcode::kPower, kS8,
                        {2, 2, 3, -2, -1, -128}, {7, 8, 5, 7, 127, 2},
                        {-128, 0, -13, -128, -1, 0}));
  rows.push_back(Binary("PowerS32Wraps", Opcode::kPower, kS32,
                        {2, 3, -1, kMin32, -1}, {31, 21, kMin32, 1, kMax32},
                        {kMin32, 1870418611, 1, kMin32, -1}));
  rows.push_back(Binary("PowerS64Wraps", Opcode::kPower, kS64, {3, 2, -1},
                        {40, 63, kMin64}, {-6289078614652622815, kMin64, 1}));
  // Exponents are not negative, whatever their top bit.
  rows.push_back(Binary("PowerU8", Opcode::kPower, kU8, {2, 3, 255, 0, 1, 2},
                        {7, 255, 255, 255, 255, 8}, {128, 171, 255, 0, 1, 0}));
  rows.push_back(Binary("PowerU64", Opcode::kPower, kU64, {kMaxU64, 2, 3, 0},
                        {kMaxU64, 63, 3, 0},
                        {kMaxU64, uint64_t{1} << 63, 27, 1}));
}

void AddDivisors(std::vector<Example>& rows) {
  AddForTypes(kSignedTypes, "Gcd", BinaryOp(Opcode::kGcd, 0, 1),
              {12, -12, 12, -12, 0, 7, 0, 1}, {18, 18, -18, -18, 0, 0, -7, 1},
              {6, 6, 6, 6, 0, 7, 7, 1}, rows);
  AddForTypes(kSignedTypes, "Lcm", BinaryOp(Opcode::kLcm, 0, 1),
              {4, -4, 4, -4, 0, 7, 0, 1}, {6, 6, -6, -6, 0, 0, -7, 1},
              {12, 12, 12, 12, 0, 0, 0, 1}, rows);
  rows.push_back(Binary("GcdS8OfMinimumWraps", Opcode::kGcd, kS8,
                        {-128, -128, -128}, {-128, 0, 96}, {-128, -128, 32}));
  rows.push_back(Binary("GcdS64OfMinimumWraps", Opcode::kGcd, kS64,
                        {kMin64, 0, kMin64}, {0, kMin64, 6},
                        {kMin64, kMin64, 2}));
  rows.push_back(Binary("GcdU64", Opcode::kGcd, kU64, {kMaxU64, kMaxU64, 12},
                        {kMaxU64, 15, 18}, {kMaxU64, 15, 6}));
  rows.push_back(Binary("LcmS8Wraps", Opcode::kLcm, kS8, {-128, 100, -128},
                        {-128, 127, -1}, {-128, -100, -128}));
  rows.push_back(
      Binary("LcmU8Wraps", Opcode::kLcm, kU8, {16, 200}, {17, 7}, {16, 120}));
  rows.push_back(Binary("LcmU64Wraps", Opcode::kLcm, kU64, {kMaxU64, 6},
                        {kMaxU64 - 1, 4}, {2, 12}));
  rows.push_back(Binary("LcmS64Wraps", Opcode::kLcm, kS64, {kMin64, kMin64},
                        {3, -1}, {kMin64, kMin64}));
}

void AddCounts(std::vector<Example>& rows) {
  rows.push_back(Unary("PopcntS8", Opcode::kPopcnt, kS8, {0, -1, -128, 127, 5},
                       {0, 8, 1, 7, 2}));
  rows.push_back(Unary("PopcntU16", Opcode::kPopcnt, kU16, {0, 65535, 0x8001},
                       {0, 16, 2}));
  rows.push_back(
      Unary("PopcntS32", Opcode::kPopcnt, kS32, {-1, kMin32, 0}, {32, 1, 0}));
  rows.push_back(
      Unary("PopcntU64", Opcode::kPopcnt, kU64, {kMaxU64, 1, 0}, {64, 1, 0}));
  rows.push_back(Unary("CountLeadingZerosS8", Opcode::kCountLeadingZeros, kS8,
                       {0, 1, -1, 127, 16}, {8, 7, 0, 1, 3}));
  rows.push_back(Unary("CountLeadingZerosU16", Opcode::kCountLeadingZeros, kU16,
                       {0, 1, 65535, 256}, {16, 15, 0, 7}));
  rows.push_back(Unary("CountLeadingZerosS32", Opcode::kCountLeadingZeros, kS32,
                       {0, 1, kMin32, kMax32}, {32, 31, 0, 1}));
  rows.push_back(Unary("CountLeadingZerosU64", Opcode::kCountLeadingZeros, kU64,
                       {0, 1, kMaxU64, uint64_t{1} << 32}, {64, 63, 0, 31}));
}

}  // namespace

std::vector<Example> IntegerExamples() {
  std::vector<Example> rows;
  AddShifts(rows);
  AddPowers(rows);
  AddDivisors(rows);
  AddCounts(rows);
  return rows;
}

}  // namespace stridecast::testing
