// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Who judges the judge: the oracle on the examples of SEMANTICS.md, and its
// number arithmetic against the processor's, which converts between f32, f64
// and integers of 64 bits with one rounding.

#include "tests/support/reference.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using enum DType;

class ReferenceExampleTest : public ::testing::TestWithParam<Example> {};

TEST_P(ReferenceExampleTest, GivesTheExpectedBuffers) {
  const Example& example = GetParam();
  std::vector<Bytes> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    const TensorDesc& desc = example.signature.operands[i];
    operands.push_back(EncodeNumbers(desc.type(), example.operands[i]));
    ASSERT_EQ(static_cast<int64_t>(operands[i].size()), desc.size_bytes());
  }
  const auto values = ReferenceValues(example.signature, operands);
  const auto results = Reference(example.signature, operands);
  ASSERT_EQ(results.size(), example.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const auto& value = example.signature.results[i].value;
    const DType type = value ? values[*value].type : values.back().type;
    const Bytes expected = EncodeNumbers(type, example.results[i]);
    EXPECT_EQ(results[i], expected)
        << "result " << i << " is " << NumbersToString(type, results[i])
        << "\nexpected    " << NumbersToString(type, expected);
  }
}

std::vector<Example> Everything() {
  std::vector<Example> examples = AllExamples();
  examples.insert(examples.end(), UpcomingExamples().begin(),
                  UpcomingExamples().end());
  return examples;
}

std::vector<Example> AcceptedExamples() {
  std::vector<Example> accepted = Everything();
  std::erase_if(accepted, [](const Example& example) {
    return example.code != absl::StatusCode::kOk;
  });
  return accepted;
}

INSTANTIATE_TEST_SUITE_P(Examples, ReferenceExampleTest,
                         ::testing::ValuesIn(AcceptedExamples()),
                         [](const auto& row) { return row.param.name; });

TEST(ExamplesTest, NamesAreDistinct) {
  std::set<std::string> names;
  for (const Example& example : Everything()) {
    EXPECT_TRUE(names.insert(example.name).second) << example.name;
  }
}

// Bits of every kind: special ones, and random ones of any magnitude.
template <typename Bits>
std::vector<Bits> SampleBits(Bits one, Bits infinity) {
  std::vector<Bits> bits = {
      0, 1, 2, one, one + 1, infinity, infinity - 1, infinity + 1};
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) bits.push_back(static_cast<Bits>(random()));
  return bits;
}

TEST(NumbersTest, F64ToF32IsTheProcessorsConversion) {
  for (uint64_t bits :
       SampleBits<uint64_t>(std::bit_cast<uint64_t>(1.0), 0x7FF0000000000000)) {
    // Most f64 are far outside f32's range: bring half of them into it.
    const uint64_t near_one =
        (bits >> 3 & ~(uint64_t{1} << 63)) | uint64_t{0x38} << 56;
    for (uint64_t x : {bits, near_one}) {
      const uint64_t rounded = RoundToFloat(kF32, ToExact(kF64, x));
      const auto expected = static_cast<float>(std::bit_cast<double>(x));
      if (std::isnan(expected)) {
        EXPECT_EQ(rounded, 0x7FC00000u);
      } else {
        ASSERT_EQ(rounded, std::bit_cast<uint32_t>(expected)) << x;
      }
    }
  }
}

TEST(NumbersTest, IntegersToFloatsAreTheProcessorsConversions) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t bits = random() >> random() % 64;
    const auto number = static_cast<int64_t>(bits);
    ASSERT_EQ(RoundToFloat(kF32, ToExact(kS64, bits)),
              std::bit_cast<uint32_t>(static_cast<float>(number)));
    ASSERT_EQ(RoundToFloat(kF32, ToExact(kU64, bits)),
              std::bit_cast<uint32_t>(static_cast<float>(bits)));
    ASSERT_EQ(RoundToFloat(kF64, ToExact(kS64, bits)),
              std::bit_cast<uint64_t>(static_cast<double>(number)));
  }
}

TEST(NumbersTest, FloatsToIntegersAreTheProcessorsConversions) {
  for (uint32_t bits : SampleBits<uint32_t>(0x3F800000, 0x7F800000)) {
    const auto value = std::bit_cast<float>(bits);
    const ExactNumber exact = ToExact(kF32, bits);
    const auto saturated =
        static_cast<int64_t>(TruncateToInteger(kS64, exact, true));
    const uint64_t wrapped = TruncateToInteger(kU64, exact, false);
    if (std::abs(value) < 0x1p63f) {
      ASSERT_EQ(saturated, static_cast<int64_t>(value));
    } else if (!std::isnan(value)) {
      ASSERT_EQ(saturated, value < 0 ? std::numeric_limits<int64_t>::min()
                                     : std::numeric_limits<int64_t>::max());
    } else {
      ASSERT_EQ(saturated, 0);
    }
    // Greater numbers are multiples of 2^64.
    ASSERT_EQ(wrapped, std::abs(value) < 0x1p126f
                           ? static_cast<uint64_t>(static_cast<__int128>(value))
                           : 0)
        << value;
  }
}

