// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Short ways to write signatures in tests. What they make is not checked,
// except descriptors: Desc aborts the test program on a wrong one.

#ifndef STRIDECAST_TESTS_SUPPORT_BUILDERS_H_
#define STRIDECAST_TESTS_SUPPORT_BUILDERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "stridecast/layout.h"
#include "stridecast/request.h"
#include "stridecast/tensor.h"

namespace stridecast::testing {

using ValueIds = absl::InlinedVector<uint32_t, 3>;

inline TensorDesc Desc(DType type, const DimVector& shape,
                       const PhysicalForm& form = {}) {
  return TensorDesc::Create(type, shape, form).value();
}

inline DimensionOrder Order(
    DimVector minor_to_major, DimVector padded_dimensions = {},
    PaddingValue padding_value = PaddingValue::kUnspecified) {
  return {std::move(minor_to_major), std::move(padded_dimensions),
          padding_value};
}

inline ElementStrides Strides(DimVector strides, int64_t offset = 0,
                              int64_t total_elements = 0) {
  return {std::move(strides), offset, total_elements};
}

inline Instruction Op(Opcode opcode, ValueIds operands,
                      Attribute attribute = {}) {
  return {opcode, std::move(operands), {}, std::move(attribute)};
}

inline Instruction BinaryOp(Opcode opcode, uint32_t lhs, uint32_t rhs,
                            DimVector broadcast_dimensions = {},
                            Attribute attribute = {}) {
  return {opcode,
          {lhs, rhs},
          std::move(broadcast_dimensions),
          std::move(attribute)};
}

inline ResultSpec Result(PhysicalForm form) {
  return {std::nullopt, std::nullopt, std::nullopt, std::move(form)};
}
inline ResultSpec ResultOf(uint32_t value, PhysicalForm form = {}) {
  return {value, std::nullopt, std::nullopt, std::move(form)};
}

// One result: the last value, row-major.
inline Signature Program(std::vector<TensorDesc> operands,
                         std::vector<Instruction> instructions) {
  return {std::move(operands), std::move(instructions), {ResultSpec{}}};
}

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_BUILDERS_H_
