// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Judges single elements.

#include "tests/support/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/support/exact_functions.h"

namespace stridecast::testing {
namespace {

constexpr double kWrong = std::numeric_limits<double>::infinity();

// 2^power.
Real PowerOfTwo(long power) {
  Real result(1.0);
  mpfr_mul_2si(result.get(), result.get(), power, Real::kNearest);
  return result;
}

// The power of two that one unit in the last place is, of the numbers of a
// type, were its exponents not bounded above, at x.
long UnitPower(DType type, const Real& x) {
  const FloatFormat format = FormatOf(type);
  const long least = 1 - format.bias();
  const long power = x.IsZero() ? least : std::max(x.Power(), least);
  return power - format.mantissa_bits;
}

Real Distance(const Real& x, const Real& y) {
  Real result;
  mpfr_sub(result.get(), x.get(), y.get(), Real::kNearest);
  mpfr_abs(result.get(), result.get(), Real::kNearest);
  return result;
}

double InUnits(Real distance, long unit_power) {
  mpfr_mul_2si(distance.get(), distance.get(), -unit_power, Real::kNearest);
  return mpfr_get_d(distance.get(), Real::kNearest);
}

// An infinity stands for the number after the greatest: it is right for what
// lies beyond.
double NumberError(DType type, const Real& exact, uint64_t got_bits,
                   bool zero_may_flip) {
  const FloatFormat format = FormatOf(type);
  if (exact.IsNan()) {
    return got_bits == format.canonical_nan() ? 0 : kWrong;
  }
  Real got(type, got_bits);
  if (got.IsNan()) return kWrong;
  if (exact.IsInf()) return mpfr_equal_p(exact.get(), got.get()) ? 0 : kWrong;
  const bool same_sign = exact.IsNegative() == got.IsNegative();
  if (got.IsInf()) {
    if (!same_sign) return kWrong;
    got = PowerOfTwo(format.bias() + 1);
    if (exact.IsNegative()) mpfr_neg(got.get(), got.get(), Real::kNearest);
    if (mpfr_cmpabs(exact.get(), got.get()) >= 0) return 0;
  }
  if (!same_sign && got.IsZero() && !zero_may_flip) return kWrong;
  return InUnits(Distance(exact, got), UnitPower(type, exact));
}

// What an error may be, beside the bound in ULP of the result: an absolute
// number, 0 if none.
Real AbsoluteBound(Opcode opcode, DType type, uint64_t x_bits,
                   uint64_t y_bits) {
  const Real x(type, x_bits);
  switch (opcode) {
    case Opcode::kLogaddexp: {
      const Real y(type, y_bits);
      Real greater;
      mpfr_max(greater.get(), x.get(), y.get(), Real::kNearest);
      if (greater.IsNan() || greater.IsInf()) return Real(0.0);
      return PowerOfTwo(UnitPower(type, greater) + 2);
    }
    case Opcode::kGeluErf: {
      const bool applies =
          type == DType::kF64 && mpfr_cmp_si(x.get(), -1) <= 0 && !x.IsInf();
      return applies ? PowerOfTwo(-52) : Real(0.0);
    }
    default:
      return Real(0.0);
  }
}

// A number that is judged, with all that it takes to do so.
struct Claim {
  DType type;  // f32 or f64
  Real exact;
  Real absolute_bound;
  double ulp_bound;

