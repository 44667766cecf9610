// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The bits of functions that are not exact by rule, as hashes: they are to be
// the same on every host, (P8), whatever its libsleef and compiler. Where a
// function changes on purpose, the row that the test prints takes the place of
// the old one.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/kernels/kernel.h"
#include "tests/support/numbers.h"
#include "tests/unit/kernels/element_reference.h"
#include "tests/unit/kernels/harness.h"

namespace stridecast::kernel_tests {
namespace {

constexpr int64_t kCount = 4096;

// FNV-1a.
uint64_t HashOf(const std::vector<std::byte>& bytes) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte b : bytes) {
    hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001B3;
  }
  return hash;
}

// Of both signs: limits of a type's numbers, 1 and its neighbours, 1.5, NaN.
std::vector<uint64_t> EdgesOf(const testing::FloatFormat& format) {
  const uint64_t least_normal = uint64_t{1} << format.mantissa_bits;
  const uint64_t one = static_cast<uint64_t>(format.bias())
                       << format.mantissa_bits;
  std::vector<uint64_t> edges;
  for (const uint64_t sign : {uint64_t{0}, format.sign_mask()}) {
    for (const uint64_t bits :
         {uint64_t{0}, uint64_t{1}, least_normal - 1, least_normal,
          one - least_normal, one - 1, one, one + 1, one + least_normal / 2,
          one + least_normal, format.infinity() - 1, format.infinity(),
          format.infinity() + 1}) {
      edges.push_back(sign | bits);
    }
  }
  return edges;
}

// Every pair of edges; then in turn any bits, and numbers between 2^-20 and
// 2^12, where functions turn.
std::vector<std::byte> NumbersOf(DType part, size_t operand) {
  const testing::FloatFormat format = testing::FormatOf(part);
  const std::vector<uint64_t> edges = EdgesOf(format);
  const uint64_t mantissa_mask = (uint64_t{1} << format.mantissa_bits) - 1;
  std::mt19937_64 random(operand);
  std::vector<std::byte> bytes;
  for (uint64_t i = 0; i < kCount; ++i) {
    uint64_t bits = random();
    if (i < edges.size() * edges.size()) {
      bits = edges[operand == 0 ? i % edges.size() : i / edges.size()];
    } else if (i % 2 == 0) {
      const uint64_t exponent =
          static_cast<uint64_t>(format.bias()) - 20 + (bits >> 56) % 32;
      bits = (bits & (mantissa_mask | format.sign_mask())) |
             exponent << format.mantissa_bits;
    }
    for (int64_t b = 0; b < ElementBytes(part); ++b) {
      bytes.push_back(static_cast<std::byte>(bits >> (8 * b)));
    }
  }
  return bytes;
}

// Each part of a complex number as an operand of its own would be.
std::vector<std::byte> OperandOf(DType type, size_t operand) {
  const DType part = RealType(type);
  if (!IsComplex(type)) return NumbersOf(part, operand);
  const std::vector<std::byte> parts[] = {NumbersOf(part, 0),
                                          NumbersOf(part, 1)};
  const auto part_bytes = static_cast<size_t>(ElementBytes(part));
  std::vector<std::byte> bytes;
  for (size_t at = 0; at < parts[0].size(); at += part_bytes) {
    for (const auto& numbers : parts) {
      bytes.insert(bytes.end(), numbers.data() + at,
                   numbers.data() + at + part_bytes);
    }
  }
  return bytes;
}

std::vector<Subject> InexactFunctions() {
  std::vector<Subject> functions;
  for (const Subject& subject : ElementwiseKernels()) {
    // f16 and bf16 are f32's results, rounded.
    const bool is_narrow = ElementBytes(subject.type) < 4;
    const bool has_defaults =
        std::holds_alternative<std::monostate>(subject.attribute);
    if (!IsExact(subject) && !is_narrow && has_defaults) {
      functions.push_back(subject);
    }
  }
  return functions;
}

uint64_t HashOfResults(const Subject& function, const KernelTable& table) {
  const auto types = OperandTypes(function);
  std::vector<std::vector<std::byte>> data;
  std::vector<BlockOperand> operands;
  for (size_t k = 0; k < types.size(); ++k) {
    data.push_back(OperandOf(types[k], k));
    operands.push_back({data[k].data(), 0, ElementBytes(types[k])});
  }
  std::vector<std::byte> result(static_cast<size_t>(
      kCount * ElementBytes(ReferenceResultType(function))));
  RunKernel(function,
            table.Find(function.opcode, function.type, function.attribute), 1,
            kCount, operands.data(), BlockResult{result.data(), 0});
  return HashOf(result);
}

