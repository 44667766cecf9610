// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/program/random_signature.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/builders.h"

namespace stridecast::testing {
namespace {

int64_t Product(const DimVector& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

class Generator {
 public:
  Generator(Random& random, DType type) : random_(random), type_(type) {}

  Signature Make() {
    const int64_t num_operands = random_.Below(3) + 1;
    for (int64_t i = 0; i < num_operands; ++i) {
      DimVector shape(random_.Below(6));
      for (int64_t& extent : shape) extent = Extent();
      shapes_.push_back(shape);
      signature_.operands.push_back(Desc(type_, shape));
    }
    const int64_t num_instructions = random_.Below(15);
    for (int64_t i = 0; i < num_instructions; ++i) AddInstruction();
    const int64_t num_results = random_.Below(6) + 1;
    for (int64_t i = 0; i < num_results; ++i) {
      signature_.results.push_back(ResultOf(AnyValue()));
    }
    signature_.results.push_back(ResultSpec{});
    return std::move(signature_);
  }

 private:
  // Mostly 1 to 4, now and then 0.
  int64_t Extent() { return random_.OneIn(40) ? 0 : random_.Between(1, 4); }

  // Recent values are likelier, so that programs grow deep.
  uint32_t AnyValue() {
    const auto count = static_cast<int64_t>(shapes_.size());
    const int64_t back =
        random_.Below(random_.OneIn(2) ? count : std::min<int64_t>(count, 3));
    return static_cast<uint32_t>(count - 1 - back);
  }

  void Add(Instruction instruction, const DimVector& shape) {
    signature_.instructions.push_back(std::move(instruction));
    shapes_.push_back(shape);
  }

  void AddInstruction() {
    const uint32_t x = AnyValue();
    const DimVector shape = shapes_[x];
    switch (random_.Below(14)) {
      case 0:
        return Add(
            Op(type_ == DType::kPred ? Opcode::kNot : Opcode::kNegate, {x}),
            shape);
      case 1:
      case 2:
        return AddWithOthers(x);
      case 3: {
        const DimVector permutation = RandomPermutation(random_, shape.size());
        DimVector permuted;
        for (int64_t d : permutation) permuted.push_back(shape[d]);
        return Add(
            Op(Opcode::kTranspose, {x}, DimensionsAttribute{permutation}),
            permuted);
      }
      case 4: {
        DimVector dimensions;
        for (size_t d = 0; d < shape.size(); ++d) {
          if (random_.OneIn(2)) dimensions.push_back(static_cast<int64_t>(d));
        }
        return Add(Op(Opcode::kReverse, {x}, DimensionsAttribute{dimensions}),
                   shape);
      }
      case 5:
        return AddSlice(x);
      case 6:
      case 7:
        return AddBroadcast(x);
      case 8:
      case 9:
        return AddReshape(x);
      case 10:
        return AddConcatenate(x);
      case 11:
        return AddPad(x);
      case 12:
        return AddIota();
      default:
        return Add(Op(Opcode::kIdentity, {x}), shape);
    }
  }

  // Factors of two and three move between neighbours, and ones come and go.
  void AddReshape(uint32_t x) {
    DimVector shape = shapes_[x];
    for (int64_t i = random_.Below(4); i >= 0; --i) {
      const auto at = static_cast<size_t>(
          random_.Below(static_cast<int64_t>(shape.size()) + 1));
      const int64_t factor = 1 + random_.Below(3);
      if (at < shape.size() && shape.size() < 6 && random_.OneIn(2)) {
        if (shape[at] % factor != 0) continue;
        shape[at] /= factor;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), factor);
      } else if (at + 1 < shape.size()) {
        shape[at] *= shape[at + 1];
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      } else if (shape.size() < 6) {
        shape.push_back(1);
      }
    }
    Add(Op(Opcode::kReshape, {x}, ReshapeAttribute{shape}), shape);
  }

  void AddConcatenate(uint32_t x) {
    DimVector shape = shapes_[x];
    if (shape.empty()) return;
    const int64_t dim = random_.Below(static_cast<int64_t>(shape.size()));
    Instruction concatenate =
        Op(Opcode::kConcatenate, {x}, DimensionsAttribute{{dim}});
    for (int attempt = 0; attempt < 4; ++attempt) {
      const uint32_t y = AnyValue();
      DimVector other = shapes_[y];
      if (other.size() != shape.size()) continue;
      const int64_t extent = other[dim];
      other[dim] = shape[dim];
      if (other != shape) continue;
      concatenate.operands.push_back(y);
      shape[dim] += extent;
    }
    if (Product(shape) > 600) return;
    Add(std::move(concatenate), shape);
  }

