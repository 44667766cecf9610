// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// 64-bit arithmetic that says when it overflows: the one place for it.

#ifndef STRIDECAST_CORE_TENSOR_CHECKED_MATH_H_
#define STRIDECAST_CORE_TENSOR_CHECKED_MATH_H_

#include <cstdint>
#include <optional>

namespace stridecast {

// A sum of products that becomes none at the first overflow and stays so.
class CheckedInt64 {
 public:
  explicit CheckedInt64(int64_t value) : value_(value) {}

  CheckedInt64& Add(int64_t addend) {
    valid_ &= !__builtin_add_overflow(value_, addend, &value_);
    return *this;
  }
  CheckedInt64& Multiply(int64_t factor) {
    valid_ &= !__builtin_mul_overflow(value_, factor, &value_);
    return *this;
  }
  CheckedInt64& AddProduct(int64_t a, int64_t b) {
    int64_t product = 0;
    valid_ &= !__builtin_mul_overflow(a, b, &product);
    return Add(product);
  }

  std::optional<int64_t> value() const {
    return valid_ ? std::optional<int64_t>(value_) : std::nullopt;
  }

 private:
  int64_t value_;
  bool valid_ = true;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_TENSOR_CHECKED_MATH_H_