const std::map<std::string, uint64_t> kGolden = {
    {"ABS_c128", 0xE2EC2BAF9FC3519B},
    {"ABS_c64", 0xDBB4EEF0A24F61C9},
    {"ACOSH_f32", 0x9231B676674AF7F1},
    {"ACOSH_f64", 0xAAB3857B7BD74278},
    {"ACOS_f32", 0x36506B2271EE74FF},
    {"ACOS_f64", 0x58869FB3ABD00638},
    {"ASINH_f32", 0xD87F26CAB9D6E140},
    {"ASINH_f64", 0x1AF6CB437506DBFA},
    {"ASIN_f32", 0x1E5C4DAF1A823D7F},
    {"ASIN_f64", 0xEC78E94895D2C893},
    {"ATAN2_f32", 0xC0588F30B7DBCCA1},
    {"ATAN2_f64", 0x6E0F6742F5AA1685},
    {"ATANH_f32", 0xB160F5876ABD7A3C},
    {"ATANH_f64", 0x63ACB1FC1D2007A9},
    {"ATAN_f32", 0xD6AEE92BCAFB3070},
    {"ATAN_f64", 0x9F5FC94EB56345FA},
    {"CBRT_f32", 0xD22C25894DB46648},
    {"CBRT_f64", 0xF57E19F9FBC758A6},
    {"CELU_f32", 0xF7A1AB30A9495D96},
    {"CELU_f64", 0x064838C939115E4E},
    {"COSH_f32", 0xB0F9DACC3023F478},
    {"COSH_f64", 0xBE1DD588FBF4FA1D},
    {"COS_f32", 0x3CF9E3CAAB31DB21},
    {"COS_f64", 0x42A6F9F3F5307B8B},
    {"ELU_f32", 0x946F0B4ABFBE3996},
    {"ELU_f64", 0xB0CA0B2E84F05D4E},
    {"ERFC_f32", 0x97555B62A483D5B9},
    {"ERFC_f64", 0xC01155C65A83C699},
    {"ERF_f32", 0xF5E1530B5D64DD79},
    {"ERF_f64", 0xCCFF028363756DD9},
    {"EXP2_f32", 0xC78E70D969862952},
    {"EXP2_f64", 0x4C417D2D404A186E},
    {"EXPM1_f32", 0x34C9353949D8F602},
    {"EXPM1_f64", 0x2B830EB26437620D},
    {"EXP_c128", 0x6EF206A171A51C4C},
    {"EXP_c64", 0xCC580D73C096A143},
    {"EXP_f32", 0x4206ABA95237D0A1},
    {"EXP_f64", 0x651F792351F1B93F},
    {"GELU_ERF_f32", 0x52F1E187CF26982A},
    {"GELU_ERF_f64", 0x562A2F3829ED04A1},
    {"GELU_TANH_f32", 0x13C0F7B4289DA8C5},
    {"GELU_TANH_f64", 0xFD27BF6D69B50015},
    {"HYPOT_f32", 0xDBB4EEF0A24F61C9},
    {"HYPOT_f64", 0xE2EC2BAF9FC3519B},
    {"LOG10_f32", 0x75F358B06854954E},
    {"LOG10_f64", 0xB0D565165360C303},
    {"LOG1P_f32", 0x2D3654E8C44CD2AA},
    {"LOG1P_f64", 0x19A674C37B0752E8},
    {"LOG2_f32", 0xDF807196198ACCBA},
    {"LOG2_f64", 0x3D882C063055866B},
    {"LOGADDEXP_f32", 0xE3A2D7F24812B121},
    {"LOGADDEXP_f64", 0x3EF9429E84BEB43A},
    {"LOGISTIC_f32", 0xCB468D1838BC7E21},
    {"LOGISTIC_f64", 0x1062E95926BDB8AC},
    {"LOG_c128", 0xC5948314740B38F0},
    {"LOG_c64", 0xF41238ED7316EE7E},
    {"LOG_f32", 0x038B98DA197C0AF7},
    {"LOG_f64", 0x39F932C77BA60B38},
    {"MISH_f32", 0xB24E86F7BAC66553},
    {"MISH_f64", 0xEF4C6D18648F94BA},
    {"POWER_f32", 0xC63A2CD14F1933C8},
    {"POWER_f64", 0xD6D35F786532CAC1},
    {"RSQRT_f32", 0xA21CB23E57E5DE60},
    {"RSQRT_f64", 0x1BC9E37E8CFEEAD9},
    {"SELU_f32", 0xFB5F42371F7A4056},
    {"SELU_f64", 0x476A28DC4CE3899A},
    {"SINH_f32", 0x124EBE9F961DE4FB},
    {"SINH_f64", 0x69351F9F07ACEB68},
    {"SIN_f32", 0xB010ED96C0FA7536},
    {"SIN_f64", 0x1AD1644073ADF414},
    {"SOFTPLUS_f32", 0xA8AA183B3B57BF42},
    {"SOFTPLUS_f64", 0x6E7CDC8C1AB8FC9A},
    {"SQRT_c128", 0x679CFE90F9592EE1},
    {"SQRT_c64", 0xA45C338803DB4B19},
    {"SWISH_f32", 0xE5D4B3B6D2B9FB69},
    {"SWISH_f64", 0x093BC27E176C7F14},
    {"TANH_f32", 0xAF9DBABAF82E7ED5},
    {"TANH_f64", 0xE1A315632C6503E7},
    {"TAN_f32", 0x3A4590E72A78B263},
    {"TAN_f64", 0xD1615C47F8DD30CA},
};

TEST(GoldenBitsTest, AreTheSameOnEveryHost) {
  for (const KernelTable* table : KernelTables()) {
    for (const Subject& function : InexactFunctions()) {
      const std::string name = NameOf(function);
      const auto row = kGolden.find(name);
      const uint64_t hash = HashOfResults(function, *table);
      EXPECT_TRUE(row != kGolden.end() && row->second == hash)
          << table->target() << ": {\"" << name << "\", 0x"
          << absl::AsciiStrToUpper(
                 absl::StrCat(absl::Hex(hash, absl::kZeroPad16)))
          << "},";
    }
  }
}

TEST(GoldenBitsTest, HasNoRowOfOtherFunctions) {
  std::set<std::string> names;
  for (const Subject& function : InexactFunctions()) {
    names.insert(NameOf(function));
  }
  for (const auto& [name, hash] : kGolden) EXPECT_TRUE(names.contains(name));
}

}  // namespace
}  // namespace stridecast::kernel_tests
