// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/program.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/program/infer.h"
#include "stridecast/operation.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Also of one that only a newer server knows.
std::string LabelOf(Opcode opcode) {
  const auto number = static_cast<int>(opcode);
  const Operation* const operation = FindOperation(number);
  return operation == nullptr ? absl::StrCat("opcode ", number)
                              : std::string(operation->label);
}

using Direction = CompareAttribute::Direction;

// Negative numbers count from the end of `rank` dimensions. Those that still
// are none are left for the server to refuse.
int64_t Resolved(int64_t dimension, int64_t rank) {
  return dimension < 0 && dimension >= -rank ? dimension + rank : dimension;
}
DimVector Resolved(DimVector dimensions, int64_t rank) {
  for (int64_t& dimension : dimensions) dimension = Resolved(dimension, rank);
  return dimensions;
}

// The dimensions of an order count from the end, too.
PhysicalForm Resolved(PhysicalForm form) {
  if (auto* const order = std::get_if<DimensionOrder>(&form)) {
    const auto rank = static_cast<int64_t>(order->minor_to_major.size());
    order->minor_to_major = Resolved(std::move(order->minor_to_major), rank);
  }
  return form;
}

// 0 if the server is to say what is wrong with the value.
int64_t RankOf(Value value) {
  const auto type = value.builder().TypeOf(value);
  return type.ok() ? type->shape.rank() : 0;
}

bool IsScalar(const ConstantAttribute& constant, DType type,
              absl::string_view element) {
  return constant.desc.rank() == 0 && constant.desc.type() == type &&
         constant.data == element;
}

}  // namespace

bool ProgramBuilder::IsForeign(Value value) const {
  return value.builder_ != this;
}

Value ProgramBuilder::Fail(const absl::Status& fault) {
  if (fault_.ok()) fault_ = fault;
  return Value(this, Value::Kind::kNothing, 0);
}

Value ProgramBuilder::Parameter(const TensorDesc& desc) {
  parameters_.push_back(desc);
  return Value(this, Value::Kind::kParameter, parameters_.size() - 1);
}

absl::StatusOr<ValueType> ProgramBuilder::Infer(
    const Instruction& instruction, absl::Span<const Value> operands) const {
  if (FindOperation(static_cast<int>(instruction.opcode)) == nullptr) {
    return absl::UnimplementedError(absl::StrCat("this library does not know ",
                                                 LabelOf(instruction.opcode),
                                                 ", nor its type"));
  }
  absl::InlinedVector<ValueType, 3> types;
  for (Value operand : operands) {
    ASSIGN_OR_RETURN(ValueType type, TypeOf(operand));
    types.push_back(std::move(type));
  }
  auto inference = InferInstruction(instruction, types);
  if (inference.ok()) return std::move(inference->value);
  return AtInstruction(static_cast<int64_t>(instructions_.size()),
                       instruction.opcode, inference.status());
}

Value ProgramBuilder::Append(Opcode opcode, absl::Span<const Value> operands,
                             Attribute attribute,
                             DimVector broadcast_dimensions) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (IsForeign(operands[i])) {
      return Fail(absl::InvalidArgumentError(
          absl::StrCat("operand ", i, " of ", LabelOf(opcode),
                       " is a value of another ProgramBuilder")));
    }
    if (operands[i].kind_ == Value::Kind::kNothing) return operands[i];
  }
  Instruction instruction{
      opcode, {}, std::move(broadcast_dimensions), std::move(attribute)};
  auto type = Infer(instruction, operands);
  instructions_.push_back({std::move(instruction),
                           {operands.begin(), operands.end()},
                           std::move(type)});
  return Value(this, Value::Kind::kInstruction, instructions_.size() - 1);
}

Value ProgramBuilder::Constant(const TensorView& tensor) {
  const auto size = static_cast<size_t>(tensor.desc.size_bytes());
  if (size > 0 && tensor.data == nullptr) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("a constant of ", size, " bytes without data")));
  }
  return Append(
      Opcode::kConstant, {},
      ConstantAttribute{
          tensor.desc,
          size == 0
              ? std::string()
              : std::string(reinterpret_cast<const char*>(tensor.data), size)});
}

Value ProgramBuilder::Scalar(const Number& number, DType type) {
  auto element = ElementOf(number, type);
  if (!element.ok()) return Fail(element.status());
  // A program of a hundred "+ 1" needs one.
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const auto* former =
        std::get_if<ConstantAttribute>(&instructions_[i].instruction.attribute);
    if (former != nullptr && IsScalar(*former, type, *element)) {
      return Value(this, Value::Kind::kInstruction, i);
    }
  }
  return Append(
      Opcode::kConstant, {},
      ConstantAttribute{*TensorDesc::Create(type, {}), *std::move(element)});
}

