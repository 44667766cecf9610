// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Chains of operations that a pass runs as one kernel, on every SIMD target,
// beside the oracle: conversions at both ends, of all elements of the narrow
// types, every two steps in a row, and products of operands.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/kernels/kernel.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using enum DType;

template <class T>
Bytes CountingElements(int64_t count) {
  std::vector<T> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), T{0});
  return BytesOf(numbers);
}

// Every element of a type of two bytes; of one byte, each nine times.
Bytes AllElements(DType type) {
  return ElementBytes(type) == 1 ? CountingElements<uint8_t>(9 << 8)
                                 : CountingElements<uint16_t>(1 << 16);
}

// The oracle's results, on every target.
void ExpectRight(const Signature& signature, const std::vector<Bytes>& operands,
                 const std::string& what) {
  const std::vector<Bytes> expected = Reference(signature, operands);
  for (const KernelTable* table : KernelTables()) {
    EXPECT_TRUE(RunOn(std::string(table->target()), signature, operands) ==
                expected)
        << table->target() << " " << what;
  }
}

TEST(ChainsTest, ConversionsAtBothEnds) {
  for (const DType from : {kU8, kS8, kU16, kS16, kF16, kBF16}) {
    const Bytes all = AllElements(from);
    const auto count = static_cast<int64_t>(all.size()) / ElementBytes(from);
    for (const DType to : {kU8, kS8, kU16, kS16, kF16, kBF16, kF32}) {
      SCOPED_TRACE(std::string(DTypeName(from)) + " to " +
                   std::string(DTypeName(to)));
      const Signature signature = Program(
          {Desc(from, {count}), Desc(kF32, {}), Desc(kF32, {})},
          {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
           BinaryOp(Opcode::kMultiply, 3, 1), BinaryOp(Opcode::kAdd, 4, 2),
           Op(Opcode::kConvert, {5}, ConvertAttribute{to})});
      for (const auto& [factor, term] : std::vector<std::pair<float, float>>{
               {1, 0}, {1.0078125f, 0.5f}, {-0.37f, 100}, {300, -1e-3f}}) {
        const std::vector<Bytes> operands = {
            all, BytesOf(std::vector<float>{factor}),
            BytesOf(std::vector<float>{term})};
        ExpectRight(signature, operands,
                    absl::StrCat("* ", factor, " + ", term));
      }
    }
  }
}

// Integers go through constants: what is known of them without a look, and what
// is no longer known after odd ones.
TEST(ChainsTest, IntegersThroughConstants) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  // divisor, term, divisor of the sum
  const std::vector<std::vector<float>> kConstants = {
      {255, 0.485f, 0.229f},
      {255, 0, 0.229f},
      {255, -0.0f, 3e-39f},
      {1e30f, 1e-30f, 1e12f},
      {1e-12f, 1e20f, 1e12f},
      {1e12f, 1e-12f, 1e-12f},
      {3, 1.0f / 3, 3},
      {0, 1, 1},
      {255, kInfinity, 2},
      {255, kNan, 2},
      {255, 1, 0},
      {255, 1, -0.229f},
      {255, 1, kInfinity},
      {255, 1e-45f, 0.229f},
      {3e38f, 3e38f, 0.229f},
      {255, 85.0f / 255, 0x1p-40f},
      {255, 1, kNan},
      {7, 1e-7f, 7},
      {0x1p40f, 0x1p-50f, 2},
      {0x1p40f, 0x1p-26f, 0x1p40f}};
  for (const DType from : {kU8, kS8, kU16, kS16}) {
    const Bytes all = AllElements(from);
    const auto count = static_cast<int64_t>(all.size()) / ElementBytes(from);
    for (const DType to : {kF16, kBF16, kF32, kU8}) {
      SCOPED_TRACE(std::string(DTypeName(from)) + " to " +
                   std::string(DTypeName(to)));
      // The first divisor once more at the end.
      const Signature signature = Program(
          {Desc(from, {count}), Desc(kF32, {}), Desc(kF32, {}), Desc(kF32, {})},
          {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
           BinaryOp(Opcode::kDivide, 4, 1), BinaryOp(Opcode::kSubtract, 5, 2),
           BinaryOp(Opcode::kDivide, 6, 3), BinaryOp(Opcode::kDivide, 7, 1),
           Op(Opcode::kConvert, {8}, ConvertAttribute{to})});
      for (const std::vector<float>& constants : kConstants) {
        std::vector<Bytes> operands = {all};
        for (const float c : constants) {
          operands.push_back(BytesOf(std::vector<float>{c}));
        }
        ExpectRight(signature, operands,
                    absl::StrCat("/ ", constants[0], " - ", constants[1], " / ",
                                 constants[2]));
      }
    }
  }
}

