// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Quotients of chains by one divisor, which are made of products, on every SIMD
// target, beside those of the CPU.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/unit/engine/run_plan.h"

namespace stridecast::testing {
namespace {

using enum DType;

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  using Wide = double;
  static constexpr DType kType = kF32;
  static constexpr Bits kMantissa = 0x7FFFFF;
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  using Wide = long double;
  static constexpr DType kType = kF64;
  static constexpr Bits kMantissa = 0xFFFFFFFFFFFFF;
};

// Around the limits between which quotients are made of products, with
// mantissas that are hard to divide by.
template <class T>
std::vector<T> Divisors(std::mt19937_64& random) {
  using Bits = typename Format<T>::Bits;
  using Limits = std::numeric_limits<T>;
  std::vector<T> divisors = {T{1},
                             T{-1},
                             T{255},
                             T{0.229f},
                             T{3},
                             T{0},
                             -T{0},
                             Limits::max(),
                             -T{3},
                             T{10},
                             Limits::min(),
                             Limits::denorm_min(),
                             T(1e9),
                             T(0.1),
                             Limits::infinity(),
                             Limits::quiet_NaN()};
  for (const int power :
       {-320, -300, -100, -60, -41, -40, -3, 0, 1, 39, 40, 41, 100, 300}) {
    const T base = std::ldexp(T{1}, power);
    const Bits bits = std::bit_cast<Bits>(base);
    for (const Bits mantissa :
         {Bits{0}, Bits{1}, Format<T>::kMantissa, Format<T>::kMantissa - 1,
          static_cast<Bits>(random()) & Format<T>::kMantissa}) {
      divisors.push_back(std::bit_cast<T>(bits | mantissa));
    }
  }
  return divisors;
}

// Small integers, then usual numbers and those whose quotient lies as near to
// the middle of two numbers as it can, then any bits among them: groups of
// vectors with and without unusual numbers.
template <class T>
std::vector<T> Dividends(T divisor, std::mt19937_64& random) {
  using Wide = typename Format<T>::Wide;
  using Bits = typename Format<T>::Bits;
  constexpr int kCount = 4000;
  std::vector<T> dividends;
  for (int i = 0; i < 256; ++i) dividends.push_back(static_cast<T>(i));
  dividends.push_back(-T{0});
  const auto add_usual = [&] {
    const auto usual = std::ldexp(static_cast<T>(random()),
                                  static_cast<int>(random() % 100) - 110);
    dividends.push_back(random() % 2 == 0 ? usual : -usual);
    const T quotient =
        std::bit_cast<T>((std::bit_cast<Bits>(T{1}) & ~Format<T>::kMantissa) |
                         (static_cast<Bits>(random()) & Format<T>::kMantissa));
    const Wide middle =
        Wide{quotient} + std::numeric_limits<T>::epsilon() / Wide{2};
    dividends.push_back(static_cast<T>(middle * Wide{divisor}));
  };
  for (int i = 0; i < kCount; ++i) add_usual();
  // Too small and too great for remainders to be exact, alone in their groups.
  for (const int power : {-200, -190, -170, -150, -20, 0, 40}) {
    for (int i = 0; i < 256; ++i) {
      dividends.push_back(std::ldexp(static_cast<T>(random()), power));
    }
  }
  for (int i = 0; i < kCount; ++i) {
    add_usual();
    dividends.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
  }
  return dividends;
}

template <class T>
void CheckQuotients() {
  using Bits = typename Format<T>::Bits;
  std::mt19937_64 random(20251122);
  for (const T divisor : Divisors<T>(random)) {
    const std::vector<T> x = Dividends(divisor, random);
    const auto count = static_cast<int64_t>(x.size());
    const DType type = Format<T>::kType;
    // Two operations, lest it is no chain; x - 0 is x.
    const Signature signature = Program(
        {Desc(type, {count}), Desc(type, {}), Desc(type, {})},
        {BinaryOp(Opcode::kDivide, 0, 1), BinaryOp(Opcode::kSubtract, 3, 2)});
    const std::vector<Bytes> operands = {BytesOf(x),
                                         BytesOf(std::vector<T>{divisor}),
                                         BytesOf(std::vector<T>{0})};
    for (const KernelTable* table : KernelTables()) {
      const std::vector<Bytes> results =
          RunOn(std::string(table->target()), signature, operands);
      for (size_t i = 0; i < x.size(); ++i) {
        Bits bits;
        std::memcpy(&bits, results[0].data() + i * sizeof(T), sizeof(T));
        const T quotient = x[i] / divisor;
        const T expected = quotient != quotient
                               ? std::numeric_limits<T>::quiet_NaN()
                               : quotient;
        ASSERT_EQ(bits, std::bit_cast<Bits>(expected))
            << table->target() << ": " << x[i] << " / " << divisor;
      }
    }
  }
}

TEST(QuotientsTest, QuotientsByOneDivisorF32) { CheckQuotients<float>(); }
TEST(QuotientsTest, QuotientsByOneDivisorF64) { CheckQuotients<double>(); }

// (x + 0) / y, y read across or not: rows and blocks of any
// length, among them less than a vector, whose divisors differ.
template <class T>
void CheckQuotientsOfRows(int64_t rows, int64_t cols, bool across) {
  using Bits = typename Format<T>::Bits;
  const T kSome[] = {T{3},
                     T{0},
                     std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::denorm_min(),
                     -T{0},
                     T{-7},
                     std::numeric_limits<T>::quiet_NaN(),
                     T{1.5}};
  const DType type = Format<T>::kType;
  const auto n = static_cast<size_t>(rows * cols);
  std::vector<T> x(n);
  std::vector<T> y(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(i % 11) - 5;
    y[i] = kSome[i % 7 * (i % 13) % std::size(kSome)];
  }
  std::vector<Instruction> program = {BinaryOp(Opcode::kAdd, 0, 2)};
  if (across) {
    program.push_back(Op(Opcode::kTranspose, {1}, DimensionsAttribute{{1, 0}}));
    program.push_back(BinaryOp(Opcode::kDivide, 3, 4));
  } else {
    program.push_back(BinaryOp(Opcode::kDivide, 3, 1));
  }
  const Signature signature =
      Program({Desc(type, {rows, cols}),
               across ? Desc(type, {cols, rows}) : Desc(type, {rows, cols}),
               Desc(type, {})},
              program);
  const std::vector<Bytes> operands = {BytesOf(x), BytesOf(y),
                                       BytesOf(std::vector<T>{0})};
  for (const KernelTable* table : KernelTables()) {
    const std::vector<Bytes> results =
        RunOn(std::string(table->target()), signature, operands);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        const auto at = static_cast<size_t>(r * cols + c);
        const T divisor = across ? y[static_cast<size_t>(c * rows + r)] : y[at];
        const T quotient = (x[at] + T{0}) / divisor;
        const T expected = quotient != quotient
                               ? std::numeric_limits<T>::quiet_NaN()
                               : quotient;
        Bits bits;
        std::memcpy(&bits, results[0].data() + at * sizeof(T), sizeof(T));
        ASSERT_EQ(bits, std::bit_cast<Bits>(expected))
            << table->target() << " [" << rows << "," << cols << "] at " << r
            << "," << c << ": " << x[at] << " / " << divisor;
      }
    }
  }
}

