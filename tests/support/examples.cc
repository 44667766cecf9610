// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/examples.h"

#include <bit>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace stridecast::testing {
namespace {

uint64_t EncodeNumber(DType part, const Number& number) {
  if (const auto* real = std::get_if<double>(&number)) {
    return RoundToFloat(part,
                        ToExact(DType::kF64, std::bit_cast<uint64_t>(*real)));
  }
  const auto* integer = std::get_if<int64_t>(&number);
  const uint64_t bits = integer != nullptr ? static_cast<uint64_t>(*integer)
                                           : std::get<uint64_t>(number);
  if (!IsFloat(part)) return CutToWidth(part, bits);
  return RoundToFloat(
      part, ToExact(integer != nullptr ? DType::kS64 : DType::kU64, bits));
}

std::string PartToString(DType part, uint64_t bits) {
  if (part == DType::kF64) return absl::StrCat(DoubleOf(bits));
  if (IsFloat(part)) return absl::StrCat(FloatOf(part, bits));
  if (ClassOf(part) == kSignedClass) {
    return absl::StrCat(SignedValue(part, bits));
  }
  return absl::StrCat(bits);
}

const std::vector<Example>* Joined(
    std::initializer_list<std::vector<Example> (*)()> parts) {
  auto* all = new std::vector<Example>;
  for (auto part : parts) {
    std::vector<Example> rows = part();
    all->insert(all->end(), std::make_move_iterator(rows.begin()),
                std::make_move_iterator(rows.end()));
  }
  return all;
}

}  // namespace

Bytes EncodeNumbers(DType type, absl::Span<const Number> numbers) {
  const DType part = RealType(type);
  const auto part_bytes = static_cast<size_t>(NumberWidth(type) / 8);
  Bytes buffer(numbers.size() * part_bytes);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint64_t bits = EncodeNumber(part, numbers[i]);
    std::memcpy(buffer.data() + i * part_bytes, &bits, part_bytes);
  }
  return buffer;
}

std::string NumbersToString(DType type, const Bytes& buffer) {
  const DType part = RealType(type);
  const auto part_bytes = static_cast<size_t>(NumberWidth(type) / 8);
  std::string text;
  for (size_t i = 0; i + part_bytes <= buffer.size(); i += part_bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, buffer.data() + i, part_bytes);
    absl::StrAppend(&text, i == 0 ? "" : " ", PartToString(part, bits));
  }
  return text;
}

const std::vector<Example>& AllExamples() {
  static const auto* examples = Joined(
      {LayoutExamples, BroadcastExamples, ArithmeticExamples, BinaryExamples,
       IntegerExamples, UnaryExamples, ActivationExamples, FunctionExamples,
       ConversionExamples, ViewExamples, DataExamples, RefusedExamples});
  return *examples;
}

const std::vector<Example>& UpcomingExamples() {
  static const auto* examples = Joined({UpcomingFunctionExamples});
  return *examples;
}

}  // namespace stridecast::testing