// Images: long rows of bytes, normalised by constants of many kinds, to results
// so narrow that most but not all of those chains round as one product and sum.
TEST(ChainsTest, BytesByRandomConstants) {
  std::mt19937_64 random(20261127);
  std::uniform_real_distribution<float> number(0.05f, 1);
  constexpr int64_t kCount = 16 << 8;
  const Bytes all = CountingElements<uint8_t>(kCount);
  for (const DType from : {kU8, kS8}) {
    for (const DType to : {kF16, kBF16, kU8, kS8}) {
      const bool is_integer = to == kU8 || to == kS8;
      const Signature signature = Program(
          {Desc(from, {kCount}), Desc(kF32, {}), Desc(kF32, {}),
           Desc(kF32, {})},
          {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
           BinaryOp(Opcode::kDivide, 4, 1), BinaryOp(Opcode::kSubtract, 2, 5),
           BinaryOp(Opcode::kMultiply, 6, 3),
           Op(Opcode::kConvert, {7}, ConvertAttribute{to})});
      for (int trial = 0; trial < 50; ++trial) {
        const std::vector<float> constants = {
            trial % 2 == 0 ? 255 : number(random) * 100, number(random),
            (is_integer ? 200 : 4) * number(random)};
        std::vector<Bytes> operands = {all};
        for (const float c : constants) {
          operands.push_back(BytesOf(std::vector<float>{c}));
        }
        ExpectRight(signature, operands,
                    absl::StrCat(DTypeName(from), " to ", DTypeName(to), ": (",
                                 constants[1], " - x / ", constants[0], ") * ",
                                 constants[2]));
      }
    }
  }
}

// As images, each row by constants of its own: of such that round as one
// product and sum and such that do not, in either order.
TEST(ChainsTest, BytesByConstantsOfTheirRow) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> subtrahends = {0.485f, 85.0f / 255, 0.456f, 0.5f,
                                          0.406f, kNan,        0.5f};
  const std::vector<float> divisors = {0.229f, 1e-3f, 0.224f, 0,
                                       0.225f, 0.5f,  0.25f};
  const auto rows = static_cast<int64_t>(divisors.size());
  constexpr int64_t kCols = 16 << 8;
  const std::vector<Bytes> operands = {CountingElements<uint8_t>(rows * kCols),
                                       BytesOf(std::vector<float>{255}),
                                       BytesOf(subtrahends), BytesOf(divisors)};
  for (const DType to : {kF16, kBF16, kU8}) {
    const Signature signature =
        Program({Desc(kU8, {rows, kCols}), Desc(kF32, {}), Desc(kF32, {rows}),
                 Desc(kF32, {rows})},
                {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
                 BinaryOp(Opcode::kDivide, 4, 1),
                 BinaryOp(Opcode::kSubtract, 5, 2, {0}),
                 BinaryOp(Opcode::kDivide, 6, 3, {0}),
                 Op(Opcode::kConvert, {7}, ConvertAttribute{to})});
    ExpectRight(signature, operands, std::string(DTypeName(to)));
  }
}

// One product and sum for all of them, from row to row.
TEST(ChainsTest, RowsOfBytesWithGaps) {
  constexpr int64_t kRows = 5;
  constexpr int64_t kCols = 16 << 8;
  constexpr int64_t kPitch = kCols + 77;
  const std::vector<Bytes> operands = {
      CountingElements<uint8_t>(kRows * kPitch),
      BytesOf(std::vector<float>{255}), BytesOf(std::vector<float>{0.485f}),
      BytesOf(std::vector<float>{0.229f})};
  for (const DType to : {kF16, kBF16, kU8}) {
    const Signature signature = Program(
        {Desc(kU8, {kRows, kCols}, Strides({kPitch, 1})), Desc(kF32, {}),
         Desc(kF32, {}), Desc(kF32, {})},
        {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
         BinaryOp(Opcode::kDivide, 4, 1), BinaryOp(Opcode::kSubtract, 5, 2),
         BinaryOp(Opcode::kDivide, 6, 3),
         Op(Opcode::kConvert, {7}, ConvertAttribute{to})});
    ExpectRight(signature, operands, std::string(DTypeName(to)));
  }
}

