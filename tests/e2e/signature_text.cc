// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/e2e/signature_text.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "stridecast/float16.h"
#include "stridecast/tensor.h"

namespace stridecast::testing {
namespace {

template <typename T>
T Read(const char* data) {
  T element;
  std::memcpy(&element, data, sizeof(T));
  return element;
}

std::string ElementText(DType type, const char* data) {
  switch (type) {
    case DType::kPred:
      return *data ? "true" : "false";
    case DType::kS8:
      return absl::StrCat(static_cast<int>(Read<int8_t>(data)));
    case DType::kU8:
      return absl::StrCat(static_cast<int>(Read<uint8_t>(data)));
    case DType::kS16:
      return absl::StrCat(Read<int16_t>(data));
    case DType::kU16:
      return absl::StrCat(Read<uint16_t>(data));
    case DType::kS32:
      return absl::StrCat(Read<int32_t>(data));
    case DType::kU32:
      return absl::StrCat(Read<uint32_t>(data));
    case DType::kS64:
      return absl::StrCat(Read<int64_t>(data));
    case DType::kU64:
      return absl::StrCat(Read<uint64_t>(data));
    case DType::kF16:
      return absl::StrCat(ToFloat(F16{Read<uint16_t>(data)}));
    case DType::kBF16:
      return absl::StrCat(ToFloat(BF16{Read<uint16_t>(data)}));
    case DType::kF32:
      return absl::StrCat(Read<float>(data));
    case DType::kF64:
      return absl::StrCat(Read<double>(data));
    case DType::kC64:
      return absl::StrCat(Read<float>(data), "+", Read<float>(data + 4), "i");
    case DType::kC128:
      return absl::StrCat(Read<double>(data), "+", Read<double>(data + 8), "i");
  }
  return "?";
}

struct AttributeText {
  std::string operator()(const std::monostate&) const { return ""; }
  std::string operator()(const ConstantAttribute& a) const {
    std::string text =
        absl::StrCat(" ", ShapeToString(a.desc.type(), a.desc.shape()));
    const auto size = static_cast<size_t>(a.desc.element_bytes());
    for (size_t i = 0; i < a.data.size(); i += size) {
      absl::StrAppend(&text, " ", ElementText(a.desc.type(), &a.data[i]));
    }
    return text;
  }
  std::string operator()(const BroadcastInDimAttribute& a) const {
    return absl::StrCat(" ", ListToString(a.shape), " ",
                        ListToString(a.dimensions));
  }
  std::string operator()(const DimensionsAttribute& a) const {
    return absl::StrCat(" ", ListToString(a.dimensions));
  }
  std::string operator()(const SliceAttribute& a) const {
    return absl::StrCat(" ", ListToString(a.start), " ", ListToString(a.limit),
                        " ", ListToString(a.step));
  }
  std::string operator()(const PadAttribute& a) const {
    return absl::StrCat(" ", ListToString(a.low), " ", ListToString(a.high),
                        " ", ListToString(a.interior));
  }
  std::string operator()(const ReshapeAttribute& a) const {
    return absl::StrCat(" ", ListToString(a.shape));
  }
  std::string operator()(const ConvertAttribute& a) const {
    return absl::StrCat(" ", DTypeName(a.type),
                        a.overflow == Overflow::kSaturate ? " saturate"
                        : a.overflow == Overflow::kWrap   ? " wrap"
                                                          : "");
  }
  std::string operator()(const CompareAttribute& a) const {
    constexpr const char* kNames[] = {"", "EQ", "NE", "GE", "GT", "LE", "LT"};
    return absl::StrCat(" ", kNames[static_cast<int>(a.direction)],
                        a.total_order ? " total" : "");
  }
  std::string operator()(const ReducePrecisionAttribute& a) const {
    return absl::StrCat(" e", a.exponent_bits, " m", a.mantissa_bits);
  }
  std::string operator()(const ScalarsAttribute& a) const {
    return absl::StrCat(a.alpha ? absl::StrCat(" alpha ", *a.alpha) : "",
                        a.beta ? absl::StrCat(" beta ", *a.beta) : "");
  }
  std::string operator()(const QuantizeAttribute& a) const {
    return absl::StrCat(" ", DTypeName(a.type), " ",
                        ListToString(a.broadcast_dimensions));
  }
  std::string operator()(const IotaAttribute& a) const {
    return absl::StrCat(" ", DTypeName(a.type), ListToString(a.shape), " ",
                        a.dimension);
  }
};

}  // namespace

std::vector<std::string> InstructionTexts(
    const Signature& signature, const std::vector<std::string>& names) {
  const auto name_of = [&names](uint32_t value) {
    if (names.empty()) return absl::StrCat(value);
    return value < names.size() ? names[value]
                                : absl::StrCat("%", value - names.size());
  };
  std::vector<std::string> texts;
  for (const Instruction& instruction : signature.instructions) {
    std::string& text =
        texts.emplace_back(OperationOf(instruction.opcode).label);
    for (uint32_t operand : instruction.operands) {
      absl::StrAppend(&text, " ", name_of(operand));
    }
    text += std::visit(AttributeText(), instruction.attribute);
    if (!instruction.broadcast_dimensions.empty()) {
      absl::StrAppend(&text, " dims ",
                      ListToString(instruction.broadcast_dimensions));
    }
  }
  return texts;
}

}  // namespace stridecast::testing
