// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/element_reference.h"

#include <cstring>
#include <vector>

#include "stridecast/request.h"
#include "tests/support/judge.h"
#include "tests/support/numbers.h"
#include "tests/support/reference.h"
#include "tests/support/ulp_bound.h"

namespace stridecast::kernel_tests {
namespace {

using ::stridecast::testing::Element;
using ::stridecast::testing::LogicalTensor;

Instruction InstructionOf(const Subject& kernel) {
  Instruction instruction;
  instruction.opcode = kernel.opcode;
  instruction.attribute = kernel.attribute;
  return instruction;
}

Element Load(DType type, const std::byte* bytes) {
  const size_t part_bytes = static_cast<size_t>(ElementBytes(RealType(type)));
  Element element;
  std::memcpy(&element.bits, bytes, part_bytes);
  if (IsComplex(type)) {
    std::memcpy(&element.imag_bits, bytes + part_bytes, part_bytes);
  }
  return element;
}

void Store(DType type, const Element& element, std::byte* bytes) {
  const size_t part_bytes = static_cast<size_t>(ElementBytes(RealType(type)));
  std::memcpy(bytes, &element.bits, part_bytes);
  if (IsComplex(type)) {
    std::memcpy(bytes + part_bytes, &element.imag_bits, part_bytes);
  }
}

struct Elements {
  Elements(const Subject& kernel, const std::byte* const* operands)
      : count(ArityOf(kernel)) {
    const auto types = OperandTypes(kernel);
    for (int k = 0; k < count; ++k) values[k] = Load(types[k], operands[k]);
  }
  int count;
  Element values[3];
};

}  // namespace

DType ReferenceResultType(const Subject& kernel) {
  const auto types = OperandTypes(kernel);
  LogicalTensor operands[3];
  std::vector<const LogicalTensor*> pointers;
  for (size_t k = 0; k < types.size(); ++k) {
    operands[k].type = types[k];
    pointers.push_back(&operands[k]);
  }
  return testing::ReferenceShape(InstructionOf(kernel), pointers).type;
}

bool IsExact(const Subject& kernel) {
  return testing::IsExact(kernel.opcode, kernel.type);
}

void ComputeReference(const Subject& kernel, const std::byte* const* operands,
                      std::byte* result) {
  const Elements elements(kernel, operands);
  Store(ReferenceResultType(kernel),
        testing::ReferenceElement(
            InstructionOf(kernel), kernel.type,
            absl::MakeConstSpan(elements.values,
                                static_cast<size_t>(elements.count))),
        result);
}

std::string CheckBound(const Subject& kernel, const std::byte* const* operands,
                       const std::byte* got) {
  const Elements elements(kernel, operands);
  return testing::CompareElement(InstructionOf(kernel), kernel.type,
                                 elements.values[0], elements.values[1],
                                 Load(ReferenceResultType(kernel), got));
}

}  // namespace stridecast::kernel_tests
