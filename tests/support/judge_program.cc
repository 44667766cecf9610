// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Judges programs.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/judge.h"

namespace stridecast::testing {
namespace {

// The types of all values: operands, then one per instruction.
std::vector<LogicalTensor> ShapesOf(const Signature& signature) {
  std::vector<LogicalTensor> values;
  for (const TensorDesc& desc : signature.operands) {
    const auto extents = desc.shape().extents();
    values.push_back(
        {desc.type(), DimVector(extents.begin(), extents.end()), {}});
  }
  for (const Instruction& instruction : signature.instructions) {
    std::vector<const LogicalTensor*> arguments;
    for (uint32_t value : instruction.operands) {
      arguments.push_back(&values[value]);
    }
    values.push_back(ReferenceShape(instruction, arguments));
  }
  return values;
}

bool IsInexact(const Instruction& instruction,
               absl::Span<const LogicalTensor> values) {
  return !instruction.operands.empty() &&
         !IsExact(instruction.opcode, values[instruction.operands[0]].type);
}

// What is wrong with the elements of `observed`; says the first.
std::string CompareValue(const Instruction& instruction,
                         absl::Span<const LogicalTensor* const> arguments,
                         const LogicalTensor& observed) {
  const std::vector<std::vector<Element>> operands =
      AlignedOperands(instruction, arguments);
  for (size_t i = 0; i < observed.elements.size(); ++i) {
    const Element y = operands.size() > 1 ? operands[1][i] : Element();
    const std::string wrong =
        CompareElement(instruction, arguments[0]->type, operands[0][i], y,
                       observed.elements[i]);
    if (!wrong.empty()) return absl::StrCat("element ", i, ": ", wrong);
  }
  return "";
}

}  // namespace

Signature Observing(const Signature& signature) {
  const std::vector<LogicalTensor> values = ShapesOf(signature);
  Signature observing{signature.operands, signature.instructions, {}};
  for (size_t i = 0; i < signature.instructions.size(); ++i) {
    if (!IsInexact(signature.instructions[i], values)) continue;
    ResultSpec spec;
    spec.value = static_cast<uint32_t>(signature.operands.size() + i);
    observing.results.push_back(std::move(spec));
  }
  return observing;
}

Judgement Judge(const Signature& signature, absl::Span<const Bytes> operands,
                absl::Span<const Bytes> observed) {
  Judgement judgement;
  size_t next = 0;
  const std::vector<LogicalTensor> values = EvaluateProgram(
      signature, operands,
      [&](const Instruction& instruction,
          absl::Span<const LogicalTensor* const> arguments) {
        if (instruction.operands.empty() ||
            IsExact(instruction.opcode, arguments[0]->type)) {
          return ReferenceInstruction(instruction, arguments);
        }
        const LogicalTensor shape = ReferenceShape(instruction, arguments);
        LogicalTensor value =
            ReadTensor(shape.type, shape.shape, {}, observed[next]);
        const std::string wrong = CompareValue(instruction, arguments, value);
        if (!wrong.empty()) {
          absl::StrAppend(&judgement.wrong, "inexact value ", next, " ", wrong);
        }
        ++next;
        return value;
      });
  judgement.expected = ResultsOf(signature, values);
  return judgement;
}

}  // namespace stridecast::testing
