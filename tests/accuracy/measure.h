// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The greatest error of one operation on one element type, over many inputs,
// with every kernel table of this machine.

#ifndef STRIDECAST_TESTS_ACCURACY_MEASURE_H_
#define STRIDECAST_TESTS_ACCURACY_MEASURE_H_

#include <cstdint>
#include <string>

#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "tests/support/numbers.h"

namespace stridecast::accuracy {

using testing::Element;

struct Effort {
  uint64_t inputs = 0;          // of f32 and f64
  uint64_t complex_inputs = 0;  // of complex types: each asks MPFR
  uint64_t narrow_stride = 1;   // of the 65536 f16 and bf16, every n-th
  bool all_f32 = false;         // unary: all 2^32
  int num_threads = 1;
};

struct Measurement {
  Opcode opcode = Opcode::kExp;
  DType type = DType::kF32;
  uint64_t inputs = 0;
  // In units in the last place, or judge.h's for what has an absolute bound;
  // f16 and bf16: 0 if every result is f32's, rounded.
  double error = 0;
  double bound = 0;
  std::string where;  // the input with that error
  // Anything that must not be, beside an error over the bound: targets that
  // differ, ... "" if there is none.
  std::string fault;

  bool IsRight() const { return fault.empty() && error <= bound; }
};

// Whether the operation states an error on that type, and is built.
bool IsMeasured(Opcode opcode, DType type);

Measurement Measure(Opcode opcode, DType type, const Effort& effort);

}  // namespace stridecast::accuracy

#endif  // STRIDECAST_TESTS_ACCURACY_MEASURE_H_