// Every f16 is a float, and comes back; between two neighbours the nearer one
// is taken, and of two equally near ones the even one.
TEST(NumbersTest, F16RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const float below = FloatOf(kF16, bits);
    const float above = bits == 0x7BFF ? 65536.0f : FloatOf(kF16, bits + 1);
    EXPECT_EQ(below,
              std::ldexp(static_cast<float>((bits & 0x3FF) +
                                            (bits >= 0x400 ? 1024 : 0)),
                         std::max<int>(1, static_cast<int>(bits >> 10)) - 25));
    ASSERT_EQ(BitsOfFloat(kF16, below), bits);
    ASSERT_EQ(BitsOfFloat(kF16, -below), bits | 0x8000);
    const float middle = (below + above) / 2;
    ASSERT_EQ(BitsOfFloat(kF16, middle), bits + (bits & 1));
    ASSERT_EQ(BitsOfFloat(kF16, std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(BitsOfFloat(kF16, std::nextafter(middle, 1e9f)), bits + 1);
  }
  EXPECT_EQ(BitsOfFloat(kF16, std::numeric_limits<float>::infinity()), 0x7C00u);
  EXPECT_EQ(BitsOfFloat(kF16, std::numeric_limits<float>::quiet_NaN()),
            0x7E00u);
}

TEST(NumbersTest, BF16RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7F80; ++bits) {
    const auto exact = [](uint32_t f32) { return std::bit_cast<float>(f32); };
    ASSERT_EQ(FloatOf(kBF16, bits), exact(bits << 16));
    ASSERT_EQ(BitsOfFloat(kBF16, exact(bits << 16)), bits);
    ASSERT_EQ(BitsOfFloat(kBF16, exact(bits << 16 | 0x7FFF)), bits);
    ASSERT_EQ(BitsOfFloat(kBF16, exact(bits << 16 | 0x8000)),
              bits + (bits & 1));
    ASSERT_EQ(BitsOfFloat(kBF16, exact(bits << 16 | 0x8001)), bits + 1);
  }
  EXPECT_EQ(BitsOfFloat(kBF16, std::numeric_limits<float>::quiet_NaN()),
            0x7FC0u);
}

TEST(ReferenceTest, PredOperandsAreAnyNonZeroByte) {
  Signature signature{{Desc(kPred, {3})}, {}, {ResultSpec{}}};
  const Bytes operand = {std::byte{0}, std::byte{2}, std::byte{255}};
  EXPECT_EQ(Reference(signature, {operand})[0],
            (Bytes{std::byte{0}, std::byte{1}, std::byte{1}}));
}

// SEMANTICS.md 4: these keep the bits of a NaN, arithmetic does not.
TEST(ReferenceTest, SignallingNanSurvivesDataMovementOnly) {
  Bytes operand = {std::byte{1}, std::byte{0}, std::byte{0xA0},
                   std::byte{0x7F}};
  const auto run = [&](std::vector<Instruction> instructions) {
    const Bytes bytes = Reference(
        Program({Desc(kF32, {1})}, std::move(instructions)), {operand})[0];
    return ReadElement(kF32, bytes, 0).bits;
  };
  EXPECT_EQ(run({Op(Opcode::kIdentity, {0})}), 0x7FA00001u);
  EXPECT_EQ(run({Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}})}),
            0x7FA00001u);
  EXPECT_EQ(run({Op(Opcode::kNegate, {0})}), 0xFFA00001u);
  EXPECT_EQ(run({Op(Opcode::kNegate, {0}), Op(Opcode::kAbs, {1})}),
            0x7FA00001u);
  EXPECT_EQ(run({BinaryOp(Opcode::kAdd, 0, 0)}), 0x7FC00000u);
  EXPECT_EQ(run({BinaryOp(Opcode::kMaximum, 0, 0)}), 0x7FC00000u);
  EXPECT_EQ(run({Op(Opcode::kConvert, {0}, ConvertAttribute{kF32})}),
            0x7FC00000u);
}

}  // namespace
}  // namespace stridecast::testing
