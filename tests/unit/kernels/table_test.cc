// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which kernels there are, and which there must not be.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/kernels/cpu.h"
#include "core/kernels/kernel.h"
#include "core/kernels/parts.h"
#include "stridecast/operation.h"

namespace stridecast {
namespace {

using Direction = CompareAttribute::Direction;

// What operations.inc cannot say: complex numbers are made of f32 and f64 only.
bool IsException(Opcode opcode, DType type) {
  return opcode == Opcode::kComplex && !ComplexType(type);
}

TEST(KernelTablesTest, BestFirst) {
  std::vector<std::string> names;
  for (const KernelTable* table : KernelTables()) {
    names.emplace_back(table->target());
  }
  std::vector<std::string> expected;
  if (CpuRuns(SimdTarget::kAvx3)) expected.push_back("AVX3");
  if (CpuRuns(SimdTarget::kAvx2)) expected.push_back("AVX2");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(KernelTables().data(), KernelTables().data());
}

// An operation of kernels.inc has a kernel for exactly the types that
// operations.inc defines it on. Those whose attribute decides have tests of
// their own.
TEST(KernelTablesTest, BuiltOnAllTypesDefined) {
  std::set<Opcode> built;
#define STRIDECAST_ELEMENTWISE(operation, types, functor) \
  built.insert(Opcode::k##operation);
#include "core/kernels/kernels.inc"
  for (const KernelTable* table : KernelTables()) {
    for (const Operation& operation : AllOperations()) {
      if (operation.result_type == ResultType::kStated ||
          operation.form == Form::kCompare) {
        continue;
      }
      for (DType type : kAllDTypes) {
        const bool expected = built.contains(operation.opcode) &&
                              operation.IsDefinedOn(type) &&
                              !IsException(operation.opcode, type);
        EXPECT_EQ(table->Find(operation.opcode, type, {}) != nullptr, expected)
            << operation.label << " " << DTypeName(type);
      }
    }
  }
}

TEST(KernelTablesTest, QuantizedTypes) {
  const std::set<DType> integers = {DType::kS8, DType::kU8, DType::kS16,
                                    DType::kU16, DType::kS32};
  for (const KernelTable* table : KernelTables()) {
    for (DType from : kAllDTypes) {
      for (DType to : kAllDTypes) {
        const QuantizeAttribute attribute{to, {}};
        EXPECT_EQ(table->Find(Opcode::kQuantize, from, attribute) != nullptr,
                  IsFloat(from) && integers.contains(to))
            << DTypeName(from) << " " << DTypeName(to);
        EXPECT_EQ(table->Find(Opcode::kDequantize, from, attribute) != nullptr,
                  integers.contains(from) && IsFloat(to))
            << DTypeName(from) << " " << DTypeName(to);
      }
    }
    EXPECT_EQ(table->Find(Opcode::kQuantize, DType::kF32, {}), nullptr);
  }
}

TEST(KernelTablesTest, ComparisonsDefined) {
  for (const KernelTable* table : KernelTables()) {
    for (int direction = 0; direction <= 7; ++direction) {
      for (const bool total_order : {false, true}) {
        for (DType type : kAllDTypes) {
          const bool equality = direction == 1 || direction == 2;
          const bool expected =
              direction >= 1 && direction <= 6 &&
              (total_order ? IsFloat(type) : equality || !IsComplex(type));
          const CompareAttribute compare{static_cast<Direction>(direction),
                                         total_order};
          EXPECT_EQ(table->Find(Opcode::kCompare, type, compare) != nullptr,
                    expected)
              << direction << " " << total_order << " " << DTypeName(type);
        }
      }
    }
    EXPECT_EQ(table->Find(Opcode::kCompare, DType::kF32, {}), nullptr);
  }
}

TEST(KernelTablesTest, OddRequests) {
  for (const KernelTable* table : KernelTables()) {
    EXPECT_EQ(table->Find(Opcode::kConvert, DType::kF32, {}), nullptr);
    EXPECT_EQ(table->Find(Opcode::kConvert, DType::kF32,
                          ConvertAttribute{static_cast<DType>(0)}),
              nullptr);
    EXPECT_EQ(table->Find(Opcode::kAdd, static_cast<DType>(13), {}), nullptr);
    EXPECT_EQ(table->Find(Opcode::kAdd, static_cast<DType>(-1), {}), nullptr);
    EXPECT_EQ(table->Find(static_cast<Opcode>(-1), DType::kF32, {}), nullptr);
    EXPECT_EQ(table->Find(static_cast<Opcode>(3000), DType::kF32, {}), nullptr);
    for (int64_t bytes = -1; bytes <= 32; ++bytes) {
      const bool expected =
          bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
      EXPECT_EQ(table->Copy(bytes) != nullptr, expected) << bytes;
    }
    EXPECT_NE(table->Pred(), nullptr);
  }
}

}  // namespace
}  // namespace stridecast