Value ProgramBuilder::Iota(DType type, DimVector shape, int64_t dimension) {
  const auto rank = static_cast<int64_t>(shape.size());
  return Append(
      Opcode::kIota, {},
      IotaAttribute{type, std::move(shape), Resolved(dimension, rank)});
}

Value ProgramBuilder::Unary(Opcode opcode, Value x) {
  return Append(opcode, {x});
}

Value ProgramBuilder::WithScalars(Opcode opcode, Value x,
                                  ScalarsAttribute scalars) {
  return Append(opcode, {x}, scalars);
}

Value ProgramBuilder::Binary(Opcode opcode, Value x, Value y,
                             DimVector broadcast_dimensions) {
  const int64_t rank = std::max(RankOf(x), RankOf(y));
  return Append(opcode, {x, y}, {},
                Resolved(std::move(broadcast_dimensions), rank));
}

Value ProgramBuilder::Compare(Value x, Value y, CompareAttribute compare,
                              DimVector broadcast_dimensions) {
  const int64_t rank = std::max(RankOf(x), RankOf(y));
  return Append(Opcode::kCompare, {x, y}, compare,
                Resolved(std::move(broadcast_dimensions), rank));
}

Value ProgramBuilder::Eq(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kEq}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Ne(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kNe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Ge(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kGe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Gt(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kGt}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Le(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kLe}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::Lt(Value x, Value y, DimVector broadcast_dimensions) {
  return Compare(x, y, {Direction::kLt}, std::move(broadcast_dimensions));
}

Value ProgramBuilder::IsClose(Value x, Value y, std::optional<double> relative,
                              std::optional<double> absolute,
                              DimVector broadcast_dimensions) {
  const int64_t rank = std::max(RankOf(x), RankOf(y));
  return Append(Opcode::kIsClose, {x, y}, ScalarsAttribute{relative, absolute},
                Resolved(std::move(broadcast_dimensions), rank));
}

Value ProgramBuilder::Select(Value pred, Value on_true, Value on_false) {
  return Append(Opcode::kSelect, {pred, on_true, on_false});
}

Value ProgramBuilder::Clamp(Value low, Value x, Value high) {
  return Append(Opcode::kClamp, {low, x, high});
}

Value ProgramBuilder::Fma(Value x, Value y, Value z) {
  return Append(Opcode::kFma, {x, y, z});
}

Value ProgramBuilder::Convert(Value x, DType type, Overflow overflow) {
  return Append(Opcode::kConvert, {x}, ConvertAttribute{type, overflow});
}

Value ProgramBuilder::BitcastConvert(Value x, DType type) {
  return Append(Opcode::kBitcastConvert, {x}, ConvertAttribute{type});
}

Value ProgramBuilder::ReducePrecision(Value x, int32_t exponent_bits,
                                      int32_t mantissa_bits) {
  return Append(Opcode::kReducePrecision, {x},
                ReducePrecisionAttribute{exponent_bits, mantissa_bits});
}

Value ProgramBuilder::Quantize(Value x, Value scale, Value zero_point,
                               DType type, DimVector broadcast_dimensions) {
  const int64_t rank = RankOf(x);
  return Append(
      Opcode::kQuantize, {x, scale, zero_point},
      QuantizeAttribute{type, Resolved(std::move(broadcast_dimensions), rank)});
}

Value ProgramBuilder::Dequantize(Value q, Value scale, Value zero_point,
                                 DimVector broadcast_dimensions) {
  const auto type = TypeOf(scale);
  if (!type.ok()) return Fail(type.status());
  const int64_t rank = RankOf(q);
  return Append(
      Opcode::kDequantize, {q, scale, zero_point},
      QuantizeAttribute{type->type,
                        Resolved(std::move(broadcast_dimensions), rank)});
}

Value ProgramBuilder::BroadcastInDim(Value x, DimVector shape,
                                     DimVector dimensions) {
  const auto rank = static_cast<int64_t>(shape.size());
  return Append(Opcode::kBroadcastInDim, {x},
                BroadcastInDimAttribute{std::move(shape),
                                        Resolved(std::move(dimensions), rank)});
}

Value ProgramBuilder::Transpose(Value x, DimVector permutation) {
  return Append(
      Opcode::kTranspose, {x},
      DimensionsAttribute{Resolved(std::move(permutation), RankOf(x))});
}

Value ProgramBuilder::Reverse(Value x, DimVector dimensions) {
  return Append(
      Opcode::kReverse, {x},
      DimensionsAttribute{Resolved(std::move(dimensions), RankOf(x))});
}

Value ProgramBuilder::Slice(Value x, DimVector start, DimVector limit,
                            DimVector step) {
  return Append(
      Opcode::kSlice, {x},
      SliceAttribute{std::move(start), std::move(limit), std::move(step)});
}

Value ProgramBuilder::Reshape(Value x, DimVector shape) {
  const auto rest = std::find(shape.begin(), shape.end(), -1);
  const auto type = TypeOf(x);
  if (rest != shape.end() && type.ok()) {
    *rest = 1;
    const auto others = Shape::Create(shape);
    const bool divides =
        others.ok() && others->num_elements() > 0 &&
        type->shape.num_elements() % others->num_elements() == 0;
    // Where nothing fits, -1 stays and is refused.
    *rest = divides ? type->shape.num_elements() / others->num_elements() : -1;
  }
  return Append(Opcode::kReshape, {x}, ReshapeAttribute{std::move(shape)});
}

Value ProgramBuilder::Concatenate(absl::Span<const Value> values,
                                  int64_t dimension) {
  const int64_t rank = values.empty() ? 0 : RankOf(values[0]);
  return Append(Opcode::kConcatenate, values,
                DimensionsAttribute{{Resolved(dimension, rank)}});
}

Value ProgramBuilder::Pad(Value x, Value value, DimVector low, DimVector high,
                          DimVector interior) {
  if (interior.empty()) interior.resize(low.size(), 0);
  return Append(
      Opcode::kPad, {x, value},
      PadAttribute{std::move(low), std::move(high), std::move(interior)});
}

void ProgramBuilder::AddResult(PendingResult result) {
  if (IsForeign(result.value)) {
    Fail(absl::InvalidArgumentError(absl::StrCat(
        "result ", results_.size(), " is a value of another ProgramBuilder")));
    return;
  }
  results_.push_back(std::move(result));
}

void ProgramBuilder::Result(Value value, const PhysicalForm& form) {
  AddResult({value, std::nullopt, std::nullopt, Resolved(form)});
}

void ProgramBuilder::Result(Value value, const TensorDesc& expected) {
  const auto extents = expected.shape().extents();
  AddResult({value, expected.type(), DimVector(extents.begin(), extents.end()),
             expected.layout().form()});
}

absl::StatusOr<ValueType> ProgramBuilder::TypeOf(Value value) const {
  if (IsForeign(value)) {
    return absl::InvalidArgumentError("a value of another ProgramBuilder");
  }
  switch (value.kind_) {
    case Value::Kind::kParameter: {
      const TensorDesc& desc = parameters_[value.index_];
      return ValueType{desc.type(), desc.shape()};
    }
    case Value::Kind::kInstruction:
      return instructions_[value.index_].type;
    case Value::Kind::kNothing:
      break;
  }
  return fault_;
}

absl::StatusOr<Signature> ProgramBuilder::Build() const {
  if (!fault_.ok()) return fault_;
  // Instructions are numbered after all parameters, which only now are known.
  const auto num_parameters = static_cast<uint32_t>(parameters_.size());
  const auto id_of = [num_parameters](Value value) {
    return value.kind_ == Value::Kind::kParameter
               ? value.index_
               : num_parameters + value.index_;
  };
  Signature signature;
  signature.operands = parameters_;
  for (const PendingInstruction& pending : instructions_) {
    Instruction& instruction =
        signature.instructions.emplace_back(pending.instruction);
    for (Value operand : pending.operands) {
      instruction.operands.push_back(id_of(operand));
    }
  }
  for (const PendingResult& pending : results_) {
    signature.results.push_back(
        {id_of(pending.value), pending.type, pending.shape, pending.form});
  }
  return signature;
}

Signature RelayoutSignature(const TensorDesc& operand,
                            const PhysicalForm& result_form,
                            const std::optional<ConvertAttribute>& convert) {
  Signature signature;
  signature.operands = {operand};
  if (convert) {
    signature.instructions.push_back({Opcode::kConvert, {0}, {}, *convert});
  }
  signature.results.push_back({std::nullopt, {}, {}, Resolved(result_form)});
  return signature;
}

Signature RelayoutSignature(const TensorDesc& operand, const TensorDesc& result,
                            Overflow overflow) {
  std::optional<ConvertAttribute> convert;
  if (operand.type() != result.type()) {
    convert = ConvertAttribute{result.type(), overflow};
  }
  Signature signature =
      RelayoutSignature(operand, result.layout().form(), convert);
  const auto extents = result.shape().extents();
  signature.results[0].type = result.type();
  signature.results[0].shape = DimVector(extents.begin(), extents.end());
  return signature;
}

}  // namespace stridecast
