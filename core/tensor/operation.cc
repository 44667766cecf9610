// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/operation.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <iterator>

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

// Numbers leave gaps: the row of each, or -1.
constexpr int kNumNumbers =
    static_cast<int>(std::end(kOperations)[-1].opcode) + 1;
constexpr std::array<int16_t, kNumNumbers> RowsByNumber() {
  std::array<int16_t, kNumNumbers> rows{};
  for (int16_t& row : rows) row = -1;
  for (size_t i = 0; i < std::size(kOperations); ++i) {
    rows[static_cast<size_t>(kOperations[i].opcode)] = static_cast<int16_t>(i);
  }
  return rows;
}
constexpr std::array<int16_t, kNumNumbers> kRowsByNumber = RowsByNumber();

}  // namespace

absl::Span<const Operation> AllOperations() { return kOperations; }

const Operation* FindOperation(int number) {
  if (number < 0 || number >= kNumNumbers) return nullptr;
  const int row = kRowsByNumber[static_cast<size_t>(number)];
  return row < 0 ? nullptr : &kOperations[row];
}

const Operation& OperationOf(Opcode opcode) {
  const Operation* row = FindOperation(static_cast<int>(opcode));
  assert(row != nullptr);
  return *row;
}

}  // namespace stridecast
