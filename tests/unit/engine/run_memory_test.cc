// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Running a plan takes its results and the scratch that Prepare announced,
// which does not grow with the tensors unless a pass needs a temporary.

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <ostream>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"

namespace {

std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> peak_bytes{0};

void* Allocate(size_t size, size_t alignment) {
  void* memory = std::aligned_alloc(
      alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  const int64_t live = live_bytes +=
      static_cast<int64_t>(malloc_usable_size(memory));
  int64_t peak = peak_bytes;
  while (peak < live && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size, 16); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace stridecast::testing {
namespace {

using enum DType;

Instruction Transpose(uint32_t value, DimVector order) {
  return Op(Opcode::kTranspose, {value}, DimensionsAttribute{std::move(order)});
}

struct Case {
  const char* name;
  // Of `rows` rows.
  Signature (*signature)(int64_t rows);
  // A temporary of so many bytes for each row.
  int64_t temporary_bytes = 0;
};

const Case kCases[] = {
    {"Sum",
     [](int64_t rows) {
       const TensorDesc x = Desc(kF32, {rows, 1000});
       return Program({x, x}, {BinaryOp(Opcode::kAdd, 0, 1)});
     }},
    {"RowsWithGaps",
     [](int64_t rows) {
       return Program(
           {Desc(kF32, {rows, 50}, Strides({90, 1})), Desc(kF32, {rows, 50})},
           {BinaryOp(Opcode::kAdd, 0, 1)});
     }},
    // Packed once by each task.
    {"Bias",
     [](int64_t rows) {
       return Program({Desc(kF32, {rows, 100}), Desc(kF32, {100})},
                      {BinaryOp(Opcode::kAdd, 0, 1, {1})});
     }},
    {"Chain",
     [](int64_t rows) {
       const TensorDesc x = Desc(kF32, {rows, 1000});
       return Program({x, x},
                      {BinaryOp(Opcode::kMultiply, 0, 1),
                       BinaryOp(Opcode::kAdd, 2, 0), Op(Opcode::kExp, {3})});
     }},
    {"Relayout",
     [](int64_t rows) {
       return Program({Desc(kF32, {rows, 1000})}, {Transpose(0, {1, 0})});
     }},
    {"RelayoutByBoxes",
     [](int64_t rows) {
       return Program({Desc(kF32, {rows + 1, 1000})}, {Transpose(0, {1, 0})});
     }},
    {"RelayoutOfBytes",
     [](int64_t rows) {
       return Program({Desc(kU8, {rows, 1000})}, {Transpose(0, {1, 0})});
     }},
    {"SumWithATranspose",
     [](int64_t rows) {
       return Program({Desc(kF32, {rows, 1000}), Desc(kF32, {1000, rows})},
                      {Transpose(1, {1, 0}), BinaryOp(Opcode::kAdd, 0, 2)});
     }},
    {"Images",
     [](int64_t rows) {
       return Program({Desc(kU8, {rows, 50, 20, 3}), Desc(kF32, {3})},
                      {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
                       BinaryOp(Opcode::kMultiply, 2, 1, {3}),
                       Transpose(3, {0, 3, 1, 2})});
     }},
    // What is broadcast is computed once.
    {"Temporary",
     [](int64_t rows) {
       return Program(
           {Desc(kF32, {rows, 1000}), Desc(kF32, {rows})},
           {Op(Opcode::kExp, {1}), BinaryOp(Opcode::kAdd, 0, 2, {0})});
     },
     4},
};

std::shared_ptr<const Plan> Prepare(const Signature& signature) {
  static const Engine* engine = [] {
    EngineOptions options;
    options.limits.max_result_bytes = int64_t{1} << 40;
    return Engine::Create(options).value().release();
  }();
  return engine->Prepare(signature).value();
}

void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }

class RunMemoryTest : public ::testing::TestWithParam<Case> {};

TEST_P(RunMemoryTest, ScratchDoesNotGrow) {
  // Both beyond any cache; rows of transposed results begin with lines, and
  // are no multiple of 2 KiB apart.
  constexpr int64_t kFew = 4'000'016;
  constexpr int64_t kMany = 16'000'016;
  const int64_t grown = Prepare(GetParam().signature(kMany))->scratch_bytes() -
                        Prepare(GetParam().signature(kFew))->scratch_bytes();
  EXPECT_EQ(grown, GetParam().temporary_bytes * (kMany - kFew));
}

TEST_P(RunMemoryTest, RunAllocatesNextToNothing) {
  const auto plan = Prepare(GetParam().signature(4000));
  std::vector<std::vector<std::byte>> buffers;
  std::vector<SegmentedBytes> operands;
  for (const TensorDesc& desc : plan->operands()) {
    buffers.emplace_back(desc.size_bytes());
    operands.emplace_back(buffers.back().data(), desc.size_bytes());
  }
  std::vector<absl::Span<std::byte>> results;
  for (const TensorDesc& desc : plan->results()) {
    buffers.emplace_back(desc.size_bytes());
    results.push_back(absl::MakeSpan(buffers.back()));
  }
  const auto scratch_bytes = static_cast<size_t>(plan->scratch_bytes());
  std::vector<std::byte> scratch(scratch_bytes + 64);
  std::byte* const begin =
      scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
  const Bindings bindings{operands, results, {begin, scratch_bytes}};
  // Threads begin once.
  ASSERT_TRUE(plan->Run(bindings).ok());
  const int64_t before = live_bytes;
  peak_bytes = before;
  ASSERT_TRUE(plan->Run(bindings).ok());
  EXPECT_LE(peak_bytes - before, 64 << 10);
  EXPECT_EQ(live_bytes, before);
}

INSTANTIATE_TEST_SUITE_P(Programs, RunMemoryTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace stridecast::testing
