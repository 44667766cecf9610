// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random views and data operations.

#include <algorithm>
#include <limits>

#include "tests/support/builders.h"
#include "tests/support/program_maker.h"

namespace stridecast::testing {
namespace {

constexpr int64_t kGreatestRank = 7;

// Extents of that product, in any number.
DimVector ShapeOfProduct(Random& random, int64_t product) {
  DimVector shape(static_cast<size_t>(random.Between(1, 5)), 1);
  if (product == 0) {
    for (int64_t& extent : shape) extent = random.Between(0, 4);
    shape.back() = 0;
  }
  for (int64_t factor = 2; product > 1; ++factor) {
    if (factor * factor > product) factor = product;
    for (; product % factor == 0; product /= factor) {
      const auto d = random.Below(static_cast<int64_t>(shape.size()));
      shape[static_cast<size_t>(d)] *= factor;
    }
  }
  random.Shuffle(shape);
  const bool is_scalar =
      std::all_of(shape.begin(), shape.end(), [](int64_t e) { return e == 1; });
  if (is_scalar && random.OneIn(2)) shape.clear();
  return shape;
}

}  // namespace

void ProgramMaker::AddData(Opcode opcode, uint32_t x) {
  const auto rank = static_cast<int64_t>(nodes_[x].shape.size());
  switch (opcode) {
    case Opcode::kTranspose: {
      DimVector permutation = RowMajorOrder(static_cast<int>(rank));
      random_.Shuffle(permutation);
      return AddInstruction(Op(opcode, {x}, DimensionsAttribute{permutation}));
    }
    case Opcode::kReverse: {
      DimVector dimensions = RowMajorOrder(static_cast<int>(rank));
      random_.Shuffle(dimensions);
      if (rank > 0) {
        dimensions.resize(static_cast<size_t>(random_.Between(0, rank)));
      }
      return AddInstruction(Op(opcode, {x}, DimensionsAttribute{dimensions}));
    }
    case Opcode::kBroadcastInDim:
      return AddBroadcast(x);
    case Opcode::kSlice:
      return AddSlice(x);
    case Opcode::kReshape:
      return AddReshape(x);
    case Opcode::kConcatenate:
      return AddConcatenate(x);
    case Opcode::kPad:
      return AddPad(x);
    default:
      return AddBitcast(x);
  }
}

void ProgramMaker::AddSlice(uint32_t x) {
  SliceAttribute slice;
  const bool steps = random_.OneIn(2);
  for (int64_t extent : nodes_[x].shape) {
    int64_t start = random_.OneIn(2) ? 0 : random_.Between(0, extent);
    int64_t limit = random_.OneIn(2) ? extent : random_.Between(start, extent);
    // Most slices should hold something.
    if (start == limit && extent > 0 && !random_.OneIn(20)) {
      start = random_.Below(extent);
      limit = start + 1;
    }
    slice.start.push_back(start);
    slice.limit.push_back(limit);
    if (steps) {
      slice.step.push_back(random_.OneIn(20)
                               ? std::numeric_limits<int64_t>::max()
                               : random_.Between(1, 3));
    }
  }
  AddInstruction(Op(Opcode::kSlice, {x}, std::move(slice)));
}

void ProgramMaker::AddBroadcast(uint32_t x) {
  const DimVector shape = nodes_[x].shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t result_rank = random_.Between(rank, std::max<int64_t>(rank, 6));
  DimVector dims = RowMajorOrder(static_cast<int>(result_rank));
  random_.Shuffle(dims);
  dims.resize(shape.size());
  if (!random_.OneIn(3)) std::sort(dims.begin(), dims.end());
  DimVector result(static_cast<size_t>(result_rank), -1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 || random_.OneIn(2)) {
      result[static_cast<size_t>(dims[i])] = shape[i];
    }
  }
  int64_t elements = std::max<int64_t>(NumElements(shape), 1);
  for (int64_t& extent : result) {
    if (extent != -1) continue;
    extent = random_.OneIn(30) ? 0 : random_.Between(1, 5);
    if (elements * extent > 2 * max_elements_) extent = 1;
    elements *= std::max<int64_t>(extent, 1);
  }
  AddInstruction(
      Op(Opcode::kBroadcastInDim, {x}, BroadcastInDimAttribute{result, dims}));
}

