// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/operation.h"

#include <algorithm>
#include <cassert>

namespace stridecast {
namespace {

constexpr unsigned P = kPredClass;
constexpr unsigned S = kSignedClass;
constexpr unsigned U = kUnsignedClass;
constexpr unsigned F = kFloatClass;
constexpr unsigned C = kComplexClass;

constexpr Operation kOperations[] = {
#define STRIDECAST_OPERATION(name, number, label, form, types, result, cost) \
  {Opcode::k##name,       label,        Form::k##form, types,                \
   ResultType::k##result, Cost::k##cost},
#include "stridecast/operations.inc"
#undef STRIDECAST_OPERATION
};

constexpr bool IsAscending() {
  for (size_t i = 1; i < std::size(kOperations); ++i) {
    if (kOperations[i - 1].opcode >= kOperations[i].opcode) return false;
  }
  return true;
}
static_assert(IsAscending(), "operations.inc is ordered by number");

}  // namespace

absl::Span<const Operation> AllOperations() { return kOperations; }

const Operation* FindOperation(int number) {
  const auto* row =
      std::lower_bound(std::begin(kOperations), std::end(kOperations), number,
                       [](const Operation& operation, int wanted) {
                         return static_cast<int>(operation.opcode) < wanted;
                       });
  if (row == std::end(kOperations) || static_cast<int>(row->opcode) != number) {
    return nullptr;
  }
  return row;
}

const Operation& OperationOf(Opcode opcode) {
  const Operation* row = FindOperation(static_cast<int>(opcode));
  assert(row != nullptr);
  return *row;
}

}  // namespace stridecast
