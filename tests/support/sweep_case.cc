// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The sweep's programs.

#include <algorithm>
#include <string>
#include <utility>

#include "tests/support/builders.h"
#include "tests/support/sweep.h"

namespace stridecast::testing {
namespace {

// Around the vectors' widths in elements of 1 to 16 bytes, and more than a
// block of the tests' smallest.
constexpr int64_t kExtents[kNumSweepCases] = {0, 1,  2,  3,  7,  8,
                                              9, 17, 64, 65, 501};

// What a result may be comes first.
enum class Place {
  kDense,
  kColumnMajor,
  kPadded,
  kStrided,
  kReversed,
  kRepeatedRow,
  kRepeatedElement,
};
constexpr int kNumOperandPlaces = 7;
constexpr int kNumResultPlaces = 4;

DimensionOrder Padded(Random& random, DType type, const DimVector& shape) {
  DimensionOrder order =
      Order(RowMajorOrder(static_cast<int>(shape.size())), shape,
            static_cast<PaddingValue>(random.Below(6)));
  for (int64_t& extent : order.padded_dimensions) extent += random.Below(4);
  if (IsComplex(type) && (order.padding_value == PaddingValue::kLowest ||
                          order.padding_value == PaddingValue::kHighest)) {
    order.padding_value = PaddingValue::kOne;
  }
  return order;
}

// Row-major strides with `gap` elements after each element and each row.
ElementStrides Strided(const DimVector& shape, int64_t gap) {
  ElementStrides form;
  form.strides.resize(shape.size());
  int64_t next = 1 + gap;
  for (size_t d = shape.size(); d-- > 0;) {
    form.strides[d] = next;
    next = next * std::max<int64_t>(shape[d], 1) + gap;
  }
  return form;
}

// From the last element to the first.
ElementStrides Reversed(const DimVector& shape) {
  ElementStrides form = Strided(shape, 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (NumElements(shape) > 0) form.offset += (shape[d] - 1) * form.strides[d];
    form.strides[d] = -form.strides[d];
  }
  return form;
}

PhysicalForm FormAt(Place place, Random& random, DType type,
                    const DimVector& shape) {
  switch (place) {
    case Place::kDense:
      return {};
    case Place::kColumnMajor:
      return Order(ColumnMajorOrder(static_cast<int>(shape.size())));
    case Place::kPadded:
      return Padded(random, type, shape);
    case Place::kStrided:
      return Strided(shape, random.Between(1, 3));
    case Place::kReversed:
      return Reversed(shape);
    case Place::kRepeatedRow:
    case Place::kRepeatedElement: {
      ElementStrides form = Strided(shape, 0);
      if (!shape.empty() && place == Place::kRepeatedRow) {
        form.strides.front() = 0;
      } else if (!shape.empty()) {
        form.strides.back() = 0;
      }
      return form;
    }
  }
  return {};
}

class SweepCaseMaker {
 public:
  SweepCaseMaker(const Subject& subject, int number, uint64_t seed)
      : subject_(subject),
        number_(number),
        random_(seed * kNumSweepCases + static_cast<uint64_t>(number)),
        // Of all cases of a seed the same, so that the layouts take turns.
        turn_(number + static_cast<int>(seed % 97)),
        seed_(seed) {
    // All of a program's constants together may have 64 KiB.
    const int64_t extent = subject.opcode == Opcode::kConstant
                               ? std::min<int64_t>(kExtents[number], 200)
                               : kExtents[number];
    const int64_t rows = extent > 100 ? 2 : 3;
    shape_ =
        random_.OneIn(2) ? DimVector{rows, extent} : DimVector{extent, rows};
  }

  RandomCase Make() {
    Instruction instruction{subject_.opcode, {}, {}, subject_.attribute};
    StateShapes(instruction);
    const auto types = OperandTypes(subject_);
    for (size_t k = 0; k < types.size(); ++k) {
      AddOperand(types[k], OperandShape(k));
      instruction.operands.push_back(static_cast<uint32_t>(k));
    }
    made_.signature.instructions.push_back(std::move(instruction));
    AddResult();
    return std::move(made_);
  }

