// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of operations that state an error: where their rules leave none.
// Zeros and their signs, infinities, ends of domains, NaNs.

#include <string>
#include <vector>

#include "tests/support/examples.h"
#include "tests/support/examples_rows.h"

namespace stridecast::testing {
namespace {

using enum DType;

struct UnaryRow {
  const char* name;
  Opcode opcode;
  Numbers x;
  Numbers result;
};

std::vector<UnaryRow> ExponentialRows() {
  return {
      {"Exp", Opcode::kExp, {-kInf, kInf, 0.0, -0.0}, {0.0, kInf, 1, 1}},
      {"Expm1",
       Opcode::kExpm1,
       {-kInf, kInf, 0.0, -0.0, -100},
       {-1, kInf, 0.0, -0.0, -1}},
      {"Exp2", Opcode::kExp2, {-kInf, kInf, 0.0}, {0.0, kInf, 1}},
      {"Log",
       Opcode::kLog,
       {0.0, -0.0, -1, 1, kInf, -kInf},
       {-kInf, -kInf, kNan, 0.0, kInf, kNan}},
      {"Log1p",
       Opcode::kLog1p,
       {-1, -2, -0.0, 0.0, kInf},
       {-kInf, kNan, -0.0, 0.0, kInf}},
      {"Log2",
       Opcode::kLog2,
       {0.0, -0.0, -1, 1, kInf},
       {-kInf, -kInf, kNan, 0.0, kInf}},
      {"Log10",
       Opcode::kLog10,
       {0.0, -0.0, -1, 1, kInf},
       {-kInf, -kInf, kNan, 0.0, kInf}},
      {"Rsqrt",
       Opcode::kRsqrt,
       {0.0, -0.0, kInf, -1, -kInf},
       {kInf, -kInf, 0.0, kNan, kNan}},
      {"Cbrt", Opcode::kCbrt, {-0.0, kInf, -kInf}, {-0.0, kInf, -kInf}},
      {"Logistic", Opcode::kLogistic, {-kInf, kInf, 0.0}, {0.0, 1, 0.5}},
      {"Erf", Opcode::kErf, {-kInf, kInf, -0.0, 0.0}, {-1, 1, -0.0, 0.0}},
      {"Erfc", Opcode::kErfc, {-kInf, kInf, 0.0}, {2, 0.0, 1}},
  };
}

std::vector<UnaryRow> GammaRows() {
  return {
      {"Lgamma",
       Opcode::kLgamma,
       {kInf, -kInf, 0.0, -0.0, -1, 1, 2},
       {kInf, kInf, kInf, kInf, kInf, 0.0, 0.0}},
      {"Digamma",
       Opcode::kDigamma,
       {kInf, -kInf, 0.0, -0.0, -1},
       {kInf, kNan, -kInf, kInf, kNan}},
  };
}

std::vector<UnaryRow> TrigonometricRows() {
  return {
      {"Sin", Opcode::kSin, {0.0, -0.0, kInf, -kInf}, {0.0, -0.0, kNan, kNan}},
      {"Cos", Opcode::kCos, {0.0, -0.0, kInf, -kInf}, {1, 1, kNan, kNan}},
      {"Tan", Opcode::kTan, {0.0, -0.0, kInf, -kInf}, {0.0, -0.0, kNan, kNan}},
      {"Asin", Opcode::kAsin, {-0.0, 2, -kInf}, {-0.0, kNan, kNan}},
      {"Acos", Opcode::kAcos, {1, 2, -kInf}, {0.0, kNan, kNan}},
      {"Atan", Opcode::kAtan, {0.0, -0.0}, {0.0, -0.0}},
      {"Sinh", Opcode::kSinh, {-0.0, kInf, -kInf}, {-0.0, kInf, -kInf}},
      {"Cosh", Opcode::kCosh, {-0.0, kInf, -kInf}, {1, kInf, kInf}},
      {"Tanh", Opcode::kTanh, {-0.0, kInf, -kInf}, {-0.0, 1, -1}},
      {"Asinh", Opcode::kAsinh, {-0.0, kInf, -kInf}, {-0.0, kInf, -kInf}},
      {"Acosh", Opcode::kAcosh, {1, kInf, 0.5, -1}, {0.0, kInf, kNan, kNan}},
      {"Atanh",
       Opcode::kAtanh,
       {-0.0, 1, -1, 2, kInf},
       {-0.0, kInf, -kInf, kNan, kNan}},
  };
}

// As the formulas of program.proto say: where 0 meets infinity there is NaN.
std::vector<UnaryRow> ActivationRows() {
  return {
      {"Elu", Opcode::kElu, {kInf, -kInf, -0.0, 1.5}, {kInf, -1, -0.0, 1.5}},
      {"Selu", Opcode::kSelu, {kInf, 0.0, -0.0}, {kInf, 0.0, -0.0}},
      {"Celu", Opcode::kCelu, {kInf, -kInf, -0.0, 1.5}, {kInf, -1, 0.0, 1.5}},
      {"Softplus", Opcode::kSoftplus, {kInf, -kInf}, {kInf, 0.0}},
      {"Swish",
       Opcode::kSwish,
       {kInf, -kInf, 0.0, -0.0},
       {kInf, kNan, 0.0, -0.0}},
      {"Mish",
       Opcode::kMish,
       {kInf, -kInf, 0.0, -0.0},
       {kInf, kNan, 0.0, -0.0}},
      {"GeluErf",
       Opcode::kGeluErf,
       {kInf, -kInf, 0.0, -0.0},
       {kInf, kNan, 0.0, -0.0}},
      {"GeluTanh", Opcode::kGeluTanh, {kInf, -kInf, 0.0}, {kInf, kNan, 0.0}},
  };
}

void AddUnary(const std::vector<UnaryRow>& unary, std::vector<Example>& rows) {
  for (const UnaryRow& row : unary) {
    Numbers x = row.x;
    Numbers result = row.result;
    x.push_back(kNan);
    result.push_back(kNan);
    AddForTypes(kFloatTypes, std::string(row.name) + "Limits",
                Op(row.opcode, {0}), x, result, rows);
  }
}

void AddBinary(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "PowerLimits", BinaryOp(Opcode::kPower, 0, 1),
              {kNan, 1, -0.0, -0.0, -0.0, -8, -1, 0.5, 0.5, -kInf, -kInf, 2},
              {0.0, kNan, -1, -3, -2, 0.25, kInf, kInf, -kInf, 3, -3, kNan},
              {1, 1, -kInf, -kInf, kInf, kNan, 1, 0.0, kInf, -kInf, -0.0, kNan},
              rows);
  AddForTypes(kFloatTypes, "Atan2Limits", BinaryOp(Opcode::kAtan2, 0, 1),
              {0.0, -0.0, kNan, 1, -1, 0.0, -0.0},
              {1, 1, 1, kInf, kInf, 0.0, 0.0},
              {0.0, -0.0, kNan, 0.0, -0.0, 0.0, -0.0}, rows);
  AddForTypes(kFloatTypes, "HypotLimits", BinaryOp(Opcode::kHypot, 0, 1),
              {kInf, kNan, kNan, -0.0, -3}, {kNan, -kInf, 1, -0.0, 0.0},
              {kInf, kInf, kNan, 0.0, 3}, rows);
  AddForTypes(kFloatTypes, "LogaddexpLimits",
              BinaryOp(Opcode::kLogaddexp, 0, 1), {-kInf, kInf, kNan, -kInf},
              {-kInf, -kInf, 1, 3}, {-kInf, kInf, kNan, 3}, rows);
}

void AddLdexp(std::vector<Example>& rows) {
  AddForTypes(kFloatTypes, "Ldexp", BinaryOp(Opcode::kLdexp, 0, 1),
              {1.5, 1, -1, 3, kNan, 1, kInf, 0.0, -0.0, 1},
              {2, 2.75, -1.75, -1, 1, kNan, -5, 7, 100, kInf},
              {6, 4, -0.5, 1.5, kNan, kNan, kInf, 0.0, -0.0, kInf}, rows);
}

void AddComplex(std::vector<Example>& rows) {
  for (DType type : {kC64, kC128}) {
    const std::string suffix = type == kC64 ? "C64" : "C128";
    rows.push_back(
        Unary("Exp" + suffix, Opcode::kExp, type, {0.0, 0.0}, {1, 0.0}));
    rows.push_back(
        Unary("Log" + suffix, Opcode::kLog, type, {1, 0.0}, {0.0, 0.0}));
    rows.push_back(Unary("Sqrt" + suffix, Opcode::kSqrt, type,
                         {4, 0.0, -4, 0.0, -4, -0.0, 0.0, 2, -3, 4},
                         {2, 0.0, 0.0, 2, 0.0, -2, 1, 1, 1, 2}));
  }
}

}  // namespace

std::vector<Example> FunctionExamples() {
  std::vector<Example> rows;
  AddUnary(ExponentialRows(), rows);
  AddUnary(TrigonometricRows(), rows);
  AddUnary(ActivationRows(), rows);
  AddBinary(rows);
  AddComplex(rows);
  return rows;
}

std::vector<Example> UpcomingFunctionExamples() {
  std::vector<Example> rows;
  AddUnary(GammaRows(), rows);
  AddLdexp(rows);
  return rows;
}

}  // namespace stridecast::testing
