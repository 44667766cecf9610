// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A Program is a Signature that has been checked: every value has a type and a
// shape, every result a descriptor.
// Invariants:
//   (P1) instruction i names values smaller than num_operands() + i only
//   (P2) every instruction is defined on the types and shapes it gets
//   (P3) result descriptors are unique (no two elements share a byte) and have
//        no negative strides
// Tested by tests/unit/program/program_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_PROGRAM_H_
#define STRIDECAST_CORE_PROGRAM_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/program/infer.h"
#include "stridecast/request.h"
#include "stridecast/tensor.h"

namespace stridecast {

struct ProgramLimits {
  int64_t max_instructions;
  int64_t max_operands;
  int64_t max_results;
  int64_t max_operand_references;
  int64_t max_constant_bytes;
};

class Program {
 public:
  // Errors: kInvalidArgument and kUnimplemented with paths relative to
  // ComputeSpec; an instruction's also name its opcode in parentheses:
  // "instructions[2].slice.limit[0] (SLICE): ...".
  static absl::StatusOr<Program> Create(const Signature& signature,
                                        const ProgramLimits& limits);

  int num_operands() const { return static_cast<int>(operands_.size()); }
  int num_values() const { return static_cast<int>(inferences_.size()); }
  const std::vector<TensorDesc>& operands() const { return operands_; }
  const std::vector<TensorDesc>& results() const { return results_; }
  int result_value(int result) const { return result_values_[result]; }

  bool IsOperand(int value) const { return value < num_operands(); }
  // Of a value that is no operand.
  const Instruction& instruction(int value) const {
    return instructions_[value - num_operands()];
  }
  const Inference& inference(int value) const { return inferences_[value]; }
  const ValueType& value(int value) const { return inferences_[value].value; }

 private:
  absl::Status AddResult(const ResultSpec& spec);

  std::vector<TensorDesc> operands_;
  std::vector<Instruction> instructions_;
  std::vector<Inference> inferences_;  // by value
  std::vector<TensorDesc> results_;
  absl::InlinedVector<int, 4> result_values_;  // by result
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_PROGRAM_H_
