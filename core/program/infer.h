// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The type and shape of an instruction's value, from those of its operands; the
// rules are those of SEMANTICS in stridecast/v1/program.proto.
// Tested by tests/unit/program/infer_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_INFER_H_
#define STRIDECAST_CORE_PROGRAM_INFER_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/program/broadcast.h"
#include "stridecast/request.h"

namespace stridecast {

// How the dimensions of an operand lie in those of an instruction's value, for
// element-wise instructions: entry i is the result dimension of operand
// dimension i.
using OperandDimensions = absl::InlinedVector<DimVector, 3>;

struct Inference {
  ValueType value;
  // One entry per operand for element-wise instructions, else empty.
  OperandDimensions operand_dimensions;
  // The type that decides the operation's meaning: of the first operand that
  // is not the predicate of a select; the value's own where there is none.
  DType subject = DType::kF32;
};

// Errors: kInvalidArgument "FIELD: text", FIELD relative to the instruction
// and empty where the instruction as a whole is wrong; kUnimplemented for a
// form that has no inference yet.
absl::StatusOr<Inference> InferInstruction(
    const Instruction& instruction, absl::Span<const ValueType> operands);

// `status`, whose text is "FIELD: text" relative to an instruction, as an error
// of instruction `index`.
absl::Status AtInstruction(int64_t index, Opcode opcode,
                           const absl::Status& status);

// True if the value at an index depends only on the operands' values there, so
// that a view of it may be taken of the operands instead.
bool IsElementwise(Form form);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_INFER_H_