// Constants at first, but not to the end.
TEST(ChainsTest, BytesByNumbersThatChangeWithinARow) {
  constexpr int64_t kCount = 64 << 8;
  std::vector<float> terms(kCount, 1.5f);
  std::fill_n(terms.begin(), 100, 0.5f);
  const std::vector<Bytes> operands = {CountingElements<uint8_t>(kCount),
                                       BytesOf(std::vector<float>{255}),
                                       BytesOf(terms)};
  for (const DType to : {kF16, kBF16, kU8}) {
    const Signature signature = Program(
        {Desc(kU8, {kCount}), Desc(kF32, {}), Desc(kF32, {kCount})},
        {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
         BinaryOp(Opcode::kDivide, 3, 1), BinaryOp(Opcode::kSubtract, 4, 2),
         Op(Opcode::kConvert, {5}, ConvertAttribute{to})});
    ExpectRight(signature, operands, std::string(DTypeName(to)));
  }
}

// f32 in, all conversions out: numbers around every limit.
TEST(ChainsTest, ConversionsOfF32AtTheEnd) {
  std::vector<float> x;
  for (const float limit :
       {0.0f, 127.0f, 128.0f, 255.0f, 256.0f, 32767.0f, 32768.0f, 65504.0f,
        65520.0f, 65535.0f, 65536.0f, 0x1p-14f, 0x1p-24f, 0x1p31f, 3e38f}) {
    for (const float sign : {1.0f, -1.0f}) {
      float number = sign * limit;
      for (int i = 0; i < 20; ++i) {
        x.push_back(number);
        x.push_back(sign * (limit + static_cast<float>(i) / 8));
        number = std::nextafter(number, 0.0f);
      }
    }
  }
  x.push_back(std::numeric_limits<float>::infinity());
  x.push_back(-std::numeric_limits<float>::infinity());
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  x.push_back(std::bit_cast<float>(0xFF812345u));
  const auto count = static_cast<int64_t>(x.size());
  for (const DType to : {kU8, kS8, kU16, kS16, kF16, kBF16, kF32}) {
    const Signature signature =
        Program({Desc(kF32, {count}), Desc(kF32, {})},
                {BinaryOp(Opcode::kMultiply, 0, 1),
                 Op(Opcode::kConvert, {2}, ConvertAttribute{to})});
    const std::vector<Bytes> operands = {BytesOf(x),
                                         BytesOf(std::vector<float>{1})};
    ExpectRight(signature, operands, std::string(DTypeName(to)));
  }
}

// Appends y = step(x, operand) or, reversed, step(operand, x).
struct AnyStep {
  Opcode opcode;
  bool is_reversed = false;

  void AppendTo(std::vector<Instruction>& program, uint32_t x,
                uint32_t operand) const {
    if (opcode == Opcode::kSqrt || opcode == Opcode::kSquare) {
      program.push_back(Op(opcode, {x}));
    } else if (is_reversed) {
      program.push_back(BinaryOp(opcode, operand, x));
    } else {
      program.push_back(BinaryOp(opcode, x, operand));
    }
  }
};

constexpr AnyStep kAnySteps[] = {
    {Opcode::kAdd},      {Opcode::kSubtract}, {Opcode::kSubtract, true},
    {Opcode::kMultiply}, {Opcode::kDivide},   {Opcode::kDivide, true},
    {Opcode::kMaximum},  {Opcode::kMinimum},  {Opcode::kSqrt},
    {Opcode::kSquare}};

constexpr AnyStep kSums[] = {
    {Opcode::kAdd}, {Opcode::kSubtract}, {Opcode::kSubtract, true}};

