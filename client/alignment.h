// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// How tensors of different shapes are laid onto one another, for NumPyBroadcast
// and expressions. The server knows explicit broadcasting alone; what is found
// here is written into the program.
//
// The dimensions of the result are those of the operand of highest rank, the
// first one if there are several. Those of another operand are found
//   by letter      if both name their dimensions: same letters, in any order
//   from the last  if not: NumPy's rule
// Then, per dimension, extents are equal or 1, which repeats.

#ifndef STRIDECAST_CLIENT_ALIGNMENT_H_
#define STRIDECAST_CLIENT_ALIGNMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stridecast/shape.h"

namespace stridecast {

struct NamedShape {
  DimVector extents;
  std::string letters;  // one per dimension, distinct; empty: not named
};

struct Alignment {
  NamedShape result;
  // Per operand the result dimension of each of its dimensions.
  std::vector<DimVector> dimensions;
};

// REQUIRES: one operand or more.
// Errors: kInvalidArgument with the shapes.
absl::StatusOr<Alignment> Align(absl::Span<const NamedShape> operands);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_ALIGNMENT_H_
