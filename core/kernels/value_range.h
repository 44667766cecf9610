// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What is known of all f32 that go through a chain together, so that it need
// not look at each: images begin as integers, and go on with constants.
//   (R1) where a range is known, each value is a number, and 0 or of a
//        magnitude in [least, greatest]
// Tested by tests/unit/kernels/value_range_test.cc.

#ifndef STRIDECAST_CORE_KERNELS_VALUE_RANGE_H_
#define STRIDECAST_CORE_KERNELS_VALUE_RANGE_H_

#include <algorithm>
#include <cmath>

#include "core/kernels/kernel.h"

namespace stridecast {

class ValueRange {
 public:
  static ValueRange Unknown() { return ValueRange(false, 0, 0); }
  // Of magnitudes up to `greatest`.
  static ValueRange OfIntegers(double greatest) {
    return ValueRange(true, 1, greatest);
  }

  bool is_known() const { return is_known_; }
  bool IsWithin(double least, double greatest) const {
    return is_known_ && least <= least_ && greatest_ <= greatest;
  }

  // That of the results, each rounded to f32, if all operands are `operand`.
  ValueRange After(ChainOperation operation, float operand) const {
    const double magnitude = std::abs(double{operand});
    if (!is_known_ || !std::isfinite(magnitude)) return Unknown();
    switch (operation) {
      case ChainOperation::kAdd:
      case ChainOperation::kSubtract:
      case ChainOperation::kSubtractFrom:
        if (magnitude == 0) return *this;
        // A sum is a multiple of the lesser one's lowest bit.
        return Checked(std::min(least_, magnitude) * 0x1p-24,
                       (greatest_ + magnitude) * 2);
      case ChainOperation::kMultiply:
        if (magnitude == 0) return *this;  // zeros, which are in any range
        return Checked(least_ * magnitude / 2, greatest_ * magnitude * 2);
      case ChainOperation::kDivide:
        if (magnitude == 0) return Unknown();
        return Checked(least_ / magnitude / 2, greatest_ / magnitude * 2);
      case ChainOperation::kMaximum:
      case ChainOperation::kMinimum:
        return Checked(magnitude == 0 ? least_ : std::min(least_, magnitude),
                       std::max(greatest_, magnitude));
      case ChainOperation::kDivideInto:  // may be by 0
      case ChainOperation::kSqrt:        // may be of what is below 0
      case ChainOperation::kSquare:
        return Unknown();
    }
    return Unknown();
  }

 private:
  ValueRange(bool is_known, double least, double greatest)
      : is_known_(is_known), least_(least), greatest_(greatest) {}

  // Within it nothing is subnormal, nor rounded to an infinity.
  static ValueRange Checked(double least, double greatest) {
    if (least < 0x1p-100 || greatest > 0x1p100) return Unknown();
    return ValueRange(true, least, greatest);
  }

  bool is_known_;
  double least_;
  double greatest_;
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_VALUE_RANGE_H_
