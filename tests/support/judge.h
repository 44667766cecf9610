// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How results are judged. Most operations are exactly defined: their results
// are the oracle's, bit for bit. The others state a greatest error (proto,
// (P7)); each of their results is compared with the exact value, by MPFR, of
// the very operands that the engine had.
//
// For that the values of inexact instructions are asked of the engine itself
// (Observing); the oracle judges each and goes on with it as the engine does.
// So whole programs are judged bit for bit, inexact instructions wherever they
// stand in it, and it shows if one gives other bits in another program (P8).

#ifndef STRIDECAST_TESTS_SUPPORT_JUDGE_H_
#define STRIDECAST_TESTS_SUPPORT_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "stridecast/request.h"
#include "tests/support/numbers.h"
#include "tests/support/reference.h"
#include "tests/support/ulp_bound.h"

namespace stridecast::testing {

// How far `got` is from the exact value of an inexact instruction on operands
// of `type`, in units in the last place of the result's type; of f32 and f64
// where the rules have an absolute bound too, in the unit that makes it as
// many, if that is less: so up to UlpBound() is right. Infinite if it is wrong
// whatever the bound: a sign, a NaN, an infinity. Complex: of the norm; where
// the exact value has an infinity or NaN, of the worse part.
double ErrorInUlp(const Instruction& instruction, DType type, Element x,
                  Element y, Element got);

// What is wrong with `got` as the result of an inexact instruction, "" if
// nothing. f16 and bf16: no f32 within f32's bound rounds to it.
std::string CompareElement(const Instruction& instruction, DType type,
                           Element x, Element y, Element got);

// The same operands and instructions, but the results are the values of all
// inexact instructions in their order, row-major. None if all are exact.
Signature Observing(const Signature& signature);

// What all results of `signature` are to be, whole buffers, if `observed` are
// the results of Observing(signature); `wrong` says which of those break a
// bound, "" if none does.
struct Judgement {
  std::string wrong;
  std::vector<Bytes> expected;
};
Judgement Judge(const Signature& signature, absl::Span<const Bytes> operands,
                absl::Span<const Bytes> observed);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_JUDGE_H_
