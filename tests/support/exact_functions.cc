// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/exact_functions.h"

#include "tests/support/reference_numbers.h"

namespace stridecast::testing {
namespace {

constexpr mpfr_rnd_t kNearest = Real::kNearest;

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using BinaryFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

Real Apply(Function function, const Real& x) {
  Real result;
  function(result.get(), x.get(), kNearest);
  return result;
}

Real Apply(BinaryFunction function, const Real& x, const Real& y) {
  Real result;
  function(result.get(), x.get(), y.get(), kNearest);
  return result;
}

Real operator+(const Real& x, const Real& y) { return Apply(mpfr_add, x, y); }
Real operator-(const Real& x, const Real& y) { return Apply(mpfr_sub, x, y); }
Real operator*(const Real& x, const Real& y) { return Apply(mpfr_mul, x, y); }
Real operator/(const Real& x, const Real& y) { return Apply(mpfr_div, x, y); }
Real operator-(const Real& x) { return Apply(mpfr_neg, x); }
Real Exp(const Real& x) { return Apply(mpfr_exp, x); }
Real Expm1(const Real& x) { return Apply(mpfr_expm1, x); }
Real Log1p(const Real& x) { return Apply(mpfr_log1p, x); }
Real Sqrt(const Real& x) { return Apply(mpfr_sqrt, x); }
Real Abs(const Real& x) { return Apply(mpfr_abs, x); }

Real Decimal(const char* digits) {
  Real result;
  mpfr_set_str(result.get(), digits, 10, kNearest);
  return result;
}

// MAXIMUM(x, 0) and MINIMUM(x, 0).
Real PositivePart(const Real& x) {
  return x.IsNan() || mpfr_sgn(x.get()) > 0 ? x : Real(0.0);
}
Real NegativePart(const Real& x) {
  return x.IsNan() || mpfr_sgn(x.get()) < 0 || (x.IsZero() && x.IsNegative())
             ? x
             : Real(0.0);
}

Real Logaddexp(const Real& x, const Real& y) {
  if (x.IsNan() || y.IsNan()) return Real();
  const bool x_is_greater = mpfr_cmp(x.get(), y.get()) >= 0;
  const Real& greater = x_is_greater ? x : y;
  const Real& lesser = x_is_greater ? y : x;
  if (greater.IsInf()) return greater;
  return greater + Log1p(Exp(lesser - greater));
}

Real Rsqrt(const Real& x) {
  if (x.IsZero() && x.IsNegative()) return Real(-1.0) / Real(0.0);
  return Apply(mpfr_rec_sqrt, x);
}

Real Lgamma(const Real& x) {
  Real result;
  int sign = 0;
  mpfr_lgamma(result.get(), &sign, x.get(), kNearest);
  return result;
}

Real Digamma(const Real& x) {
  if (x.IsZero()) return Real(-1.0) / x;
  return Apply(mpfr_digamma, x);
}

// x times the logistic function of t.
Real TimesLogistic(const Real& x, const Real& t) {
  return x / (Real(1.0) + Exp(-t));
}

Real Elu(const Real& x, const Real& alpha) {
  return mpfr_sgn(x.get()) > 0 ? x : alpha * Expm1(x);
}

Real Selu(const Real& x) {
  return Decimal("1.0507009873554805") * Elu(x, Decimal("1.6732632423543772"));
}

Real Celu(const Real& x, const Real& alpha) {
  return PositivePart(x) + NegativePart(alpha * Expm1(x / alpha));
}

Real Softplus(const Real& x) { return Log1p(Exp(-Abs(x))) + PositivePart(x); }

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2).
Real Mish(const Real& x) {
  const Real e = Exp(x);
  const Real n = e * (e + Real(2.0));
  return x * (Real(1.0) / (Real(1.0) + Real(2.0) / n));
}

Real GeluErf(const Real& x) {
  return x / Real(2.0) * Apply(mpfr_erfc, -x / Sqrt(Real(2.0)));
}

// (1 + tanh(u)) / 2 is the logistic function of 2u.
Real GeluTanh(const Real& x) {
  Real pi;
  mpfr_const_pi(pi.get(), kNearest);
  const Real cubed = Decimal("0.044715") * x * x * x;
  return TimesLogistic(x, Real(2.0) * Sqrt(Real(2.0) / pi) * (x + cubed));
}

Real Activation(const Instruction& instruction, DType type, const Real& x) {
  if (x.IsNan()) return x;
  const Real alpha(ScalarsOf(instruction, type).alpha);
  switch (instruction.opcode) {
    case Opcode::kElu:
      return Elu(x, alpha);
    case Opcode::kSelu:
      return Selu(x);
    case Opcode::kCelu:
      return Celu(x, alpha);
    case Opcode::kSoftplus:
      return Softplus(x);
    case Opcode::kSwish:
      return TimesLogistic(x, x);
    case Opcode::kMish:
      return Mish(x);
    case Opcode::kGeluErf:
      return GeluErf(x);
    default:
      return GeluTanh(x);
  }
}

ComplexReal ComplexExp(const Real& a, const Real& b) {
  if (a.IsInf() && a.IsNegative()) return {Real(0.0), Real(0.0)};
  if (b.IsZero()) return {Exp(a), b};
  if (a.IsInf() && (b.IsInf() || b.IsNan())) return {a, Real()};
  // Past it no type holds e^a times the least sine or cosine, but MPFR does.
  const Real most(1e6);
  const bool is_far = !a.IsInf() && mpfr_greater_p(a.get(), most.get()) != 0;
  const Real norm = Exp(is_far ? most : a);
  return {norm * Apply(mpfr_cos, b), norm * Apply(mpfr_sin, b)};
}

// MPFR's function that an operation is; null if none.
Function FunctionOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kExp:
      return mpfr_exp;
    case Opcode::kExpm1:
      return mpfr_expm1;
    case Opcode::kExp2:
      return mpfr_exp2;
    case Opcode::kLog:
      return mpfr_log;
    case Opcode::kLog1p:
      return mpfr_log1p;
    case Opcode::kLog2:
      return mpfr_log2;
    case Opcode::kLog10:
      return mpfr_log10;
    case Opcode::kCbrt:
      return mpfr_cbrt;
    case Opcode::kSin:
      return mpfr_sin;
    case Opcode::kCos:
      return mpfr_cos;
    case Opcode::kTan:
      return mpfr_tan;
    case Opcode::kAsin:
      return mpfr_asin;
    case Opcode::kAcos:
      return mpfr_acos;
    case Opcode::kAtan:
      return mpfr_atan;
    case Opcode::kSinh:
      return mpfr_sinh;
    case Opcode::kCosh:
      return mpfr_cosh;
    case Opcode::kTanh:
      return mpfr_tanh;
    case Opcode::kAsinh:
      return mpfr_asinh;
    case Opcode::kAcosh:
      return mpfr_acosh;
    case Opcode::kAtanh:
      return mpfr_atanh;
    case Opcode::kErf:
      return mpfr_erf;
    case Opcode::kErfc:
      return mpfr_erfc;
    default:
      return nullptr;
  }
}

}  // namespace

