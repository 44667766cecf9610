// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "stridecast/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "client/round_to_odd.h"
#include "stridecast/float16.h"
#include "stridecast/status_macros.h"

namespace stridecast {
namespace {

// Elements are little-endian, as this machine is.
static_assert(std::endian::native == std::endian::little);

template <typename T>
std::string BytesOf(T element) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &element, sizeof(T));
  return bytes;
}

absl::StatusOr<std::string> IntegerElement(const Number& number, DType type) {
  if (number.kind() != Number::Kind::kInteger) {
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is no integer, ", DTypeName(type),
        " holds nothing else; convert the tensor to a floating-point type"));
  }
  const int64_t bits = 8 * ElementBytes(type);
  const bool is_signed = ClassOf(type) == kSignedClass;
  const uint64_t greatest =
      std::numeric_limits<uint64_t>::max() >> (64 - bits + (is_signed ? 1 : 0));
  const uint64_t below_zero = is_signed ? greatest + 1 : 0;
  if (number.magnitude() > (number.is_negative() ? below_zero : greatest)) {
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is not in [", is_signed ? "-" : "", below_zero,
        ",", greatest, "], the range of ", DTypeName(type)));
  }
  const uint64_t element = number.is_negative()
                               ? uint64_t{0} - number.magnitude()
                               : number.magnitude();
  return BytesOf(element).substr(0, static_cast<size_t>(ElementBytes(type)));
}

struct FloatElement {
  std::string bytes;
  double value;
};

// The nearest number of a floating-point type.
FloatElement Nearest(double x, DType type) {
  switch (type) {
    case DType::kF16: {
      const F16 element = ToF16(RoundedToOdd(x));
      return {BytesOf(element), ToFloat(element)};
    }
    case DType::kBF16: {
      const BF16 element = ToBF16(RoundedToOdd(x));
      return {BytesOf(element), ToFloat(element)};
    }
    case DType::kF32:
      return {BytesOf(static_cast<float>(x)), static_cast<float>(x)};
    default:
      return {BytesOf(x), x};
  }
}

// Whether an integer became `element` unrounded; the way there is through
// double.
bool IsExact(const Number& number, const FloatElement& element) {
  const uint64_t magnitude = number.magnitude();
  if (magnitude == 0) return true;
  const int significant_bits =
      static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude);
  return significant_bits <= std::numeric_limits<double>::digits &&
         element.value == number.AsDouble();
}

absl::StatusOr<std::string> RealElement(const Number& number, DType type) {
  if (number.kind() == Number::Kind::kBool) {
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is a pred, not a number of ", DTypeName(type)));
  }
  const double value = number.AsDouble();
  FloatElement element = Nearest(value, type);
  if (number.kind() == Number::Kind::kInteger) {
    if (IsExact(number, element)) return std::move(element.bytes);
    return absl::InvalidArgumentError(
        absl::StrCat(number.ToString(), " is not exact in ", DTypeName(type),
                     "; ", number.ToString(), ".0 asks for the nearest"));
  }
  if (std::isinf(element.value) && !std::isinf(value)) {
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is beyond the greatest ", DTypeName(type)));
  }
  if (element.value == 0 && value != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is so small that it is 0 in ", DTypeName(type)));
  }
  return std::move(element.bytes);
}

}  // namespace

Number Number::Integer(bool is_negative, uint64_t magnitude) {
  Number number(magnitude);
  number.is_negative_ = is_negative && magnitude != 0;
  return number;
}

double Number::AsDouble() const {
  if (kind_ == Kind::kFloating) return floating_;
  const auto magnitude = static_cast<double>(magnitude_);
  return is_negative_ ? -magnitude : magnitude;
}

std::string Number::ToString() const {
  switch (kind_) {
    case Kind::kBool:
      return magnitude_ != 0 ? "true" : "false";
    case Kind::kInteger:
      return absl::StrCat(is_negative_ ? "-" : "", magnitude_);
    case Kind::kFloating:
      break;
  }
  std::string text = absl::StrCat(floating_);
  // 2.0 does not read as the integer that it is not.
  const bool looks_whole =
      text.find_first_not_of("-0123456789") == std::string::npos;
  if (looks_whole) text += ".0";
  return text;
}

absl::StatusOr<std::string> ElementOf(const Number& number, DType type) {
  if (type == DType::kPred) {
    if (number.kind() == Number::Kind::kBool) {
      return std::string(1, number.magnitude() != 0 ? '\1' : '\0');
    }
    return absl::InvalidArgumentError(absl::StrCat(
        number.ToString(), " is no pred; those are true and false"));
  }
  if (IsInteger(type)) return IntegerElement(number, type);
  ASSIGN_OR_RETURN(std::string real, RealElement(number, RealType(type)));
  // The imaginary part is +0.
  real.resize(static_cast<size_t>(ElementBytes(type)), '\0');
  return real;
}

}  // namespace stridecast
