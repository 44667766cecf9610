// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The functions that no processor has, by MPFR: to far more bits than any
// element type holds, so that what is left of an error is the engine's own.
// Private to the oracle and to tests/accuracy.

#ifndef STRIDECAST_TESTS_SUPPORT_EXACT_FUNCTIONS_H_
#define STRIDECAST_TESTS_SUPPORT_EXACT_FUNCTIONS_H_

#include <mpfr.h>

#include <cstdint>

#include "stridecast/dtype.h"
#include "stridecast/request.h"
#include "tests/support/numbers.h"

namespace stridecast::testing {

// A real number of 192 bits with a huge exponent, an infinity, or NaN.
class Real {
 public:
  Real() { mpfr_init2(value_, kBits); }  // NaN
  explicit Real(double value) : Real() { mpfr_set_d(value_, value, kNearest); }
  // The number that the bits of a floating-point type stand for.
  Real(DType type, uint64_t bits);
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, kNearest); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, kNearest);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  bool IsNan() const { return mpfr_nan_p(value_) != 0; }
  bool IsInf() const { return mpfr_inf_p(value_) != 0; }
  bool IsZero() const { return mpfr_zero_p(value_) != 0; }
  bool IsNegative() const { return mpfr_signbit(value_) != 0; }
  // floor(log2 |x|) of a number that is neither 0, infinite nor NaN.
  long Power() const { return mpfr_get_exp(value_) - 1; }

  static constexpr mpfr_prec_t kBits = 192;
  static constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

 private:
  mpfr_t value_;
};

// What MPFR keeps for the calling thread; at the end of a thread that used it.
void FreeCaches();

// The nearest number of the type, as its bits; NaN is the canonical one.
uint64_t Rounded(DType float_type, const Real& x);

// What an operation on numbers of a floating-point type that is not exactly
// defined gives of x, and of y if it is binary.
Real ExactValue(const Instruction& instruction, DType type, uint64_t x,
                uint64_t y);

// The same of the complex EXP, LOG and SQRT. Of an infinity the limit, where it
// is the same from everywhere; else, and of NaN, what C's annex G says.
struct ComplexReal {
  Real real;
  Real imag;
};
ComplexReal ExactComplexValue(Opcode opcode, DType part, Element x);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_EXACT_FUNCTIONS_H_
