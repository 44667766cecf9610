// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Random element-wise instructions, with their attributes and broadcasts.

#include <algorithm>
#include <iterator>

#include "tests/support/builders.h"
#include "tests/support/program_maker.h"
#include "tests/support/ulp_bound.h"

namespace stridecast::testing {
namespace {

// MPFR is slow.
constexpr int64_t kMaxInexactElements = 1500;

constexpr DType kQuantizedTypes[] = {DType::kS8, DType::kU8, DType::kS16,
                                     DType::kU16, DType::kS32};

bool IsQuantizedType(DType type) {
  return std::count(std::begin(kQuantizedTypes), std::end(kQuantizedTypes),
                    type) != 0;
}

ReducePrecisionAttribute RandomPrecision(Random& random) {
  static constexpr int kExponentBits[] = {1, 2, 4, 5, 7, 8, 10, 11, 40};
  static constexpr int kMantissaBits[] = {0, 1, 2, 6, 7, 10, 22, 23, 51, 99};
  return {random.Pick(kExponentBits), random.Pick(kMantissaBits)};
}

ScalarsAttribute RandomScalars(Random& random, Opcode opcode) {
  static constexpr double kNumbers[] = {0.01, 0.1,  0.2, 0.25,  0.5,
                                        1,    1.25, 3,   1e-10, 1e4};
  const auto number = [&]() -> std::optional<double> {
    if (random.OneIn(3)) return std::nullopt;
    return random.Pick(kNumbers);
  };
  ScalarsAttribute scalars{number(), std::nullopt};
  // The exponential of these divides by it, or is multiplied.
  const bool takes_any_sign = opcode != Opcode::kCelu && opcode != Opcode::kElu;
  if (scalars.alpha && takes_any_sign && random.OneIn(4)) {
    scalars.alpha = -*scalars.alpha;
  }
  if (OperationOf(opcode).form != Form::kUnaryScalar) {
    scalars.beta = number();
  }
  return scalars;
}

}  // namespace

void ProgramMaker::TryInstruction(Opcode opcode) {
  if (opcode == Opcode::kConstant) {
    const DType type = random_.Pick(types_);
    if (supports_(opcode, type)) {
      AddConstant(type, random_.OneIn(2) ? DimVector() : base_shape_);
    }
    return;
  }
  if (opcode == Opcode::kIota) return AddIota();
  const std::optional<uint32_t> x = ValueFor(opcode);
  if (!x) return;
  if (MovesElements(opcode)) return AddData(opcode, *x);
  if (!IsExact(opcode, nodes_[*x].type) &&
      NumElements(nodes_[*x].shape) > kMaxInexactElements) {
    return;
  }
  AddElementwise(opcode, *x);
}

void ProgramMaker::AddElementwise(Opcode opcode, uint32_t x) {
  const DType type = nodes_[x].type;
  const DimVector shape = nodes_[x].shape;
  const auto scalar_or_same = [&](int64_t rarity) {
    return random_.OneIn(rarity) ? DimVector() : shape;
  };
  switch (OperationOf(opcode).form) {
    case Form::kBinary:
    case Form::kBinaryScalars:
    case Form::kCompare:
      return AddBinary(opcode, x);
    case Form::kSelect: {
      const uint32_t predicate = ValueOf(DType::kPred, scalar_or_same(3));
      return AddInstruction(Op(opcode, {predicate, x, ValueOf(type, shape)}));
    }
    case Form::kClamp: {
      const uint32_t low = ValueOf(type, scalar_or_same(2));
      const uint32_t high = ValueOf(type, scalar_or_same(2));
      return AddInstruction(Op(opcode, {low, x, high}));
    }
    case Form::kFma: {
      const uint32_t y = ValueOf(type, shape);
      return AddInstruction(Op(opcode, {x, y, ValueOf(type, shape)}));
    }
    case Form::kQuantize:
    case Form::kDequantize:
      return AddQuantize(opcode, x);
    case Form::kConvert: {
      const DType to =
          random_.OneIn(2) ? random_.Pick(kAllDTypes) : random_.Pick(types_);
      return AddInstruction(
          Op(opcode, {x},
             ConvertAttribute{to, static_cast<Overflow>(random_.Below(3))}));
    }
    case Form::kReducePrecision:
      return AddInstruction(Op(opcode, {x}, RandomPrecision(random_)));
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
      if (random_.OneIn(4)) return AddInstruction(Op(opcode, {x}));
      return AddInstruction(Op(opcode, {x}, RandomScalars(random_, opcode)));
    default:
      return AddInstruction(Op(opcode, {x}));
  }
}

// The other operand's shape, and which dimensions of the higher-ranked operand
// the dimensions of the lower-ranked one meet.
std::pair<DimVector, DimVector> ProgramMaker::RandomPartner(
    const DimVector& shape) {
  DimVector partner = shape;
  DimVector dims;
  const int64_t kind = random_.Below(6);
  if (kind < 2) return {partner, dims};
  if (kind == 2) return {DimVector(), dims};
  if (kind == 5) return RandomPartnerOfHigherRank(shape);
  if (kind == 3) {  // some of the dimensions
    partner.clear();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (random_.OneIn(2)) continue;
      partner.push_back(random_.OneIn(5) ? 1 : shape[d]);
      dims.push_back(static_cast<int64_t>(d));
    }
    return {partner, dims};
  }
  // Equal rank: ones here and there.
  int64_t elements = std::max<int64_t>(NumElements(shape), 1);
  for (int64_t& extent : partner) {
    if (extent == 1 && elements <= max_elements_) {
      extent = random_.Between(1, 4);
      elements *= extent;
    } else if (random_.OneIn(2)) {
      extent = 1;
    }
  }
  return {partner, dims};
}

