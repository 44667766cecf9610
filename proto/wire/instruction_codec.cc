// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "proto/wire/instruction_codec.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "proto/wire/payload_codec.h"
#include "proto/wire/tensor_codec.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

using Case = v1::Instruction::AttributesCase;

// The attribute that an operation takes.
Case AttributeOf(Form form) {
  switch (form) {
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
    case Form::kBinaryScalars:
      return Case::kScalars;
    case Form::kReducePrecision:
      return Case::kReducePrecision;
    case Form::kConvert:
    case Form::kBitcastConvert:
      return Case::kConvert;
    case Form::kCompare:
      return Case::kCompare;
    case Form::kQuantize:
    case Form::kDequantize:
      return Case::kQuantize;
    case Form::kBroadcastInDim:
      return Case::kBroadcastInDim;
    case Form::kTranspose:
    case Form::kReverse:
    case Form::kConcatenate:
      return Case::kDimensions;
    case Form::kSlice:
      return Case::kSlice;
    case Form::kReshape:
      return Case::kReshape;
    case Form::kPad:
      return Case::kPad;
    case Form::kIota:
      return Case::kIota;
    case Form::kConstant:
      return Case::kConstant;
    case Form::kUnary:
    case Form::kBinary:
    case Form::kSelect:
    case Form::kClamp:
    case Form::kFma:
      break;
  }
  return Case::ATTRIBUTES_NOT_SET;
}

absl::string_view FieldName(Case attribute) {
  return v1::Instruction::descriptor()->FindFieldByNumber(attribute)->name();
}

absl::Status CheckAttribute(const Operation& operation, Case set) {
  const Case taken = AttributeOf(operation.form);
  if (set == taken) return absl::OkStatus();
  if (set != Case::ATTRIBUTES_NOT_SET) {
    return FieldError(
        FieldName(set), "set, but the operation takes ",
        taken == Case::ATTRIBUTES_NOT_SET ? "no attribute" : FieldName(taken));
  }
  if (taken == Case::kScalars) return absl::OkStatus();
  return FieldError(FieldName(taken), "not set; required");
}

absl::StatusOr<ConstantAttribute> ConstantFromProto(
    const v1::Constant& message, int64_t& typed_elements_left) {
  if (!message.has_desc()) {
    return FieldError("desc", "not set; required");
  }
  ConstantAttribute constant;
  auto desc = TensorDescFromProto(message.desc());
  if (!desc.ok()) return PrefixField("desc.", desc.status());
  constant.desc = *std::move(desc);
  const v1::Payload& payload = message.payload();
  const auto kind =
      CheckPayload(constant.desc, static_cast<int64_t>(payload.raw().size()),
                   payload, typed_elements_left);
  if (!kind.ok()) return PrefixField("payload.", kind.status());
  if (*kind == PayloadKind::kTyped) {
    constant.data.resize(static_cast<size_t>(constant.desc.size_bytes()));
    RETURN_IF_ERROR(PrefixField(
        "payload.",
        ListToBytes(constant.desc, payload,
                    reinterpret_cast<std::byte*>(constant.data.data()))));
  } else {
    constant.data = payload.raw();
  }
  return constant;
}

absl::StatusOr<DimVector> RequiredShape(bool is_set, const v1::Shape& shape) {
  if (!is_set) return FieldError("shape", "not set; required");
  return DimsFromProto(shape.dimensions());
}

absl::StatusOr<BroadcastInDimAttribute> BroadcastInDimFromProto(
    const v1::BroadcastInDim& message) {
  BroadcastInDimAttribute attribute;
  ASSIGN_OR_RETURN(attribute.shape,
                   RequiredShape(message.has_shape(), message.shape()));
  attribute.dimensions = DimsFromProto(message.dimensions());
  return attribute;
}

absl::StatusOr<CompareAttribute> CompareFromProto(const v1::Compare& message) {
  if (message.direction() == v1::Compare::DIRECTION_UNSPECIFIED ||
      !v1::Compare::Direction_IsValid(message.direction())) {
    return FieldError("direction", static_cast<int>(message.direction()),
                      " is not a direction of this server");
  }
  return CompareAttribute{
      static_cast<CompareAttribute::Direction>(message.direction()),
      message.total_order()};
}

absl::StatusOr<QuantizeAttribute> QuantizeFromProto(
    const v1::Quantize& message) {
  ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.type(), "type"));
  return QuantizeAttribute{type, DimsFromProto(message.broadcast_dimensions())};
}

