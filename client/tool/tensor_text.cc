// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "client/tool/tensor_text.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "stridecast/element.h"

namespace stridecast {
namespace {

// Calls `use` with the element at `bytes` as its C++ type.
template <typename Use>
auto WithElement(DType type, const std::byte* bytes, Use use) {
  const auto load = [bytes]<typename T>(T value) {
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  };
  switch (type) {
    case DType::kPred:
      return use(*bytes != std::byte{0});
    case DType::kS8:
      return use(load(int8_t{}));
    case DType::kS16:
      return use(load(int16_t{}));
    case DType::kS32:
      return use(load(int32_t{}));
    case DType::kS64:
      return use(load(int64_t{}));
    case DType::kU8:
      return use(load(uint8_t{}));
    case DType::kU16:
      return use(load(uint16_t{}));
    case DType::kU32:
      return use(load(uint32_t{}));
    case DType::kU64:
      return use(load(uint64_t{}));
    case DType::kF16:
      return use(load(F16{}));
    case DType::kBF16:
      return use(load(BF16{}));
    case DType::kF32:
      return use(load(0.0f));
    case DType::kF64:
      return use(load(0.0));
    case DType::kC64:
      return use(load(std::complex<float>{}));
    case DType::kC128:
      return use(load(std::complex<double>{}));
  }
  std::abort();  // not a DType: our bug
}

template <typename T>
std::string FloatToText(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

// The shortest text that rounds to the same 16 bits.
template <typename Half>
std::string HalfToText(Half value, Half (*narrow)(float)) {
  const float wide = ToFloat(value);
  for (int digits = 1; digits < 9 && std::isfinite(wide); ++digits) {
    const std::string text = absl::StrFormat("%.*g", digits, wide);
    if (narrow(std::strtof(text.c_str(), nullptr)).bits == value.bits) {
      return text;
    }
  }
  return FloatToText(wide);
}

template <typename T>
std::string ToText(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, F16>) {
    return HalfToText(value, &ToF16);
  } else if constexpr (std::is_same_v<T, BF16>) {
    return HalfToText(value, &ToBF16);
  } else if constexpr (std::is_floating_point_v<T>) {
    return FloatToText(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    const char* sign = std::signbit(value.imag()) ? "-" : "+";
    return absl::StrCat(FloatToText(value.real()), sign,
                        FloatToText(std::abs(value.imag())), "i");
  }
}

nlohmann::ordered_json FloatToJson(const std::string& text, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  // By its text: 0.1f is 0.1, not 0.10000000149011612.
  return std::strtod(text.c_str(), nullptr);
}

template <typename T>
nlohmann::ordered_json ToJson(T value) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return FloatToJson(ToText(value), ToFloat(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return FloatToJson(ToText(value), value);
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (sizeof(T) == 8) return std::to_string(value);
    return value;
  } else {
    return nlohmann::ordered_json::array(
        {ToJson(value.real()), ToJson(value.imag())});
  }
}

// Moves `index` on in row-major order. Returns how many dimensions began anew:
// the rank when all elements have been visited.
int Advance(const Shape& shape, DimVector* index) {
  for (int d = shape.rank() - 1; d >= 0; --d) {
    if (++(*index)[d] < shape.extent(d)) return shape.rank() - 1 - d;
    (*index)[d] = 0;
  }
  return shape.rank();
}

const std::byte* ElementAt(const TensorView& tensor, const DimVector& index) {
  return tensor.data +
         tensor.desc.layout().SlotOf(index) * tensor.desc.element_bytes();
}

}  // namespace

std::string ElementToText(DType type, const std::byte* element) {
  return WithElement(type, element, [](auto value) { return ToText(value); });
}

std::string TensorToText(const TensorView& tensor, int64_t max_elements) {
  const Shape& shape = tensor.desc.shape();
  const auto rank = static_cast<size_t>(shape.rank());
  if (shape.num_elements() == 0) {
    return absl::StrCat("no elements, shape ", shape.ToString());
  }
  std::string text(rank, '[');
  DimVector index(rank, 0);
  for (int64_t printed = 0;;) {
    text += ElementToText(tensor.desc.type(), ElementAt(tensor, index));
    ++printed;
    const auto closed = static_cast<size_t>(Advance(shape, &index));
    text.append(closed, ']');
    if (printed == shape.num_elements()) return text;
    if (printed >= max_elements) {
      return absl::StrCat(text, ", ... ", shape.num_elements() - printed,
                          " more");
    }
    if (closed == 0) {
      text += ", ";
      continue;
    }
    text += ",\n" + std::string(rank - closed, ' ') + std::string(closed, '[');
  }
}

std::string DescToText(const TensorDesc& desc) {
  std::string text = desc.ToString();
  const PhysicalForm& form = desc.layout().form();
  if (const auto* order = std::get_if<DimensionOrder>(&form)) {
    if (!order->padded_dimensions.empty()) {
      absl::StrAppend(&text, " minor_to_major ",
                      ListToString(order->minor_to_major), " padded to ",
                      ListToString(order->padded_dimensions));
    }
  } else if (const auto* strided = std::get_if<ElementStrides>(&form)) {
    absl::StrAppend(&text, " strides ", ListToString(strided->strides),
                    " offset ", strided->offset, " in ",
                    strided->total_elements, " elements");
  }
  return text;
}

nlohmann::ordered_json DescToJson(const TensorDesc& desc) {
  const auto list = [](absl::Span<const int64_t> numbers) {
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  nlohmann::ordered_json json;
  json["type"] = std::string(DTypeName(desc.type()));
  json["dimensions"] = list(desc.shape().extents());
  const PhysicalForm& form = desc.layout().form();
  if (const auto* order = std::get_if<DimensionOrder>(&form)) {
    json["minor_to_major"] = list(order->minor_to_major);
    if (!order->padded_dimensions.empty()) {
      json["padded_dimensions"] = list(order->padded_dimensions);
    }
  } else if (const auto* strided = std::get_if<ElementStrides>(&form)) {
    json["strides"] = list(strided->strides);
    json["offset"] = strided->offset;
    json["total_elements"] = strided->total_elements;
  }
  json["size_bytes"] = desc.size_bytes();
  return json;
}

nlohmann::ordered_json ElementsToJson(const TensorView& tensor) {
  auto values = nlohmann::ordered_json::array();
  const Shape& shape = tensor.desc.shape();
  DimVector index(static_cast<size_t>(shape.rank()), 0);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(WithElement(tensor.desc.type(), ElementAt(tensor, index),
                                 [](auto value) { return ToJson(value); }));
    Advance(shape, &index);
  }
  return values;
}

}  // namespace stridecast