std::pair<DimVector, DimVector> ProgramMaker::RandomPartnerOfHigherRank(
    const DimVector& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t partner_rank =
      random_.Between(rank, std::max<int64_t>(rank, 6));
  DimVector kept = RowMajorOrder(static_cast<int>(partner_rank));
  random_.Shuffle(kept);
  kept.resize(shape.size());
  std::sort(kept.begin(), kept.end());
  DimVector partner(static_cast<size_t>(partner_rank), 0);
  int64_t elements = std::max<int64_t>(NumElements(shape), 1);
  for (int64_t& extent : partner) {
    extent = elements > max_elements_ ? 1 : random_.Between(1, 3);
    elements *= extent;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t& extent = partner[static_cast<size_t>(kept[i])];
    if (shape[i] != 1) extent = random_.OneIn(5) ? 1 : shape[i];
  }
  // A scalar has no dimensions to name; of equal ranks none need naming.
  if (partner_rank == rank) kept.clear();
  return {partner, kept};
}

void ProgramMaker::AddBinary(Opcode opcode, uint32_t x) {
  const DType type = nodes_[x].type;
  const DimVector shape = nodes_[x].shape;
  auto [partner, dims] = RandomPartner(shape);
  if (partner.size() == shape.size()) {
    dims.clear();
    if (random_.OneIn(4)) {
      dims = ColumnMajorOrder(static_cast<int>(shape.size()));
    }
  }
  const uint32_t y = ValueOf(type, partner);
  Attribute attribute;
  if (opcode == Opcode::kCompare) {
    CompareAttribute compare{};
    compare.direction = static_cast<CompareAttribute::Direction>(
        random_.Between(1, IsComplex(type) ? 2 : 6));
    compare.total_order = IsFloat(type) && random_.OneIn(3);
    attribute = compare;
  } else if (opcode == Opcode::kIsClose && !random_.OneIn(4)) {
    attribute = RandomScalars(random_, opcode);
  }
  const bool swap = random_.OneIn(2);
  AddInstruction(
      BinaryOp(opcode, swap ? y : x, swap ? x : y, dims, std::move(attribute)));
}

// Scale and zero point for all, or along some dimensions.
void ProgramMaker::AddQuantize(Opcode opcode, uint32_t x) {
  const DType type = nodes_[x].type;
  const bool quantizes = opcode == Opcode::kQuantize;
  if (!quantizes && !IsQuantizedType(type)) return;
  static constexpr DType kScales[] = {DType::kF16, DType::kBF16, DType::kF32,
                                      DType::kF64};
  const DType to =
      quantizes ? random_.Pick(kQuantizedTypes) : random_.Pick(kScales);
  QuantizeAttribute attribute{to, {}};
  DimVector shape;
  const auto rank = nodes_[x].shape.size();
  const bool every_dimension = random_.OneIn(3);
  for (size_t d = 0; d < rank; ++d) {
    if (!every_dimension && !random_.OneIn(3)) continue;
    shape.push_back(random_.OneIn(4) ? 1 : nodes_[x].shape[d]);
    attribute.broadcast_dimensions.push_back(static_cast<int64_t>(d));
  }
  if (shape.size() == rank && random_.OneIn(2)) {
    attribute.broadcast_dimensions.clear();
  }
  const uint32_t scale = ValueOf(quantizes ? type : to, shape);
  const uint32_t zero_point = ValueOf(quantizes ? to : type, shape);
  AddInstruction(Op(opcode, {x, scale, zero_point}, std::move(attribute)));
}

}  // namespace stridecast::testing
