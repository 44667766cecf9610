// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of operations that move elements without a view alone: reshape,
// concatenate, pad, iota, bitcast_convert.

#include <limits>
#include <string>
#include <utility>

#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using enum DType;

const Numbers kSix = {1, 2, 3, 4, 5, 6};

Instruction Reshape(uint32_t value, DimVector shape) {
  return Op(Opcode::kReshape, {value}, ReshapeAttribute{std::move(shape)});
}
Instruction Pad(DimVector low, DimVector high, DimVector interior) {
  return Op(Opcode::kPad, {0, 1},
            PadAttribute{std::move(low), std::move(high), std::move(interior)});
}
Instruction Iota(DType type, DimVector shape, int64_t dimension) {
  return Op(Opcode::kIota, {},
            IotaAttribute{type, std::move(shape), dimension});
}
Instruction Bitcast(DType type) {
  return Op(Opcode::kBitcastConvert, {0}, ConvertAttribute{type});
}
Instruction Concatenate(absl::InlinedVector<uint32_t, 3> operands,
                        int64_t dimension) {
  Instruction instruction =
      Op(Opcode::kConcatenate, {}, DimensionsAttribute{{dimension}});
  instruction.operands = std::move(operands);
  return instruction;
}

Example Row(std::string name, std::vector<TensorDesc> operands,
            std::vector<Numbers> numbers, std::vector<Instruction> instructions,
            Numbers result, PhysicalForm form = {}) {
  Signature signature = Program(std::move(operands), std::move(instructions));
  signature.results[0].form = std::move(form);
  return {std::move(name),
          std::move(signature),
          std::move(numbers),
          {std::move(result)}};
}

Example PadRow(std::string name, const DimVector& shape, Numbers numbers,
               Instruction pad, Numbers result) {
  return Row(std::move(name), {Desc(kS32, shape), Desc(kS32, {})},
             {std::move(numbers), {9}}, {std::move(pad)}, std::move(result));
}