  // In units in the last place, or where that is less of the unit that makes
  // the absolute bound as many.
  double Error(uint64_t got) const {
    const bool may_flip = !absolute_bound.IsZero();
    const double error = NumberError(type, exact, got, may_flip);
    if (!may_flip || exact.IsNan() || exact.IsInf()) return error;
    const Real number(type, got);
    if (number.IsNan() || number.IsInf()) return error;
    Real share = Distance(exact, number);
    mpfr_div(share.get(), share.get(), absolute_bound.get(), Real::kNearest);
    return std::min(error, ulp_bound * mpfr_get_d(share.get(), Real::kNearest));
  }
};

// Some f32 that the claim allows rounds to `got`: it lies between what the
// least and the greatest of them round to.
bool HoldsRounded(const Claim& claim, DType type, uint64_t got_bits) {
  if (claim.exact.IsNan() || claim.exact.IsInf()) {
    return got_bits == Rounded(type, claim.exact);
  }
  const Real got(type, got_bits);
  if (got.IsNan()) return false;
  if (got.IsZero() && claim.absolute_bound.IsZero() &&
      got.IsNegative() != claim.exact.IsNegative()) {
    return false;
  }
  Real reach(claim.ulp_bound);
  mpfr_mul_2si(reach.get(), reach.get(), UnitPower(claim.type, claim.exact),
               Real::kNearest);
  mpfr_max(reach.get(), reach.get(), claim.absolute_bound.get(),
           Real::kNearest);
  const auto rounded_twice = [&](const Real& bound) {
    const uint64_t as_f32 = Rounded(DType::kF32, bound);
    return Real(type, RoundToFloat(type, ToExact(DType::kF32, as_f32)));
  };
  Real low, high;
  mpfr_sub(low.get(), claim.exact.get(), reach.get(), Real::kNearest);
  mpfr_add(high.get(), claim.exact.get(), reach.get(), Real::kNearest);
  return mpfr_cmp(rounded_twice(low).get(), got.get()) <= 0 &&
         mpfr_cmp(got.get(), rounded_twice(high).get()) <= 0;
}

DType WorkingType(DType type) {
  return type == DType::kF64 ? DType::kF64 : DType::kF32;
}

Claim ClaimOf(const Instruction& instruction, DType type, Element x,
              Element y) {
  const DType part = RealType(type);
  const DType working = WorkingType(part);
  const Opcode opcode = instruction.opcode;
  // Widened, so that units are those of f32.
  const auto widened = [&](uint64_t bits) {
    return RoundToFloat(working, ToExact(part, bits));
  };
  if (IsComplex(type)) {  // the magnitude
    Instruction hypot = instruction;
    hypot.opcode = Opcode::kHypot;
    return {working, ExactValue(hypot, part, x.bits, x.imag_bits), Real(0.0),
            UlpBound(opcode, type)};
  }
  return {working, ExactValue(instruction, type, x.bits, y.bits),
          AbsoluteBound(opcode, working, widened(x.bits), widened(y.bits)),
          UlpBound(opcode, working)};
}

bool IsFinite(const Real& x) { return !x.IsNan() && !x.IsInf(); }

// The rules on results that no error may break: a root is not left of 0, an
// angle not past pi.
bool IsPrincipal(Opcode opcode, DType part, Element got) {
  if (opcode == Opcode::kSqrt) {
    return !(mpfr_cmp_si(Real(part, got.bits).get(), 0) < 0);
  }
  if (opcode != Opcode::kLog) return true;
  Real pi;
  mpfr_const_pi(pi.get(), Real::kNearest);
  const Real nearest(part, Rounded(part, pi));
  return !(mpfr_cmpabs(Real(part, got.imag_bits).get(), nearest.get()) > 0);
}

// Beside an infinity or NaN each part is judged alone. The sign of an infinity
// is open where NaN or the angle of an infinity decides it.
double PartError(Opcode opcode, DType part, Element x, Real wanted,
                 uint64_t bits) {
  const Real imag(part, x.imag_bits);
  const bool sign_is_open = Real(part, x.bits).IsNan() || imag.IsNan() ||
                            (opcode == Opcode::kExp && imag.IsInf());
  if (sign_is_open && wanted.IsInf()) {
    mpfr_abs(wanted.get(), wanted.get(), Real::kNearest);
    bits &= ~FormatOf(part).sign_mask();
  }
  return NumberError(part, wanted, bits, /*zero_may_flip=*/true);
}

// How far a part is off where both are numbers; past the greatest number, as
// NumberError has it.
Real PartDistance(DType part, const Real& wanted, uint64_t bits) {
  Real number(part, bits);
  if (number.IsInf() && number.IsNegative() == wanted.IsNegative()) {
    const Real beyond = PowerOfTwo(FormatOf(part).bias() + 1);
    if (mpfr_cmpabs(wanted.get(), beyond.get()) >= 0) return Real(0.0);
    mpfr_copysign(number.get(), beyond.get(), wanted.get(), Real::kNearest);
  }
  return Distance(wanted, number);
}

// Of complex results of complex operands.
double ComplexError(Opcode opcode, DType part, Element x, Element got) {
  if (!IsPrincipal(opcode, part, got)) return kWrong;
  const ComplexReal exact = ExactComplexValue(opcode, part, x);
  if (!IsFinite(exact.real) || !IsFinite(exact.imag)) {
    return std::max(PartError(opcode, part, x, exact.real, got.bits),
                    PartError(opcode, part, x, exact.imag, got.imag_bits));
  }
  const auto norm = [](const Real& real, const Real& imag) {
    Real result;
    mpfr_hypot(result.get(), real.get(), imag.get(), Real::kNearest);
    return result;
  };
  const Real distance = norm(PartDistance(part, exact.real, got.bits),
                             PartDistance(part, exact.imag, got.imag_bits));
  if (!IsFinite(distance)) return kWrong;
  return InUnits(distance, UnitPower(part, norm(exact.real, exact.imag)));
}

std::string ToText(DType part, uint64_t bits) {
  const double value = part == DType::kF64
                           ? DoubleOf(bits)
                           : static_cast<double>(FloatOf(part, bits));
  return absl::StrCat(value, " (0x", absl::Hex(bits), ")");
}

std::string ToText(DType type, Element x) {
  const DType part = RealType(type);
  if (!IsComplex(type)) return ToText(part, x.bits);
  return absl::StrCat(ToText(part, x.bits), " + i ", ToText(part, x.imag_bits));
}

bool IsComplexFunction(const Instruction& instruction, DType type) {
  return IsComplex(type) && instruction.opcode != Opcode::kAbs;
}

}  // namespace

double ErrorInUlp(const Instruction& instruction, DType type, Element x,
                  Element y, Element got) {
  const DType part = RealType(type);
  if (IsComplexFunction(instruction, type)) {
    return ComplexError(instruction.opcode, part, x, got);
  }
  const Claim claim = ClaimOf(instruction, type, x, y);
  if (claim.type == part) return claim.Error(got.bits);
  return NumberError(part, claim.exact, got.bits,
                     !claim.absolute_bound.IsZero());
}

std::string CompareElement(const Instruction& instruction, DType type,
                           Element x, Element y, Element got) {
  const DType part = RealType(type);
  bool holds = false;
  Element nearest;
  if (IsComplexFunction(instruction, type)) {
    holds = ComplexError(instruction.opcode, part, x, got) <=
            UlpBound(instruction.opcode, type);
    if (holds) return "";
    const ComplexReal exact = ExactComplexValue(instruction.opcode, part, x);
    nearest = {Rounded(part, exact.real), Rounded(part, exact.imag)};
  } else {
    const Claim claim = ClaimOf(instruction, type, x, y);
    holds = claim.type == part ? claim.Error(got.bits) <= claim.ulp_bound
                               : HoldsRounded(claim, part, got.bits);
    nearest = {Rounded(part, claim.exact), 0};
  }
  if (holds) return "";
  const Operation& operation = OperationOf(instruction.opcode);
  const DType result = instruction.opcode == Opcode::kAbs ? part : type;
  return absl::StrCat(
      operation.label, " ", DTypeName(type), " of ", ToText(type, x),
      operation.form == Form::kBinary ? absl::StrCat(" and ", ToText(type, y))
                                      : "",
      " is ", ToText(result, got), ", ",
      ErrorInUlp(instruction, type, x, y, got), " ULP from ",
      ToText(result, nearest), "\n");
}

}  // namespace stridecast::testing
