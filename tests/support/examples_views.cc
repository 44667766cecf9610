// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Examples of views, constants and whole programs.

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using enum DType;

const Numbers kSix = {1, 2, 3, 4, 5, 6};

Example View(std::string name, const DimVector& shape, Numbers x,
             const Instruction& instruction, const DimVector& result_shape,
             Numbers result) {
  Signature signature = Program({Desc(kS32, shape)}, {instruction});
  signature.results[0].shape = result_shape;
  return {std::move(name),
          std::move(signature),
          {std::move(x)},
          {std::move(result)}};
}

Instruction Broadcast(DimVector shape, DimVector dimensions) {
  return Op(Opcode::kBroadcastInDim, {0},
            BroadcastInDimAttribute{std::move(shape), std::move(dimensions)});
}

Instruction Transpose(uint32_t value, DimVector permutation) {
  return Op(Opcode::kTranspose, {value},
            DimensionsAttribute{std::move(permutation)});
}

Instruction Reverse(DimVector dimensions) {
  return Op(Opcode::kReverse, {0}, DimensionsAttribute{std::move(dimensions)});
}

Instruction Slice(uint32_t value, DimVector start, DimVector limit,
                  DimVector step = {}) {
  return Op(
      Opcode::kSlice, {value},
      SliceAttribute{std::move(start), std::move(limit), std::move(step)});
}

Instruction Constant(DType type, const DimVector& shape, const Numbers& numbers,
                     const PhysicalForm& form = {}) {
  std::string data;
  for (std::byte b : EncodeNumbers(type, numbers)) {
    data.push_back(static_cast<char>(b));
  }
  return Op(Opcode::kConstant, {},
            ConstantAttribute{Desc(type, shape, form), std::move(data)});
}

void AddViews(std::vector<Example>& rows) {
  rows.push_back(View("BroadcastInDimVectorToRows", {3}, {1, 2, 3},
                      Broadcast({2, 3}, {1}), {2, 3}, {1, 2, 3, 1, 2, 3}));
  rows.push_back(View("BroadcastInDimVectorToColumns", {2}, {1, 2},
                      Broadcast({2, 3}, {0}), {2, 3}, {1, 1, 1, 2, 2, 2}));
  rows.push_back(View("BroadcastInDimScalar", {}, {7}, Broadcast({2, 2}, {}),
                      {2, 2}, {7, 7, 7, 7}));
  rows.push_back(View("BroadcastInDimStretchesOnes", {2, 1}, {1, 2},
                      Broadcast({2, 3}, {0, 1}), {2, 3}, {1, 1, 1, 2, 2, 2}));
  rows.push_back(View("BroadcastInDimUnsortedTransposes", {2, 3}, kSix,
                      Broadcast({3, 2}, {1, 0}), {3, 2}, {1, 4, 2, 5, 3, 6}));
  rows.push_back(View("BroadcastInDimUnsortedAndStretched", {1, 2}, {1, 2},
                      Broadcast({2, 2, 2}, {2, 0}), {2, 2, 2},
                      {1, 1, 1, 1, 2, 2, 2, 2}));
  rows.push_back(View("BroadcastInDimToNothing", {1}, {5},
                      Broadcast({0, 2}, {0}), {0, 2}, {}));
  rows.push_back(View("TransposeMatrix", {2, 3}, kSix, Transpose(0, {1, 0}),
                      {3, 2}, {1, 4, 2, 5, 3, 6}));
  rows.push_back(View("TransposeIsResultDimDIsOperandDimPermD", {2, 1, 3}, kSix,
                      Transpose(0, {2, 0, 1}), {3, 2, 1}, {1, 4, 2, 5, 3, 6}));
  rows.push_back(View("TransposeScalar", {}, {4}, Transpose(0, {}), {}, {4}));
  rows.push_back(View("ReverseColumns", {2, 3}, kSix, Reverse({1}), {2, 3},
                      {3, 2, 1, 6, 5, 4}));
  rows.push_back(View("ReverseRows", {2, 3}, kSix, Reverse({0}), {2, 3},
                      {4, 5, 6, 1, 2, 3}));
  rows.push_back(View("ReverseBoth", {2, 3}, kSix, Reverse({1, 0}), {2, 3},
                      {6, 5, 4, 3, 2, 1}));
  rows.push_back(View("ReverseNone", {2, 3}, kSix, Reverse({}), {2, 3}, kSix));
  rows.push_back(View("SliceRows", {3, 2}, kSix, Slice(0, {1, 0}, {3, 2}),
                      {2, 2}, {3, 4, 5, 6}));
  rows.push_back(View("SliceWithSteps", {2, 3}, kSix,
                      Slice(0, {0, 0}, {2, 3}, {1, 2}), {2, 2}, {1, 3, 4, 6}));
  rows.push_back(View("SliceStepPastTheLimit", {6}, kSix,
                      Slice(0, {1}, {6}, {4}), {2}, {2, 6}));
  rows.push_back(View("SliceStepFarPastTheLimit", {6}, kSix,
                      Slice(0, {2}, {6}, {int64_t{1} << 62}), {1}, {3}));
  rows.push_back(View("SliceOfNothing", {2, 3}, kSix, Slice(0, {1, 3}, {2, 3}),
                      {1, 0}, {}));
}

