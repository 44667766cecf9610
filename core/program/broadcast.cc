// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/broadcast.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "stridecast/status_macros.h"
#include "stridecast/tensor.h"

namespace stridecast {
namespace {

std::string Human(const ValueType& value) {
  return ShapeToString(value.type, value.shape);
}

DimVector IdentityDimensions(int rank) {
  DimVector dimensions(rank);
  for (int d = 0; d < rank; ++d) dimensions[d] = d;
  return dimensions;
}

// The extents of `larger`, those that `dimensions` names replaced by those of
// `smaller`.
absl::StatusOr<DimVector> InferInDim(const ValueType& smaller,
                                     const ValueType& larger,
                                     absl::Span<const int64_t> dimensions) {
  if (dimensions.empty() && smaller.shape.rank() != 0) {
    return FieldError("broadcast_dimensions",
                      "Shapes must be equal rank, but are ", Human(smaller),
                      " and ", Human(larger));
  }
  if (static_cast<int>(dimensions.size()) != smaller.shape.rank()) {
    return FieldError(
        "broadcast_dimensions",
        "Size of broadcast_dimensions has to match lower-rank operand's rank; "
        " lower-rank operand's rank is ",
        smaller.shape.rank(), ", size of broadcast_dimensions is ",
        dimensions.size(), ".");
  }
  DimVector extents(larger.shape.extents().begin(),
                    larger.shape.extents().end());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t dim = dimensions[i];
    const auto at = [i] {
      return absl::StrCat("broadcast_dimensions[", i, "]");
    };
    if (dim < 0) {
      return FieldError(at(), "Broadcast dimension number (", dim,
                        ") cannot be negative.");
    }
    if (dim >= larger.shape.rank()) {
      return FieldError(at(), "Broadcast dimension number (", dim,
                        ") too large; higher-rank operand has rank ",
                        larger.shape.rank(), ".");
    }
    const int64_t small_extent = smaller.shape.extent(static_cast<int>(i));
    const int64_t large_extent = larger.shape.extent(static_cast<int>(dim));
    if (small_extent != large_extent && small_extent != 1 &&
        large_extent != 1) {
      return FieldError(at(), "Broadcast dimension ", i,
                        " mismatch: ", small_extent, " != ", large_extent, "; ",
                        Human(smaller), " and ", Human(larger), ".");
    }
    if (i > 0 && dim <= dimensions[i - 1]) {
      return FieldError(at(), "Broadcast dimensions order is wrong: ", dim,
                        " comes after ", dimensions[i - 1], ".");
    }
    extents[dim] = small_extent;
  }
  return extents;
}

}  // namespace

absl::StatusOr<BinaryBroadcast> InferBinaryBroadcast(
    absl::string_view op, const ValueType& lhs, const ValueType& rhs,
    absl::Span<const int64_t> broadcast_dimensions) {
  if (lhs.type != rhs.type) {
    return FieldError("", "Binary op ", op,
                      " with different element types: ", Human(lhs), " and ",
                      Human(rhs), ".");
  }
  const int lhs_rank = lhs.shape.rank();
  const int rhs_rank = rhs.shape.rank();
  BinaryBroadcast broadcast;
  broadcast.lhs_dimensions = IdentityDimensions(lhs_rank);
  broadcast.rhs_dimensions = IdentityDimensions(rhs_rank);
  const bool lhs_is_larger = lhs_rank > rhs_rank;
  const ValueType& larger = lhs_is_larger ? lhs : rhs;
  const ValueType& smaller = lhs_is_larger ? rhs : lhs;
  DimVector extents(smaller.shape.extents().begin(),
                    smaller.shape.extents().end());
  if (lhs_rank == rhs_rank) {
    if (!broadcast_dimensions.empty() &&
        broadcast_dimensions != broadcast.lhs_dimensions) {
      return FieldError("broadcast_dimensions",
                        "Broadcast dimensions field must either be not set or "
                        "be the identity on binary operations with operands "
                        "of the same rank.");
    }
  } else {
    ASSIGN_OR_RETURN(extents,
                     InferInDim(smaller, larger, broadcast_dimensions));
    (lhs_is_larger ? broadcast.rhs_dimensions : broadcast.lhs_dimensions)
        .assign(broadcast_dimensions.begin(), broadcast_dimensions.end());
  }
  for (int d = 0; d < larger.shape.rank(); ++d) {
    const int64_t other = larger.shape.extent(d);
    if (extents[d] == other) continue;
    if (extents[d] != 1 && other != 1) {
      return FieldError("", "Binary op ", op,
                        " with incompatible shapes: ", Human(lhs), " and ",
                        Human(rhs), ".");
    }
    if (extents[d] == 1) extents[d] = other;
  }
  auto shape = Shape::Create(extents);
  if (!shape.ok()) return PrefixField(": result ", shape.status());
  broadcast.shape = *shape;
  return broadcast;
}

absl::StatusOr<Shape> InferBroadcastInDim(
    const ValueType& operand, absl::Span<const int64_t> result_extents,
    absl::Span<const int64_t> dimensions) {
  auto result = Shape::Create(result_extents);
  if (!result.ok()) {
    return PrefixField("broadcast_in_dim.shape.", result.status());
  }
  if (static_cast<int>(dimensions.size()) != operand.shape.rank()) {
    return FieldError("broadcast_in_dim.dimensions", dimensions.size(),
                      " entries for operand ", Human(operand), " of rank ",
                      operand.shape.rank());
  }
  uint32_t seen = 0;
  for (int i = 0; i < operand.shape.rank(); ++i) {
    const std::string field =
        absl::StrCat("broadcast_in_dim.dimensions[", i, "]");
    const int64_t dim = dimensions[i];
    if (dim < 0 || dim >= result->rank()) {
      return FieldError(field, dim, " is not in [0,", result->rank(),
                        ") of result shape ", result->ToString());
    }
    if ((seen >> dim & 1) != 0) {
      return FieldError(field, dim, " stands twice in ",
                        ListToString(dimensions));
    }
    seen |= uint32_t{1} << dim;
    const int64_t extent = operand.shape.extent(i);
    const int64_t wanted = result->extent(static_cast<int>(dim));
    if (extent != 1 && extent != wanted) {
      return FieldError(field, "operand dimension ", i, " of ", Human(operand),
                        " has extent ", extent, ", neither 1 nor the ", wanted,
                        " of result dimension ", dim, " of ",
                        result->ToString());
    }
  }
  return result;
}

}  // namespace stridecast
