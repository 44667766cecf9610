// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/element_parser.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/round_to_odd.h"
#include "stridecast/element.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

template <typename T>
void Store(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof(value));
}

absl::Status NoElement(DType type, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no ", DTypeName(type)));
}

template <typename T>
absl::Status ParseInteger(DType type, absl::string_view text,
                          std::byte* element) {
  absl::string_view digits = text;
  const bool is_negative = absl::ConsumePrefix(&digits, "-");
  if (!is_negative) absl::ConsumePrefix(&digits, "+");
  const bool is_hex = absl::StartsWithIgnoreCase(digits, "0x");
  if (is_hex) digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed =
      std::from_chars(digits.data(), end, magnitude, is_hex ? 16 : 10);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
    return NoElement(type, text);
  }
  using Limits = std::numeric_limits<T>;
  constexpr auto kGreatest = static_cast<uint64_t>(Limits::max());
  const uint64_t bound = !is_negative        ? kGreatest
                         : Limits::is_signed ? kGreatest + 1
                                             : 0;
  if (parsed.ec == std::errc::result_out_of_range || magnitude > bound) {
    return absl::InvalidArgumentError(absl::StrCat(
        text, " is out of range for ", DTypeName(type), ", ",
        std::to_string(Limits::min()), " to ", std::to_string(Limits::max())));
  }
  // Two's complement: also right for the least number.
  Store(static_cast<T>(is_negative ? 0 - magnitude : magnitude), element);
  return absl::OkStatus();
}

bool ParseNumber(absl::string_view text, float* value) {
  return absl::SimpleAtof(text, value);
}
bool ParseNumber(absl::string_view text, double* value) {
  return absl::SimpleAtod(text, value);
}

template <typename T>
absl::Status ParseReal(DType type, absl::string_view text, T* value) {
  if (text.empty() || !ParseNumber(text, value)) return NoElement(type, text);
  const bool says_inf = text.find_first_of("nN") != absl::string_view::npos;
  if (std::isinf(*value) && !says_inf) {
    return absl::InvalidArgumentError(
        absl::StrCat(text, " is out of range for ", DTypeName(type)));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ParseFloat(DType type, absl::string_view text,
                        std::byte* element) {
  T value = 0;
  RETURN_IF_ERROR(ParseReal(type, text, &value));
  Store(value, element);
  return absl::OkStatus();
}

template <typename Half>
absl::Status ParseHalf(DType type, absl::string_view text,
                       Half (*narrow)(float), std::byte* element) {
  double wide = 0;
  RETURN_IF_ERROR(ParseReal(type, text, &wide));
  const Half value = narrow(RoundedToOdd(wide));
  if (std::isinf(ToFloat(value)) && !std::isinf(wide)) {
    return absl::InvalidArgumentError(
        absl::StrCat(text, " is out of range for ", DTypeName(type)));
  }
  Store(value, element);
  return absl::OkStatus();
}

// Where the imaginary part of "1e-3-2i" begins, its sign included; 0 if there
// is no real part.
size_t ImaginaryBegin(absl::string_view parts) {
  for (size_t i = parts.size(); i-- > 1;) {
    const bool is_sign = parts[i] == '+' || parts[i] == '-';
    if (is_sign && absl::ascii_tolower(parts[i - 1]) != 'e') return i;
  }
  return 0;
}

template <typename T>
absl::Status ParseComplex(DType type, absl::string_view text,
                          std::byte* element) {
  T real = 0;
  T imaginary = 0;
  absl::string_view parts = text;
  if (absl::ConsumeSuffix(&parts, "i") || absl::ConsumeSuffix(&parts, "j")) {
    const size_t begin = ImaginaryBegin(parts);
    if (begin > 0) {
      RETURN_IF_ERROR(ParseReal(type, parts.substr(0, begin), &real));
    }
    const absl::string_view number = parts.substr(begin);
    if (number.empty() || number == "+" || number == "-") {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", text, "\" is no ", DTypeName(type), ": a number stands before ",
          text.substr(text.size() - 1), ", as in 1i"));
    }
    RETURN_IF_ERROR(ParseReal(type, number, &imaginary));
  } else {
    RETURN_IF_ERROR(ParseReal(type, text, &real));
  }
  Store(std::complex<T>(real, imaginary), element);
  return absl::OkStatus();
}

absl::Status ParsePred(absl::string_view text, std::byte* element) {
  const bool is_true = text == "true" || text == "1";
  if (!is_true && text != "false" && text != "0") {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is no pred: true, false, 1 or 0"));
  }
  Store(is_true, element);
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseElement(DType type, absl::string_view text,
                          std::byte* element) {
  switch (type) {
    case DType::kPred:
      return ParsePred(text, element);
    case DType::kS8:
      return ParseInteger<int8_t>(type, text, element);
    case DType::kS16:
      return ParseInteger<int16_t>(type, text, element);
    case DType::kS32:
      return ParseInteger<int32_t>(type, text, element);
    case DType::kS64:
      return ParseInteger<int64_t>(type, text, element);
    case DType::kU8:
      return ParseInteger<uint8_t>(type, text, element);
    case DType::kU16:
      return ParseInteger<uint16_t>(type, text, element);
    case DType::kU32:
      return ParseInteger<uint32_t>(type, text, element);
    case DType::kU64:
      return ParseInteger<uint64_t>(type, text, element);
    case DType::kF16:
      return ParseHalf(type, text, &ToF16, element);
    case DType::kBF16:
      return ParseHalf(type, text, &ToBF16, element);
    case DType::kF32:
      return ParseFloat<float>(type, text, element);
    case DType::kF64:
      return ParseFloat<double>(type, text, element);
    case DType::kC64:
      return ParseComplex<float>(type, text, element);
    case DType::kC128:
      return ParseComplex<double>(type, text, element);
  }
  std::abort();  // not a DType: our bug
}

std::string ElementTypeNames() {
  return absl::StrJoin(kAllDTypes, " ", [](std::string* out, DType type) {
    absl::StrAppend(out, DTypeName(type));
  });
}

}  // namespace stridecast
