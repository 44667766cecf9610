// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/infer.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/program/attribute.h"
#include "core/program/infer_data.h"
#include "core/program/infer_quantize.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {
namespace {

// The attribute that a form takes, by its field's name; empty for none.
absl::string_view AttributeOf(Form form) {
  switch (form) {
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
    case Form::kBinaryScalars:
      return "scalars";
    case Form::kReducePrecision:
      return "reduce_precision";
    case Form::kConvert:
    case Form::kBitcastConvert:
      return "convert";
    case Form::kCompare:
      return "compare";
    case Form::kQuantize:
    case Form::kDequantize:
      return "quantize";
    case Form::kBroadcastInDim:
      return "broadcast_in_dim";
    case Form::kTranspose:
    case Form::kReverse:
    case Form::kConcatenate:
      return "dimensions";
    case Form::kSlice:
      return "slice";
    case Form::kReshape:
      return "reshape";
    case Form::kPad:
      return "pad";
    case Form::kIota:
      return "iota";
    case Form::kConstant:
      return "constant";
    case Form::kUnary:
    case Form::kBinary:
    case Form::kSelect:
    case Form::kClamp:
    case Form::kFma:
      break;
  }
  return "";
}

absl::Status CheckAttribute(const Instruction& instruction) {
  const Operation& operation = OperationOf(instruction.opcode);
  const absl::string_view set = AttributeName(instruction.attribute);
  const absl::string_view wanted = AttributeOf(operation.form);
  if (set.empty() || set == wanted) return absl::OkStatus();
  return FieldError(set, operation.label, " takes no such attribute",
                    wanted.empty() ? "" : "; it takes ", wanted);
}

DimVector IdentityDimensions(const Shape& shape) {
  DimVector dimensions(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) dimensions[d] = d;
  return dimensions;
}

DType ResultTypeOf(const Operation& operation, DType subject) {
  switch (operation.result_type) {
    case ResultType::kPred:
      return DType::kPred;
    case ResultType::kReal:
      return RealType(subject);
    case ResultType::kComplex:
      return ComplexType(subject).value_or(subject);
    case ResultType::kSame:
    case ResultType::kStated:
      break;
  }
  return subject;
}

// Element-wise on operands of one shape; entries of `may_be_scalar` that are
// set let that operand be a scalar instead.
absl::Status InferSameShape(const Operation& operation,
                            absl::Span<const ValueType> operands, int subject,
                            unsigned may_be_scalar, Inference& inference) {
  const Shape& shape = operands[subject].shape;
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    const bool scalar_allowed = (may_be_scalar >> i & 1) != 0;
    const bool is_scalar = scalar_allowed && operands[i].shape.rank() == 0;
    if (!is_scalar && !(operands[i].shape == shape)) {
      return FieldError(
          absl::StrCat("operands[", i, "]"),
          absl::AsciiStrToLower(operation.label), " of ",
          Human(operands[subject]), " takes ",
          scalar_allowed ? "a scalar or the same shape" : "the same shape",
          " here, got ", Human(operands[i]));
    }
    inference.operand_dimensions.push_back(
        is_scalar ? DimVector() : IdentityDimensions(shape));
  }
  inference.value.shape = shape;
  return absl::OkStatus();
}