// Of 12 bits, whose sums may cancel, or of all bits, whose products round.
template <class T>
Bytes AnyNumbers(int64_t count, std::mt19937_64& random) {
  std::vector<T> x(static_cast<size_t>(count));
  for (T& number : x) {
    const auto few = static_cast<T>(random() % 4096) - T{1024};
    const auto all = static_cast<T>(static_cast<int64_t>(random())) *
                     static_cast<T>(0x1p-52);
    number = std::ldexp(random() % 2 == 0 ? few : all,
                        static_cast<int>(random() % 40) - 20);
  }
  return BytesOf(x);
}

std::string ToText(const AnyStep& step) {
  return std::string(OperationOf(step.opcode).label) +
         (step.is_reversed ? " from" : "");
}

// Two steps, then the first one again; operands of each are rows or numbers.
template <class T>
void CheckTwoStepsInARow(DType type, int64_t count) {
  std::mt19937_64 random(20261126);
  for (const AnyStep& first : kAnySteps) {
    for (const AnyStep& second : kAnySteps) {
      for (int moving = 0; moving < 4; ++moving) {
        const int64_t counts[] = {count, moving & 1 ? count : 1,
                                  moving & 2 ? count : 1};
        std::vector<TensorDesc> descs;
        std::vector<Bytes> operands;
        for (const int64_t n : counts) {
          descs.push_back(n == 1 ? Desc(type, {}) : Desc(type, {n}));
          operands.push_back(AnyNumbers<T>(n, random));
        }
        std::vector<Instruction> program;
        first.AppendTo(program, 0, 1);
        second.AppendTo(program, 3, 2);
        first.AppendTo(program, 4, 1);
        ExpectRight(Program(descs, program), operands,
                    absl::StrCat("[", count, "], ", moving, ": ", ToText(first),
                                 ", ", ToText(second)));
      }
    }
  }
}

TEST(ChainsTest, AnyTwoStepsInARow) {
  for (const int64_t count : {3, 8, 77, 300}) {
    CheckTwoStepsInARow<float>(kF32, count);
    CheckTwoStepsInARow<double>(kF64, count);
  }
}

// x * y, then a * b and c * c or d * c beside it; rows or numbers.
template <class T>
void CheckProducts(DType type, int64_t count) {
  std::mt19937_64 random(20261127);
  for (int moving = 0; moving < 16; ++moving) {
    std::vector<TensorDesc> descs = {Desc(type, {count}), Desc(type, {count})};
    std::vector<Bytes> operands = {AnyNumbers<T>(count, random),
                                   AnyNumbers<T>(count, random)};
    for (int k = 0; k < 4; ++k) {
      const bool moves = (moving >> k & 1) != 0;
      descs.push_back(moves ? Desc(type, {count}) : Desc(type, {}));
      operands.push_back(AnyNumbers<T>(moves ? count : 1, random));
    }
    for (const AnyStep& first : kSums) {
      for (const AnyStep& second : kSums) {
        for (const uint32_t factor : {4u, 5u}) {
          std::vector<Instruction> program = {
              BinaryOp(Opcode::kMultiply, 0, 1),
              BinaryOp(Opcode::kMultiply, 2, 3),
              BinaryOp(Opcode::kMultiply, factor, 4)};
          first.AppendTo(program, 6, 7);
          second.AppendTo(program, 9, 8);
          ExpectRight(Program(descs, program), operands,
                      absl::StrCat("[", count, "], ", moving, ", ", factor,
                                   ": ", ToText(first), ", ", ToText(second)));
        }
      }
    }
  }
}

TEST(ChainsTest, ProductsOfOperands) {
  for (const int64_t count : {3, 8, 77, 300}) {
    CheckProducts<float>(kF32, count);
    CheckProducts<double>(kF64, count);
  }
}

