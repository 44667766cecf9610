// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of the unary operations that are exactly defined, of complex
// numbers and of three operands: SEMANTICS.md 4.

#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;

void AddRounding(std::vector<Example>& rows) {
  const Numbers x = {0.5,  1.5,   2.5,  -0.5, -1.5, -2.5,  0.0,
                     -0.0, -0.25, 0.75, 3,    kInf, -kInf, kNan};
  AddForTypes(kFloatTypes, "Ceil", Op(Opcode::kCeil, {0}), x,
              {1, 2, 3, -0.0, -1, -2, 0.0, -0.0, -0.0, 1, 3, kInf, -kInf, kNan},
              rows);
  AddForTypes(kFloatTypes, "Floor", Op(Opcode::kFloor, {0}), x,
              {0.0, 1, 2, -1, -2, -3, 0.0, -0.0, -1, 0.0, 3, kInf, -kInf, kNan},
              rows);
  AddForTypes(
      kFloatTypes, "Trunc", Op(Opcode::kTrunc, {0}), x,
      {0.0, 1, 2, -0.0, -1, -2, 0.0, -0.0, -0.0, 0.0, 3, kInf, -kInf, kNan},
      rows);
  AddForTypes(
      kFloatTypes, "RoundNearestEven", Op(Opcode::kRoundNearestEven, {0}), x,
      {0.0, 2, 2, -0.0, -2, -2, 0.0, -0.0, -0.0, 1, 3, kInf, -kInf, kNan},
      rows);
  AddForTypes(
      kFloatTypes, "RoundNearestAfz", Op(Opcode::kRoundNearestAfz, {0}), x,
      {1, 2, 3, -1, -2, -3, 0.0, -0.0, -0.0, 1, 3, kInf, -kInf, kNan}, rows);
  rows.push_back(Unary("RoundNearestAfzF32BelowHalf", Opcode::kRoundNearestAfz,
                       kF32, {0.5 - 0x1p-25, 8388607.5, 8388609, -kMaxF32},
                       {0.0, 8388608, 8388609, -kMaxF32}));
  rows.push_back(Unary("RoundNearestAfzF64BelowHalf", Opcode::kRoundNearestAfz,
                       kF64, {0.5 - 0x1p-54, 4503599627370495.5, 0x1p52 + 1},
                       {0.0, 0x1p52, 0x1p52 + 1}));
  rows.push_back(Unary("RoundNearestEvenF32OfGreat", Opcode::kRoundNearestEven,
                       kF32, {8388607.5, 4194304.5, 0x1p23 + 1, kLeastF32},
                       {8388608, 4194304, 0x1p23 + 1, 0.0}));
  rows.push_back(Unary("CeilF64OfLeast", Opcode::kCeil, kF64,
                       {kLeastF64, -kLeastF64, 0x1p52 + 1},
                       {1, -0.0, 0x1p52 + 1}));
  for (Opcode opcode : {Opcode::kCeil, Opcode::kFloor, Opcode::kTrunc,
                        Opcode::kRoundNearestEven, Opcode::kRoundNearestAfz}) {
    const auto label = std::string(OperationOf(opcode).label);
    rows.push_back(Unary(label + "S64IsIdentity", opcode, kS64,
                         {kMin64, kMax64, 0}, {kMin64, kMax64, 0}));
    rows.push_back(
        Unary(label + "U8IsIdentity", opcode, kU8, {255, 0}, {255, 0}));
  }
}

void AddSigns(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "Sign", Op(Opcode::kSign, {0}),
              {2, -0.5, 0.0, -0.0, kInf, -kInf, kNan},
              {1, -1, 0.0, -0.0, 1, -1, kNan}, rows);
  AddForTypes(kSignedTypes, "Sign", Op(Opcode::kSign, {0}),
              {5, -5, 0, 127, -128}, {1, -1, 0, 1, -1}, rows);
  AddForTypes(kUnsignedTypes, "Sign", Op(Opcode::kSign, {0}), {5, 0, 255},
              {1, 0, 1}, rows);
  AddForTypes(kFloatTypes, "Reciprocal", Op(Opcode::kReciprocal, {0}),
              {2, -4, 0.0, -0.0, kInf, -kInf, kNan},
              {0.5, -0.25, kInf, -kInf, 0.0, -0.0, kNan}, rows);
  rows.push_back(Unary("ReciprocalF32Rounds", Opcode::kReciprocal, kF32,
                       {3, kLeastF32, 0x1p127, kMaxF32},
                       {F32(1.0 / 3), kInf, 0x1p-127, 0x1p-128}));
  rows.push_back(Unary("ReciprocalF64Rounds", Opcode::kReciprocal, kF64,
                       {3, kLeastF64, 10}, {1.0 / 3, kInf, 0.1}));
  AddForTypes(kFloatTypes, "Square", Op(Opcode::kSquare, {0}),
              {-3, 0.5, -0.0, kInf, -kInf, kNan},
              {9, 0.25, 0.0, kInf, kInf, kNan}, rows);
  rows.push_back(Unary("SquareF32Rounds", Opcode::kSquare, kF32,
                       {1e20, 1e-30, 1 + 0x1p-12}, {kInf, 0.0, 1 + 0x1p-11}));
  rows.push_back(Unary("SquareS8Wraps", Opcode::kSquare, kS8,
                       {-128, 16, 12, -3, 11}, {0, 0, -112, 9, 121}));
  rows.push_back(Unary("SquareU64Wraps", Opcode::kSquare, kU64,
                       {kMaxU64, 4294967296, 7}, {1, 0, 49}));
}

