// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// XLA's explicit broadcasting of two operands (InferInDimBroadcastShape and
// InferDegenerateDimensionBroadcastShape of xla/service/shape_inference.cc),
// with its order of checks and its texts. What comes out is two
// broadcast_in_dim to one explicit result shape, the only form of broadcasting
// that anything behind this file knows.
// Tested by tests/unit/program/broadcast_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_BROADCAST_H_
#define STRIDECAST_CORE_PROGRAM_BROADCAST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stridecast/dtype.h"
#include "stridecast/shape.h"
#include "stridecast/tensor.h"

namespace stridecast {

struct BinaryBroadcast {
  Shape shape;
  // Result dimension of each operand dimension.
  DimVector lhs_dimensions;
  DimVector rhs_dimensions;
};

// `broadcast_dimensions` maps the dimensions of the operand of smaller rank.
// `op` is the operation's name in texts, lower case as XLA writes it.
// Errors: kInvalidArgument, relative to the instruction.
absl::StatusOr<BinaryBroadcast> InferBinaryBroadcast(
    absl::string_view op, const ValueType& lhs, const ValueType& rhs,
    absl::Span<const int64_t> broadcast_dimensions);

// Checks broadcast_in_dim (StableHLO): dimensions distinct, each within the
// result, each operand extent 1 or that of the result.
// Errors: kInvalidArgument with field "broadcast_in_dim...".
absl::StatusOr<Shape> InferBroadcastInDim(
    const ValueType& operand, absl::Span<const int64_t> result_extents,
    absl::Span<const int64_t> dimensions);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_BROADCAST_H_
