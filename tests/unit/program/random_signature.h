// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random programs of views for properties. Extents are small, so that shapes
// meet and whole tensors can be compared.

#ifndef STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_
#define STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_

#include "stridecast/dtype.h"
#include "stridecast/request.h"
#include "tests/support/random_program.h"

namespace stridecast::testing {

// Up to 15 instructions on up to 3 operands, views among them, and up to 7
// results, all dense; every value is of `type`, a pred or an integer.
Signature RandomSignature(Random& random, DType type);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_PROGRAM_RANDOM_SIGNATURE_H_