void AddClasses(std::vector<Example>& rows) {
  const Numbers x = {0.0, -1.5, kInf, -kInf, kNan};
  AddForTypes(kFloatTypes, "IsFinite", Op(Opcode::kIsFinite, {0}), x,
              {1, 1, 0, 0, 0}, rows);
  AddForTypes(kFloatTypes, "IsNan", Op(Opcode::kIsNan, {0}), x, {0, 0, 0, 0, 1},
              rows);
  AddForTypes(kFloatTypes, "IsInf", Op(Opcode::kIsInf, {0}), x, {0, 0, 1, 1, 0},
              rows);
  AddForTypes(kSignedTypes, "IsFinite", Op(Opcode::kIsFinite, {0}), {-128, 0},
              {1, 1}, rows);
  AddForTypes(kUnsignedTypes, "IsNan", Op(Opcode::kIsNan, {0}), {255, 0},
              {0, 0}, rows);
  AddForTypes(kSignedTypes, "IsInf", Op(Opcode::kIsInf, {0}), {127, -128},
              {0, 0}, rows);
}

void AddReducePrecision(std::vector<Example>& rows) {
  const auto to = [](int exponent_bits, int mantissa_bits) {
    return Op(Opcode::kReducePrecision, {0},
              ReducePrecisionAttribute{exponent_bits, mantissa_bits});
  };
  // To f16: halves to even, 65520 is the first to overflow, 2^-14 the least.
  rows.push_back(
      Unary("ReducePrecisionF32ToF16", to(5, 10), kF32,
            {1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1.2p-11, 65519, 65520, 0x1p-14,
             0x1.ffcp-15, 0x1.fffp-15, -0x1p-20, kInf, kNan, -0.0},
            {1, 1 + 0x1p-9, 1 + 0x1p-10, 65504, kInf, 0x1p-14, 0.0, 0x1p-14,
             -0.0, kInf, kNan, -0.0}));
  rows.push_back(Unary("ReducePrecisionF32ToBF16", to(8, 7), kF32,
                       {1 + 0x1p-8, 1 + 0x3p-8, -kMaxF32, 0x1.1p-127},
                       {1, 1 + 0x1p-6, -kInf, 0x1.1p-127}));
  rows.push_back(Unary("ReducePrecisionToItsOwnBits", to(8, 23), kF32,
                       {kLeastF32, -kMaxF32, 0x1.234568p-3, kNan},
                       {kLeastF32, -kMaxF32, 0x1.234568p-3, kNan}));
  rows.push_back(Unary("ReducePrecisionToMoreBits", to(30, 60), kF16,
                       {0x1p-24, 65504, 1 + 0x1p-10},
                       {0x1p-24, 65504, 1 + 0x1p-10}));
  // Of the encoding the last bit kept is that of the exponent.
  rows.push_back(Unary("ReducePrecisionWithoutMantissa", to(8, 0), kF32,
                       {1.5, 3, 1.25, 1.75, kNan, -kInf, 6},
                       {2, 2, 1, 2, kInf, -kInf, 8}));
  rows.push_back(Unary("ReducePrecisionOfOneExponentBit", to(1, 3), kF64,
                       {1, 1.5, 2, -0.5, -4, kNan, 1.99},
                       {0.0, 0.0, kInf, -0.0, -kInf, kNan, kInf}));
  rows.push_back(Unary("ReducePrecisionF64ToF32", to(8, 23), kF64,
                       {0.1, 1e39, 1e-39, -0x1.fffffffp-127, 0x1.ffffffp127},
                       {F32(0.1), kInf, 0.0, -0x1p-126, kInf}));
  rows.push_back(Unary("ReducePrecisionBF16", to(4, 2), kBF16,
                       {1.375, 1.125, 255, 0x1p-7, 0x1p-6},
                       {1.5, 1, kInf, 0.0, 0x1p-6}));
}