Real::Real(DType type, uint64_t bits) : Real() {
  const ExactNumber number = ToExact(type, bits);
  const int sign = number.negative ? -1 : 1;
  switch (number.kind) {
    case ExactNumber::Kind::kNan:
      return;
    case ExactNumber::Kind::kInfinity:
      mpfr_set_inf(value_, sign);
      return;
    case ExactNumber::Kind::kFinite:
      mpfr_set_ui_2exp(value_, number.significand, number.exponent, kNearest);
      mpfr_setsign(value_, value_, number.negative ? 1 : 0, kNearest);
  }
}

void FreeCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }

uint64_t Rounded(DType float_type, const Real& x) {
  ExactNumber number;
  number.negative = x.IsNegative();
  // Past every type's range, and of the exponents that RoundToFloat takes.
  constexpr long kFar = 20'000;
  if (x.IsNan()) {
    number.kind = ExactNumber::Kind::kNan;
  } else if (x.IsInf() || (!x.IsZero() && x.Power() > kFar)) {
    number.kind = ExactNumber::Kind::kInfinity;
  } else if (!x.IsZero() && x.Power() >= -kFar) {
    // The first 62 bits, and one that says whether any follow.
    const long shift = 61 - x.Power();
    Real scaled;
    mpfr_mul_2si(scaled.get(), x.get(), shift, kNearest);
    mpfr_abs(scaled.get(), scaled.get(), kNearest);
    const uint64_t head = mpfr_get_ui(scaled.get(), MPFR_RNDZ);
    const bool more = mpfr_cmp_ui(scaled.get(), head) != 0;
    number.significand = head << 1 | (more ? 1 : 0);
    number.exponent = static_cast<int>(-shift - 1);
  } else if (!x.IsZero()) {
    number.significand = 1;
    number.exponent = -kFar;
  }
  return RoundToFloat(float_type, number);
}

Real ExactValue(const Instruction& instruction, DType type, uint64_t x_bits,
                uint64_t y_bits) {
  const Real x(type, x_bits);
  if (const Function function = FunctionOf(instruction.opcode)) {
    return Apply(function, x);
  }
  const Real y(type, y_bits);
  switch (instruction.opcode) {
    case Opcode::kPower:
      return Apply(mpfr_pow, x, y);
    case Opcode::kAtan2:
      return Apply(mpfr_atan2, x, y);
    case Opcode::kHypot:
      return Apply(mpfr_hypot, x, y);
    case Opcode::kLogaddexp:
      return Logaddexp(x, y);
    case Opcode::kRsqrt:
      return Rsqrt(x);
    case Opcode::kLgamma:
      return Lgamma(x);
    case Opcode::kDigamma:
      return Digamma(x);
    case Opcode::kLogistic:
      return TimesLogistic(Real(1.0), x);
    default:
      return Activation(instruction, type, x);
  }
}

ComplexReal ExactComplexValue(Opcode opcode, DType part, Element x) {
  const Real a(part, x.bits);
  const Real b(part, x.imag_bits);
  if (opcode == Opcode::kExp) return ComplexExp(a, b);
  const Real magnitude = Apply(mpfr_hypot, a, b);
  if (opcode == Opcode::kLog) {
    return {Apply(mpfr_log, magnitude), Apply(mpfr_atan2, b, a)};
  }
  if (magnitude.IsZero()) return {Real(0.0), b};
  if (b.IsInf()) return {Abs(b), b};
  // Of the root's parts the greater one, then the other from their product.
  const Real greater = Sqrt((magnitude + Abs(a)) / Real(2.0));
  const Real lesser = b / (Real(2.0) * greater);
  if (!a.IsNegative()) return {greater, lesser};
  return {Abs(lesser), b.IsNegative() ? -greater : greater};
}

}  // namespace stridecast::testing