absl::StatusOr<IotaAttribute> IotaFromProto(const v1::Iota& message) {
  ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.type(), "type"));
  ASSIGN_OR_RETURN(DimVector shape,
                   RequiredShape(message.has_shape(), message.shape()));
  return IotaAttribute{type, std::move(shape), message.dimension()};
}

ScalarsAttribute ScalarsFromProto(const v1::Scalars& message) {
  ScalarsAttribute scalars;
  if (message.has_alpha()) scalars.alpha = message.alpha();
  if (message.has_beta()) scalars.beta = message.beta();
  return scalars;
}

// `decoded` as an Attribute; its error with the path of the attribute's field.
template <typename T>
absl::StatusOr<Attribute> Under(Case field, absl::StatusOr<T> decoded) {
  if (!decoded.ok()) {
    return PrefixField(absl::StrCat(FieldName(field), "."), decoded.status());
  }
  return Attribute(*std::move(decoded));
}

absl::StatusOr<Attribute> AttributeFromProto(const v1::Instruction& message,
                                             int64_t& typed_elements_left) {
  const Case set = message.attributes_case();
  switch (set) {
    case Case::kConstant:
      return Under(set,
                   ConstantFromProto(message.constant(), typed_elements_left));
    case Case::kBroadcastInDim:
      return Under(set, BroadcastInDimFromProto(message.broadcast_in_dim()));
    case Case::kDimensions:
      return DimensionsAttribute{
          DimsFromProto(message.dimensions().dimensions())};
    case Case::kSlice:
      return SliceAttribute{DimsFromProto(message.slice().start()),
                            DimsFromProto(message.slice().limit()),
                            DimsFromProto(message.slice().step())};
    case Case::kPad:
      return PadAttribute{DimsFromProto(message.pad().low()),
                          DimsFromProto(message.pad().high()),
                          DimsFromProto(message.pad().interior())};
    case Case::kReshape:
      return ReshapeAttribute{DimsFromProto(message.reshape().dimensions())};
    case Case::kConvert:
      return Under(set, ConvertFromProto(message.convert()));
    case Case::kCompare:
      return Under(set, CompareFromProto(message.compare()));
    case Case::kReducePrecision:
      return ReducePrecisionAttribute{
          message.reduce_precision().exponent_bits(),
          message.reduce_precision().mantissa_bits()};
    case Case::kScalars:
      return ScalarsFromProto(message.scalars());
    case Case::kQuantize:
      return Under(set, QuantizeFromProto(message.quantize()));
    case Case::kIota:
      return Under(set, IotaFromProto(message.iota()));
    case Case::ATTRIBUTES_NOT_SET:
      break;
  }
  return Attribute();
}

// The error with the operation's name after its field: "slice (SLICE): ...".
absl::Status WithOpcode(const Operation& operation,
                        const absl::Status& status) {
  const absl::string_view text = status.message();
  const size_t end = std::min(text.find(": "), text.size());
  return absl::Status(status.code(),
                      absl::StrCat(text.substr(0, end), " (", operation.label,
                                   ")", text.substr(end)));
}

// Everything but the opcode.
absl::StatusOr<Instruction> InstructionOf(const Operation& operation,
                                          const v1::Instruction& message,
                                          int64_t& typed_elements_left) {
  RETURN_IF_ERROR(CheckAttribute(operation, message.attributes_case()));
  if (!message.broadcast_dimensions().empty() &&
      operation.form != Form::kBinary &&
      operation.form != Form::kBinaryScalars &&
      operation.form != Form::kCompare) {
    return FieldError("broadcast_dimensions",
                      "set, but only binary operations broadcast");
  }
  Instruction instruction;
  instruction.opcode = operation.opcode;
  instruction.operands.assign(message.operands().begin(),
                              message.operands().end());
  instruction.broadcast_dimensions =
      DimsFromProto(message.broadcast_dimensions());
  ASSIGN_OR_RETURN(instruction.attribute,
                   AttributeFromProto(message, typed_elements_left));
  if (TakesScalars(operation.form) &&
      std::holds_alternative<std::monostate>(instruction.attribute)) {
    instruction.attribute = ScalarsAttribute();
  }
  return instruction;
}

// Writes the attribute's alternative into its field.
struct AttributeWriter {
  v1::Instruction& message;

