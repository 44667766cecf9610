// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Programs evaluated on abstract elements: an element is a number that stands
// for how it was made, so two ways to evaluate a program agree only if every
// element went the same way. Also normal programs as text, for tables.

#ifndef STRIDECAST_TESTS_UNIT_PROGRAM_ABSTRACT_VALUES_H_
#define STRIDECAST_TESTS_UNIT_PROGRAM_ABSTRACT_VALUES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/program/normalize.h"
#include "core/program/program.h"
#include "stridecast/shape.h"

namespace stridecast::testing {

// The elements of a tensor in row-major order.
using AbstractTensor = std::vector<uint64_t>;

// Calls `visit` with every index of `shape` in row-major order.
void ForEachIndexOf(const Shape& shape,
                    const std::function<void(const DimVector&)>& visit);

// Where `index` of `shape` stands in row-major order.
int64_t PositionOf(const Shape& shape, const DimVector& index);

// The index of the tensor that `view` takes to an index of its space.
DimVector ApplyView(const View& view, const DimVector& space_index);

// The results, instruction by instruction.
std::vector<AbstractTensor> EvaluateInstructions(
    const stridecast::Program& program);

// The results, pass by pass. Adds a test failure if an element is read before
// it is stored, read outside of its tensor, or not stored exactly once.
std::vector<AbstractTensor> EvaluatePasses(const NormalProgram& normal,
                                           const stridecast::Program& program);

// "[2,3]: %2=ADD(x0[i,j],x1[j]); r0[i,j]=%2 | ...": the passes in order; x are
// operands, c constants by value, t temporaries, r results; i, j, k ... are the
// indices of the space.
std::string ToText(const NormalProgram& normal,
                   const stridecast::Program& program);

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_UNIT_PROGRAM_ABSTRACT_VALUES_H_
