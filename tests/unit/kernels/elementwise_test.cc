// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Every element-wise kernel on every target of this machine, against the
// reference: all lengths around the vectors, all kinds of operands and rows.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"
#include "tests/support/numbers.h"
#include "tests/unit/kernels/element_reference.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

using ::testing::TestWithParam;

using ::stridecast::testing::RoundToFloat;
using ::stridecast::testing::ToExact;

class ElementwiseTest : public TestWithParam<Subject> {
 protected:
  KernelCase CaseOf(int64_t rows, int64_t cols) const {
    KernelCase c;
    c.what = GetParam();
    c.rows = rows;
    c.cols = cols;
    return c;
  }

  template <class Body>
  void ForEachTarget(Body body) {
    ASSERT_FALSE(KernelTables().empty());
    for (const KernelTable* table : KernelTables()) {
      SCOPED_TRACE(std::string(table->target()));
      const Kernel kernel =
          table->Find(GetParam().opcode, GetParam().type, GetParam().attribute);
      ASSERT_NE(kernel, nullptr);
      body(kernel);
      if (HasFatalFailure()) return;
    }
  }

  // The longest unit of any target, in elements: 64 bytes.
  int64_t Unit() const { return 64 / ElementBytes(GetParam().type); }
};

// From 1 to two units and one, each mix of dense and repeated operands, against
// either guard page.
TEST_P(ElementwiseTest, AllLengths) {
  const int combinations = 1 << ArityOf(GetParam());
  ForEachTarget([&](Kernel kernel) {
    Random random(1);
    for (int64_t cols = 1; cols <= 2 * std::max<int64_t>(Unit(), 16) + 1;
         ++cols) {
      for (int mix = 0; mix < combinations; ++mix) {
        KernelCase c = CaseOf(1, cols);
        for (int k = 0; k < 3; ++k) c.operands[k].repeats = mix >> k & 1;
        for (const bool at_end : {false, true}) {
          c.at_end = at_end;
          c.gap = static_cast<size_t>(random() % 2);
          ASSERT_EQ(RunCase(c, kernel, random), "");
        }
      }
    }
  });
}

// Rows that follow each other, have gaps, run backwards or repeat.
TEST_P(ElementwiseTest, AllRowStrides) {
  const RowStride kinds[] = {RowStride::kTight, RowStride::kPadded,
                             RowStride::kNegative, RowStride::kZero};
  ForEachTarget([&](Kernel kernel) {
    Random random(2);
    for (const int64_t cols : {int64_t{1}, int64_t{3}, Unit(), Unit() + 2}) {
      // Not every combination of several operands.
      const int arity = ArityOf(GetParam());
      const int step = arity == 1 ? 1 : arity == 2 ? 5 : 23;
      for (int mix = 0; mix < 1 << (3 * arity); mix += step) {
        for (int result = 0; result < 3; ++result) {
          KernelCase c = CaseOf(3, cols);
          for (int k = 0; k < 3; ++k) {
            c.operands[k].repeats = (mix >> (3 * k) & 1) != 0;
            c.operands[k].row_stride = kinds[mix >> (3 * k + 1) & 3];
          }
          c.result_row_stride = kinds[result];
          ASSERT_EQ(RunCase(c, kernel, random), "");
        }
      }
    }
  });
}

TEST_P(ElementwiseTest, LongRows) {
  ForEachTarget([&](Kernel kernel) {
    Random random(3);
    for (int repetition = 0; repetition < 8; ++repetition) {
      KernelCase c = CaseOf(1 + repetition % 3, 1021 + repetition % 7);
      c.gap = static_cast<size_t>(repetition % 5);
      for (int k = 0; k < 3; ++k) {
        c.operands[k].repeats = (repetition >> k & 1) != 0;
      }
      ASSERT_EQ(RunCase(c, kernel, random), "");
      c.past_cache = true;
      ASSERT_EQ(RunCase(c, kernel, random), "");
      // Rows of the result that begin anywhere within a line.
      c.result_row_stride = RowStride::kPadded;
      c.gap = static_cast<size_t>(16 * repetition);
      ASSERT_EQ(RunCase(c, kernel, random), "");
    }
  });
}

// (K5), also where the reference allows more than one answer.
TEST_P(ElementwiseTest, TargetsAgreeBitForBit) {
  const auto types = OperandTypes(GetParam());
  const int arity = ArityOf(GetParam());
  const int64_t count = 5000;
  Random random(4);
  std::vector<std::byte> data[3];
  BlockOperand operands[3];
  for (int k = 0; k < arity; ++k) {
    const int64_t bytes = ElementBytes(types[k]);
    data[k].resize(static_cast<size_t>(count * bytes));
    FillRandom(random, types[k], count, data[k].data());
    operands[k] = {data[k].data(), 0, bytes};
  }
  const int64_t result_bytes = ElementBytes(ReferenceResultType(GetParam()));
  std::vector<std::byte> first;
  ForEachTarget([&](Kernel kernel) {
    std::vector<std::byte> result(static_cast<size_t>(count * result_bytes));
    RunKernel(GetParam(), kernel, 1, count, operands,
              BlockResult{result.data(), 0});
    if (first.empty()) first = result;
    ASSERT_EQ(std::memcmp(result.data(), first.data(), result.size()), 0);
    // Nor do they depend on the position in a block.
    for (int64_t i = 0; i < count; i += 37) {
      BlockOperand one[3];
      for (int k = 0; k < arity; ++k) {
        one[k] = operands[k];
        one[k].data += i * one[k].col_stride;
      }
      std::byte element[16];
      RunKernel(GetParam(), kernel, 1, 1, one, BlockResult{element, 0});
      ASSERT_EQ(std::memcmp(element, first.data() + i * result_bytes,
                            static_cast<size_t>(result_bytes)),
                0)
          << i;
    }
  });
}