void AddComplex(std::vector<Example>& rows) {
  const Signature complex64 = Program({Desc(kF32, {4}), Desc(kF32, {4})},
                                      {BinaryOp(Opcode::kComplex, 0, 1)});
  rows.push_back({"ComplexF32",
                  complex64,
                  {{1, -0.0, kNan, kInf}, {2, 0.0, -kInf, -0.0}},
                  {{1, 2, -0.0, 0.0, kNan, -kInf, kInf, -0.0}}});
  rows.push_back({"ComplexF64BroadcastsAsBinaryOperationsDo",
                  Program({Desc(kF64, {2}), Desc(kF64, {})},
                          {BinaryOp(Opcode::kComplex, 0, 1)}),
                  {{1, 2}, {-3}},
                  {{1, -3, 2, -3}}});
  rows.push_back(
      Unary("RealC64", Opcode::kReal, kC64, {1, 2, -0.0, kNan}, {1, -0.0}));
  rows.push_back(
      Unary("ImagC128", Opcode::kImag, kC128, {1, 2, kInf, -0.0}, {2, -0.0}));
  AddForTypes(kFloatTypes, "Real", Op(Opcode::kReal, {0}),
              {1.5, -0.0, -kInf, kNan}, {1.5, -0.0, -kInf, kNan}, rows);
  AddForTypes(kFloatTypes, "Imag", Op(Opcode::kImag, {0}),
              {1.5, -0.0, -kInf, kNan}, {0.0, 0.0, 0.0, 0.0}, rows);
  rows.push_back(Unary("ConjC64", Opcode::kConj, kC64,
                       {1, 2, -0.0, 0.0, kInf, -kInf},
                       {1, -2, -0.0, -0.0, kInf, kInf}));
  rows.push_back(Unary("ConjC128", Opcode::kConj, kC128, {1, -2, kNan, -0.0},
                       {1, 2, kNan, 0.0}));
}

Example Fma(std::string name, DType type, Numbers x, Numbers y, Numbers z,
            Numbers result) {
  const TensorDesc desc = Desc(type, VectorShape(type, x));
  return {std::move(name),
          Program({desc, desc, desc}, {Op(Opcode::kFma, {0, 1, 2})}),
          {std::move(x), std::move(y), std::move(z)},
          {std::move(result)}};
}

void AddFma(std::vector<Example>& rows) {
  rows.push_back(
      Fma("FmaF32RoundsOnce", kF32,
          {1 + 0x1p-12, 1e20, kLeastF32, 2, 0, -0.0, 1, kNan},
          {1 + 0x1p-12, 1e20, 0.5, 3, kInf, 1, 1, 1},
          {-1 - 0x1p-11, -kInf, kLeastF32, 4, 1, -0.0, -1, 1},
          {0x1p-24, -kInf, 2 * kLeastF32, 10, kNan, -0.0, 0.0, kNan}));
  rows.push_back(Fma("FmaF32DoesNotOverflowOnTheWay", kF32, {0x1p127, 0x1p100},
                     {2, 0x1p100}, {-0x1p127, -kMaxF32}, {0x1p127, kInf}));
  rows.push_back(Fma("FmaF64RoundsOnce", kF64, {1 + 0x1p-27, 0x1p1023, 0.1},
                     {1 + 0x1p-27, 2, 10}, {-1 - 0x1p-26, -0x1p1023, -1},
                     {0x1p-54, 0x1p1023, 0x1p-54}));
  rows.push_back(Fma("FmaF16", kF16, {256, 2}, {256, 3}, {-1, 4}, {kInf, 10}));
  // 2049 + 2^-24 is 2049 as f32, half way from 2048 to 2050.
  rows.push_back(
      Fma("FmaF16RoundsF32sResult", kF16, {683}, {3}, {0x1p-24}, {2048}));
  rows.push_back(
      Fma("FmaBF16", kBF16, {256, 1.5}, {1, 1.5}, {1, -2.25}, {256, 0.0}));
}

}  // namespace

std::vector<Example> UnaryExamples() {
  std::vector<Example> rows;
  AddRounding(rows);
  AddSigns(rows);
  AddClasses(rows);
  AddReducePrecision(rows);
  AddComplex(rows);
  AddFma(rows);
  return rows;
}

}  // namespace stridecast::testing
