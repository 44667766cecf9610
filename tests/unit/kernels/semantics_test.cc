// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The edge cases of every built operation, bit by bit: the specification of
// element-wise semantics as a table. Each row runs on every target of this
// machine, alone and as part of a long row.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"
#include "tests/unit/kernels/element_reference.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

// The bits of an element; `high` of a c128 alone (its imaginary part).
struct Bits {
  uint64_t low;
  uint64_t high = 0;
  constexpr Bits(uint64_t bits) : low(bits) {}  // NOLINT: a literal
  constexpr Bits(uint64_t re, uint64_t im) : low(re), high(im) {}
};

constexpr uint64_t C64(uint32_t re, uint32_t im) {
  return static_cast<uint64_t>(im) << 32 | re;
}

struct Row {
  const char* what;
  Opcode opcode;
  DType type;
  std::vector<Bits> operands;
  Bits expected;
  Attribute attribute = {};
};

Bits Run(const Row& row, Kernel kernel, int64_t cols, int64_t which) {
  const DType result_type =
      ReferenceResultType(row.opcode, row.type, row.attribute);
  const int64_t result_bytes = ElementBytes(result_type);
  std::vector<std::byte> data[3];
  BlockOperand operands[3] = {};
  for (size_t k = 0; k < row.operands.size(); ++k) {
    const int64_t bytes =
        ElementBytes(OperandType(row.opcode, row.type, static_cast<int>(k)));
    data[k].resize(static_cast<size_t>(bytes * cols));
    for (int64_t i = 0; i < cols; ++i) {
      std::memcpy(data[k].data() + i * bytes, &row.operands[k],
                  static_cast<size_t>(bytes));
    }
    operands[k] = {data[k].data(), 0, bytes};
  }
  std::vector<std::byte> result(static_cast<size_t>(result_bytes * cols));
  kernel(1, cols, operands, BlockResult{result.data(), 0});
  Bits bits = 0;
  std::memcpy(&bits, result.data() + which * result_bytes,
              static_cast<size_t>(result_bytes));
  return bits;
}

