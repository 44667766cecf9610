// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "core/program/view.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stridecast {

View View::Identity(const Shape& space) {
  View view;
  view.axes.resize(space.rank());
  view.start.resize(space.rank(), 0);
  if (space.num_elements() == 0) return view;
  for (int d = 0; d < space.rank(); ++d) {
    if (space.extent(d) != 1) view.axes[d] = {d, 1};
  }
  return view;
}

bool Repeats(const View& view, const Shape& space) {
  for (int p = 0; p < space.rank(); ++p) {
    if (view.axes[p].dim < 0 && space.extent(p) > 1) return true;
  }
  return false;
}

View ComposeTranspose(const View& view, absl::Span<const int64_t> permutation) {
  View composed = view;
  for (View::Axis& axis : composed.axes) {
    if (axis.dim >= 0) axis.dim = static_cast<int>(permutation[axis.dim]);
  }
  for (size_t d = 0; d < permutation.size(); ++d) {
    composed.start[permutation[d]] = view.start[d];
  }
  return composed;
}

View ComposeReverse(const View& view, const Shape& operand,
                    absl::Span<const int64_t> dimensions) {
  View composed = view;
  for (int64_t dim : dimensions) {
    const int d = static_cast<int>(dim);
    composed.start[d] = operand.extent(d) - 1 - composed.start[d];
    for (View::Axis& axis : composed.axes) {
      if (axis.dim == d) axis.step = -axis.step;
    }
  }
  return composed;
}

View ComposeSlice(const View& view, const SliceAttribute& slice) {
  View composed = view;
  const auto step_of = [&](int d) {
    return slice.step.empty() ? 1 : slice.step[d];
  };
  for (View::Axis& axis : composed.axes) {
    if (axis.dim < 0) continue;
    // An overflowing step belongs to a dimension of extent 1 or 0: unused.
    int64_t step = 0;
    if (__builtin_mul_overflow(axis.step, step_of(axis.dim), &step)) step = 0;
    axis.step = step;
  }
  for (size_t d = 0; d < slice.start.size(); ++d) {
    int64_t skipped = 0;
    if (__builtin_mul_overflow(view.start[d], step_of(static_cast<int>(d)),
                               &skipped)) {
      skipped = 0;
    }
    composed.start[d] = slice.start[d] + skipped;
  }
  return composed;
}

View ComposeBroadcast(const View& view, const Shape& operand,
                      const Shape& result,
                      absl::Span<const int64_t> dimensions) {
  absl::InlinedVector<int, kInlineRank> operand_dim(result.rank(), -1);
  View composed;
  composed.start.resize(operand.rank(), 0);
  for (int d = 0; d < operand.rank(); ++d) {
    const int dim = static_cast<int>(dimensions[d]);
    if (operand.extent(d) == 1 && result.extent(dim) != 1) continue;
    operand_dim[dim] = d;
    composed.start[d] = view.start[dim];
  }
  for (const View::Axis& axis : view.axes) {
    const int dim = axis.dim < 0 ? -1 : operand_dim[axis.dim];
    composed.axes.push_back(dim < 0 ? View::Axis{}
                                    : View::Axis{dim, axis.step});
  }
  return composed;
}

View ComposeBox(const View& view, const Box& box) {
  View composed = view;
  for (int p = 0; p < box.shape.rank(); ++p) {
    View::Axis& axis = composed.axes[p];
    if (axis.dim < 0) continue;
    composed.start[axis.dim] += axis.step * box.start[p];
    axis = box.shape.extent(p) == 1
               ? View::Axis{}
               : View::Axis{axis.dim, axis.step * box.step[p]};
  }
  return composed;
}

View Flatten(const View& view, const Shape& tensor) {
  DimVector weights(tensor.rank());
  int64_t weight = 1;
  for (int d = tensor.rank() - 1; d >= 0; --d) {
    weights[d] = weight;
    weight *= std::max<int64_t>(tensor.extent(d), 1);
  }
  View flat;
  flat.start.push_back(0);
  for (int d = 0; d < tensor.rank(); ++d) {
    flat.start[0] += view.start[d] * weights[d];
  }
  for (const View::Axis& axis : view.axes) {
    flat.axes.push_back(axis.dim < 0
                            ? View::Axis{}
                            : View::Axis{0, axis.step * weights[axis.dim]});
  }
  return flat;
}

