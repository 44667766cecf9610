// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What concatenate and pad put together: boxes of the result, each with the
// elements of one operand.
// Tested by tests/unit/program/parts_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_PARTS_H_
#define STRIDECAST_CORE_PROGRAM_PARTS_H_

#include <vector>

#include "core/program/program.h"
#include "core/program/view.h"

namespace stridecast {

struct Part {
  Box box;    // of the result; has elements
  int value;  // of the program
  View view;  // of that value, over box.shape
  // Lies over the part behind it, which is the padding between its elements.
  bool is_over = false;
};

// The parts of a value made by kConcatenate or kPad, which cover it.
std::vector<Part> PartsOf(const Program& program, int value);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_PARTS_H_
