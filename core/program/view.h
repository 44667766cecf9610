// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Affine maps between index spaces: what a broadcast, transpose, reversal,
// slice or reshape is when it is not carried out.
// Tested by tests/unit/program/view_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_VIEW_H_
#define STRIDECAST_CORE_PROGRAM_VIEW_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "stridecast/request.h"
#include "stridecast/shape.h"

namespace stridecast {

// An affine map from the indices of an iteration space to those of a tensor:
//   index[axes[p].dim] += axes[p].step * space_index[p], from start.
// A space dimension of extent 1 has no axis (dim -1), and over a space of no
// elements there are neither axes nor starts: views that differ only there are
// equal.
struct View {
  struct Axis {
    int dim = -1;  // of the tensor; -1: the space dimension repeats it
    int64_t step = 0;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  absl::InlinedVector<Axis, kInlineRank> axes;  // by space dimension
  DimVector start;                              // by tensor dimension

  // Every index of the space as it is.
  static View Identity(const Shape& space);

  friend bool operator==(const View&, const View&) = default;
};

// True if the view maps two indices of the space to one of the tensor.
bool Repeats(const View& view, const Shape& space);

// `view` of the value of a view instruction, as a view of its operand.
View ComposeTranspose(const View& view, absl::Span<const int64_t> permutation);
View ComposeReverse(const View& view, const Shape& operand,
                    absl::Span<const int64_t> dimensions);
View ComposeSlice(const View& view, const SliceAttribute& slice);
View ComposeBroadcast(const View& view, const Shape& operand,
                      const Shape& result,
                      absl::Span<const int64_t> dimensions);

// Every step-th index of a box, from its corner on.
struct Box {
  DimVector start;
  DimVector step;
  Shape shape;  // how many indices there are along each dimension
};

// `view` restricted to a box of its space, as a view over the box.
View ComposeBox(const View& view, const Box& box);

// `view` of a tensor as a view of its elements numbered in row-major order, a
// tensor of one dimension.
View Flatten(const View& view, const Shape& tensor);

// A space whose dimensions are split: dimension p into factors[p], outermost
// first, whose product is its extent.
using Factors = std::vector<DimVector>;
View SplitSpace(const View& view, const Factors& factors);

// The reverse of Flatten, where there is an affine one: `flat` as a view of a
// tensor of shape `tensor` over `space` with its dimensions split.
struct SplitView {
  Factors factors;
  View view;
};
std::optional<SplitView> Unflatten(const View& flat, const Shape& space,
                                   const Shape& tensor);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_VIEW_H_