  void AddPad(uint32_t x) {
    uint32_t scalar = 0;
    while (scalar < shapes_.size() && !shapes_[scalar].empty()) ++scalar;
    if (scalar == shapes_.size()) {
      ConstantAttribute zero{Desc(type_, {}), ""};
      zero.data.assign(static_cast<size_t>(zero.desc.size_bytes()), '\0');
      Add(Op(Opcode::kConstant, {}, std::move(zero)), {});
    }
    const bool has_interior = random_.OneIn(3);
    PadAttribute pad;
    DimVector shape;
    for (int64_t extent : shapes_[x]) {
      const int64_t interior = has_interior ? random_.Below(3) : 0;
      const int64_t spread =
          extent + std::max<int64_t>(extent - 1, 0) * interior;
      const int64_t low = random_.Below(5) - 2;
      const int64_t high =
          std::max<int64_t>(random_.Below(5) - 2, -(spread + low));
      pad.low.push_back(low);
      pad.high.push_back(high);
      pad.interior.push_back(interior);
      shape.push_back(spread + low + high);
    }
    if (Product(shape) > 600) return;
    Add(Op(Opcode::kPad, {x, scalar}, std::move(pad)), shape);
  }

  void AddIota() {
    if (type_ == DType::kPred) return;
    DimVector shape(static_cast<size_t>(random_.Below(3) + 1));
    for (int64_t& extent : shape) extent = Extent();
    const int64_t dim = random_.Below(static_cast<int64_t>(shape.size()));
    Add(Op(Opcode::kIota, {}, IotaAttribute{type_, shape, dim}), shape);
  }

  // Binary or ternary, with values of the same shape or scalars.
  void AddWithOthers(uint32_t x) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const uint32_t y = AnyValue();
      if (shapes_[y] != shapes_[x] && !shapes_[y].empty()) continue;
      switch (random_.Below(3)) {
        case 0:
          return Add(BinaryOp(Opcode::kAdd, x, y), shapes_[x]);
        case 1:
          return Add(BinaryOp(Opcode::kMultiply, y, x), shapes_[x]);
        default:
          return Add(
              Op(type_ == DType::kPred ? Opcode::kSelect : Opcode::kClamp,
                 {y, x, x}),
              shapes_[x]);
      }
    }
    Add(BinaryOp(Opcode::kAdd, x, x), shapes_[x]);
  }

  void AddSlice(uint32_t x) {
    SliceAttribute slice;
    DimVector shape;
    const bool has_steps = random_.OneIn(2);
    for (int64_t extent : shapes_[x]) {
      // Mostly the whole extent, so that elements remain.
      const bool whole = random_.OneIn(2);
      const int64_t start = whole ? 0 : random_.Below(extent + 1);
      const int64_t limit =
          whole ? extent : start + random_.Below(extent - start + 1);
      slice.start.push_back(start);
      slice.limit.push_back(limit);
      int64_t step = 1;
      if (has_steps) {
        step = random_.OneIn(10) ? INT64_MAX : random_.Below(3) + 1;
        slice.step.push_back(step);
      }
      shape.push_back(limit == start ? 0 : (limit - start - 1) / step + 1);
    }
    Add(Op(Opcode::kSlice, {x}, slice), shape);
  }

  void AddBroadcast(uint32_t x) {
    const DimVector operand = shapes_[x];
    const size_t rank =
        operand.size() +
        static_cast<size_t>(operand.size() < 5 && random_.OneIn(2));
    DimVector dimensions = RandomPermutation(random_, rank);
    dimensions.resize(operand.size());
    DimVector shape(rank);
    for (int64_t& extent : shape) extent = Extent();
    for (size_t d = 0; d < operand.size(); ++d) {
      if (operand[d] != 1 || random_.OneIn(2)) {
        shape[dimensions[d]] = operand[d];
      }
    }
    if (Product(shape) > 300) return;
    Add(Op(Opcode::kBroadcastInDim, {x},
           BroadcastInDimAttribute{shape, dimensions}),
        shape);
  }

  Random& random_;
  const DType type_;
  Signature signature_;
  std::vector<DimVector> shapes_;  // by value
};

}  // namespace

Signature RandomSignature(Random& random, DType type) {
  return Generator(random, type).Make();
}

}  // namespace stridecast::testing
