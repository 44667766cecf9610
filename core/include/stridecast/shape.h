// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// A Shape is the extents of a tensor, dimension 0 first.
// Invariants:
//   (S1) rank <= kMaxRank
//   (S2) every extent >= 0
//   (S3) the product of the non-zero extents fits int64
// Rank 0 is a scalar, one element; an extent of 0 makes a tensor of none.

#ifndef STRIDECAST_SHAPE_H_
#define STRIDECAST_SHAPE_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace stridecast {

inline constexpr int kMaxRank = 16;
inline constexpr int kInlineRank = 6;

// One number per dimension. The inline part is for ranks met every day.
using DimVector = absl::InlinedVector<int64_t, kInlineRank>;

class Shape {
 public:
  Shape() = default;  // rank 0

  // Errors: kInvalidArgument with field "dimensions" or "dimensions[i]".
  static absl::StatusOr<Shape> Create(absl::Span<const int64_t> extents);

  int rank() const { return static_cast<int>(extents_.size()); }
  int64_t extent(int dim) const { return extents_[dim]; }
  absl::Span<const int64_t> extents() const { return extents_; }
  int64_t num_elements() const { return num_elements_; }

  // How many extents are greater than 1.
  int true_rank() const;

  // "[2,3]"; rank 0 is "[]".
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.extents_ == b.extents_;
  }

 private:
  DimVector extents_;
  int64_t num_elements_ = 1;
};

// "[1,2,3]": how a list of numbers stands in texts.
std::string ListToString(absl::Span<const int64_t> numbers);

}  // namespace stridecast

#endif  // STRIDECAST_SHAPE_H_