void Check(const std::vector<Row>& rows) {
  ASSERT_FALSE(KernelTables().empty());
  for (const KernelTable* table : KernelTables()) {
    for (const Row& row : rows) {
      SCOPED_TRACE(std::string(table->target()) + " " +
                   NameOf(row.opcode, row.type, row.attribute) + ": " +
                   row.what);
      ASSERT_EQ(static_cast<int>(row.operands.size()), ArityOf(row.opcode));
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

// f32
constexpr uint32_t k0 = 0;
constexpr uint32_t kMinus0 = 0x80000000;
constexpr uint32_t k1 = 0x3F800000;
constexpr uint32_t kMinus1 = 0xBF800000;
constexpr uint32_t k2 = 0x40000000;
constexpr uint32_t k3 = 0x40400000;
constexpr uint32_t k4 = 0x40800000;
constexpr uint32_t k5 = 0x40A00000;
constexpr uint32_t kMinus4 = 0xC0800000;
constexpr uint32_t kInf = 0x7F800000;
constexpr uint32_t kMinusInf = 0xFF800000;
constexpr uint32_t kMax = 0x7F7FFFFF;
constexpr uint32_t kNan = 0x7FC00000;      // the canonical one
constexpr uint32_t kPayload = 0xFFC12345;  // quiet, negative
constexpr uint32_t kSignalling = 0x7F800001;
// f64
constexpr uint64_t kNan64 = 0x7FF8000000000000;
constexpr uint64_t kTwo63 = 0x43E0000000000000;

constexpr uint64_t kS8Min = 0x80;
constexpr uint64_t kS16Min = 0x8000;
constexpr uint64_t kS32Min = 0x80000000;
constexpr uint64_t kS64Min = 0x8000000000000000;
constexpr uint64_t kAll8 = 0xFF;
constexpr uint64_t kAll16 = 0xFFFF;
constexpr uint64_t kAll32 = 0xFFFFFFFF;
constexpr uint64_t kAll64 = 0xFFFFFFFFFFFFFFFF;

TEST(SemanticsTest, Add) {
  constexpr Opcode op = Opcode::kAdd;
  Check({
      {"1 + 2", op, DType::kF32, {k1, k2}, k3},
      {"inf - inf is the positive NaN",
       op,
       DType::kF32,
       {kInf, kMinusInf},
       kNan},
      {"payloads do not survive", op, DType::kF32, {kPayload, k1}, kNan},
      {"nor of the second", op, DType::kF32, {k1, kPayload}, kNan},
      {"a signalling one", op, DType::kF32, {kSignalling, k1}, kNan},
      {"subnormals are kept", op, DType::kF32, {1, 1}, 2},
      {"overflow", op, DType::kF32, {kMax, kMax}, kInf},
      {"+0 + -0", op, DType::kF32, {k0, kMinus0}, k0},
      {"-0 + -0", op, DType::kF32, {kMinus0, kMinus0}, kMinus0},
      {"inf - inf",
       op,
       DType::kF64,
       {0x7FF0000000000000, 0xFFF0000000000000},
       kNan64},
      {"subnormals", op, DType::kF64, {1, 1}, 2},
      {"2048 + 1 is a tie, down to even",
       op,
       DType::kF16,
       {0x6800, 0x3C00},
       0x6800},
      {"2050 + 1 is a tie, up to even",
       op,
       DType::kF16,
       {0x6801, 0x3C00},
       0x6802},
      {"65504 + 16 overflows", op, DType::kF16, {0x7BFF, 0x4C00}, 0x7C00},
      {"65504 + 15.99 does not", op, DType::kF16, {0x7BFF, 0x4BFF}, 0x7BFF},
      {"NaN", op, DType::kF16, {0xFE01, 0x3C00}, 0x7E00},
      {"subnormals", op, DType::kF16, {1, 1}, 2},
      {"256 + 1 is a tie, down to even",
       op,
       DType::kBF16,
       {0x4380, 0x3F80},
       0x4380},
      {"258 + 1 is a tie, up to even",
       op,
       DType::kBF16,
       {0x4381, 0x3F80},
       0x4382},
      {"NaN", op, DType::kBF16, {0xFF81, 0x3F80}, 0x7FC0},
      {"subnormals", op, DType::kBF16, {1, 1}, 2},
      {"127 + 1 wraps", op, DType::kS8, {0x7F, 1}, kS8Min},
      {"255 + 1 wraps", op, DType::kU8, {kAll8, 1}, 0},
      {"wraps", op, DType::kS64, {0x7FFFFFFFFFFFFFFF, 1}, kS64Min},
      {"pred: or", op, DType::kPred, {1, 1}, 1},
      {"pred: or", op, DType::kPred, {0, 1}, 1},
      {"pred: or", op, DType::kPred, {0, 0}, 0},
      {"by parts",
       op,
       DType::kC64,
       {C64(k1, kInf), C64(k2, kMinusInf)},
       C64(k3, kNan)},
      {"by parts",
       op,
       DType::kC128,
       {Bits(0x3FF0000000000000, 0), Bits(0x3FF0000000000000, 1)},
       Bits(0x4000000000000000, 1)},
  });
}

TEST(SemanticsTest, SubtractAndMultiply) {
  constexpr Opcode sub = Opcode::kSubtract;
  constexpr Opcode mul = Opcode::kMultiply;
  Check({
      {"inf - inf", sub, DType::kF32, {kInf, kInf}, kNan},
      {"0 - 1", sub, DType::kU8, {0, 1}, kAll8},
      {"wraps", sub, DType::kS64, {kS64Min, 1}, 0x7FFFFFFFFFFFFFFF},
      {"by parts",
       sub,
       DType::kC64,
       {C64(k3, k0), C64(k1, k1)},
       C64(k2, kMinus1)},
      {"0 * inf is the positive NaN", mul, DType::kF32, {k0, kInf}, kNan},
      {"subnormal times half: a tie to 0",
       mul,
       DType::kF32,
       {1, 0x3F000000},
       0},
      {"1.5 units: a tie to 2", mul, DType::kF16, {3, 0x3800}, 2},
      {"1.5 units: a tie to 2", mul, DType::kBF16, {3, 0x3F00}, 2},
      {"wraps", mul, DType::kS32, {65536, 65536}, 0},
      {"wraps", mul, DType::kS8, {16, 16}, 0},
      {"-128 * -1", mul, DType::kS8, {kS8Min, kAll8}, kS8Min},
      {"255 * 255", mul, DType::kU8, {kAll8, kAll8}, 1},
      {"wraps", mul, DType::kU64, {kAll64, kAll64}, 1},
      {"wraps", mul, DType::kS64, {0x100000001, 0x100000001}, 0x200000001},
      {"pred: and", mul, DType::kPred, {1, 1}, 1},
      {"pred: and", mul, DType::kPred, {1, 0}, 0},
      {"i * i", mul, DType::kC64, {C64(k0, k1), C64(k0, k1)}, C64(kMinus1, k0)},
      {"infinities are not recovered",
       mul,
       DType::kC64,
       {C64(kInf, kInf), C64(k1, k0)},
       C64(kNan, kNan)},
      {"no fused step: (1+2^-12)^2 - 1",
       mul,
       DType::kC64,
       {C64(0x3F800800, k1), C64(0x3F800800, k1)},
       C64(0x3A000000, 0x40000800)},
  });
}

TEST(SemanticsTest, Divide) {
  constexpr Opcode op = Opcode::kDivide;
  Check({
      {"1/0", op, DType::kF32, {k1, k0}, kInf},
      {"-1/0", op, DType::kF32, {kMinus1, k0}, kMinusInf},
      {"1/-0", op, DType::kF32, {k1, kMinus0}, kMinusInf},
      {"0/0 is the positive NaN", op, DType::kF32, {k0, k0}, kNan},
      {"0/0", op, DType::kF16, {0, 0}, 0x7E00},
      {"0/0", op, DType::kBF16, {0, 0}, 0x7FC0},
      {"1/3", op, DType::kF16, {0x3C00, 0x4200}, 0x3555},
      {"1/3", op, DType::kBF16, {0x3F80, 0x4040}, 0x3EAB},
      {"7/-2 toward zero", op, DType::kS32, {7, kAll32 - 1}, kAll32 - 2},
      {"-7/2 toward zero", op, DType::kS32, {kAll32 - 6, 2}, kAll32 - 2},
      {"5/0", op, DType::kS8, {5, 0}, kAll8},
      {"5/0", op, DType::kS16, {5, 0}, kAll16},
      {"5/0", op, DType::kS32, {5, 0}, kAll32},
      {"5/0", op, DType::kS64, {5, 0}, kAll64},
      {"0/0", op, DType::kS32, {0, 0}, kAll32},
      {"least / 0", op, DType::kS64, {kS64Min, 0}, kAll64},
      {"5/0", op, DType::kU8, {5, 0}, kAll8},
      {"5/0", op, DType::kU16, {5, 0}, kAll16},
      {"5/0", op, DType::kU32, {5, 0}, kAll32},
      {"5/0", op, DType::kU64, {5, 0}, kAll64},
      {"least / -1", op, DType::kS8, {kS8Min, kAll8}, kS8Min},
      {"least / -1", op, DType::kS16, {kS16Min, kAll16}, kS16Min},
      {"least / -1", op, DType::kS32, {kS32Min, kAll32}, kS32Min},
      {"least / -1", op, DType::kS64, {kS64Min, kAll64}, kS64Min},
      {"least / 1", op, DType::kS32, {kS32Min, 1}, kS32Min},
      {"200/7", op, DType::kU8, {200, 7}, 28},
      {"just below 1", op, DType::kS32, {0x7FFFFFFE, 0x7FFFFFFF}, 0},
      {"just above 1", op, DType::kS32, {0x7FFFFFFF, 0x7FFFFFFE}, 1},
      {"just below 1", op, DType::kU16, {0xFFFE, 0xFFFF}, 0},
      {"just below 2", op, DType::kU32, {0xFFFFFFFD, 0x7FFFFFFF}, 1},
      {"just below 2",
       op,
       DType::kU64,
       {0xFFFFFFFFFFFFFFFD, 0x7FFFFFFFFFFFFFFF},
       1},
      {"1/i", op, DType::kC64, {C64(k1, k0), C64(k0, k1)}, C64(k0, kMinus1)},
      {"(1+i)/0", op, DType::kC64, {C64(k1, k1), C64(k0, k0)}, C64(kNan, kNan)},
      {"overflow as the formula has it",
       op,
       DType::kC64,
       {C64(kMax, kMax), C64(kMax, kMax)},
       C64(kNan, k0)},
      {"(4+4i)/(2+2i)",
       op,
       DType::kC64,
       {C64(k4, k4), C64(k2, k2)},
       C64(k2, k0)},
  });
}

TEST(SemanticsTest, Remainder) {
  constexpr Opcode op = Opcode::kRemainder;
  Check({
      {"5.5 % 2", op, DType::kF32, {0x40B00000, k2}, 0x3FC00000},
      {"-5.5 % 2 has the dividend's sign",
       op,
       DType::kF32,
       {0xC0B00000, k2},
       0xBFC00000},
      {"5.5 % -2", op, DType::kF32, {0x40B00000, 0xC0000000}, 0x3FC00000},
      {"x % 0", op, DType::kF32, {k1, k0}, kNan},
      {"x % -0", op, DType::kF32, {k1, kMinus0}, kNan},
      {"x % inf", op, DType::kF32, {k5, kInf}, k5},
      {"x % -inf", op, DType::kF32, {k5, kMinusInf}, k5},
      {"inf % x", op, DType::kF32, {kInf, k1}, kNan},
      {"NaN % x", op, DType::kF32, {kPayload, k1}, kNan},
      {"x % NaN", op, DType::kF32, {k1, kPayload}, kNan},
      {"-0 % 1", op, DType::kF32, {kMinus0, k1}, kMinus0},
      {"-4 % 2", op, DType::kF32, {kMinus4, k2}, kMinus0},
      {"2^127 % 3", op, DType::kF32, {0x7F000000, k3}, k2},
      {"subnormals", op, DType::kF32, {5, 3}, 2},
      {"normal % subnormal", op, DType::kF32, {0x00800000, 3}, 2},
      {"2^1023 % 3",
       op,
       DType::kF64,
       {0x7FE0000000000000, 0x4008000000000000},
       0x4000000000000000},
      {"65504 % 3", op, DType::kF16, {0x7BFF, 0x4200}, 0x4000},
      {"2^127 % 3", op, DType::kBF16, {0x7F00, 0x4040}, 0x4000},
      {"-7 % 2", op, DType::kS32, {kAll32 - 6, 2}, kAll32},
      {"7 % -2", op, DType::kS32, {7, kAll32 - 1}, 1},
      {"x % 0", op, DType::kS8, {5, 0}, 5},
      {"x % 0", op, DType::kS16, {kS16Min, 0}, kS16Min},
      {"x % 0", op, DType::kS32, {kS32Min, 0}, kS32Min},
      {"x % 0", op, DType::kU64, {kAll64, 0}, kAll64},
      {"least % -1", op, DType::kS8, {kS8Min, kAll8}, 0},
      {"least % -1", op, DType::kS32, {kS32Min, kAll32}, 0},
      {"least % -1", op, DType::kS64, {kS64Min, kAll64}, 0},
      {"200 % 7", op, DType::kU8, {200, 7}, 4},
  });
}

TEST(SemanticsTest, MaximumAndMinimum) {
  constexpr Opcode max = Opcode::kMaximum;
  constexpr Opcode min = Opcode::kMinimum;
  Check({
      {"max(+0, -0)", max, DType::kF32, {k0, kMinus0}, k0},
      {"max(-0, +0)", max, DType::kF32, {kMinus0, k0}, k0},
      {"max(-0, -0)", max, DType::kF32, {kMinus0, kMinus0}, kMinus0},
      {"min(+0, -0)", min, DType::kF32, {k0, kMinus0}, kMinus0},
      {"min(-0, +0)", min, DType::kF32, {kMinus0, k0}, kMinus0},
      {"min(+0, +0)", min, DType::kF32, {k0, k0}, k0},
      {"max(+0, -0)", max, DType::kF16, {0, 0x8000}, 0},
      {"min(+0, -0)", min, DType::kBF16, {0, 0x8000}, 0x8000},
      {"min(+0, -0)", min, DType::kF64, {0, kS64Min}, kS64Min},
      {"NaN wins", max, DType::kF32, {kPayload, kInf}, kNan},
      {"NaN wins", max, DType::kF32, {kInf, kPayload}, kNan},
      {"NaN wins", min, DType::kF32, {kPayload, kMinusInf}, kNan},
      {"NaN wins", min, DType::kF32, {kMinusInf, kSignalling}, kNan},
      {"NaN wins", max, DType::kF16, {0x7C01, 0x3C00}, 0x7E00},
      {"NaN wins", min, DType::kBF16, {0x3F80, 0xFFFF}, 0x7FC0},
      {"max(-1, 1)", max, DType::kF32, {kMinus1, k1}, k1},
      {"unsigned", max, DType::kU64, {kS64Min, 1}, kS64Min},
      {"signed", max, DType::kS64, {kS64Min, 1}, 1},
      {"unsigned", min, DType::kU8, {kAll8, 1}, 1},
      {"signed", min, DType::kS8, {kAll8, 1}, kAll8},
      {"pred: or", max, DType::kPred, {0, 1}, 1},
      {"pred: and", min, DType::kPred, {0, 1}, 0},
  });
}

TEST(SemanticsTest, Clamp) {
  constexpr Opcode op = Opcode::kClamp;
  Check({
      {"inside", op, DType::kF32, {k1, k2, k3}, k2},
      {"below", op, DType::kF32, {k1, k0, k3}, k1},
      {"above", op, DType::kF32, {k1, k5, k3}, k3},
      {"high wins", op, DType::kF32, {k3, k2, k1}, k1},
      {"NaN low", op, DType::kF32, {kPayload, k2, k1}, kNan},
      {"NaN x", op, DType::kF32, {k1, kPayload, k2}, kNan},
      {"NaN high", op, DType::kF32, {k1, k2, kPayload}, kNan},
      {"-0 in [+0, 1]", op, DType::kF32, {k0, kMinus0, k1}, k0},
      {"above", op, DType::kF16, {0, 0x4400, 0x3C00}, 0x3C00},
      {"above", op, DType::kS8, {kAll8, 100, 10}, 10},
      {"below", op, DType::kU32, {10, 1, 20}, 10},
      {"high wins", op, DType::kS64, {10, 5, 3}, 3},
      {"pred", op, DType::kPred, {1, 0, 1}, 1},
  });
}

TEST(SemanticsTest, Bitwise) {
  Check({
      {"and", Opcode::kAnd, DType::kS32, {0xFFFF0000, 0xFF00FF00}, 0xFF000000},
      {"or", Opcode::kOr, DType::kU16, {0xFF00, 0x0FF0}, 0xFFF0},
      {"xor", Opcode::kXor, DType::kS64, {kAll64, 1}, kAll64 - 1},
      {"pred and", Opcode::kAnd, DType::kPred, {1, 0}, 0},
      {"pred or", Opcode::kOr, DType::kPred, {1, 0}, 1},
      {"pred xor", Opcode::kXor, DType::kPred, {1, 1}, 0},
      {"not", Opcode::kNot, DType::kU8, {0x0F}, 0xF0},
      {"not", Opcode::kNot, DType::kS64, {0}, kAll64},
      {"pred not is logical", Opcode::kNot, DType::kPred, {1}, 0},
      {"pred not is logical", Opcode::kNot, DType::kPred, {0}, 1},
  });
}

TEST(SemanticsTest, SignsAndRoots) {
  constexpr Opcode neg = Opcode::kNegate;
  constexpr Opcode abs = Opcode::kAbs;
  constexpr Opcode sqrt = Opcode::kSqrt;
  Check({
      {"-(+0)", neg, DType::kF32, {k0}, kMinus0},
      {"flips a NaN's sign, keeps it signalling",
       neg,
       DType::kF32,
       {kSignalling},
       0xFF800001},
      {"keeps a signalling NaN", neg, DType::kF16, {0x7C01}, 0xFC01},
      {"keeps a signalling NaN", neg, DType::kBF16, {0xFF81}, 0x7F81},
      {"least", neg, DType::kS8, {kS8Min}, kS8Min},
      {"unsigned", neg, DType::kU32, {1}, kAll32},
      {"both parts",
       neg,
       DType::kC64,
       {C64(kPayload, k0)},
       C64(0x7FC12345, kMinus0)},
      {"both parts",
       neg,
       DType::kC128,
       {Bits(0, 1)},
       Bits(kS64Min, kS64Min + 1)},
      {"keeps a NaN", abs, DType::kF32, {0xFF812345}, 0x7F812345},
      {"-0", abs, DType::kF64, {kS64Min}, 0},
      {"keeps a NaN", abs, DType::kF16, {0xFC01}, 0x7C01},
      {"least", abs, DType::kS8, {kS8Min}, kS8Min},
      {"least", abs, DType::kS32, {kS32Min}, kS32Min},
      {"least", abs, DType::kS64, {kS64Min}, kS64Min},
      {"-5", abs, DType::kS16, {0xFFFB}, 5},
      {"unsigned", abs, DType::kU8, {200}, 200},
      {"|3+4i|", abs, DType::kC64, {C64(k3, k4)}, k5},
      {"no overflow",
       abs,
       DType::kC64,
       {C64(0x7F167699, 0x7F167699)},
       0x7F54C986},
      {"no underflow", abs, DType::kC64, {C64(3, 4)}, 5},
      {"|inf + NaN i|", abs, DType::kC64, {C64(kMinusInf, kPayload)}, kInf},
      {"|1 + NaN i|", abs, DType::kC64, {C64(k1, kPayload)}, kNan},
      {"|-0 - 0i|", abs, DType::kC64, {C64(kMinus0, kMinus0)}, 0},
      {"no overflow",
       abs,
       DType::kC128,
       {Bits(0x7E37E43C8800759C, 0x7E37E43C8800759C)},
       0x7E40E4D50F99B211},
      {"subnormal",
       abs,
       DType::kC128,
       {Bits(0x12688B70E62B, 0x12688B70E62B)},
       0x1A088B6BF34F},
      {"|0|", abs, DType::kC128, {Bits(0, kS64Min)}, 0},
      {"|3+4i|",
       abs,
       DType::kC128,
       {Bits(0x4008000000000000, 0xC010000000000000)},
       0x4014000000000000},
      {"|inf + NaN i|",
       abs,
       DType::kC128,
       {Bits(kNan64 + 1, 0xFFF0000000000000)},
       0x7FF0000000000000},
      {"-0", sqrt, DType::kF32, {kMinus0}, kMinus0},
      {"of -1 is the positive NaN", sqrt, DType::kF32, {kMinus1}, kNan},
      {"of -1", sqrt, DType::kF16, {0xBC00}, 0x7E00},
      {"of -inf", sqrt, DType::kBF16, {0xFF80}, 0x7FC0},
      {"of 2", sqrt, DType::kF32, {k2}, 0x3FB504F3},
      {"of 2", sqrt, DType::kF64, {0x4000000000000000}, 0x3FF6A09E667F3BCD},
      {"of 2", sqrt, DType::kF16, {0x4000}, 0x3DA8},
      {"of 2", sqrt, DType::kBF16, {0x4000}, 0x3FB5},
      {"of inf", sqrt, DType::kF32, {kInf}, kInf},
      {"of the least subnormal", sqrt, DType::kF32, {1}, 0x1A3504F3},
  });
}

TEST(SemanticsTest, IdentityAndSelectKeepBits) {
  Check({
      {"signalling",
       Opcode::kIdentity,
       DType::kF32,
       {kSignalling},
       kSignalling},
      {"signalling", Opcode::kIdentity, DType::kF16, {0xFC01}, 0xFC01},
      {"signalling",
       Opcode::kIdentity,
       DType::kC64,
       {C64(kSignalling, kPayload)},
       C64(kSignalling, kPayload)},
      {"c128",
       Opcode::kIdentity,
       DType::kC128,
       {Bits(1, kNan64 + 1)},
       Bits(1, kNan64 + 1)},
      {"true", Opcode::kSelect, DType::kF32, {1, kSignalling, k1}, kSignalling},
      {"false", Opcode::kSelect, DType::kF32, {0, k1, kPayload}, kPayload},
      {"true", Opcode::kSelect, DType::kBF16, {1, 0xFF81, 0}, 0xFF81},
      {"true", Opcode::kSelect, DType::kU8, {1, 7, 8}, 7},
      {"false", Opcode::kSelect, DType::kS64, {0, 7, kS64Min}, kS64Min},
      {"false",
       Opcode::kSelect,
       DType::kC64,
       {0, 7, C64(kSignalling, 1)},
       C64(kSignalling, 1)},
      {"true",
       Opcode::kSelect,
       DType::kC128,
       {1, Bits(3, 4), Bits(5, 6)},
       Bits(3, 4)},
      {"pred", Opcode::kSelect, DType::kPred, {1, 0, 1}, 0},
  });
}

TEST(SemanticsTest, Compare) {
  using Direction = CompareAttribute::Direction;
  constexpr Opcode op = Opcode::kCompare;
  const CompareAttribute eq{Direction::kEq};
  const CompareAttribute ne{Direction::kNe};
  const CompareAttribute ge{Direction::kGe};
  const CompareAttribute gt{Direction::kGt};
  const CompareAttribute le{Direction::kLe};
  const CompareAttribute lt{Direction::kLt};
  const CompareAttribute total_eq{Direction::kEq, true};
  const CompareAttribute total_lt{Direction::kLt, true};
  const CompareAttribute total_ge{Direction::kGe, true};
  Check({
      {"NaN = NaN", op, DType::kF32, {kNan, kNan}, 0, eq},
      {"NaN != NaN", op, DType::kF32, {kNan, kNan}, 1, ne},
      {"NaN >= 1", op, DType::kF32, {kNan, k1}, 0, ge},
      {"1 > NaN", op, DType::kF32, {k1, kNan}, 0, gt},
      {"1 <= NaN", op, DType::kF32, {k1, kNan}, 0, le},
      {"NaN < 1", op, DType::kF32, {kNan, k1}, 0, lt},
      {"-0 = +0", op, DType::kF32, {kMinus0, k0}, 1, eq},
      {"-0 < +0", op, DType::kF32, {kMinus0, k0}, 0, lt},
      {"-0 >= +0", op, DType::kF32, {kMinus0, k0}, 1, ge},
      {"NaN = NaN", op, DType::kF16, {0x7C01, 0x7C01}, 0, eq},
      {"subnormals", op, DType::kBF16, {1, 2}, 1, lt},
      {"-0 < +0 in total order", op, DType::kF32, {kMinus0, k0}, 1, total_lt},
      {"-0 = +0 in total order", op, DType::kF32, {kMinus0, k0}, 0, total_eq},
      {"-NaN < -inf", op, DType::kF32, {kPayload, kMinusInf}, 1, total_lt},
      {"inf < NaN", op, DType::kF32, {kInf, kSignalling}, 1, total_lt},
      {"by payload", op, DType::kF32, {kSignalling, kNan}, 1, total_lt},
      {"negative by payload", op, DType::kF16, {0xFE00, 0xFC01}, 1, total_lt},
      {"NaN = NaN", op, DType::kF64, {kNan64, kNan64}, 1, total_eq},
      {"-1 >= -2",
       op,
       DType::kF64,
       {0xBFF0000000000000, 0xC000000000000000},
       1,
       total_ge},
      {"unsigned", op, DType::kU8, {200, 100}, 1, gt},
      {"signed", op, DType::kS8, {200, 100}, 0, gt},
      {"unsigned", op, DType::kU64, {kS64Min, 1}, 1, ge},
      {"signed", op, DType::kS64, {kS64Min, 1}, 1, le},
      {"false < true", op, DType::kPred, {0, 1}, 1, lt},
      {"parts", op, DType::kC64, {C64(k1, kMinus0), C64(k1, k0)}, 1, eq},
      {"parts", op, DType::kC64, {C64(k1, k2), C64(k1, k0)}, 0, eq},
      {"parts", op, DType::kC64, {C64(k1, kNan), C64(k1, kNan)}, 1, ne},
      {"parts", op, DType::kC128, {Bits(1, 2), Bits(1, 3)}, 1, ne},
  });
}

TEST(SemanticsTest, ConvertBetweenIntegers) {
  constexpr Opcode op = Opcode::kConvert;
  const auto to = [](DType type) { return ConvertAttribute{type}; };
  const auto wrap = [](DType type) {
    return ConvertAttribute{type, Overflow::kWrap};
  };
  const auto saturate = [](DType type) {
    return ConvertAttribute{type, Overflow::kSaturate};
  };
  Check({
      {"300 wraps", op, DType::kS32, {300}, 44, to(DType::kS8)},
      {"300 wraps", op, DType::kS32, {300}, 44, wrap(DType::kS8)},
      {"300", op, DType::kS32, {300}, 127, saturate(DType::kS8)},
      {"-300", op, DType::kS32, {kAll32 - 299}, kS8Min, saturate(DType::kS8)},
      {"-1", op, DType::kS8, {kAll8}, 0, saturate(DType::kU8)},
      {"-1", op, DType::kS8, {kAll8}, kAll8, to(DType::kU8)},
      {"-1", op, DType::kS8, {kAll8}, kAll64, to(DType::kU64)},
      {"-1", op, DType::kS8, {kAll8}, 0, saturate(DType::kU64)},
      {"greatest", op, DType::kU32, {kAll32}, kAll32, to(DType::kS32)},
      {"greatest",
       op,
       DType::kU32,
       {kAll32},
       0x7FFFFFFF,
       saturate(DType::kS32)},
      {"zero extension", op, DType::kU32, {kAll32}, kAll32, to(DType::kS64)},
      {"greatest",
       op,
       DType::kU64,
       {kAll64},
       0x7FFFFFFFFFFFFFFF,
       saturate(DType::kS64)},
      {"greatest", op, DType::kU64, {kAll64}, 127, saturate(DType::kS8)},
      {"pred", op, DType::kPred, {1}, 1, to(DType::kS64)},
      {"0x100 is true", op, DType::kS32, {0x100}, 1, to(DType::kPred)},
      {"0 is false", op, DType::kU64, {0}, 0, to(DType::kPred)},
  });
}

TEST(SemanticsTest, ConvertFloatToInteger) {
  constexpr Opcode op = Opcode::kConvert;
  const auto to = [](DType type) { return ConvertAttribute{type}; };
  const auto wrap = [](DType type) {
    return ConvertAttribute{type, Overflow::kWrap};
  };
  const auto saturate = [](DType type) {
    return ConvertAttribute{type, Overflow::kSaturate};
  };
  constexpr uint32_t k300_7 = 0x4396599A;
  Check({
      {"300.7 saturates", op, DType::kF32, {k300_7}, 127, to(DType::kS8)},
      {"300.7 saturates", op, DType::kF32, {k300_7}, 255, saturate(DType::kU8)},
      {"300.7 wraps", op, DType::kF32, {k300_7}, 44, wrap(DType::kU8)},
      {"-5", op, DType::kF32, {0xC0A00000}, 0, to(DType::kU8)},
      {"-5", op, DType::kF32, {0xC0A00000}, 251, wrap(DType::kU8)},
      {"-0.9", op, DType::kF32, {0xBF666666}, 0, to(DType::kS8)},
      {"-0.9", op, DType::kF32, {0xBF666666}, 0, wrap(DType::kU64)},
      {"127.9", op, DType::kF32, {0x42FFCCCD}, 127, to(DType::kS8)},
      {"NaN", op, DType::kF32, {kPayload}, 0, to(DType::kS32)},
      {"NaN", op, DType::kF32, {kPayload}, 0, saturate(DType::kS8)},
      {"NaN", op, DType::kF32, {kPayload}, 0, wrap(DType::kU16)},
      {"inf", op, DType::kF32, {kInf}, 0x7FFFFFFF, to(DType::kS32)},
      {"-inf", op, DType::kF32, {kMinusInf}, kS64Min, to(DType::kS64)},
      {"inf", op, DType::kF32, {kInf}, kAll64, to(DType::kU64)},
      {"inf", op, DType::kF32, {kInf}, 0, wrap(DType::kU64)},
      {"inf", op, DType::kF16, {0x7C00}, 0x7FFF, to(DType::kS16)},
      {"2^31", op, DType::kF32, {0x4F000000}, 0x7FFFFFFF, to(DType::kS32)},
      {"2^31", op, DType::kF32, {0x4F000000}, kS32Min, wrap(DType::kS32)},
      {"2^31", op, DType::kF32, {0x4F000000}, kS32Min, to(DType::kU32)},
      {"1e20 wraps exactly",
       op,
       DType::kF32,
       {0x60AD78EC},
       0x6BC7600000000000,
       wrap(DType::kU64)},
      {"2^63", op, DType::kF64, {kTwo63}, 0x7FFFFFFFFFFFFFFF, to(DType::kS64)},
      {"2^63", op, DType::kF64, {kTwo63}, kS64Min, wrap(DType::kS64)},
      {"2^63", op, DType::kF64, {kTwo63}, kS64Min, to(DType::kU64)},
      {"-2^63", op, DType::kF64, {kTwo63 | kS64Min}, kS64Min, to(DType::kS64)},
      {"2^64 + 4096",
       op,
       DType::kF64,
       {0x43F0000000000001},
       4096,
       wrap(DType::kU64)},
      {"2^64 + 4096",
       op,
       DType::kF64,
       {0x43F0000000000001},
       kAll64,
       to(DType::kU64)},
      {"-2^31 - 1/2",
       op,
       DType::kF64,
       {0xC1E0000000100000},
       kS32Min,
       to(DType::kS32)},
      {"2^31 - 1/2",
       op,
       DType::kF64,
       {0x41DFFFFFFFE00000},
       0x7FFFFFFF,
       to(DType::kS32)},
      {"3e9",
       op,
       DType::kF64,
       {0x41E65A0BC0000000},
       3000000000,
       to(DType::kU32)},
      {"65504", op, DType::kF16, {0x7BFF}, 65504, to(DType::kU16)},
      {"-1.5", op, DType::kBF16, {0xBFC0}, kAll64, to(DType::kS64)},
      {"real part",
       op,
       DType::kC64,
       {C64(0xBFC00000, kNan)},
       kAll32,
       to(DType::kS32)},
      {"NaN is true", op, DType::kF32, {kNan}, 1, to(DType::kPred)},
      {"-0 is false", op, DType::kF32, {kMinus0}, 0, to(DType::kPred)},
      {"1/2 is true", op, DType::kF32, {0x3F000000}, 1, to(DType::kPred)},
      {"the least is true", op, DType::kF64, {1}, 1, to(DType::kPred)},
      {"NaN is true", op, DType::kF16, {0x7C01}, 1, to(DType::kPred)},
      {"i is false", op, DType::kC64, {C64(k0, k1)}, 0, to(DType::kPred)},
      {"1 is true", op, DType::kC128, {Bits(1, 0)}, 1, to(DType::kPred)},
  });
}

TEST(SemanticsTest, ConvertToFloat) {
  constexpr Opcode op = Opcode::kConvert;
  const auto to = [](DType type) { return ConvertAttribute{type}; };
  Check({
      {"65520 overflows",
       op,
       DType::kF32,
       {0x477FF000},
       0x7C00,
       to(DType::kF16)},
      {"just below", op, DType::kF32, {0x477FEFFF}, 0x7BFF, to(DType::kF16)},
      {"half the least: a tie",
       op,
       DType::kF32,
       {0x33000000},
       0,
       to(DType::kF16)},
      {"just above", op, DType::kF32, {0x33000001}, 1, to(DType::kF16)},
      {"payload", op, DType::kF32, {kPayload}, 0x7E00, to(DType::kF16)},
      {"payload", op, DType::kF32, {kPayload}, 0x7FC0, to(DType::kBF16)},
      {"NaN of low bits",
       op,
       DType::kF32,
       {kSignalling},
       0x7FC0,
       to(DType::kBF16)},
      {"1 + 2^-8: a tie",
       op,
       DType::kF32,
       {0x3F808000},
       0x3F80,
       to(DType::kBF16)},
      {"1 + 3 * 2^-8: a tie",
       op,
       DType::kF32,
       {0x3F818000},
       0x3F82,
       to(DType::kBF16)},
      {"greatest f32", op, DType::kF32, {kMax}, 0x7F80, to(DType::kBF16)},
      {"subnormal", op, DType::kF32, {0x00008000}, 0, to(DType::kBF16)},
      {"subnormal", op, DType::kF32, {0x00008001}, 1, to(DType::kBF16)},
      {"same type: canonical, too",
       op,
       DType::kF32,
       {kPayload},
       kNan,
       to(DType::kF32)},
      {"widened", op, DType::kF16, {0x7C01}, kNan, to(DType::kF32)},
      {"widened", op, DType::kF32, {kSignalling}, kNan64, to(DType::kF64)},
      {"subnormal", op, DType::kF16, {1}, 0x33800000, to(DType::kF32)},
      {"rounded once: 1 + 2^-11 + 2^-40",
       op,
       DType::kF64,
       {0x3FF0020000001000},
       0x3C01,
       to(DType::kF16)},
      {"rounded once: 1 + 2^-8 + 2^-40",
       op,
       DType::kF64,
       {0x3FF0100000001000},
       0x3F81,
       to(DType::kBF16)},
      {"2^-134: a tie",
       op,
       DType::kF64,
       {0x3790000000000000},
       0,
       to(DType::kBF16)},
      {"just above",
       op,
       DType::kF64,
       {0x3790000000000001},
       1,
       to(DType::kBF16)},
      {"overflow",
       op,
       DType::kF64,
       {0x7FEFFFFFFFFFFFFF},
       0x7C00,
       to(DType::kF16)},
      {"overflow",
       op,
       DType::kF64,
       {0xFFEFFFFFFFFFFFFF},
       0xFF80,
       to(DType::kBF16)},
      {"overflow",
       op,
       DType::kF64,
       {0x47EFFFFFF0000000},
       kInf,
       to(DType::kF32)},
      {"tiny", op, DType::kF64, {0x8000000000000001}, 0x8000, to(DType::kF16)},
      {"s64 once: 2^63 - 2^38 - 1",
       op,
       DType::kS64,
       {0x7FFFFFBFFFFFFFFF},
       0x5EFFFFFF,
       to(DType::kF32)},
      {"s64 once: 2^40 + 2^32 + 1",
       op,
       DType::kS64,
       {0x0000010100000001},
       0x5381,
       to(DType::kBF16)},
      {"a tie",
       op,
       DType::kS64,
       {0x0000010100000000},
       0x5380,
       to(DType::kBF16)},
      {"u64 once",
       op,
       DType::kU64,
       {0x8080000000000001},
       0x5F01,
       to(DType::kBF16)},
      {"s32 once: 2^24 + 2^16 + 1",
       op,
       DType::kS32,
       {0x01010001},
       0x4B81,
       to(DType::kBF16)},
      {"u32 once", op, DType::kU32, {0x80800001}, 0x4F01, to(DType::kBF16)},
      {"u32", op, DType::kU32, {kAll32}, 0x4F800000, to(DType::kF32)},
      {"u64", op, DType::kU64, {kAll64}, 0x43F0000000000000, to(DType::kF64)},
      {"s64", op, DType::kS64, {kS64Min}, 0xC3E0000000000000, to(DType::kF64)},
      {"65519", op, DType::kS32, {65519}, 0x7BFF, to(DType::kF16)},
      {"65520", op, DType::kS32, {65520}, 0x7C00, to(DType::kF16)},
      {"-1", op, DType::kS8, {kAll8}, 0xBC00, to(DType::kF16)},
      {"pred", op, DType::kPred, {1}, 0x3C00, to(DType::kF16)},
      {"imaginary part +0", op, DType::kPred, {1}, C64(k1, 0), to(DType::kC64)},
      {"imaginary part +0",
       op,
       DType::kF32,
       {kMinus0},
       C64(kMinus0, 0),
       to(DType::kC64)},
      {"imaginary part +0",
       op,
       DType::kBF16,
       {0x3F80},
       Bits(0x3FF0000000000000, 0),
       to(DType::kC128)},
      {"real part", op, DType::kC64, {C64(k2, kNan)}, 0x4000, to(DType::kF16)},
      {"both parts",
       op,
       DType::kC64,
       {C64(k1, kPayload)},
       Bits(0x3FF0000000000000, kNan64),
       to(DType::kC128)},
      {"both parts",
       op,
       DType::kC128,
       {Bits(0x3FF0000000000000, kNan64 + 1)},
       C64(k1, kNan),
       to(DType::kC64)},
  });
}

}  // namespace
}  // namespace stridecast::kernel_tests
