// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/program.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/tensor/checked_math.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

absl::Status CheckCount(absl::string_view field, size_t count, int64_t limit) {
  if (static_cast<int64_t>(count) <= limit) return absl::OkStatus();
  return FieldError(field, count, " entries; the limit is ", limit);
}

absl::Status CheckOperandReferences(const Signature& signature, int64_t limit) {
  int64_t total = 0;
  for (size_t i = 0; i < signature.instructions.size(); ++i) {
    const Instruction& instruction = signature.instructions[i];
    total += static_cast<int64_t>(instruction.operands.size());
    if (total > limit) {
      return AtInstruction(
          static_cast<int64_t>(i), instruction.opcode,
          FieldError("operands", total,
                     " operands of instructions up to here; the limit is ",
                     limit));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckConstantBytes(const Signature& signature, int64_t limit) {
  int64_t total_bytes = 0;
  for (size_t i = 0; i < signature.instructions.size(); ++i) {
    const auto* constant =
        std::get_if<ConstantAttribute>(&signature.instructions[i].attribute);
    if (constant == nullptr) continue;
    const auto data_bytes = static_cast<int64_t>(constant->data.size());
    const Opcode opcode = signature.instructions[i].opcode;
    if (data_bytes != constant->desc.size_bytes()) {
      return AtInstruction(
          static_cast<int64_t>(i), opcode,
          FieldError("constant.payload", data_bytes, " bytes; ",
                     constant->desc.ToString(), " implies ",
                     constant->desc.size_bytes()));
    }
    total_bytes += data_bytes;
    if (total_bytes > limit) {
      return AtInstruction(static_cast<int64_t>(i), opcode,
                           absl::ResourceExhaustedError(absl::StrCat(
                               "constant.payload: ", total_bytes,
                               " bytes of constants up to here; the limit is ",
                               limit, ", send larger ones as operands")));
    }
  }
  return absl::OkStatus();
}

// What a result is filled with must be defined; an operand's is never looked
// at.
absl::Status CheckFill(const TensorDesc& desc) {
  const PaddingValue value = desc.layout().padding_value();
  const bool is_ordered =
      value != PaddingValue::kLowest && value != PaddingValue::kHighest;
  if (is_ordered || !IsComplex(desc.type()) ||
      desc.layout().num_slots() == desc.shape().num_elements()) {
    return absl::OkStatus();
  }
  return FieldError("layout.padding_value",
                    value == PaddingValue::kLowest ? "LOWEST" : "HIGHEST",
                    "_PAD is not defined for ", DTypeName(desc.type()),
                    ", complex numbers have no order");
}

absl::Status CheckWritable(const TensorDesc& desc) {
  const auto* strided = std::get_if<ElementStrides>(&desc.layout().form());
  if (strided == nullptr) return absl::OkStatus();
  for (int d = 0; d < desc.rank(); ++d) {
    if (desc.shape().extent(d) > 1 && strided->strides[d] < 0) {
      return FieldError(absl::StrCat("strides.strides[", d, "]"),
                        strided->strides[d], " is negative; results take none");
    }
  }
  if (!desc.layout().IsUnique()) {
    return FieldError("strides.strides", ListToString(strided->strides), " on ",
                      ShapeToString(desc.type(), desc.shape()),
                      " are not provably non-overlapping: by ascending stride, "
                      "each must exceed the reach of all smaller ones");
  }
  return absl::OkStatus();
}

// The value that is to be stored.
absl::StatusOr<int> CheckResultValue(const ResultSpec& spec,
                                     const std::vector<Inference>& inferences) {
  const auto num_values = static_cast<int64_t>(inferences.size());
  if (num_values == 0) {
    return FieldError("value",
                      "there are no values: the program has neither "
                      "operands nor instructions");
  }
  const int64_t id = spec.value.value_or(num_values - 1);
  if (id >= num_values) {
    return FieldError("value", id, " is not in [0,", num_values, ")");
  }
  const ValueType& value = inferences[id].value;
  if (spec.type && *spec.type != value.type) {
    return FieldError("type", DTypeName(*spec.type), " stated, but value ", id,
                      " is ", ShapeToString(value.type, value.shape));
  }
  if (spec.shape &&
      absl::Span<const int64_t>(*spec.shape) != value.shape.extents()) {
    return FieldError("shape", ListToString(*spec.shape), " stated, but value ",
                      id, " is ", ShapeToString(value.type, value.shape));
  }
  return static_cast<int>(id);
}

}  // namespace

absl::Status Program::AddResult(const ResultSpec& spec) {
  ASSIGN_OR_RETURN(const int id, CheckResultValue(spec, inferences_));
  const ValueType& value = inferences_[id].value;
  ASSIGN_OR_RETURN(TensorDesc desc,
                   TensorDesc::Create(value.type, value.shape, spec.form));
  RETURN_IF_ERROR(CheckFill(desc));
  RETURN_IF_ERROR(CheckWritable(desc));
  results_.push_back(std::move(desc));
  result_values_.push_back(id);
  return absl::OkStatus();
}

absl::StatusOr<Program> Program::Create(const Signature& signature,
                                        const ProgramLimits& limits) {
  RETURN_IF_ERROR(
      CheckCount("operands", signature.operands.size(), limits.max_operands));
  RETURN_IF_ERROR(CheckCount("instructions", signature.instructions.size(),
                             limits.max_instructions));
  RETURN_IF_ERROR(
      CheckCount("results", signature.results.size(), limits.max_results));
  if (signature.results.empty()) {
    return FieldError("results", "none; name at least one");
  }
  RETURN_IF_ERROR(
      CheckOperandReferences(signature, limits.max_operand_references));
  RETURN_IF_ERROR(CheckConstantBytes(signature, limits.max_constant_bytes));

  Program program;
  program.operands_ = signature.operands;
  program.instructions_ = signature.instructions;
  program.inferences_.reserve(signature.operands.size() +
                              signature.instructions.size());
  program.results_.reserve(signature.results.size());
  for (const TensorDesc& operand : signature.operands) {
    Inference inference;
    inference.value = {operand.type(), operand.shape()};
    inference.subject = operand.type();
    program.inferences_.push_back(std::move(inference));
  }
  for (size_t i = 0; i < signature.instructions.size(); ++i) {
    const Instruction& instruction = signature.instructions[i];
    absl::InlinedVector<ValueType, 3> operands;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const uint32_t id = instruction.operands[k];
      if (id >= program.inferences_.size()) {
        return AtInstruction(
            static_cast<int64_t>(i), instruction.opcode,
            FieldError(absl::StrCat("operands[", k, "]"), "value ", id,
                       " is not defined before this instruction, whose value "
                       "is ",
                       program.inferences_.size()));
      }
      operands.push_back(program.inferences_[id].value);
    }
    auto inference = InferInstruction(instruction, operands);
    if (!inference.ok()) {
      return AtInstruction(static_cast<int64_t>(i), instruction.opcode,
                           inference.status());
    }
    program.inferences_.push_back(*std::move(inference));
  }
  for (size_t i = 0; i < signature.results.size(); ++i) {
    const absl::Status status = program.AddResult(signature.results[i]);
    if (!status.ok()) {
      return PrefixField(absl::StrCat("results[", i, "]."), status);
    }
  }
  return program;
}

}  // namespace stridecast
