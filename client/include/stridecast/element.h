// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Which C++ types are elements of tensors, and which element type each is.
// Character types, std::byte and long double are none on purpose.

#ifndef STRIDECAST_ELEMENT_H_
#define STRIDECAST_ELEMENT_H_

#include <complex>
#include <concepts>
#include <ranges>
#include <type_traits>

#include "stridecast/dtype.h"
#include "stridecast/float16.h"

namespace stridecast {
namespace internal {

template <typename T, typename... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

template <typename T>
inline constexpr bool kIsIntegerElement =
    kIsOneOf<T, signed char, short, int, long, long long,             // NOLINT
             unsigned char, unsigned short, unsigned, unsigned long,  // NOLINT
             unsigned long long>;                                     // NOLINT

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DType::kPred;
  if constexpr (std::is_same_v<T, F16>) return DType::kF16;
  if constexpr (std::is_same_v<T, BF16>) return DType::kBF16;
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::kC64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return DType::kC128;
  if constexpr (std::is_integral_v<T>) {
    constexpr bool kSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return kSigned ? DType::kS8 : DType::kU8;
    if constexpr (sizeof(T) == 2) return kSigned ? DType::kS16 : DType::kU16;
    if constexpr (sizeof(T) == 4) return kSigned ? DType::kS32 : DType::kU32;
    return kSigned ? DType::kS64 : DType::kU64;
  }
}

}  // namespace internal

// bool, the integers of 8 to 64 bits, F16, BF16, float, double and the complex
// numbers of the last two.
template <typename T>
concept Element = internal::kIsIntegerElement<T> ||
    internal::kIsOneOf<T, bool, F16, BF16, float, double, std::complex<float>,
                       std::complex<double>>;

// The element type whose bytes in memory are those of a T.
template <Element T>
inline constexpr DType kDTypeOf = internal::DTypeOf<T>();

// Elements in one piece of memory that outlives the expression: an lvalue
// vector or array, a span. (std::vector<bool> is not: it has no memory of
// bools.)
template <typename R>
concept ElementRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::ranges::borrowed_range<R> && Element<std::ranges::range_value_t<R>>;

}  // namespace stridecast

#endif  // STRIDECAST_ELEMENT_H_
