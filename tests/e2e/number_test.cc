// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace stridecast {
namespace {

using L = std::numeric_limits<double>;

struct NumberCase {
  Number number;
  DType type;
  // The element's bytes as hexadecimal digits, least significant first, or the
  // error.
  const char* expected;
};

const NumberCase kCases[] = {
    {255, DType::kU8, "ff"},
    {256, DType::kU8, "256 is not in [0,255], the range of u8"},
    {-1, DType::kU8, "-1 is not in [0,255], the range of u8"},
    {127, DType::kS8, "7f"},
    {-128, DType::kS8, "80"},
    {128, DType::kS8, "128 is not in [-128,127], the range of s8"},
    {-129, DType::kS8, "-129 is not in [-128,127], the range of s8"},
    {-2, DType::kS16, "feff"},
    {uint64_t{18446744073709551615u}, DType::kU64, "ffffffffffffffff"},
    {std::numeric_limits<int64_t>::min(), DType::kS64, "0000000000000080"},
    {Number::Integer(true, 9223372036854775809u), DType::kS64,
     "-9223372036854775809 is not in [-9223372036854775808,"
     "9223372036854775807], the range of s64"},
    {Number::Integer(true, 0), DType::kU8, "00"},
    {0.5, DType::kS32,
     "0.5 is no integer, s32 holds nothing else; convert the tensor to a "
     "floating-point type"},
    {2.0, DType::kU8,
     "2.0 is no integer, u8 holds nothing else; convert the tensor to a "
     "floating-point type"},
    {true, DType::kPred, "01"},
    {false, DType::kPred, "00"},
    {1, DType::kPred, "1 is no pred; those are true and false"},
    {true, DType::kF32, "true is a pred, not a number of f32"},
    {true, DType::kU8,
     "true is no integer, u8 holds nothing else; convert the tensor to a "
     "floating-point type"},

    // Integers must be exact.
    {255, DType::kBF16, "7f43"},
    {257, DType::kBF16, "257 is not exact in bf16; 257.0 asks for the nearest"},
    {257.0, DType::kBF16, "8043"},
    {2048, DType::kF16, "0068"},
    {2049, DType::kF16,
     "2049 is not exact in f16; 2049.0 asks for the nearest"},
    {65536, DType::kF16,
     "65536 is not exact in f16; 65536.0 asks for the nearest"},
    {16777216, DType::kF32, "0000804b"},
    {16777217, DType::kF32,
     "16777217 is not exact in f32; 16777217.0 asks for the nearest"},
    {int64_t{9007199254740993}, DType::kF64,
     "9007199254740993 is not exact in f64; 9007199254740993.0 asks for the "
     "nearest"},
    {uint64_t{1} << 63, DType::kF64, "000000000000e043"},
    {uint64_t{18446744073709551615u}, DType::kF64,
     "18446744073709551615 is not exact in f64; 18446744073709551615.0 asks "
     "for the nearest"},
    {-1, DType::kC64, "000080bf00000000"},
    {0.5, DType::kC128, "000000000000e03f0000000000000000"},

    // Floating ones are rounded once.
    {0.1, DType::kF32, "cdcccc3d"},
    {0.1, DType::kF64, "9a9999999999b93f"},
    {0.1, DType::kF16, "662e"},
    {0.1, DType::kBF16, "cd3d"},
    // Just above the middle of two f16 (1 and 1 + 2^-10); a float in between
    // would be the middle itself.
    {1 + 0x1p-11 + 0x1p-40, DType::kF16, "013c"},
    {1 + 0x1p-11, DType::kF16, "003c"},
    {1 + 0x1p-8 + 0x1p-40, DType::kBF16, "813f"},
    {-(1 + 3 * 0x1p-11 - 0x1p-40), DType::kF16, "01bc"},
    {65519.999, DType::kF16, "ff7b"},
    {65520.0, DType::kF16, "65520.0 is beyond the greatest f16"},
    {1e39, DType::kF32, "1e+39 is beyond the greatest f32"},
    {-1e39, DType::kBF16, "-1e+39 is beyond the greatest bf16"},
    {1e-10, DType::kF16, "1e-10 is so small that it is 0 in f16"},
    {1e-50, DType::kF32, "1e-50 is so small that it is 0 in f32"},
    {0.0, DType::kF16, "0000"},
    {-0.0, DType::kF32, "00000080"},
    {L::infinity(), DType::kF16, "007c"},
    {-L::infinity(), DType::kBF16, "80ff"},
    {L::quiet_NaN(), DType::kF32, "0000c07f"},
    {L::quiet_NaN(), DType::kF16, "007e"},
};

TEST(NumberTest, BecomesAnElementOrSaysWhyNot) {
  for (const NumberCase& c : kCases) {
    const auto element = ElementOf(c.number, c.type);
    const std::string actual = element.ok()
                                   ? absl::BytesToHexString(*element)
                                   : std::string(element.status().message());
    EXPECT_EQ(actual, c.expected)
        << c.number.ToString() << " as " << DTypeName(c.type);
    EXPECT_TRUE(element.ok() ||
                element.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

// Every middle of two neighbours, and its neighbours among doubles, against the
// definition of nearest.
template <typename T>
void CheckMiddles(DType type, uint16_t greatest) {
  for (uint16_t bits = 0; bits < greatest; ++bits) {
    const uint16_t above = static_cast<uint16_t>(bits + 1);
    const double low = ToFloat(T{bits}), high = ToFloat(T{above});
    const double middle = low + (high - low) / 2;
    const auto bits_of = [type](double x) {
      const auto element = ElementOf(Number(x), type);
      uint16_t result = 0;
      if (element.ok()) std::memcpy(&result, element->data(), 2);
      return result;
    };
    ASSERT_EQ(bits_of(std::nextafter(middle, L::infinity())), above);
    ASSERT_EQ(bits_of(middle), bits % 2 == 0 ? bits : above) << middle;
    // Below the middle of 0 and the least number is an error.
    const double below = std::nextafter(middle, 0);
    ASSERT_EQ(bits_of(below), bits);
    ASSERT_EQ(bits_of(-std::nextafter(middle, L::infinity())), above | 0x8000);
  }
}

TEST(NumberTest, RoundsToHalvesOnceAndToEven) {
  CheckMiddles<F16>(DType::kF16, 0x7BFF);
  CheckMiddles<BF16>(DType::kBF16, 0x7F7F);
}

TEST(NumberTest, ReadsAsItWasWritten) {
  EXPECT_EQ(Number(255).ToString(), "255");
  EXPECT_EQ(Number(-1).ToString(), "-1");
  EXPECT_EQ(Number(std::numeric_limits<int64_t>::min()).ToString(),
            "-9223372036854775808");
  EXPECT_EQ(Number(2.0).ToString(), "2.0");
  EXPECT_EQ(Number(0.1).ToString(), "0.1");
  EXPECT_EQ(Number(-L::infinity()).ToString(), "-inf");
  EXPECT_EQ(Number(true).ToString(), "true");
}

}  // namespace
}  // namespace stridecast
