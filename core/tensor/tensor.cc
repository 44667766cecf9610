// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/tensor.h"

#include <bit>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stridecast/status_macros.h"

namespace stridecast {

absl::StatusOr<TensorDesc> TensorDesc::Create(DType type,
                                              absl::Span<const int64_t> extents,
                                              const PhysicalForm& form) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(extents));
  return Create(type, shape, form);
}

absl::StatusOr<TensorDesc> TensorDesc::OfShape(DType type, const Shape& shape,
                                               const PhysicalForm& form) {
  if (!IsDType(static_cast<int>(type))) {
    return FieldError("type", static_cast<int>(type), " is no element type");
  }
  TensorDesc desc;
  desc.type_ = type;
  ASSIGN_OR_RETURN(desc.layout_, Layout::Create(type, shape, form));
  return desc;
}

DimVector TensorDesc::byte_strides() const {
  DimVector strides(layout_.strides().begin(), layout_.strides().end());
  for (int d = 0; d < rank(); ++d) {
    // A stride that is never used need not fit.
    const bool used = num_elements() > 0 && shape().extent(d) > 1;
    strides[d] = used ? strides[d] * element_bytes() : 0;
  }
  return strides;
}

std::string ShapeToString(DType type, const Shape& shape) {
  return absl::StrCat(DTypeName(type), shape.ToString());
}

std::string TensorDesc::ToString() const {
  std::string text = ShapeToString(type_, shape());
  DimVector order;
  if (const auto* stated = std::get_if<DimensionOrder>(&layout_.form())) {
    if (layout_.num_slots() != num_elements()) return text;
    order = stated->minor_to_major;
  } else {
    if (!layout_.IsPacked()) return text;
    // Row-major order first, then stably by stride: dimensions of extent 1 keep
    // the place that the default order gives them.
    order = RowMajorOrder(rank());
    for (size_t i = 1; i < order.size(); ++i) {
      for (size_t j = i; j > 0; --j) {
        const auto minor = static_cast<int>(order[j]);
        const auto major = static_cast<int>(order[j - 1]);
        if (layout_.strides()[minor] >= layout_.strides()[major]) break;
        std::swap(order[j], order[j - 1]);
      }
    }
    if (num_elements() > 0) {
      auto rebuilt = Create(type_, shape(), DimensionOrder{order, {}, {}});
      if (!rebuilt.ok() || rebuilt->byte_strides() != byte_strides()) {
        return text;
      }
    }
  }
  if (rank() == 0) return text;
  return absl::StrCat(text, "{", absl::StrJoin(order, ","), "}");
}

namespace {

// Reads "open number, number close" off the front of a text.
class ShapeScanner {
 public:
  explicit ShapeScanner(absl::string_view text) : whole_(text), rest_(text) {}

  bool Consume(char wanted) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  absl::string_view ConsumeWord() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isalnum(rest_[length])) {
      ++length;
    }
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

  absl::StatusOr<DimVector> ConsumeList(char open, char close) {
    if (!Consume(open)) return Expected(std::string(1, open));
    DimVector numbers;
    if (Consume(close)) return numbers;
    do {
      const absl::string_view before = rest_;
      int64_t number = 0;
      if (!absl::SimpleAtoi(ConsumeWord(), &number)) {
        rest_ = before;
        return Expected("a number");
      }
      numbers.push_back(number);
    } while (Consume(','));
    if (!Consume(close)) return Expected(std::string(1, close));
    return numbers;
  }

  bool AtEnd() const {
    return absl::StripLeadingAsciiWhitespace(rest_).empty();
  }

  absl::Status Expected(absl::string_view what) const {
    return FieldError("shape string", "expected ", what, " at column ",
                      whole_.size() - rest_.size() + 1, " of \"", whole_, "\"");
  }

 private:
  absl::string_view whole_;
  absl::string_view rest_;
};

}  // namespace

absl::StatusOr<TensorDesc> ParseShapeString(absl::string_view text) {
  ShapeScanner scanner(text);
  const std::optional<DType> type = ParseDType(scanner.ConsumeWord());
  if (!type) {
    return FieldError("shape string",
                      "expected an element type (pred, s8 ... c128) at the "
                      "start of \"",
                      text, "\"");
  }
  ASSIGN_OR_RETURN(const DimVector extents, scanner.ConsumeList('[', ']'));
  PhysicalForm form;
  if (!scanner.AtEnd()) {
    DimensionOrder order;
    ASSIGN_OR_RETURN(order.minor_to_major, scanner.ConsumeList('{', '}'));
    form = order;
  }
  if (!scanner.AtEnd()) return scanner.Expected("the end");
  auto desc = TensorDesc::Create(*type, extents, form);
  if (!desc.ok()) return PrefixField("shape string: ", desc.status());
  return desc;
}

namespace {

template <typename T>
ElementPattern PatternOf(T value) {
  ElementPattern pattern = {};
  std::memcpy(pattern.bytes, &value, sizeof(value));
  return pattern;
}

// `one`, `inf`: the bits of 1 and +infinity; the sign is the top bit.
template <typename Bits>
ElementPattern FloatPattern(PaddingValue value, Bits one, Bits inf) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  switch (value) {
    case PaddingValue::kOne:
      return PatternOf(one);
    case PaddingValue::kLowest:
      return PatternOf(static_cast<Bits>(inf | kSign));
    case PaddingValue::kHighest:
      return PatternOf(inf);
    default:
      return {};
  }
}

template <typename T>
ElementPattern IntegerPattern(PaddingValue value) {
  switch (value) {
    case PaddingValue::kOne:
      return PatternOf(T{1});
    case PaddingValue::kLowest:
      return PatternOf(std::numeric_limits<T>::min());
    case PaddingValue::kHighest:
      return PatternOf(std::numeric_limits<T>::max());
    default:
      return {};
  }
}

}  // namespace

ElementPattern PaddingPattern(DType type, PaddingValue value) {
  switch (type) {
    case DType::kPred:
      return PatternOf(static_cast<uint8_t>(value == PaddingValue::kOne ||
                                            value == PaddingValue::kHighest));
    case DType::kS8:
      return IntegerPattern<int8_t>(value);
    case DType::kS16:
      return IntegerPattern<int16_t>(value);
    case DType::kS32:
      return IntegerPattern<int32_t>(value);
    case DType::kS64:
      return IntegerPattern<int64_t>(value);
    case DType::kU8:
      return IntegerPattern<uint8_t>(value);
    case DType::kU16:
      return IntegerPattern<uint16_t>(value);
    case DType::kU32:
      return IntegerPattern<uint32_t>(value);
    case DType::kU64:
      return IntegerPattern<uint64_t>(value);
    case DType::kF16:
      return FloatPattern<uint16_t>(value, 0x3C00, 0x7C00);
    case DType::kBF16:
      return FloatPattern<uint16_t>(value, 0x3F80, 0x7F80);
    case DType::kF32:
    case DType::kC64:
      return FloatPattern<uint32_t>(value, std::bit_cast<uint32_t>(1.0f),
                                    0x7F800000);
    case DType::kF64:
    case DType::kC128:
      return FloatPattern<uint64_t>(value, std::bit_cast<uint64_t>(1.0),
                                    0x7FF0000000000000);
  }
  return {};
}

}  // namespace stridecast
