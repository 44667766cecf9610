// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The special values of transcendental functions, bit by bit.

#include <gtest/gtest.h>

#include "tests/unit/kernels/semantics_rows.h"

namespace stridecast::kernel_tests {
namespace {

constexpr uint32_t kHalfPi = 0x3FC90FDB;
constexpr uint32_t kMinusHalfPi = 0xBFC90FDB;
constexpr uint32_t kHalf = 0x3F000000;
constexpr uint32_t kMinusHalf = 0xBF000000;
constexpr uint32_t kMinus3 = 0xC0400000;

// Every function of one operand: of NaN the canonical NaN, in every type.
TEST(SemanticsFunctionsTest, NotANumber) {
  for (const Opcode op : {Opcode::kExp,      Opcode::kExpm1,   Opcode::kExp2,
                          Opcode::kLog,      Opcode::kLog1p,   Opcode::kLog2,
                          Opcode::kLog10,    Opcode::kRsqrt,   Opcode::kCbrt,
                          Opcode::kSin,      Opcode::kCos,     Opcode::kTan,
                          Opcode::kAsin,     Opcode::kAcos,    Opcode::kAtan,
                          Opcode::kSinh,     Opcode::kCosh,    Opcode::kTanh,
                          Opcode::kAsinh,    Opcode::kAcosh,   Opcode::kAtanh,
                          Opcode::kLogistic, Opcode::kErf,     Opcode::kErfc,
                          Opcode::kElu,      Opcode::kSelu,    Opcode::kCelu,
                          Opcode::kSoftplus, Opcode::kSwish,   Opcode::kMish,
                          Opcode::kGeluErf,  Opcode::kGeluTanh}) {
    Check({
        {"quiet", op, DType::kF32, {kPayload}, kNan},
        {"signalling", op, DType::kF32, {kSignalling}, kNan},
        {"f64", op, DType::kF64, {0xFFF8000000000001}, kNan64},
        {"f16", op, DType::kF16, {0xFC01}, 0x7E00},
        {"bf16", op, DType::kBF16, {0x7F81}, 0x7FC0},
    });
  }
}

// Odd functions that are x near 0: also of -0 and of subnormals.
TEST(SemanticsFunctionsTest, OddNearZero) {
  for (const Opcode op :
       {Opcode::kExpm1, Opcode::kLog1p, Opcode::kSin, Opcode::kTan,
        Opcode::kAsin, Opcode::kAtan, Opcode::kSinh, Opcode::kTanh,
        Opcode::kAsinh, Opcode::kAtanh}) {
    Check({
        {"-0", op, DType::kF32, {kMinus0}, kMinus0},
        {"+0", op, DType::kF32, {k0}, k0},
        {"least", op, DType::kF32, {1}, 1},
        {"-least", op, DType::kF32, {kMinus0 | 1}, kMinus0 | 1},
        {"-0", op, DType::kF64, {kS64Min}, kS64Min},
        {"least", op, DType::kF64, {1}, 1},
        {"-0", op, DType::kF16, {0x8000}, 0x8000},
        {"-0", op, DType::kBF16, {0x8000}, 0x8000},
    });
  }
}

TEST(SemanticsFunctionsTest, Exponentials) {
  Check({
      {"exp(-inf)", Opcode::kExp, DType::kF32, {kMinusInf}, k0},
      {"exp(inf)", Opcode::kExp, DType::kF32, {kInf}, kInf},
      {"exp(-0)", Opcode::kExp, DType::kF32, {kMinus0}, k1},
      {"exp(1000)", Opcode::kExp, DType::kF32, {0x447A0000}, kInf},
      {"exp(-1000)", Opcode::kExp, DType::kF32, {0xC47A0000}, k0},
      {"exp(-inf)", Opcode::kExp, DType::kF64, {kMinusInf64}, 0},
      {"exp(11.1) overflows f16", Opcode::kExp, DType::kF16, {0x498D}, 0x7C00},
      {"expm1(-inf)", Opcode::kExpm1, DType::kF32, {kMinusInf}, kMinus1},
      {"expm1(inf)", Opcode::kExpm1, DType::kF32, {kInf}, kInf},
      {"exp2(-inf)", Opcode::kExp2, DType::kF32, {kMinusInf}, k0},
      {"exp2(3)", Opcode::kExp2, DType::kF32, {k3}, 0x41000000},
      {"exp2(-149)", Opcode::kExp2, DType::kF32, {0xC3150000}, 1},
      {"exp2(128)", Opcode::kExp2, DType::kF32, {0x43000000}, kInf},
      {"exp2(-1074)", Opcode::kExp2, DType::kF64, {0xC090C80000000000}, 1},
      {"logistic(-inf)", Opcode::kLogistic, DType::kF32, {kMinusInf}, k0},
      {"logistic(inf)", Opcode::kLogistic, DType::kF32, {kInf}, k1},
      {"logistic(0)", Opcode::kLogistic, DType::kF32, {kMinus0}, kHalf},
      {"logistic(-1e30)", Opcode::kLogistic, DType::kF32, {0xF149F2CA}, k0},
      {"logistic(inf)", Opcode::kLogistic, DType::kF64, {kInf64}, k1_64},
      {"sinh(-inf)", Opcode::kSinh, DType::kF32, {kMinusInf}, kMinusInf},
      {"cosh(-inf)", Opcode::kCosh, DType::kF32, {kMinusInf}, kInf},
      {"cosh(0)", Opcode::kCosh, DType::kF32, {kMinus0}, k1},
      {"tanh(inf)", Opcode::kTanh, DType::kF32, {kInf}, k1},
      {"tanh(-inf)",
       Opcode::kTanh,
       DType::kF64,
       {kMinusInf64},
       0xBFF0000000000000},
  });
}

TEST(SemanticsFunctionsTest, Logarithms) {
  Check({
      {"log(0)", Opcode::kLog, DType::kF32, {k0}, kMinusInf},
      {"log(-0)", Opcode::kLog, DType::kF32, {kMinus0}, kMinusInf},
      {"log(-1) is the positive NaN",
       Opcode::kLog,
       DType::kF32,
       {kMinus1},
       kNan},
      {"log(-inf)", Opcode::kLog, DType::kF32, {kMinusInf}, kNan},
      {"log(inf)", Opcode::kLog, DType::kF32, {kInf}, kInf},
      {"log(1)", Opcode::kLog, DType::kF32, {k1}, k0},
      {"log(0)", Opcode::kLog, DType::kF64, {0}, kMinusInf64},
      {"log(-least)", Opcode::kLog, DType::kF64, {kS64Min | 1}, kNan64},
      {"log1p(-1)", Opcode::kLog1p, DType::kF32, {kMinus1}, kMinusInf},
      {"log1p(-2)", Opcode::kLog1p, DType::kF32, {kMinus2}, kNan},
      {"log1p(inf)", Opcode::kLog1p, DType::kF32, {kInf}, kInf},
      {"log1p(-1)",
       Opcode::kLog1p,
       DType::kF64,
       {0xBFF0000000000000},
       kMinusInf64},
      {"log2(8)", Opcode::kLog2, DType::kF32, {0x41000000}, k3},
      {"log2(0)", Opcode::kLog2, DType::kF16, {0}, 0xFC00},
      {"log2(-1)", Opcode::kLog2, DType::kF32, {kMinus1}, kNan},
      {"log10(0)", Opcode::kLog10, DType::kF32, {k0}, kMinusInf},
      {"logaddexp(greatest, half)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kMax, 0x7F000001},
       kMax},
      {"log10(inf)", Opcode::kLog10, DType::kF64, {kInf64}, kInf64},
      {"asinh(-inf)", Opcode::kAsinh, DType::kF32, {kMinusInf}, kMinusInf},
      {"acosh(1)", Opcode::kAcosh, DType::kF32, {k1}, k0},
      {"acosh(1/2)", Opcode::kAcosh, DType::kF32, {kHalf}, kNan},
      {"acosh(-inf)", Opcode::kAcosh, DType::kF64, {kMinusInf64}, kNan64},
      {"acosh(inf)", Opcode::kAcosh, DType::kF32, {kInf}, kInf},
      {"atanh(1)", Opcode::kAtanh, DType::kF32, {k1}, kInf},
      {"atanh(-1)", Opcode::kAtanh, DType::kF32, {kMinus1}, kMinusInf},
      {"atanh(2)", Opcode::kAtanh, DType::kF32, {k2}, kNan},
      {"atanh(inf)", Opcode::kAtanh, DType::kF32, {kInf}, kNan},
      {"logaddexp(-inf, -inf)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kMinusInf, kMinusInf},
       kMinusInf},
      {"logaddexp(inf, inf)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kInf, kInf},
       kInf},
      {"logaddexp(inf, -inf)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kInf, kMinusInf},
       kInf},
      {"logaddexp(-inf, 1)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kMinusInf, k1},
       k1},
      {"logaddexp(inf, NaN)",
       Opcode::kLogaddexp,
       DType::kF32,
       {kInf, kPayload},
       kNan},
      {"logaddexp(0, 0)",
       Opcode::kLogaddexp,
       DType::kF32,
       {k0, kMinus0},
       0x3F317218},
  });
}

TEST(SemanticsFunctionsTest, Powers) {
  constexpr Opcode op = Opcode::kPower;
  Check({
      {"NaN^0", op, DType::kF32, {kPayload, k0}, k1},
      {"NaN^-0", op, DType::kF32, {kPayload, kMinus0}, k1},
      {"1^NaN", op, DType::kF32, {k1, kPayload}, k1},
      {"NaN^1", op, DType::kF32, {kPayload, k1}, kNan},
      {"2^NaN", op, DType::kF32, {k2, kSignalling}, kNan},
      {"(-2)^(1/2)", op, DType::kF32, {kMinus2, kHalf}, kNan},
      {"(-2)^3", op, DType::kF32, {kMinus2, k3}, 0xC1000000},
      {"(-0)^-3", op, DType::kF32, {kMinus0, kMinus3}, kMinusInf},
      {"(-0)^-2", op, DType::kF32, {kMinus0, kMinus2}, kInf},
      {"(-0)^3", op, DType::kF32, {kMinus0, k3}, kMinus0},
      {"(-0)^(1/2)", op, DType::kF32, {kMinus0, kHalf}, k0},
      {"0^-inf", op, DType::kF32, {k0, kMinusInf}, kInf},
      {"(-1)^inf", op, DType::kF32, {kMinus1, kInf}, k1},
      {"(1/2)^inf", op, DType::kF32, {kHalf, kInf}, k0},
      {"(-1/2)^-inf", op, DType::kF32, {kMinusHalf, kMinusInf}, kInf},
      {"2^inf", op, DType::kF32, {k2, kInf}, kInf},
      {"(-inf)^3", op, DType::kF32, {kMinusInf, k3}, kMinusInf},
      {"(-inf)^-3", op, DType::kF32, {kMinusInf, kMinus3}, kMinus0},
      {"(-inf)^(1/2)", op, DType::kF32, {kMinusInf, kHalf}, kInf},
      {"inf^-1", op, DType::kF32, {kInf, kMinus1}, k0},
      {"2^-149", op, DType::kF32, {k2, 0xC3150000}, 1},
      {"2^128", op, DType::kF32, {k2, 0x43000000}, kInf},
      {"(-2)^127", op, DType::kF32, {kMinus2, 0x42FE0000}, 0xFF000000},
      {"NaN^0", op, DType::kF64, {kNan64 + 1, 0}, k1_64},
      {"2^-1074", op, DType::kF64, {0x4000000000000000, 0xC090C80000000000}, 1},
      {"greatest^1", op, DType::kF64, {kInf64 - 1, k1_64}, kInf64 - 1},
      {"(-greatest)^1",
       op,
       DType::kF64,
       {kMinusInf64 - 1, k1_64},
       kMinusInf64 - 1},
      {"inf^least", op, DType::kF64, {kInf64, 1}, kInf64},
      {"0^-least", op, DType::kF64, {0, kS64Min | 1}, kInf64},
      {"(2^1023.5)^1",
       op,
       DType::kF64,
       {0x7FE6A09E667F3BCD, k1_64},
       0x7FE6A09E667F3BCD},
      {"NaN^0", op, DType::kF16, {0x7C01, 0}, 0x3C00},
      {"3^2", op, DType::kBF16, {0x4040, 0x4000}, 0x4110},
  });
  Check({
      {"rsqrt(+0)", Opcode::kRsqrt, DType::kF32, {k0}, kInf},
      {"rsqrt(-0)", Opcode::kRsqrt, DType::kF32, {kMinus0}, kMinusInf},
      {"rsqrt(inf)", Opcode::kRsqrt, DType::kF32, {kInf}, k0},
      {"rsqrt(-1)", Opcode::kRsqrt, DType::kF32, {kMinus1}, kNan},
      {"rsqrt(4)", Opcode::kRsqrt, DType::kF16, {0x4400}, 0x3800},
      {"cbrt(-8)", Opcode::kCbrt, DType::kF32, {0xC1000000}, kMinus2},
      {"cbrt(27)",
       Opcode::kCbrt,
       DType::kF64,
       {0x403B000000000000},
       0x4008000000000000},
      {"cbrt(-0)", Opcode::kCbrt, DType::kF32, {kMinus0}, kMinus0},
      {"cbrt(-inf)", Opcode::kCbrt, DType::kF32, {kMinusInf}, kMinusInf},
      {"cbrt(2^-147)", Opcode::kCbrt, DType::kF32, {4}, 0x27000000},
      {"hypot(inf, NaN)", Opcode::kHypot, DType::kF32, {kInf, kPayload}, kInf},
      {"hypot(NaN, -inf)",
       Opcode::kHypot,
       DType::kF64,
       {kNan64, kMinusInf64},
       kInf64},
      {"hypot(3, 4)", Opcode::kHypot, DType::kF16, {0x4200, 0x4400}, 0x4500},
      {"hypot(-0, 0)", Opcode::kHypot, DType::kF32, {kMinus0, k0}, k0},
      {"hypot(NaN, 1)", Opcode::kHypot, DType::kF32, {kPayload, k1}, kNan},
  });
}

// Close to multiples of a quarter turn, and where reduction to one turn needs
// more digits of pi than two numbers of f64 have. Rounded from 400 bits.
TEST(SemanticsFunctionsTest, SinesOfAnySize) {
  constexpr uint32_t kBelow2To40 = 0x537FFFFF;
  constexpr uint32_t k2To40 = 0x53800000;
  constexpr uint32_t k2To100 = 0x71800000;
  constexpr uint32_t kMaxF32 = 0x7F7FFFFF;
  Check({
      {"sin(pi/2)", Opcode::kSin, DType::kF32, {kHalfPi}, k1},
      {"cos(pi/2)", Opcode::kCos, DType::kF32, {kHalfPi}, 0xB33BBD2E},
      {"sin(pi)", Opcode::kSin, DType::kF32, {kPi}, 0xB3BBBD2E},
      {"cos(pi)", Opcode::kCos, DType::kF32, {kPi}, kMinus1},
      {"sin(-pi)", Opcode::kSin, DType::kF32, {kMinusPi}, 0x33BBBD2E},
      {"cos(3pi/2)", Opcode::kCos, DType::kF32, {0x4096CBE4}, 0x324CDE2E},
      {"sin below", Opcode::kSin, DType::kF32, {kBelow2To40}, 0x3F6CE730},
      {"cos below", Opcode::kCos, DType::kF32, {kBelow2To40}, 0x3EC20A62},
      {"sin(2^40)", Opcode::kSin, DType::kF32, {k2To40}, 0xBECFB891},
      {"cos(2^40)", Opcode::kCos, DType::kF32, {k2To40}, 0xBF69FC2C},
      {"sin(2^100)", Opcode::kSin, DType::kF32, {k2To100}, 0xBF5F476D},
      {"cos(2^100)", Opcode::kCos, DType::kF32, {k2To100}, 0x3EFA75A0},
      {"sin(max)", Opcode::kSin, DType::kF32, {kMaxF32}, 0xBF0599B3},
      {"cos(max)", Opcode::kCos, DType::kF32, {kMaxF32}, 0x3F5A5F96},
  });
}

TEST(SemanticsFunctionsTest, Trigonometry) {
  constexpr Opcode angle = Opcode::kAtan2;
  Check({
      {"sin(inf)", Opcode::kSin, DType::kF32, {kInf}, kNan},
      {"cos(-inf)", Opcode::kCos, DType::kF32, {kMinusInf}, kNan},
      {"tan(inf)", Opcode::kTan, DType::kF64, {kInf64}, kNan64},
      {"cos(-0)", Opcode::kCos, DType::kF32, {kMinus0}, k1},
      {"asin(2)", Opcode::kAsin, DType::kF32, {k2}, kNan},
      {"asin(-1)", Opcode::kAsin, DType::kF32, {kMinus1}, kMinusHalfPi},
      {"acos(-1)", Opcode::kAcos, DType::kF32, {kMinus1}, kPi},
      {"acos(1)", Opcode::kAcos, DType::kF32, {k1}, k0},
      {"acos(2)", Opcode::kAcos, DType::kF64, {0xC000000000000000}, kNan64},
      {"atan(-inf)", Opcode::kAtan, DType::kF32, {kMinusInf}, kMinusHalfPi},
      {"(+0, +0)", angle, DType::kF32, {k0, k0}, k0},
      {"(-0, +0)", angle, DType::kF32, {kMinus0, k0}, kMinus0},
      {"(+0, -0)", angle, DType::kF32, {k0, kMinus0}, kPi},
      {"(-0, -0)", angle, DType::kF32, {kMinus0, kMinus0}, kMinusPi},
      {"(-0, 1)", angle, DType::kF32, {kMinus0, k1}, kMinus0},
      {"(+0, -1)", angle, DType::kF32, {k0, kMinus1}, kPi},
      {"(-0, -1)", angle, DType::kF32, {kMinus0, kMinus1}, kMinusPi},
      {"(1, -0)", angle, DType::kF32, {k1, kMinus0}, kHalfPi},
      {"(-1, 0)", angle, DType::kF32, {kMinus1, k0}, kMinusHalfPi},
      {"(1, inf)", angle, DType::kF32, {k1, kInf}, k0},
      {"(-1, inf)", angle, DType::kF32, {kMinus1, kInf}, kMinus0},
      {"(1, -inf)", angle, DType::kF32, {k1, kMinusInf}, kPi},
      {"(inf, 1)", angle, DType::kF32, {kInf, k1}, kHalfPi},
      {"(inf, inf)", angle, DType::kF32, {kInf, kInf}, 0x3F490FDB},
      {"(-inf, -inf)", angle, DType::kF32, {kMinusInf, kMinusInf}, 0xC016CBE4},
      {"(NaN, 1)", angle, DType::kF32, {kPayload, k1}, kNan},
      {"(1, NaN)", angle, DType::kF32, {k1, kPayload}, kNan},
      {"(-0, -1)",
       angle,
       DType::kF64,
       {kS64Min, 0xBFF0000000000000},
       0xC00921FB54442D18},
  });
}

TEST(SemanticsFunctionsTest, ErrorFunctions) {
  Check({
      {"erf(inf)", Opcode::kErf, DType::kF32, {kInf}, k1},
      {"erf(-inf)", Opcode::kErf, DType::kF32, {kMinusInf}, kMinus1},
      {"erf(-0)", Opcode::kErf, DType::kF32, {kMinus0}, kMinus0},
      {"erf(-inf)",
       Opcode::kErf,
       DType::kF64,
       {kMinusInf64},
       0xBFF0000000000000},
      {"erfc(inf)", Opcode::kErfc, DType::kF32, {kInf}, k0},
      {"erfc(-inf)", Opcode::kErfc, DType::kF32, {kMinusInf}, k2},
      {"erfc(0)", Opcode::kErfc, DType::kF32, {kMinus0}, k1},
      {"erfc(inf)", Opcode::kErfc, DType::kF64, {kInf64}, 0},
      {"erfc(-inf)",
       Opcode::kErfc,
       DType::kF64,
       {kMinusInf64},
       0x4000000000000000},
  });
}

// As the formulas have it: 0 times infinity is no number.
TEST(SemanticsFunctionsTest, SmoothActivations) {
  Check({
      {"elu(-inf)", Opcode::kElu, DType::kF32, {kMinusInf}, kMinus1},
      {"elu(inf)", Opcode::kElu, DType::kF32, {kInf}, kInf},
      {"elu(-inf), a = 3",
       Opcode::kElu,
       DType::kF32,
       {kMinusInf},
       kMinus3,
       ScalarsAttribute{3, {}}},
      {"elu(2), a = 3",
       Opcode::kElu,
       DType::kF32,
       {k2},
       k2,
       ScalarsAttribute{3, {}}},
      {"selu(-inf)", Opcode::kSelu, DType::kF32, {kMinusInf}, 0xBFE10966},
      {"selu(1)", Opcode::kSelu, DType::kF32, {k1}, 0x3F867D5F},
      {"celu(-inf), a = 2",
       Opcode::kCelu,
       DType::kF32,
       {kMinusInf},
       kMinus2,
       ScalarsAttribute{2, {}}},
      {"celu(inf)", Opcode::kCelu, DType::kF32, {kInf}, kInf},
      {"celu(1), a = 0: 0 * infinity",
       Opcode::kCelu,
       DType::kF32,
       {k1},
       kNan,
       ScalarsAttribute{0, {}}},
      {"celu(-1), a = 0",
       Opcode::kCelu,
       DType::kF32,
       {kMinus1},
       k0,
       ScalarsAttribute{0, {}}},
      {"softplus(-inf)", Opcode::kSoftplus, DType::kF32, {kMinusInf}, k0},
      {"softplus(inf)", Opcode::kSoftplus, DType::kF32, {kInf}, kInf},
      {"softplus(0)", Opcode::kSoftplus, DType::kF32, {kMinus0}, 0x3F317218},
      {"swish(inf)", Opcode::kSwish, DType::kF32, {kInf}, kInf},
      {"swish(-inf)", Opcode::kSwish, DType::kF32, {kMinusInf}, kNan},
      {"swish(-1e30)", Opcode::kSwish, DType::kF32, {0xF149F2CA}, kMinus0},
      {"swish(-0)", Opcode::kSwish, DType::kF32, {kMinus0}, kMinus0},
      {"mish(inf)", Opcode::kMish, DType::kF32, {kInf}, kInf},
      {"mish(-inf)", Opcode::kMish, DType::kF32, {kMinusInf}, kNan},
      {"mish(-1e30)", Opcode::kMish, DType::kF32, {0xF149F2CA}, kMinus0},
      {"mish(-0)", Opcode::kMish, DType::kF32, {kMinus0}, kMinus0},
      {"gelu_erf(inf)", Opcode::kGeluErf, DType::kF32, {kInf}, kInf},
      {"gelu_erf(-inf)", Opcode::kGeluErf, DType::kF32, {kMinusInf}, kNan},
      {"gelu_erf(-100)", Opcode::kGeluErf, DType::kF32, {0xC2C80000}, kMinus0},
      {"gelu_erf(-0)", Opcode::kGeluErf, DType::kF64, {kS64Min}, kS64Min},
      {"gelu_tanh(inf)", Opcode::kGeluTanh, DType::kF32, {kInf}, kInf},
      {"gelu_tanh(-inf)", Opcode::kGeluTanh, DType::kF32, {kMinusInf}, kNan},
      {"gelu_tanh(1e30)",
       Opcode::kGeluTanh,
       DType::kF32,
       {0x7149F2CA},
       0x7149F2CA},
      {"gelu_tanh(-1e30)",
       Opcode::kGeluTanh,
       DType::kF32,
       {0xF149F2CA},
       kMinus0},
      {"gelu_tanh(-1e30)",
       Opcode::kGeluTanh,
       DType::kF64,
       {0xC6293E5939A08CEA},
       kS64Min},
  });
}

}  // namespace
}  // namespace stridecast::kernel_tests