void AddConstants(std::vector<Example>& rows) {
  rows.push_back({"ConstantAlone",
                  Program({}, {Constant(kF32, {2, 2}, {1, 2, 3, 4})}),
                  {},
                  {{1, 2, 3, 4}}});
  rows.push_back(
      {"ConstantInAnyLayout",
       Program({}, {Constant(kS16, {2, 3}, {1, 4, 9, 2, 5, 9, 3, 6, 9},
                             Order({0, 1}, {3, 3}))}),
       {},
       {kSix}});
  rows.push_back({"ConstantScalarAdded",
                  Program({Desc(kBF16, {3})}, {Constant(kBF16, {}, {10}),
                                               BinaryOp(Opcode::kAdd, 0, 1)}),
                  {{1, 2, 3}},
                  {{11, 12, 13}}});
  rows.push_back({"ConstantPred",
                  Program({}, {Constant(kPred, {3}, {1, 0, 1})}),
                  {},
                  {{1, 0, 1}}});
  rows.push_back({"ConstantOfNoElements",
                  Program({}, {Constant(kU64, {2, 0}, {})}),
                  {},
                  {{}}});
}

void AddPrograms(std::vector<Example>& rows) {
  rows.push_back({"MatrixPlusItsTranspose",
                  Program({Desc(kF32, {2, 2})},
                          {Transpose(0, {1, 0}), BinaryOp(Opcode::kAdd, 0, 1)}),
                  {{1, 2, 3, 4}},
                  {{2, 5, 5, 8}}});
  rows.push_back({"SliceAndTransposeOfASum",
                  Program({Desc(kF32, {2, 3}), Desc(kF32, {3})},
                          {BinaryOp(Opcode::kAdd, 0, 1, {1}),
                           Transpose(2, {1, 0}), Slice(3, {1, 0}, {3, 2})}),
                  {kSix, {10, 20, 30}},
                  {{22, 25, 33, 36}}});
  rows.push_back({"RowSumsOfBroadcastComputation",
                  Program({Desc(kF32, {2}), Desc(kF32, {2, 2})},
                          {BinaryOp(Opcode::kMultiply, 0, 0),
                           Op(Opcode::kBroadcastInDim, {2},
                              BroadcastInDimAttribute{{2, 2}, {0}}),
                           BinaryOp(Opcode::kAdd, 3, 1)}),
                  {{2, 3}, {1, 2, 3, 4}},
                  {{5, 6, 12, 13}}});
  // One value in two layouts, an operand, and a value that others use.
  Signature several = Program(
      {Desc(kS32, {2, 2}), Desc(kS32, {2, 2})},
      {BinaryOp(Opcode::kAdd, 0, 1), BinaryOp(Opcode::kMultiply, 2, 2)});
  several.results = {ResultOf(3, Order({0, 1})), ResultOf(1), ResultOf(3),
                     ResultOf(2, Strides({3, 1}))};
  rows.push_back(
      {"SeveralResults",
       several,
       {{1, 2, 3, 4}, {1, 1, 1, 1}},
       {{4, 16, 9, 25}, {1, 1, 1, 1}, {4, 9, 16, 25}, {2, 3, 0, 4, 5}}});
  Signature checked =
      Program({Desc(kU8, {2}), Desc(kU8, {2})},
              {BinaryOp(Opcode::kCompare, 0, 1, {},
                        CompareAttribute{CompareAttribute::Direction::kLt})});
  checked.results[0].type = kPred;
  checked.results[0].shape = DimVector{2};
  rows.push_back(
      {"ResultTypeAndShapeStated", checked, {{1, 9}, {5, 5}}, {{1, 0}}});
  // The main job, on a 1 x 2 image of two channels: (x - mean) / deviation.
  Signature images = Program({Desc(kU8, {1, 2, 1, 2}, Order({1, 3, 2, 0})),
                              Desc(kF32, {2}), Desc(kF32, {2})},
                             {Op(Opcode::kConvert, {0}, ConvertAttribute{kF32}),
                              BinaryOp(Opcode::kSubtract, 3, 1, {1}),
                              BinaryOp(Opcode::kDivide, 4, 2, {1})});
  rows.push_back({"ImagesNhwcU8ToNormalisedNchwF32",
                  images,
                  {{10, 200, 30, 100}, {10, 100}, {4, 50}},
                  {{0, 5, 2, 0}}});
}

}  // namespace

std::vector<Example> ViewExamples() {
  std::vector<Example> rows;
  AddViews(rows);
  AddConstants(rows);
  AddPrograms(rows);
  return rows;
}

}  // namespace stridecast::testing