void AddReshapes(std::vector<Example>& rows) {
  rows.push_back(Row("ReshapeKeepsRowMajorOrder", {Desc(kS32, {2, 3})}, {kSix},
                     {Reshape(0, {3, 2})}, kSix));
  rows.push_back(Row("ReshapeIsLogicalNotPhysical",
                     {Desc(kS32, {2, 3}, Order({0, 1}))}, {{1, 4, 2, 5, 3, 6}},
                     {Reshape(0, {6})}, kSix));
  rows.push_back(Row("ReshapeIntoColumnMajor", {Desc(kS32, {6})}, {kSix},
                     {Reshape(0, {2, 3})}, {1, 4, 2, 5, 3, 6}, Order({0, 1})));
  rows.push_back(Row("ReshapeOfTranspose", {Desc(kS32, {2, 3})}, {kSix},
                     {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{1, 0}}),
                      Reshape(1, {2, 3})},
                     {1, 4, 2, 5, 3, 6}));
  rows.push_back(Row("ReshapeAcrossDimensionsOfTranspose", {Desc(kS32, {3, 4})},
                     {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
                     {Op(Opcode::kTranspose, {0}, DimensionsAttribute{{1, 0}}),
                      Reshape(1, {6, 2})},
                     {1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  rows.push_back(Row("ReshapeOfReverse", {Desc(kS32, {2, 3})}, {kSix},
                     {Op(Opcode::kReverse, {0}, DimensionsAttribute{{0, 1}}),
                      Reshape(1, {3, 2}), Op(Opcode::kNegate, {2})},
                     {-6, -5, -4, -3, -2, -1}));
  rows.push_back(Row("ReshapeToScalar", {Desc(kS32, {1, 1})}, {{7}},
                     {Reshape(0, {})}, {7}));
  rows.push_back(Row("ReshapeOfNothing", {Desc(kS32, {0, 3})}, {{}},
                     {Reshape(0, {5, 0})}, {}));
}

void AddConcatenations(std::vector<Example>& rows) {
  rows.push_back(Row(
      "ConcatenateColumns", {Desc(kS32, {2, 2}), Desc(kS32, {2, 1})},
      {{1, 2, 3, 4}, {5, 6}}, {Concatenate({0, 1}, 1)}, {1, 2, 5, 3, 4, 6}));
  rows.push_back(Row("ConcatenateRowsOfThree",
                     {Desc(kS32, {1, 2}), Desc(kS32, {0, 2}),
                      Desc(kS32, {2, 2}, Order({0, 1}))},
                     {{1, 2}, {}, {3, 5, 4, 6}}, {Concatenate({0, 1, 2}, 0)},
                     kSix));
  rows.push_back(Row("ConcatenateOneWithItself", {Desc(kS32, {2})}, {{1, 2}},
                     {Concatenate({0, 0, 0}, 0)}, {1, 2, 1, 2, 1, 2}));
  rows.push_back(Row("ConcatenateIntoPadding",
                     {Desc(kS32, {2}), Desc(kS32, {1})}, {{1, 2}, {3}},
                     {Concatenate({0, 1}, 0)}, {1, 2, 3, 1, 1},
                     Order({0}, {5}, PaddingValue::kOne)));
  rows.push_back(Row("ConcatenateThenCompute",
                     {Desc(kS32, {2}), Desc(kS32, {1})}, {{1, 2}, {3}},
                     {Op(Opcode::kNegate, {0}), Concatenate({2, 1}, 0),
                      BinaryOp(Opcode::kMultiply, 3, 3)},
                     {1, 4, 9}));
}

void AddPads(std::vector<Example>& rows) {
  rows.push_back(PadRow("PadLowAndHigh", {2}, {1, 2}, Pad({1}, {2}, {0}),
                        {9, 1, 2, 9, 9}));
  rows.push_back(PadRow("PadInterior", {3}, {1, 2, 3}, Pad({0}, {0}, {2}),
                        {1, 9, 9, 2, 9, 9, 3}));
  rows.push_back(
      PadRow("PadNegativeCrops", {4}, {1, 2, 3, 4}, Pad({-1}, {-2}, {0}), {2}));
  rows.push_back(PadRow("PadCropsAfterTheInterior", {3}, {1, 2, 3},
                        Pad({-1}, {1}, {1}), {9, 2, 9, 3, 9}));
  rows.push_back(PadRow("PadCropsEverything", {2}, {1, 2}, Pad({-3}, {4}, {0}),
                        {9, 9, 9}));
  rows.push_back(PadRow("PadOfNothing", {0}, {}, Pad({1}, {1}, {3}), {9, 9}));
  // Paddings that leave the range of 64 bits on the way.
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();
  rows.push_back(PadRow("PadFarBelow", {5}, {1, 2, 3, 4, 5},
                        Pad({kLeast}, {kGreatest}, {0}), {9, 9, 9, 9}));
  rows.push_back(PadRow("PadFarAbove", {5}, {1, 2, 3, 4, 5},
                        Pad({kGreatest - 3}, {-kGreatest}, {0}), {9, 9}));
  rows.push_back(PadRow("PadOneFarApart", {1}, {7}, Pad({1}, {1}, {kGreatest}),
                        {9, 7, 9}));
  rows.push_back(PadRow("PadFarApartCroppedToOne", {3}, {1, 2, 3},
                        Pad({kLeast / 2}, {kLeast / 2}, {-(kLeast / 2)}),
                        {9, 2, 9}));
  rows.push_back(PadRow("PadScalar", {}, {5}, Pad({}, {}, {}), {5}));
  rows.push_back(PadRow("PadMatrix", {2, 2}, {1, 2, 3, 4},
                        Pad({1, 0}, {0, 1}, {0, 1}),
                        {9, 9, 9, 9, 1, 9, 2, 9, 3, 9, 4, 9}));
  rows.push_back(
      Row("PadThenCompute", {Desc(kS32, {2}), Desc(kS32, {})}, {{1, 2}, {9}},
          {Pad({1}, {1}, {0}), Op(Opcode::kNegate, {2})}, {-9, -1, -2, -9}));
}

void AddIotas(std::vector<Example>& rows) {
  rows.push_back(
      Row("IotaColumns", {}, {}, {Iota(kS32, {2, 3}, 1)}, {0, 1, 2, 0, 1, 2}));
  rows.push_back(
      Row("IotaRows", {}, {}, {Iota(kF16, {2, 3}, 0)}, {0, 0, 0, 1, 1, 1}));
  rows.push_back(Row("IotaS64", {}, {}, {Iota(kS64, {3}, 0)}, {0, 1, 2}));
  rows.push_back(
      Row("IotaComplex", {}, {}, {Iota(kC64, {2}, 0)}, {0, 0, 1, 0}));
  rows.push_back(Row(
      "IotaReversedPlusItself", {}, {},
      {Iota(kF32, {4}, 0), Op(Opcode::kReverse, {0}, DimensionsAttribute{{0}}),
       BinaryOp(Opcode::kAdd, 0, 1)},
      {3, 3, 3, 3}));
}

void AddBitcasts(std::vector<Example>& rows) {
  rows.push_back(Row("BitcastOfOne", {Desc(kF32, {1})}, {{1.0}},
                     {Bitcast(kS32)}, {1065353216}));
  rows.push_back(Row("BitcastNarrower", {Desc(kU32, {1})},
                     {{uint64_t{0x04030201}}}, {Bitcast(kU8)}, {1, 2, 3, 4}));
  rows.push_back(Row("BitcastWider", {Desc(kU8, {2, 2})}, {{1, 2, 3, 4}},
                     {Bitcast(kU16)}, {0x0201, 0x0403}));
  rows.push_back(Row("BitcastWiderOfColumnMajor",
                     {Desc(kU8, {2, 2}, Order({0, 1}))}, {{1, 3, 2, 4}},
                     {Bitcast(kU16)}, {0x0201, 0x0403}));
  rows.push_back(Row("BitcastNarrowerOfComputed", {Desc(kU16, {2})},
                     {{0x0101, 0x0202}},
                     {BinaryOp(Opcode::kAdd, 0, 0),
                      Op(Opcode::kBitcastConvert, {1}, ConvertAttribute{kU8})},
                     {2, 2, 4, 4}));
}

}  // namespace

std::vector<Example> DataExamples() {
  std::vector<Example> rows;
  AddReshapes(rows);
  AddConcatenations(rows);
  AddPads(rows);
  AddIotas(rows);
  AddBitcasts(rows);
  return rows;
}

}  // namespace stridecast::testing
