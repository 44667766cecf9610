// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A number of C++ or of an expression, which has no element type until it meets
// a tensor: 255 in x / 255. It then becomes a scalar of the tensor's type if
// that type can say what was written:
//   integer      in an integer type it must be in range; in a floating-point or
//                complex type it must be exact (257 is not in bf16; 257.0 asks
//                for the nearest)
//   floating     in a floating-point or complex type the nearest, rounded once,
//                to even; but a number that is neither infinite nor 0 must not
//                become so. In an integer type never, not even 2.0: whoever
//                writes x / 255.0 does not want the division of integers
//   true, false  in pred, and nothing else in pred
// Anything else is an error that names both; a number never changes the type of
// a tensor.

#ifndef STRIDECAST_NUMBER_H_
#define STRIDECAST_NUMBER_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "stridecast/dtype.h"
#include "stridecast/element.h"

namespace stridecast {

// bool, the integers of 8 to 64 bits, float and double.
template <typename T>
concept Arithmetic = internal::kIsIntegerElement<T> ||
    internal::kIsOneOf<T, bool, float, double>;

class Number {
 public:
  enum class Kind : int8_t { kBool, kInteger, kFloating };

  template <Arithmetic T>
  Number(T value) {  // NOLINT: 1 is a number wherever one is wanted
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::kBool;
      magnitude_ = value ? 1 : 0;
    } else if constexpr (std::is_integral_v<T>) {
      is_negative_ = value < 0;
      magnitude_ = is_negative_ ? uint64_t{0} - static_cast<uint64_t>(value)
                                : static_cast<uint64_t>(value);
    } else {
      kind_ = Kind::kFloating;
      floating_ = value;
    }
  }
  // An integer; of up to 64 bits below 0, too.
  static Number Integer(bool is_negative, uint64_t magnitude);

  Kind kind() const { return kind_; }
  bool is_negative() const { return is_negative_; }  // of integers
  uint64_t magnitude() const { return magnitude_; }  // of integers
  double AsDouble() const;                           // the nearest

  // "255", "0.1", "true".
  std::string ToString() const;

 private:
  Kind kind_ = Kind::kInteger;
  bool is_negative_ = false;
  uint64_t magnitude_ = 0;
  double floating_ = 0;
};

// The bytes of `number` as an element of `type`.
// Errors: kInvalidArgument "0.5 is no whole number, ..." by the rules above.
absl::StatusOr<std::string> ElementOf(const Number& number, DType type);

}  // namespace stridecast

#endif  // STRIDECAST_NUMBER_H_