void ProgramMaker::AddReshape(uint32_t x) {
  DimVector shape = ShapeOfProduct(random_, NumElements(nodes_[x].shape));
  AddInstruction(Op(Opcode::kReshape, {x}, ReshapeAttribute{std::move(shape)}));
}

void ProgramMaker::AddConcatenate(uint32_t x) {
  const DType type = nodes_[x].type;
  const DimVector shape = nodes_[x].shape;
  if (shape.empty()) return;
  const int64_t dimension = random_.Below(static_cast<int64_t>(shape.size()));
  const auto d = static_cast<size_t>(dimension);
  ValueIds values = {x};
  for (int64_t more = random_.Below(4); more > 0; --more) {
    DimVector other = shape;
    if (random_.OneIn(2)) other[d] = random_.Below(6);
    if (random_.OneIn(3)) other[d] = 1;
    if (NumElements(other) > max_elements_) continue;
    values.push_back(random_.OneIn(6) && other == shape ? x
                                                        : ValueOf(type, other));
  }
  random_.Shuffle(values);
  AddInstruction(Op(Opcode::kConcatenate, std::move(values),
                    DimensionsAttribute{{dimension}}));
}

void ProgramMaker::AddPad(uint32_t x) {
  const DType type = nodes_[x].type;
  PadAttribute pad;
  int64_t elements = std::max<int64_t>(NumElements(nodes_[x].shape), 1);
  for (int64_t extent : nodes_[x].shape) {
    int64_t low = random_.OneIn(3) ? random_.Between(-3, 5) : 0;
    int64_t high = random_.OneIn(3) ? random_.Between(-3, 5) : 0;
    int64_t interior = random_.OneIn(4) ? random_.Between(1, 3) : 0;
    const auto result = [&] {
      return low + extent + std::max<int64_t>(extent - 1, 0) * interior + high;
    };
    const int64_t others = elements / std::max<int64_t>(extent, 1);
    if (result() < 0 || others * result() > 2 * max_elements_) {
      low = high = interior = 0;
    }
    elements = others * std::max<int64_t>(result(), 1);
    pad.low.push_back(low);
    pad.high.push_back(high);
    pad.interior.push_back(interior);
  }
  const uint32_t value = ValueOf(type, {});
  AddInstruction(Op(Opcode::kPad, {x, value}, std::move(pad)));
}

void ProgramMaker::AddBitcast(uint32_t x) {
  const DType from = nodes_[x].type;
  DimVector shape = nodes_[x].shape;
  const DType to = random_.Pick(kAllDTypes);
  if (IsComplex(from) != IsComplex(to)) return;
  if ((from == DType::kPred) != (to == DType::kPred)) return;
  const int64_t ratio = ElementBytes(to) / ElementBytes(from);
  if (ratio > 1 && (shape.empty() || shape.back() != ratio)) {
    // A value that can be widened has to be made.
    if (shape.size() >= kGreatestRank) return;
    if (NumElements(shape) * ratio > 2 * max_elements_) return;
    shape.push_back(ratio);
    x = ValueOf(from, shape);
  }
  if (ratio == 0 && shape.size() >= kGreatestRank) return;
  AddInstruction(Op(Opcode::kBitcastConvert, {x}, ConvertAttribute{to}));
}

void ProgramMaker::AddIota() {
  const DType type =
      random_.OneIn(2) ? random_.Pick(types_) : random_.Pick(kAllDTypes);
  DimVector shape = random_.OneIn(2) ? RandomShape() : base_shape_;
  if (!supports_(Opcode::kIota, type) || shape.empty()) return;
  const int64_t dimension = random_.Below(static_cast<int64_t>(shape.size()));
  AddInstruction(
      Op(Opcode::kIota, {}, IotaAttribute{type, std::move(shape), dimension}));
}

}  // namespace stridecast::testing