 private:
  // The attributes of operations that say where elements go.
  void StateShapes(Instruction& instruction) {
    switch (OperationOf(subject_.opcode).form) {
      case Form::kBroadcastInDim:
        instruction.attribute =
            BroadcastInDimAttribute{{shape_[0], 2, shape_[1]}, {0, 2}};
        return;
      case Form::kTranspose:
        instruction.attribute = DimensionsAttribute{{1, 0}};
        return;
      case Form::kReverse:
        instruction.attribute = DimensionsAttribute{
            number_ % 2 == 0 ? DimVector{0, 1} : DimVector{1}};
        return;
      case Form::kSlice:
        instruction.attribute = SliceAttribute{
            {0, std::min<int64_t>(shape_[1], 1)}, shape_, {2, 1}};
        return;
      case Form::kReshape:
        instruction.attribute = ReshapeAttribute{{NumElements(shape_)}};
        return;
      case Form::kConcatenate:
        instruction.attribute = DimensionsAttribute{{number_ % 2}};
        return;
      case Form::kPad:
        instruction.attribute = PadAttribute{{1, 0}, {-1, 2}, {0, number_ % 3}};
        return;
      case Form::kIota:
        instruction.attribute =
            IotaAttribute{subject_.type, shape_, number_ % 2};
        return;
      case Form::kConstant: {
        const TensorDesc desc = DescAt(subject_.type, shape_);
        std::string data;
        for (std::byte b : RandomBytes(random_, desc, 2)) {
          data.push_back(static_cast<char>(b));
        }
        instruction.attribute = ConstantAttribute{desc, std::move(data)};
        return;
      }
      case Form::kQuantize:
      case Form::kDequantize:
        if (number_ % 3 == 1) {
          std::get<QuantizeAttribute>(instruction.attribute)
              .broadcast_dimensions = {1};
        }
        return;
      default:
        return;
    }
  }

  DimVector OperandShape(size_t k) const {
    const bool scalars = number_ % 4 == 3;
    switch (OperationOf(subject_.opcode).form) {
      case Form::kBinary:
      case Form::kBinaryScalars:
      case Form::kCompare:
        return scalars && k == seed_ % 2 ? DimVector() : shape_;
      case Form::kSelect:
        return scalars && k == 0 ? DimVector() : shape_;
      case Form::kClamp:
        return (scalars && k != 1) || (number_ % 4 == 2 && k == 2) ? DimVector()
                                                                   : shape_;
      case Form::kQuantize:
      case Form::kDequantize:
        if (k == 0 || number_ % 3 == 2) return shape_;
        return number_ % 3 == 1 ? DimVector{shape_[1]} : DimVector();
      case Form::kPad:
        return k == 1 ? DimVector() : shape_;
      case Form::kBitcastConvert: {
        const int64_t ratio =
            ElementBytes(std::get<ConvertAttribute>(subject_.attribute).type) /
            ElementBytes(subject_.type);
        DimVector shape = shape_;
        if (ratio > 1) shape.push_back(ratio);
        return shape;
      }
      default:
        return shape_;
    }
  }

  TensorDesc DescAt(DType type, const DimVector& shape) {
    const auto place = static_cast<Place>(turn_ % kNumOperandPlaces);
    turn_ += 3;
    return Desc(type, shape, FormAt(place, random_, type, shape));
  }

  void AddOperand(DType type, const DimVector& shape) {
    made_.signature.operands.push_back(DescAt(type, shape));
    made_.operands.push_back(
        RandomBytes(random_, made_.signature.operands.back(), 1 + number_ % 3));
  }

  void AddResult() {
    std::vector<LogicalTensor> operands;
    for (const TensorDesc& desc : made_.signature.operands) {
      const auto extents = desc.shape().extents();
      operands.push_back(
          {desc.type(), DimVector(extents.begin(), extents.end()), {}});
    }
    std::vector<const LogicalTensor*> arguments;
    for (const LogicalTensor& operand : operands) arguments.push_back(&operand);
    const LogicalTensor result =
        ReferenceShape(made_.signature.instructions[0], arguments);
    const auto place = static_cast<Place>(
        (static_cast<uint64_t>(number_) + seed_ / 97) % kNumResultPlaces);
    made_.signature.results.push_back(
        Result(FormAt(place, random_, result.type, result.shape)));
  }

  const Subject& subject_;
  const int number_;
  Random random_;
  int turn_;
  const uint64_t seed_;
  DimVector shape_;
  RandomCase made_;
};

}  // namespace

RandomCase MakeSweepCase(const Subject& subject, int number, uint64_t seed) {
  return SweepCaseMaker(subject, number, seed).Make();
}

}  // namespace stridecast::testing
