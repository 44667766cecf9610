// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Shape inference of the operations that only move elements: views,
// concatenate, pad, reshape, iota, bitcast_convert.

#ifndef STRIDECAST_CORE_PROGRAM_INFER_DATA_H_
#define STRIDECAST_CORE_PROGRAM_INFER_DATA_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/program/broadcast.h"
#include "stridecast/request.h"

namespace stridecast {

// Writes the type and shape of the instruction's value; of `value` the type is
// set before, to that of the first operand. Of forms kTranspose, kReverse,
// kSlice, kReshape, kConcatenate, kPad, kIota and kBitcastConvert.
// Errors: kInvalidArgument, relative to the instruction; in XLA's words for
// concatenate, pad and reshape.
absl::Status InferDataOperation(const Instruction& instruction,
                                absl::Span<const ValueType> operands,
                                ValueType& value);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_INFER_DATA_H_
