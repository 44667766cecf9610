// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The oracle: what a Signature means, evaluated the plain way. Every value is
// computed whole, one element after another in logical row-major order, as
// SEMANTICS.md says; then results are laid out. Nothing is fused, viewed or
// avoided. It shares no code with core/program, plan, kernels and exec, and
// does its own layout and floating-point conversion arithmetic.
// Operations with a stated error are correctly rounded here; how to judge an
// engine that need not do so: judge.h.
// Rule: callers pass valid signatures only; what is invalid is for tests of
// Prepare.

#ifndef STRIDECAST_TESTS_SUPPORT_REFERENCE_H_
#define STRIDECAST_TESTS_SUPPORT_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "stridecast/request.h"
#include "stridecast/tensor.h"
#include "tests/support/numbers.h"

namespace stridecast::testing {

using Bytes = std::vector<std::byte>;

// A value of a program: its elements in row-major order, whatever the layout.
struct LogicalTensor {
  DType type = DType::kF32;
  DimVector shape;
  std::vector<Element> elements;
};

// The whole oracle: the bytes of each operand in, those of each result out.
std::vector<Bytes> Reference(const Signature& signature,
                             absl::Span<const Bytes> operands);

// All values of the program: operands, then one per instruction.
std::vector<LogicalTensor> ReferenceValues(const Signature& signature,
                                           absl::Span<const Bytes> operands);

// The same with `evaluate` in place of ReferenceInstruction.
using EvaluateFn =
    std::function<LogicalTensor(const Instruction& instruction,
                                absl::Span<const LogicalTensor* const> values)>;
std::vector<LogicalTensor> EvaluateProgram(const Signature& signature,
                                           absl::Span<const Bytes> operands,
                                           const EvaluateFn& evaluate);
// The results' buffers, given all values.
std::vector<Bytes> ResultsOf(const Signature& signature,
                             absl::Span<const LogicalTensor> values);

// Type and shape of what `instruction` makes of values of these descriptions
// (their elements are not looked at and may be missing).
LogicalTensor ReferenceShape(const Instruction& instruction,
                             absl::Span<const LogicalTensor* const> values);
LogicalTensor ReferenceInstruction(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values);

// Per operand of an element-wise instruction the elements that meet each
// element of the result.
std::vector<std::vector<Element>> AlignedOperands(
    const Instruction& instruction,
    absl::Span<const LogicalTensor* const> values);

// --- reference_data.cc: views and data, which move elements ---

bool MovesElements(Opcode opcode);
LogicalTensor MovedShape(const Instruction& instruction,
                         absl::Span<const LogicalTensor* const> values);
LogicalTensor Moved(const Instruction& instruction,
                    absl::Span<const LogicalTensor* const> values);
// The element of `operand` that meets `index` of a result into whose dimensions
// `dimensions` it is broadcast.
const Element& BroadcastAt(const LogicalTensor& operand,
                           absl::Span<const int64_t> dimensions,
                           absl::Span<const int64_t> index);

// --- reference_elementwise.cc: one element ---

// `type` is that of the first operand, of SELECT that of the second.
Element ReferenceElement(const Instruction& instruction, DType type,
                         absl::Span<const Element> operands);

// --- reference_layout.cc: from and to memory ---

int64_t NumElements(absl::Span<const int64_t> shape);

// Calls `visit` with every index of `shape` in row-major order.
void ForEachIndex(absl::Span<const int64_t> shape,
                  const std::function<void(const DimVector&)>& visit);

// slot = offset + sum of index * strides, of num_slots.
struct SlotMap {
  DimVector strides;
  int64_t offset = 0;
  int64_t num_slots = 0;

  int64_t operator()(absl::Span<const int64_t> index) const;
};
SlotMap ReferenceSlots(absl::Span<const int64_t> shape,
                       const PhysicalForm& form);

Element ReadElement(DType type, const Bytes& buffer, int64_t slot);
void WriteElement(DType type, Element element, int64_t slot, Bytes& buffer);

LogicalTensor ReadTensor(DType type, absl::Span<const int64_t> shape,
                         const PhysicalForm& form, const Bytes& buffer);
// The whole buffer: padding holds the padding value, gaps hold zeros.
Bytes WriteTensor(const LogicalTensor& tensor, const PhysicalForm& form);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_REFERENCE_H_
