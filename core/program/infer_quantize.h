// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The value that QUANTIZE and DEQUANTIZE make, and how the scale and the zero
// point are broadcast to the first operand.
// Tested by tests/unit/program/infer_quantize_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_INFER_QUANTIZE_H_
#define STRIDECAST_CORE_PROGRAM_INFER_QUANTIZE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/program/infer.h"
#include "stridecast/request.h"

namespace stridecast {

// Writes value and operand_dimensions.
// Errors: kInvalidArgument, relative to the instruction.
absl::Status InferQuantize(const Instruction& instruction,
                           absl::Span<const ValueType> operands,
                           Inference& inference);
absl::Status InferDequantize(const Instruction& instruction,
                             absl::Span<const ValueType> operands,
                             Inference& inference);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_INFER_QUANTIZE_H_