TEST(QuotientsTest, QuotientsByDivisorsOfTheirOwn) {
  for (int64_t cols = 1; cols <= 40; ++cols) {
    CheckQuotientsOfRows<float>(1, cols, false);
    CheckQuotientsOfRows<double>(1, cols, false);
    CheckQuotientsOfRows<float>(3, cols, true);
    CheckQuotientsOfRows<double>(3, cols, true);
  }
  for (const int64_t side : {260, 263, 520}) {
    CheckQuotientsOfRows<float>(side, side, true);
    CheckQuotientsOfRows<double>(side, side, true);
  }
}

// The odd number whose product with the odd `d` ends with 1 in binary.
uint32_t InverseModulo32Bits(uint32_t d) {
  uint32_t inverse = d;
  for (int i = 0; i < 5; ++i) inverse *= 2 - d * inverse;
  return inverse;
}

// All x of 24 bits whose quotient by d, of 24 bits and odd, lies within 6/d ULP
// of the middle m of two numbers: x * 2^k = m * d + n for a small n, m being an
// odd number of 25 bits.
std::vector<float> DividendsNearestToTheMiddle(uint32_t d) {
  std::vector<float> dividends;
  const uint32_t inverse = InverseModulo32Bits(d);
  for (int n = -11; n <= 11; n += 2) {
    for (const int k : {24, 25}) {
      const uint32_t least =
          static_cast<uint32_t>(-n) * inverse & ((uint32_t{1} << k) - 1);
      for (uint64_t m = least; m < uint64_t{1} << 25; m += uint64_t{1} << k) {
        const auto x = (static_cast<int64_t>(m * d) + n) >> k;
        if (m < uint64_t{1} << 24 || x < 1 << 23 || x >= 1 << 24) continue;
        dividends.push_back(static_cast<float>(x));
      }
    }
  }
  return dividends;
}

TEST(QuotientsTest, QuotientsNearestToTheMiddle) {
  constexpr int64_t kRows = 8192;
  constexpr int64_t kCols = 128;
  std::mt19937 random(20251122);
  std::vector<float> x(kRows * kCols, 1.0f);
  std::vector<float> divisors;
  int64_t num_near = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    // The greatest ones, and random ones.
    const uint32_t d =
        row < 1024 ? (1u << 24) - 1 - 2 * static_cast<uint32_t>(row)
                   : (1u << 23) | static_cast<uint32_t>(random() >> 9) | 1;
    divisors.push_back(static_cast<float>(d));
    const std::vector<float> near = DividendsNearestToTheMiddle(d);
    ASSERT_LE(near.size(), static_cast<size_t>(kCols));
    std::copy(near.begin(), near.end(), x.begin() + row * kCols);
    num_near += static_cast<int64_t>(near.size());
  }
  EXPECT_GT(num_near, 8 * kRows);
  const Signature signature =
      Program({Desc(kF32, {kRows, kCols}), Desc(kF32, {kRows}), Desc(kF32, {})},
              {BinaryOp(Opcode::kDivide, 0, 1, {0}),
               BinaryOp(Opcode::kSubtract, 3, 2)});
  const std::vector<Bytes> operands = {BytesOf(x), BytesOf(divisors),
                                       BytesOf(std::vector<float>{0})};
  for (const KernelTable* table : KernelTables()) {
    const std::vector<Bytes> results =
        RunOn(std::string(table->target()), signature, operands);
    for (size_t i = 0; i < x.size(); ++i) {
      float quotient;
      std::memcpy(&quotient, results[0].data() + i * 4, 4);
      ASSERT_EQ(quotient, x[i] / divisors[i / kCols])
          << x[i] << " / " << divisors[i / kCols];
    }
  }
}

}  // namespace
}  // namespace stridecast::testing