  void operator()(std::monostate) const {}
  void operator()(const ConstantAttribute& constant) const {
    v1::Constant& field = *message.mutable_constant();
    *field.mutable_desc() = TensorDescToProto(constant.desc);
    field.mutable_payload()->set_raw(constant.data);
  }
  void operator()(const BroadcastInDimAttribute& attribute) const {
    v1::BroadcastInDim& field = *message.mutable_broadcast_in_dim();
    DimsToProto(attribute.shape, field.mutable_shape()->mutable_dimensions());
    DimsToProto(attribute.dimensions, field.mutable_dimensions());
  }
  void operator()(const DimensionsAttribute& attribute) const {
    DimsToProto(attribute.dimensions,
                message.mutable_dimensions()->mutable_dimensions());
  }
  void operator()(const SliceAttribute& slice) const {
    v1::Slice& field = *message.mutable_slice();
    DimsToProto(slice.start, field.mutable_start());
    DimsToProto(slice.limit, field.mutable_limit());
    DimsToProto(slice.step, field.mutable_step());
  }
  void operator()(const PadAttribute& pad) const {
    v1::Pad& field = *message.mutable_pad();
    DimsToProto(pad.low, field.mutable_low());
    DimsToProto(pad.high, field.mutable_high());
    DimsToProto(pad.interior, field.mutable_interior());
  }
  void operator()(const ReshapeAttribute& reshape) const {
    DimsToProto(reshape.shape, message.mutable_reshape()->mutable_dimensions());
  }
  void operator()(const ConvertAttribute& convert) const {
    *message.mutable_convert() = ConvertToProto(convert);
  }
  void operator()(const CompareAttribute& compare) const {
    message.mutable_compare()->set_direction(
        static_cast<v1::Compare::Direction>(compare.direction));
    message.mutable_compare()->set_total_order(compare.total_order);
  }
  void operator()(const ReducePrecisionAttribute& attribute) const {
    v1::ReducePrecision& field = *message.mutable_reduce_precision();
    field.set_exponent_bits(attribute.exponent_bits);
    field.set_mantissa_bits(attribute.mantissa_bits);
  }
  void operator()(const ScalarsAttribute& scalars) const {
    v1::Scalars& field = *message.mutable_scalars();
    if (scalars.alpha) field.set_alpha(*scalars.alpha);
    if (scalars.beta) field.set_beta(*scalars.beta);
  }
  void operator()(const QuantizeAttribute& quantize) const {
    v1::Quantize& field = *message.mutable_quantize();
    field.set_type(DTypeToProto(quantize.type));
    DimsToProto(quantize.broadcast_dimensions,
                field.mutable_broadcast_dimensions());
  }
  void operator()(const IotaAttribute& iota) const {
    v1::Iota& field = *message.mutable_iota();
    field.set_type(DTypeToProto(iota.type));
    DimsToProto(iota.shape, field.mutable_shape()->mutable_dimensions());
    field.set_dimension(iota.dimension);
  }
};

}  // namespace

absl::StatusOr<ConvertAttribute> ConvertFromProto(const v1::Convert& message) {
  ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.type(), "type"));
  if (!v1::Convert::Overflow_IsValid(message.overflow())) {
    return FieldError("overflow", static_cast<int>(message.overflow()),
                      " is not an overflow rule of this server");
  }
  return ConvertAttribute{type, static_cast<Overflow>(message.overflow())};
}

v1::Convert ConvertToProto(const ConvertAttribute& convert) {
  v1::Convert message;
  message.set_type(DTypeToProto(convert.type));
  message.set_overflow(static_cast<v1::Convert::Overflow>(convert.overflow));
  return message;
}

absl::StatusOr<Instruction> InstructionFromProto(const v1::Instruction& message,
                                                 int64_t& typed_elements_left) {
  if (message.opcode() == v1::Instruction::OPCODE_UNSPECIFIED) {
    return FieldError("opcode", "OPCODE_UNSPECIFIED; an operation is required");
  }
  const Operation* operation = FindOperation(message.opcode());
  if (operation == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("opcode: ", static_cast<int>(message.opcode()),
                     " is not an operation of this server"));
  }
  auto instruction = InstructionOf(*operation, message, typed_elements_left);
  if (!instruction.ok()) return WithOpcode(*operation, instruction.status());
  return instruction;
}

v1::Instruction InstructionToProto(const Instruction& instruction) {
  v1::Instruction message;
  message.set_opcode(static_cast<v1::Instruction::Opcode>(instruction.opcode));
  message.mutable_operands()->Assign(instruction.operands.begin(),
                                     instruction.operands.end());
  DimsToProto(instruction.broadcast_dimensions,
              message.mutable_broadcast_dimensions());
  std::visit(AttributeWriter{message}, instruction.attribute);
  return message;
}

}  // namespace stridecast
