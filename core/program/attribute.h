// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the files of shape inference share.

#ifndef STRIDECAST_CORE_PROGRAM_ATTRIBUTE_H_
#define STRIDECAST_CORE_PROGRAM_ATTRIBUTE_H_

#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/program/broadcast.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {

// The attribute that the instruction's form takes, `field` its name.
template <typename T>
absl::StatusOr<const T*> AttributeAs(const Instruction& instruction,
                                     absl::string_view field) {
  if (const auto* attribute = std::get_if<T>(&instruction.attribute)) {
    return attribute;
  }
  return FieldError(field, "not set; ", OperationOf(instruction.opcode).label,
                    " needs it");
}

// "f32[2,3]".
inline std::string Human(const ValueType& value) {
  return ShapeToString(value.type, value.shape);
}

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_ATTRIBUTE_H_
