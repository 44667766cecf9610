// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/infer_quantize.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/program/attribute.h"
#include "core/program/broadcast.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

bool IsQuantized(DType type) {
  switch (type) {
    case DType::kS8:
    case DType::kU8:
    case DType::kS16:
    case DType::kU16:
    case DType::kS32:
      return true;
    default:
      return false;
  }
}

// Scale and zero point have one shape, which is broadcast to that of the first
// operand and does not change it.
absl::Status InferShape(const Instruction& instruction,
                        const QuantizeAttribute& quantize,
                        absl::Span<const ValueType> operands,
                        Inference& inference) {
  const std::string op =
      absl::AsciiStrToLower(OperationOf(instruction.opcode).label);
  const ValueType& x = operands[0];
  const ValueType& scale = operands[1];
  if (!(scale.shape == operands[2].shape)) {
    return FieldError("operands[2]", op,
                      " takes a scale and a zero point of one shape, got ",
                      Human(scale), " and ", Human(operands[2]));
  }
  auto broadcast = InferBinaryBroadcast(op, x, {x.type, scale.shape},
                                        quantize.broadcast_dimensions);
  if (!broadcast.ok()) {
    const bool names_no_field =
        absl::StartsWith(broadcast.status().message(), ": ");
    return PrefixField(names_no_field ? "operands[1]" : "quantize.",
                       broadcast.status());
  }
  if (!(broadcast->shape == x.shape)) {
    return FieldError("operands[1]", op, " of ", Human(x),
                      " takes a scale that broadcasts to it, got ",
                      Human(scale));
  }
  inference.value = {quantize.type, x.shape};
  inference.operand_dimensions = {broadcast->lhs_dimensions,
                                  broadcast->rhs_dimensions,
                                  broadcast->rhs_dimensions};
  return absl::OkStatus();
}

}  // namespace

absl::Status InferQuantize(const Instruction& instruction,
                           absl::Span<const ValueType> operands,
                           Inference& inference) {
  ASSIGN_OR_RETURN(const auto* quantize,
                   AttributeAs<QuantizeAttribute>(instruction, "quantize"));
  if (!IsQuantized(quantize->type)) {
    return FieldError("quantize.type", DTypeName(quantize->type),
                      " is not one of s8, u8, s16, u16 and s32");
  }
  if (operands[1].type != operands[0].type) {
    return FieldError("operands[1]", "quantize of ", Human(operands[0]),
                      " takes a scale of that type, got ", Human(operands[1]));
  }
  if (operands[2].type != quantize->type) {
    return FieldError("operands[2]", "quantize to ", DTypeName(quantize->type),
                      " takes a zero point of that type, got ",
                      Human(operands[2]));
  }
  return InferShape(instruction, *quantize, operands, inference);
}

absl::Status InferDequantize(const Instruction& instruction,
                             absl::Span<const ValueType> operands,
                             Inference& inference) {
  ASSIGN_OR_RETURN(const auto* quantize,
                   AttributeAs<QuantizeAttribute>(instruction, "quantize"));
  if (!IsQuantized(operands[0].type)) {
    return FieldError("", OperationOf(instruction.opcode).label,
                      " is not defined on ", DTypeName(operands[0].type));
  }
  if (!IsFloat(operands[1].type)) {
    return FieldError("operands[1]",
                      "dequantize takes a floating-point scale, got ",
                      Human(operands[1]));
  }
  if (quantize->type != operands[1].type) {
    return FieldError("quantize.type", DTypeName(quantize->type),
                      " is not the type of the scale ", Human(operands[1]));
  }
  if (operands[2].type != operands[0].type) {
    return FieldError("operands[2]", "dequantize of ", Human(operands[0]),
                      " takes a zero point of that type, got ",
                      Human(operands[2]));
  }
  return InferShape(instruction, *quantize, operands, inference);
}

}  // namespace stridecast