// Results that are not exact by rule; tests/accuracy looks closer.
TEST_P(ElementwiseTest, WithinBound) {
  if (IsExact(GetParam())) GTEST_SKIP() << "exact";
  const int arity = ArityOf(GetParam());
  const int64_t count = 400;
  Random random(5);
  std::vector<std::byte> data[2];
  BlockOperand operands[2];
  for (int k = 0; k < arity; ++k) {
    const int64_t bytes = ElementBytes(GetParam().type);
    data[k].resize(static_cast<size_t>(count * bytes));
    FillRandom(random, GetParam().type, count, data[k].data());
    operands[k] = {data[k].data(), 0, bytes};
  }
  const int64_t result_bytes = ElementBytes(ReferenceResultType(GetParam()));
  ForEachTarget([&](Kernel kernel) {
    std::vector<std::byte> result(static_cast<size_t>(count * result_bytes));
    RunKernel(GetParam(), kernel, 1, count, operands,
              BlockResult{result.data(), 0});
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* elements[2] = {};
      for (int k = 0; k < arity; ++k) {
        elements[k] = operands[k].data + i * operands[k].col_stride;
      }
      ASSERT_EQ(
          CheckBound(GetParam(), elements, result.data() + i * result_bytes),
          "");
    }
  });
}

// Results of f16 and bf16 that are not exact by rule are those of f32, rounded:
// each number as the first operand.
TEST_P(ElementwiseTest, IsTheF32ResultRounded) {
  const DType type = GetParam().type;
  if (IsExact(GetParam()) || !IsFloat(type) || ElementBytes(type) != 2) {
    GTEST_SKIP() << "exact, or not f16 or bf16";
  }
  const Subject wide_kernel{GetParam().opcode, DType::kF32,
                            GetParam().attribute};
  const int arity = ArityOf(GetParam());
  const int64_t count = 65536;
  std::vector<uint16_t> narrow[2];
  std::vector<uint32_t> wide[2];
  BlockOperand narrow_operands[2];
  BlockOperand wide_operands[2];
  Random random(6);
  for (int k = 0; k < arity; ++k) {
    for (uint64_t i = 0; i < 65536; ++i) {
      const uint64_t bits = k == 0 ? i : random() % 65536;
      narrow[k].push_back(static_cast<uint16_t>(bits));
      wide[k].push_back(static_cast<uint32_t>(
          RoundToFloat(DType::kF32, ToExact(type, bits))));
    }
    narrow_operands[k] = {reinterpret_cast<const std::byte*>(narrow[k].data()),
                          0, 2};
    wide_operands[k] = {reinterpret_cast<const std::byte*>(wide[k].data()), 0,
                        4};
  }
  for (const KernelTable* table : KernelTables()) {
    std::vector<uint16_t> got(65536);
    std::vector<uint32_t> expected(65536);
    RunKernel(GetParam(),
              table->Find(GetParam().opcode, type, GetParam().attribute), 1,
              count, narrow_operands,
              BlockResult{reinterpret_cast<std::byte*>(got.data()), 0});
    RunKernel(wide_kernel,
              table->Find(wide_kernel.opcode, wide_kernel.type,
                          wide_kernel.attribute),
              1, count, wide_operands,
              BlockResult{reinterpret_cast<std::byte*>(expected.data()), 0});
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], RoundToFloat(type, ToExact(DType::kF32, expected[i])))
          << table->target() << " " << std::hex << i;
    }
  }
}

// All operands of one byte; all of two bytes for unary operations.
TEST_P(ElementwiseTest, Exhaustive) {
  const DType type = GetParam().type;
  const int64_t bytes = ElementBytes(type);
  const int arity = ArityOf(GetParam());
  if (bytes * arity > 2) GTEST_SKIP() << "too many operands";
  if (!IsExact(GetParam())) GTEST_SKIP() << "not exact";
  const int64_t count = int64_t{1}
                        << (type == DType::kPred ? arity : 8 * bytes * arity);
  std::vector<std::byte> data[2];
  BlockOperand operands[2];
  for (int k = 0; k < arity; ++k) {
    data[k].resize(static_cast<size_t>(count * bytes));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = type == DType::kPred ? i >> k & 1 : i >> (8 * k);
      std::memcpy(data[k].data() + i * bytes, &value,
                  static_cast<size_t>(bytes));
    }
    operands[k] = {data[k].data(), 0, bytes};
  }
  const int64_t result_bytes = ElementBytes(ReferenceResultType(GetParam()));
  ForEachTarget([&](Kernel kernel) {
    std::vector<std::byte> result(static_cast<size_t>(count * result_bytes));
    RunKernel(GetParam(), kernel, 1, count, operands,
              BlockResult{result.data(), 0});
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* elements[2] = {};
      for (int k = 0; k < arity; ++k) elements[k] = data[k].data() + i * bytes;
      std::byte expected[16] = {};
      ComputeReference(GetParam(), elements, expected);
      ASSERT_EQ(std::memcmp(result.data() + i * result_bytes, expected,
                            static_cast<size_t>(result_bytes)),
                0)
          << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, ElementwiseTest,
                         ::testing::ValuesIn(ElementwiseKernels()),
                         [](const ::testing::TestParamInfo<Subject>& test) {
                           return NameOf(test.param);
                         });

}  // namespace
}  // namespace stridecast::kernel_tests
