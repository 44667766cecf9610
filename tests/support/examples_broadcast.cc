// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of XLA's broadcasting, SEMANTICS.md 2.3.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

Example AddRow(std::string name, const DimVector& lhs_shape, Numbers lhs,
               const DimVector& rhs_shape, Numbers rhs,
               const DimVector& broadcast_dimensions,
               const DimVector& result_shape, Numbers result) {
  Signature signature =
      Program({Desc(DType::kF32, lhs_shape), Desc(DType::kF32, rhs_shape)},
              {BinaryOp(Opcode::kAdd, 0, 1, broadcast_dimensions)});
  signature.results[0].shape = result_shape;
  return {std::move(name),
          std::move(signature),
          {std::move(lhs), std::move(rhs)},
          {std::move(result)}};
}

// Where the element of an operand lies whose dimension i follows dimension
// dims[i] of the result; dims of none: all, in order. An extent of 1 repeats.
int64_t Position(const DimVector& shape, const DimVector& dims,
                 const DimVector& index) {
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t d = dims.empty() ? i : static_cast<size_t>(dims[i]);
    position = position * shape[i] + (shape[i] == 1 ? 0 : index[d]);
  }
  return position;
}

// lhs is 1, 2, 3 ...; rhs is 1000, 2000, 3000 ...: a sum shows whence it comes.
Example AddCounted(std::string name, const DimVector& lhs_shape,
                   const DimVector& rhs_shape, const DimVector& dims,
                   const DimVector& result_shape) {
  const bool rhs_is_smaller = rhs_shape.size() < lhs_shape.size();
  Numbers lhs, rhs, result;
  for (int64_t i = 1; i <= NumElements(lhs_shape); ++i) lhs.emplace_back(i);
  for (int64_t i = 1; i <= NumElements(rhs_shape); ++i) {
    rhs.emplace_back(1000 * i);
  }
  ForEachIndex(result_shape, [&](const DimVector& index) {
    const int64_t left =
        Position(lhs_shape, rhs_is_smaller ? DimVector() : dims, index);
    const int64_t right =
        Position(rhs_shape, rhs_is_smaller ? dims : DimVector(), index);
    result.emplace_back(left + 1 + 1000 * (right + 1));
  });
  return AddRow(std::move(name), lhs_shape, std::move(lhs), rhs_shape,
                std::move(rhs), dims, result_shape, std::move(result));
}

// A matrix, and vectors, onto M,N,P,Q along every choice of dimensions.
void AddOntoRank4(std::vector<Example>& rows) {
  const DimVector mnpq = {2, 3, 4, 5};
  for (int64_t k = 0; k < 4; ++k) {
    rows.push_back(AddCounted(absl::StrCat("VectorOntoDimension", k, "Of4"),
                              mnpq, {mnpq[static_cast<size_t>(k)]}, {k}, mnpq));
    for (int64_t l = k + 1; l < 4; ++l) {
      rows.push_back(AddCounted(
          absl::StrCat("MatrixOntoDimensions", k, "And", l, "Of4"), mnpq,
          {mnpq[static_cast<size_t>(k)], mnpq[static_cast<size_t>(l)]}, {k, l},
          mnpq));
    }
  }
}

}  // namespace

std::vector<Example> BroadcastExamples() {
  std::vector<Example> rows;
  rows.push_back(AddRow("VectorOntoRows", {2, 3}, {1, 2, 3, 4, 5, 6}, {3},
                        {7, 8, 9}, {1}, {2, 3}, {8, 10, 12, 11, 13, 15}));
  rows.push_back(AddRow("ScalarOntoMatrix", {2, 3}, {1, 2, 3, 4, 5, 6}, {}, {7},
                        {}, {2, 3}, {8, 9, 10, 11, 12, 13}));
  rows.push_back(AddRow("MatrixOntoScalar", {}, {7}, {2, 3}, {1, 2, 3, 4, 5, 6},
                        {}, {2, 3}, {8, 9, 10, 11, 12, 13}));
  const Numbers zeros(9, 0);
  rows.push_back(AddRow("VectorOntoSquareRows", {3, 3}, zeros, {3}, {7, 8, 9},
                        {1}, {3, 3}, {7, 8, 9, 7, 8, 9, 7, 8, 9}));
  rows.push_back(AddRow("VectorOntoSquareColumns", {3, 3}, zeros, {3},
                        {7, 8, 9}, {0}, {3, 3}, {7, 7, 7, 8, 8, 8, 9, 9, 9}));
  rows.push_back(AddRow("VectorAndRowBecomeMatrix", {4}, {1, 2, 3, 4}, {1, 2},
                        {5, 6}, {0}, {4, 2}, {6, 7, 7, 8, 8, 9, 9, 10}));
  rows.push_back(AddRow("OuterSum", {2, 1}, {10, 20}, {1, 3}, {1, 2, 3}, {},
                        {2, 3}, {11, 12, 13, 21, 22, 23}));
  rows.push_back(AddRow("DegenerateColumn", {2, 1}, {10, 20}, {2, 3},
                        {1, 2, 3, 4, 5, 6}, {}, {2, 3},
                        {11, 12, 13, 24, 25, 26}));
  rows.push_back(AddRow("EqualShapes", {3}, {1, 2, 3}, {3}, {10, 20, 30}, {},
                        {3}, {11, 22, 33}));
  rows.push_back(AddRow("EqualShapesWithIdentityDimensions", {3}, {1, 2, 3},
                        {3}, {10, 20, 30}, {0}, {3}, {11, 22, 33}));
  rows.push_back(AddRow("EmptyWithDegenerateRow", {0, 3}, {}, {1, 3}, {1, 2, 3},
                        {}, {0, 3}, {}));
  rows.push_back(
      AddRow("OneOntoEmptyDimension", {1}, {1}, {0, 5}, {}, {0}, {0, 5}, {}));
  rows.push_back(AddRow("OneOntoEmpty", {1}, {1}, {0}, {}, {}, {0}, {}));
  rows.push_back(
      AddCounted("MatrixOntoCube", {2, 3, 4}, {3, 4}, {1, 2}, {2, 3, 4}));
  rows.push_back(
      AddCounted("DegenerateFirst", {1, 2, 5}, {7, 2, 5}, {}, {7, 2, 5}));
  rows.push_back(
      AddCounted("DegenerateMiddle", {7, 2, 5}, {7, 1, 5}, {}, {7, 2, 5}));
  rows.push_back(AddCounted("RowOntoCubeWithDegenerateResult", {1, 2},
                            {4, 3, 1}, {1, 2}, {4, 3, 2}));
  rows.push_back(AddCounted("ColumnOntoCubeLeavingOne", {2, 1}, {2, 3, 4},
                            {0, 2}, {2, 3, 4}));
  rows.push_back(AddCounted("TheLargerOperandIsStretched", {2, 3}, {2, 1, 4},
                            {0, 1}, {2, 3, 4}));
  AddOntoRank4(rows);
  return rows;
}

}  // namespace stridecast::testing
