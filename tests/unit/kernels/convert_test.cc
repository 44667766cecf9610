// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Conversion between all pairs of types, by all three rules, on every target of
// this machine, against the reference.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"
#include "tests/unit/kernels/element_reference.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

std::vector<Subject> Conversions() {
  return testing::AllSubjects(
      [](Opcode opcode, DType) { return opcode == Opcode::kConvert; });
}

class ConvertTest : public ::testing::TestWithParam<Subject> {
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
          table->Find(Opcode::kConvert, GetParam().type, GetParam().attribute);
      ASSERT_NE(kernel, nullptr);
      body(kernel);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(ConvertTest, AllLengths) {
  ForEachTarget([&](Kernel kernel) {
    Random random(1);
    for (int64_t cols = 1; cols <= 70; ++cols) {
      for (const bool at_end : {false, true}) {
        KernelCase c = CaseOf(1, cols);
        c.at_end = at_end;
        c.gap = static_cast<size_t>(cols % 2);
        ASSERT_EQ(RunCase(c, kernel, random), "");
        c.operands[0].repeats = true;
        ASSERT_EQ(RunCase(c, kernel, random), "");
      }
    }
    // Around the chunks of conversions in several stages.
    for (const int64_t cols : {255, 256, 257, 513, 1021}) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        ASSERT_EQ(RunCase(CaseOf(1, cols), kernel, random), "");
      }
    }
    // And of those past the caches, from anywhere within a line.
    const int64_t long_cols =
        std::min(9000 / ElementBytes(ReferenceResultType(GetParam())),
                 20000 / ElementBytes(GetParam().type));
    for (const int64_t cols : {int64_t{20}, int64_t{300}, long_cols}) {
      KernelCase c = CaseOf(2, cols);
      c.past_cache = true;
      c.result_row_stride = RowStride::kPadded;
      c.gap = static_cast<size_t>(16 * (random() % 5));
      ASSERT_EQ(RunCase(c, kernel, random), "");
    }
  });
}

TEST_P(ConvertTest, AllRowStrides) {
  const RowStride kinds[] = {RowStride::kTight, RowStride::kPadded,
                             RowStride::kNegative, RowStride::kZero};
  ForEachTarget([&](Kernel kernel) {
    Random random(2);
    for (const int64_t cols : {1, 5, 33}) {
      for (int mix = 0; mix < 8; ++mix) {
        for (int result = 0; result < 3; ++result) {
          KernelCase c = CaseOf(3, cols);
          c.operands[0].repeats = (mix & 1) != 0;
          c.operands[0].row_stride = kinds[mix >> 1];
          c.result_row_stride = kinds[result];
          ASSERT_EQ(RunCase(c, kernel, random), "");
        }
      }
    }
  });
}

// All numbers of one and two bytes.
TEST_P(ConvertTest, Exhaustive) {
  const DType from = GetParam().type;
  const int64_t from_bytes = ElementBytes(from);
  if (from_bytes > 2) GTEST_SKIP() << "too many numbers";
  const int64_t count =
      from == DType::kPred ? 2 : int64_t{1} << (8 * from_bytes);
  std::vector<std::byte> data(static_cast<size_t>(count * from_bytes));
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(data.data() + i * from_bytes, &i,
                static_cast<size_t>(from_bytes));
  }
  const BlockOperand operand{data.data(), 0, from_bytes};
  const int64_t to_bytes = ElementBytes(ReferenceResultType(GetParam()));
  ForEachTarget([&](Kernel kernel) {
    std::vector<std::byte> result(static_cast<size_t>(count * to_bytes));
    kernel(1, count, &operand, BlockResult{result.data(), 0});
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* element = data.data() + i * from_bytes;
      std::byte expected[16] = {};
      ComputeReference(GetParam(), &element, expected);
      ASSERT_EQ(std::memcmp(result.data() + i * to_bytes, expected,
                            static_cast<size_t>(to_bytes)),
                0)
          << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Kernels, ConvertTest,
                         ::testing::ValuesIn(Conversions()),
                         [](const ::testing::TestParamInfo<Subject>& test) {
                           return NameOf(test.param);
                         });

}  // namespace
}  // namespace stridecast::kernel_tests
