// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Values that are cheap and almost exact: those of the C library in a type
// wider than the one that is measured, double for f32 and long double for f64.
// Their errors are a few units in the last place of that wider type, which is
// far below kFastSlack units of the narrower one. So an input whose error by
// the fast value is more than the slack below the greatest one known cannot
// beat that one, and MPFR need not be asked. (That the slack is enough is
// itself checked: measure.cc asks MPFR for a sample of all inputs.)

#ifndef STRIDECAST_TESTS_ACCURACY_FAST_VALUE_H_
#define STRIDECAST_TESTS_ACCURACY_FAST_VALUE_H_

#include "stridecast/operation.h"

namespace stridecast::accuracy {

// In units in the last place of f32 and f64.
inline constexpr double kFastSlackF32 = 1e-5;
inline constexpr double kFastSlackF64 = 0.02;

// The operation, its scalars being the defaults, of x, and of y if it is
// binary.
double FastValue(Opcode opcode, double x, double y);
long double FastValue(Opcode opcode, long double x, long double y);

}  // namespace stridecast::accuracy

#endif  // STRIDECAST_TESTS_ACCURACY_FAST_VALUE_H_
