// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where the views of a program go. Broadcasts, transposes, reversals and slices
// cost nothing when they are taken of an operand: they only change how its
// bytes are walked. So views are pushed through computations towards the
// operands, and what remains is a list of passes, each one iteration space with
// element-wise computations between its leaves and its stores.
// Rules:
//   (V1) a computation is evaluated in one pass only, and there at most as
//        often as its value has elements: the work of all passes together is at
//        most instructions x elements
//   (V2) hence a view that repeats elements stays above a computation, and a
//        value needed under two different views or by two passes is stored once
//        in a temporary
//   (V3) a temporary is stored by an earlier pass than those that read it
//   (V4) the leaves of a pass are distinct (source, view) pairs
// Tested by tests/unit/program/views_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_VIEWS_H_
#define STRIDECAST_CORE_PROGRAM_VIEWS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/program/program.h"
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

enum class Source : int8_t {
  kOperand,    // index: operand
  kConstant,   // index: value of the Constant instruction
  kTemporary,  // index: into NormalProgram::temporaries
};

struct Leaf {
  Source source;
  int index;
  DType type;
  View view;
};

// What a computation or a store takes: a leaf, or a computation of the pass.
struct ValueRef {
  bool is_leaf = false;
  int index = -1;
  friend bool operator==(const ValueRef&, const ValueRef&) = default;
};

struct Computation {
  int value;  // of the program; says opcode, attribute and type
  absl::InlinedVector<ValueRef, 3> inputs;  // earlier computations, leaves
};

struct PassStore {
  bool is_result;  // else a temporary
  int index;       // result, or temporary
  ValueRef source;
  View view;  // one-to-one onto the stored tensor
};

struct Pass {
  Shape space;
  std::vector<Leaf> leaves;
  std::vector<Computation> computations;  // operands before users
  std::vector<PassStore> stores;
};

struct NormalProgram {
  std::vector<Pass> passes;            // in order of execution
  std::vector<ValueType> temporaries;  // dense, row-major
};

NormalProgram Normalize(const Program& program);

}  // namespace stridecast

#endif  // STRIDECAST_CORE_PROGRAM_VIEWS_H_