// Rows that do not follow each other, one after the other: with numbers that
// are the same for all of them, and with one for each.
TEST(ChainsTest, RowsWithGaps) {
  constexpr int64_t kRows = 7;
  std::mt19937_64 random(20261129);
  for (const int64_t cols : {128, 150, 1037}) {
    const int64_t pitch = cols + 13;
    const DimVector shape = {kRows, cols};
    for (const DType from : {kF32, kS16}) {
      for (const int64_t number_stride : {0, 1}) {
        const std::vector<TensorDesc> descs = {
            Desc(from, shape, Strides({pitch, 1})), Desc(kF32, shape),
            Desc(kF32, shape, Strides({0, 1})),
            Desc(kF32, shape, Strides({number_stride, 0})),
            Desc(kF32, shape, Strides({-pitch, 1}, (kRows - 1) * pitch))};
        std::vector<Bytes> operands;
        for (const TensorDesc& desc : descs) {
          const int64_t count = desc.size_bytes() / desc.element_bytes();
          operands.push_back(desc.type() == kF32
                                 ? AnyNumbers<float>(count, random)
                                 : CountingElements<int16_t>(count));
        }
        ExpectRight(
            Program(descs, {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
                            BinaryOp(Opcode::kMultiply, 5, 1),
                            BinaryOp(Opcode::kSubtract, 6, 2),
                            BinaryOp(Opcode::kDivide, 7, 3),
                            BinaryOp(Opcode::kMultiply, 3, 4),
                            BinaryOp(Opcode::kAdd, 8, 9),
                            BinaryOp(Opcode::kMaximum, 10, 4),
                            BinaryOp(Opcode::kMultiply, 1, 4),
                            BinaryOp(Opcode::kSubtract, 11, 12)}),
            operands,
            absl::StrCat("[", kRows, ", ", cols, "] of ", DTypeName(from), ", ",
                         number_stride));
      }
    }
  }
}

// Any step before and after that of a product, which is none of its own.
template <class T>
void CheckStepsBesideProducts(DType type) {
  constexpr int64_t kCount = 77;
  std::mt19937_64 random(20261128);
  for (const AnyStep& step : kAnySteps) {
    for (const AnyStep& sum : kSums) {
      for (int moving = 0; moving < 8; ++moving) {
        std::vector<TensorDesc> descs = {Desc(type, {kCount})};
        std::vector<Bytes> operands = {AnyNumbers<T>(kCount, random)};
        for (int k = 0; k < 3; ++k) {
          const bool moves = (moving >> k & 1) != 0;
          descs.push_back(moves ? Desc(type, {kCount})
                                : Desc(type, {kCount}, Strides({0})));
          operands.push_back(AnyNumbers<T>(moves ? kCount : 1, random));
        }
        std::vector<Instruction> program = {BinaryOp(Opcode::kMultiply, 1, 2)};
        step.AppendTo(program, 0, 3);
        sum.AppendTo(program, 5, 4);
        step.AppendTo(program, 6, 3);
        ExpectRight(Program(descs, program), operands,
                    absl::StrCat(moving, ": ", ToText(step), ", ", ToText(sum),
                                 ", ", ToText(step)));
      }
    }
  }
}

TEST(ChainsTest, AnyStepBesideProducts) {
  CheckStepsBesideProducts<float>(kF32);
  CheckStepsBesideProducts<double>(kF64);
}

// After products nothing is known of values that began as integers: here they
// are infinite.
TEST(ChainsTest, IntegersAndGreatProducts) {
  for (const DType from : {kU8, kS16}) {
    const Bytes all = AllElements(from);
    const auto count = static_cast<int64_t>(all.size()) / ElementBytes(from);
    const TensorDesc repeats = Desc(kF32, {count}, Strides({0}));
    for (const AnyStep& sum : kSums) {
      for (const float factor : {1.0f, 2.0f}) {
        std::vector<Instruction> program = {
            Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
            BinaryOp(Opcode::kMultiply, 4, 1),
            BinaryOp(Opcode::kMultiply, 2, 3)};
        sum.AppendTo(program, 5, 6);
        program.push_back(BinaryOp(Opcode::kDivide, 7, 1));
        ExpectRight(
            Program({Desc(from, {count}), repeats, repeats, repeats}, program),
            {all, BytesOf(std::vector<float>{0.1f}),
             BytesOf(std::vector<float>{factor}),
             BytesOf(std::vector<float>{3e38f})},
            absl::StrCat(DTypeName(from), " ", ToText(sum), " ", factor,
                         " * 3e38"));
      }
    }
  }
}

}  // namespace
}  // namespace stridecast::testing