View SplitSpace(const View& view, const Factors& factors) {
  View split;
  split.start = view.start;
  for (size_t p = 0; p < factors.size(); ++p) {
    int64_t inner = 1;
    for (int64_t factor : factors[p]) inner *= factor;
    for (int64_t factor : factors[p]) {
      inner = factor == 0 ? 0 : inner / factor;
      const View::Axis& axis = view.axes[p];
      split.axes.push_back(axis.dim < 0 || factor == 1
                               ? View::Axis{}
                               : View::Axis{axis.dim, axis.step * inner});
    }
  }
  return split;
}

namespace {

// Row-major digits of a flat index, and how far the axes move each of them.
class Digits {
 public:
  Digits(const Shape& tensor, int64_t start) : tensor_(tensor) {
    int64_t weight = tensor.num_elements();
    for (int d = 0; d < tensor.rank(); ++d) {
      weight /= tensor.extent(d);
      weights_.push_back(weight);
      low_.push_back(start / weight);
      start %= weight;
    }
    start_ = high_ = low_;
  }

  // Distributes an axis of `extent` steps over digits; false if that is not
  // affine. Appends factors and axes, innermost first.
  bool AddAxis(int64_t extent, int64_t step, DimVector& factors,
               std::vector<View::Axis>& axes) {
    int64_t reach = std::abs(step);  // of one step of what is left
    for (int64_t left = extent; left > 1;) {
      int d = 0;
      while (d < tensor_.rank() &&
             (tensor_.extent(d) == 1 || weights_[d] > reach)) {
        ++d;
      }
      if (d == tensor_.rank() || reach % weights_[d] != 0) return false;
      const int64_t move = reach / weights_[d];
      const int64_t room = (tensor_.extent(d) - 1) / move + 1;
      int64_t factor = left;
      if (left > room) {
        // The digit runs through and carries into the next one.
        if (tensor_.extent(d) % move != 0 || left % room != 0) return false;
        factor = room;
      }
      (step < 0 ? low_ : high_)[d] += (step < 0 ? -move : move) * (factor - 1);
      factors.push_back(factor);
      axes.push_back({d, step < 0 ? -move : move});
      left /= factor;
      reach *= factor;
    }
    return true;
  }

  // Whether no digit ever leaves its range, which would be a carry.
  bool Hold() const {
    for (int d = 0; d < tensor_.rank(); ++d) {
      if (low_[d] < 0 || high_[d] >= tensor_.extent(d)) return false;
    }
    return true;
  }

  const DimVector& start() const { return start_; }

 private:
  const Shape& tensor_;
  DimVector weights_;
  DimVector start_, low_, high_;
};

}  // namespace

std::optional<SplitView> Unflatten(const View& flat, const Shape& space,
                                   const Shape& tensor) {
  SplitView split;
  if (space.num_elements() == 0) {
    for (int64_t extent : space.extents()) split.factors.push_back({extent});
    split.view.axes.resize(space.rank());
    split.view.start.resize(tensor.rank(), 0);
    return split;
  }
  Digits digits(tensor, flat.start[0]);
  for (int p = 0; p < space.rank(); ++p) {
    DimVector factors;
    std::vector<View::Axis> axes;
    if (flat.axes[p].dim < 0) {
      factors.push_back(space.extent(p));
      axes.emplace_back();
    } else if (!digits.AddAxis(space.extent(p), flat.axes[p].step, factors,
                               axes)) {
      return std::nullopt;
    }
    split.factors.emplace_back(factors.rbegin(), factors.rend());
    split.view.axes.insert(split.view.axes.end(), axes.rbegin(), axes.rend());
  }
  if (!digits.Hold()) return std::nullopt;
  split.view.start = digits.start();
  return split;
}

}  // namespace stridecast