absl::Status CheckTypesEqual(const Operation& operation,
                             absl::Span<const ValueType> operands, int first) {
  for (int i = first + 1; i < static_cast<int>(operands.size()); ++i) {
    if (operands[i].type != operands[first].type) {
      return FieldError(absl::StrCat("operands[", i, "]"),
                        absl::AsciiStrToLower(operation.label),
                        " with different element types: ",
                        Human(operands[first]), " and ", Human(operands[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status InferBinary(const Instruction& instruction,
                         absl::Span<const ValueType> operands,
                         Inference& inference) {
  const Operation& operation = OperationOf(instruction.opcode);
  ASSIGN_OR_RETURN(
      BinaryBroadcast broadcast,
      InferBinaryBroadcast(absl::AsciiStrToLower(operation.label), operands[0],
                           operands[1], instruction.broadcast_dimensions));
  inference.value.shape = broadcast.shape;
  inference.operand_dimensions = {broadcast.lhs_dimensions,
                                  broadcast.rhs_dimensions};
  return absl::OkStatus();
}

absl::Status InferCompare(const Instruction& instruction,
                          absl::Span<const ValueType> operands,
                          Inference& inference) {
  ASSIGN_OR_RETURN(const auto* compare,
                   AttributeAs<CompareAttribute>(instruction, "compare"));
  RETURN_IF_ERROR(InferBinary(instruction, operands, inference));
  const DType type = operands[0].type;
  if (IsComplex(type) &&
      compare->direction != CompareAttribute::Direction::kEq &&
      compare->direction != CompareAttribute::Direction::kNe) {
    return FieldError("compare.direction", DTypeName(type),
                      " has no order; only EQ and NE are defined");
  }
  if (compare->total_order && !IsFloat(type)) {
    return FieldError("compare.total_order",
                      "defined for floating-point types only, got ",
                      DTypeName(type));
  }
  return absl::OkStatus();
}

absl::Status InferSelect(const Operation& operation,
                         absl::Span<const ValueType> operands,
                         Inference& inference) {
  if (operands[0].type != DType::kPred) {
    return FieldError("operands[0]", "select takes a pred here, got ",
                      Human(operands[0]));
  }
  RETURN_IF_ERROR(CheckTypesEqual(operation, operands, 1));
  return InferSameShape(operation, operands, 1, 0b001, inference);
}

absl::Status CheckScalars(const Instruction& instruction) {
  const auto* scalars = std::get_if<ScalarsAttribute>(&instruction.attribute);
  const Operation& operation = OperationOf(instruction.opcode);
  if (scalars != nullptr && scalars->beta &&
      operation.form == Form::kUnaryScalar) {
    return FieldError("scalars.beta", operation.label, " takes alpha only");
  }
  return absl::OkStatus();
}

absl::Status CheckReducePrecision(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const auto* reduce, AttributeAs<ReducePrecisionAttribute>(
                                           instruction, "reduce_precision"));
  if (reduce->exponent_bits < 1) {
    return FieldError("reduce_precision.exponent_bits", reduce->exponent_bits,
                      " is less than 1");
  }
  if (reduce->mantissa_bits < 0) {
    return FieldError("reduce_precision.mantissa_bits", reduce->mantissa_bits,
                      " is negative");
  }
  return absl::OkStatus();
}

absl::Status InferShapeAndType(const Instruction& instruction,
                               absl::Span<const ValueType> operands,
                               Inference& inference) {
  const Operation& operation = OperationOf(instruction.opcode);
  switch (operation.form) {
    case Form::kConstant: {
      ASSIGN_OR_RETURN(const auto* constant,
                       AttributeAs<ConstantAttribute>(instruction, "constant"));
      inference.value = {constant->desc.type(), constant->desc.shape()};
      return absl::OkStatus();
    }
    case Form::kConvert: {
      ASSIGN_OR_RETURN(const auto* convert,
                       AttributeAs<ConvertAttribute>(instruction, "convert"));
      RETURN_IF_ERROR(InferSameShape(operation, operands, 0, 0, inference));
      inference.value.type = convert->type;
      return absl::OkStatus();
    }
    case Form::kUnary:
      return InferSameShape(operation, operands, 0, 0, inference);
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
      RETURN_IF_ERROR(CheckScalars(instruction));
      return InferSameShape(operation, operands, 0, 0, inference);
    case Form::kReducePrecision:
      RETURN_IF_ERROR(CheckReducePrecision(instruction));
      return InferSameShape(operation, operands, 0, 0, inference);
    case Form::kBinary:
      return InferBinary(instruction, operands, inference);
    case Form::kBinaryScalars:
      RETURN_IF_ERROR(CheckScalars(instruction));
      return InferBinary(instruction, operands, inference);
    case Form::kCompare:
      return InferCompare(instruction, operands, inference);
    case Form::kSelect:
      return InferSelect(operation, operands, inference);
    case Form::kClamp:
      RETURN_IF_ERROR(CheckTypesEqual(operation, operands, 0));
      return InferSameShape(operation, operands, 1, 0b101, inference);
    case Form::kFma:
      RETURN_IF_ERROR(CheckTypesEqual(operation, operands, 0));
      return InferSameShape(operation, operands, 0, 0, inference);
    case Form::kQuantize:
      return InferQuantize(instruction, operands, inference);
    case Form::kDequantize:
      return InferDequantize(instruction, operands, inference);
    case Form::kBroadcastInDim: {
      ASSIGN_OR_RETURN(const auto* attribute,
                       AttributeAs<BroadcastInDimAttribute>(
                           instruction, "broadcast_in_dim"));
      ASSIGN_OR_RETURN(inference.value.shape,
                       InferBroadcastInDim(operands[0], attribute->shape,
                                           attribute->dimensions));
      return absl::OkStatus();
    }
    case Form::kTranspose:
    case Form::kReverse:
    case Form::kSlice:
    case Form::kReshape:
    case Form::kConcatenate:
    case Form::kPad:
    case Form::kIota:
    case Form::kBitcastConvert:
      return InferDataOperation(instruction, operands, inference.value);
  }
  return absl::InternalError(": no such form");
}

// Lest a pass over it overflow.
absl::Status CheckAddressable(const ValueType& value) {
  int64_t bytes = 0;
  if (value.shape.num_elements() > 0 &&
      !__builtin_mul_overflow(value.shape.num_elements(),
                              ElementBytes(value.type), &bytes)) {
    return absl::OkStatus();
  }
  const auto dense = TensorDesc::Create(value.type, value.shape);
  return dense.ok() ? absl::OkStatus()
                    : PrefixField(": result ", dense.status());
}

}  // namespace

bool IsElementwise(Form form) {
  switch (form) {
    case Form::kUnary:
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
    case Form::kReducePrecision:
    case Form::kConvert:
    case Form::kBinary:
    case Form::kBinaryScalars:
    case Form::kCompare:
    case Form::kSelect:
    case Form::kClamp:
    case Form::kFma:
    case Form::kQuantize:
    case Form::kDequantize:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Inference> InferInstruction(
    const Instruction& instruction, absl::Span<const ValueType> operands) {
  const Operation& operation = OperationOf(instruction.opcode);
  const int arity = ArityOf(operation.form);
  const int num_operands = static_cast<int>(operands.size());
  if (arity >= 0 ? num_operands != arity : num_operands == 0) {
    return FieldError("operands", num_operands, " entries; ", operation.label,
                      " takes ",
                      arity >= 0 ? absl::StrCat(arity) : "at least one");
  }
  const bool takes_broadcast = operation.form == Form::kBinary ||
                               operation.form == Form::kBinaryScalars ||
                               operation.form == Form::kCompare;
  if (!takes_broadcast && !instruction.broadcast_dimensions.empty()) {
    return FieldError("broadcast_dimensions", operation.label,
                      " takes none; use BROADCAST_IN_DIM");
  }
  RETURN_IF_ERROR(CheckAttribute(instruction));
  Inference inference;
  if (num_operands > 0) {
    const bool skips_predicate =
        operation.form == Form::kSelect && num_operands > 1;
    inference.subject = operands[skips_predicate ? 1 : 0].type;
    const bool lacks_result = operation.result_type == ResultType::kComplex &&
                              !ComplexType(inference.subject);
    if (!operation.IsDefinedOn(inference.subject) || lacks_result) {
      return FieldError("", operation.label, " is not defined on ",
                        DTypeName(inference.subject));
    }
  }
  inference.value.type = ResultTypeOf(operation, inference.subject);
  RETURN_IF_ERROR(InferShapeAndType(instruction, operands, inference));
  if (num_operands == 0) inference.subject = inference.value.type;
  RETURN_IF_ERROR(CheckAddressable(inference.value));
  return inference;
}

absl::Status AtInstruction(int64_t index, Opcode opcode,
                           const absl::Status& status) {
  const absl::string_view text = status.message();
  const size_t colon = text.find(": ");
  const absl::string_view field = text.substr(0, colon);
  return absl::Status(
      status.code(),
      absl::StrCat("instructions[", index, "]", field.empty() ? "" : ".", field,
                   " (", OperationOf(opcode).label, ")", text.substr(colon)));
}

}  // namespace stridecast
