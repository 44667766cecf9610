// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a chain would be without its roundings, where each link adds, subtracts,
// multiplies by or divides by a constant: value * slope + offset.
// Tested by tests/unit/kernels/affine_form_test.cc.

#ifndef STRIDECAST_CORE_KERNELS_AFFINE_FORM_H_
#define STRIDECAST_CORE_KERNELS_AFFINE_FORM_H_

#include <optional>

#include "core/kernels/kernel.h"

namespace stridecast {

struct AffineForm {
  double slope = 1;
  double offset = 0;

  // None if the operation is none of those.
  std::optional<AffineForm> After(ChainOperation operation,
                                  double operand) const {
    switch (operation) {
      case ChainOperation::kAdd:
        return AffineForm{slope, offset + operand};
      case ChainOperation::kSubtract:
        return AffineForm{slope, offset - operand};
      case ChainOperation::kSubtractFrom:
        return AffineForm{-slope, operand - offset};
      case ChainOperation::kMultiply:
        return AffineForm{slope * operand, offset * operand};
      case ChainOperation::kDivide:
        return AffineForm{slope / operand, offset / operand};
      case ChainOperation::kDivideInto:
      case ChainOperation::kMaximum:
      case ChainOperation::kMinimum:
      case ChainOperation::kSqrt:
      case ChainOperation::kSquare:
        return std::nullopt;
    }
    return std::nullopt;
  }
};

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_AFFINE_FORM_H_
