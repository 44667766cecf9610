// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/semantics_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "core/kernels/kernel.h"
#include "tests/unit/kernels/element_reference.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

Subject WhatOf(const Row& row) { return {row.opcode, row.type, row.attribute}; }

Bits Run(const Row& row, Kernel kernel, int64_t cols, int64_t which) {
  const Subject what = WhatOf(row);
  const auto types = OperandTypes(what);
  const int64_t result_bytes = ElementBytes(ReferenceResultType(what));
  std::vector<std::byte> data[3];
  BlockOperand operands[3] = {};
  for (size_t k = 0; k < row.operands.size(); ++k) {
    const int64_t bytes = ElementBytes(types[k]);
    data[k].resize(static_cast<size_t>(bytes * cols));
    for (int64_t i = 0; i < cols; ++i) {
      std::memcpy(data[k].data() + i * bytes, &row.operands[k],
                  static_cast<size_t>(bytes));
    }
    operands[k] = {data[k].data(), 0, bytes};
  }
  std::vector<std::byte> result(static_cast<size_t>(result_bytes * cols));
  RunKernel(what, kernel, 1, cols, operands, BlockResult{result.data(), 0});
  Bits bits = 0;
  std::memcpy(&bits, result.data() + which * result_bytes,
              static_cast<size_t>(result_bytes));
  return bits;
}

}  // namespace

void Check(const std::vector<Row>& rows) {
  ASSERT_FALSE(KernelTables().empty());
  for (const KernelTable* table : KernelTables()) {
    for (const Row& row : rows) {
      SCOPED_TRACE(std::string(table->target()) + " " + NameOf(WhatOf(row)) +
                   ": " + row.what);
      ASSERT_EQ(static_cast<int>(row.operands.size()), ArityOf(WhatOf(row)));
      const Kernel kernel = table->Find(row.opcode, row.type, row.attribute);
      ASSERT_NE(kernel, nullptr);
      for (const int64_t cols : {1, 131}) {
        for (const int64_t which : {int64_t{0}, cols - 1}) {
          const Bits got = Run(row, kernel, cols, which);
          EXPECT_EQ(std::make_pair(got.low, got.high),
                    std::make_pair(row.expected.low, row.expected.high))
              << std::hex << got.low << " instead of " << row.expected.low;
        }
      }
    }
  }
}

}  // namespace stridecast::kernel_tests
