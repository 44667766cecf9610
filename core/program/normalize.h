// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where the views of a program go. Broadcasts, transposes, reversals and slices
// cost nothing when they are taken of an operand: they only change how its
// bytes are walked. So views are pushed through computations towards the
// operands, and what remains is a list of passes, each one iteration space with
// element-wise computations between its leaves and its stores. Concatenate and
// pad are passes too, one for each part that they put together.
// Rules:
//   (V1) a computation is evaluated in one pass only, and there at most as
//        often as its value has elements: the work of all passes together is at
//        most instructions x elements. Only an iota may be made up repeatedly
//   (V2) hence a view that repeats elements stays above a computation, and a
//        value needed under two different views or by two passes is stored once
//        in a temporary
//   (V3) a temporary is stored by an earlier pass than those that read it
//   (V4) the leaves of a pass are distinct (source, view) pairs
// Tested by tests/unit/program/views_test.cc.

#ifndef STRIDECAST_CORE_PROGRAM_NORMALIZE_H_
#define STRIDECAST_CORE_PROGRAM_NORMALIZE_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/program/program.h"
#include "core/program/view.h"

namespace stridecast {

enum class Source : int8_t {
  kOperand,    // index: operand
  kConstant,   // index: value of the Constant instruction
  kTemporary,  // index: into NormalProgram::temporaries
  kIota,       // index: value of the Iota instruction; the element of index i
               // is i[dimension], an s64
};

struct Leaf {
  Source source;
  int index;
  DType type;
  View view;
  // The view is of the source's bytes as a dense tensor of one dimension and of
  // the leaf's type, not of the source as it is described. Of dense row-major
  // sources only.
  bool flat = false;

  friend bool operator==(const Leaf&, const Leaf&) = default;
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
  View view;  // one-to-one onto the stored tensor, or onto a part of it
  // Other passes store the other parts. Of tensors without gaps only.
  bool is_part = false;
  // Stored over what an earlier pass stores there, and so not to be moved to
  // another pass.
  bool is_over = false;
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

#endif  // STRIDECAST_CORE_PROGRAM_NORMALIZE_H_
