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

TEST(KernelTablesTest, BestFirst) {
  std::vector<std::string> names;
  for (const KernelTable* table : KernelTables()) {
    names.emplace_back(table->target());
  }
  std::vector<std::string> expected;
  if (CpuRuns(SimdTarget::kAvx3Dl)) expected.push_back("AVX3_DL");
  if (CpuRuns(SimdTarget::kAvx3)) expected.push_back("AVX3");
  if (CpuRuns(SimdTarget::kAvx2)) expected.push_back("AVX2");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(KernelTables().data(), KernelTables().data());
}

// An operation of kernels.inc has a kernel for exactly the types that
// operations.inc defines it on.
TEST(KernelTablesTest, BuiltOnAllTypesDefined) {
  std::set<Opcode> built;
#define STRIDECAST_UNARY(operation, types, functor) \
  built.insert(Opcode::k##operation);
#define STRIDECAST_ARITHMETIC STRIDECAST_UNARY
#define STRIDECAST_DIVISION STRIDECAST_UNARY
#define STRIDECAST_MINMAX STRIDECAST_UNARY
#define STRIDECAST_SELECTION STRIDECAST_UNARY
#include "core/kernels/kernels.inc"
  for (const KernelTable* table : KernelTables()) {
    for (const Operation& operation : AllOperations()) {
      if (operation.form == Form::kCompare ||
          operation.form == Form::kConvert) {
        continue;
      }
      for (DType type : kAllDTypes) {
        // Complex square roots are not built yet.
        const bool expected =
            built.contains(operation.opcode) && operation.IsDefinedOn(type) &&
            !(operation.opcode == Opcode::kSqrt && IsComplex(type));
        EXPECT_EQ(table->Find(operation.opcode, type, {}) != nullptr, expected)
            << operation.label << " " << DTypeName(type);
      }
    }
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
