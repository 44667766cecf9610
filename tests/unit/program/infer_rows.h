// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Rows of the specification of InferInstruction: an instruction on values, and
// what it makes of them or which field breaks a rule.

#ifndef STRIDECAST_TESTS_UNIT_PROGRAM_INFER_ROWS_H_
#define STRIDECAST_TESTS_UNIT_PROGRAM_INFER_ROWS_H_

#include <ostream>
#include <vector>

#include "core/program/infer.h"

namespace stridecast::program_tests {

struct InferCase {
  const char* name;
  Instruction instruction;
  std::vector<const char*> operands;
  const char* value;  // what it makes, or the error
  const char* operand_dimensions = "";
  DType subject = DType::kF32;
};

void PrintTo(const InferCase& row, std::ostream* out);

void ExpectInference(const InferCase& row);
void ExpectRefusal(const InferCase& row);

// "f32[2,3]" and the like.
std::vector<ValueType> Values(const std::vector<const char*>& texts);

Instruction Make(Opcode opcode, Attribute attribute = {});
Instruction Broadcasting(Opcode opcode, DimVector broadcast_dimensions,
                         Attribute attribute = {});

}  // namespace stridecast::program_tests

#endif  // STRIDECAST_TESTS_UNIT_PROGRAM_INFER_ROWS_H_
