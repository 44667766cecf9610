// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/accuracy/tables.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "core/kernels/kernel.h"

namespace stridecast::accuracy {
namespace {

void RunOn(const KernelTable& table, Opcode opcode, DType type,
           int64_t num_elements, const Buffer& x, const Buffer& y,
           Buffer& result) {
  const int64_t width = ElementBytes(type);
  BlockOperand operands[2 + KernelParameters::kMaxCount];
  int count = 0;
  operands[count++] = {x.data(), 0, width};
  if (OperationOf(opcode).form == Form::kBinary) {
    operands[count++] = {y.data(), 0, width};
  }
  const KernelParameters parameters =
      ParametersOf(opcode, type, std::monostate());
  for (int k = 0; k < parameters.count; ++k) {
    operands[count++] = {
        reinterpret_cast<const std::byte*>(&parameters.elements[k]), 0, 0};
  }
  table.Find(opcode, type, std::monostate())(1, num_elements, operands,
                                             {result.data(), 0});
}

int64_t ResultBytes(Opcode opcode, DType type) {
  return ElementBytes(opcode == Opcode::kAbs ? RealType(type) : type);
}

}  // namespace

bool IsBuilt(Opcode opcode, DType type) {
  for (const KernelTable* table : KernelTables()) {
    if (table->Find(opcode, type, std::monostate()) != nullptr) return true;
  }
  return false;
}

Runner::Runner(Opcode opcode, DType type) : opcode_(opcode), type_(type) {}

const Buffer& Runner::Run(int64_t num_elements, const Buffer& x,
                          const Buffer& y) {
  const auto bytes =
      static_cast<size_t>(num_elements * ResultBytes(opcode_, type_));
  result_.resize(bytes);
  other_.resize(bytes);
  const auto tables = KernelTables();
  RunOn(*tables[0], opcode_, type_, num_elements, x, y, result_);
  for (const KernelTable* table : tables.subspan(1)) {
    RunOn(*table, opcode_, type_, num_elements, x, y, other_);
    if (other_ == result_) continue;
    fault_ = absl::StrCat(table->target(), " and ", tables[0]->target(),
                          " give different bits");
  }
  return result_;
}

}  // namespace stridecast::accuracy
