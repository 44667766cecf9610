// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Requests that must be refused, with what the text must say: XLA's words where
// XLA has the rule (SEMANTICS.md 1.2, 2.1, 2.4), the field, and the numbers.

#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace stridecast::testing {
namespace {

using enum DType;

Numbers Zeros(const TensorDesc& desc) {
  const int64_t parts = IsComplex(desc.type()) ? 2 : 1;
  return Numbers(static_cast<size_t>(desc.layout().num_slots() * parts),
                 Number(int64_t{0}));
}

Example Refused(std::string name, Signature signature,
                std::vector<std::string> texts,
                absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  Example example{std::move(name), std::move(signature), {}, {}, code,
                  std::move(texts)};
  for (const TensorDesc& desc : example.signature.operands) {
    example.operands.push_back(Zeros(desc));
  }
  return example;
}

Example RefusedAdd(std::string name, const DimVector& lhs, const DimVector& rhs,
                   const DimVector& broadcast_dimensions,
                   std::string xla_text) {
  return Refused(std::move(name),
                 Program({Desc(kF32, lhs), Desc(kF32, rhs)},
                         {BinaryOp(Opcode::kAdd, 0, 1, broadcast_dimensions)}),
                 {"instructions[0]", "ADD", std::move(xla_text)});
}

Example RefusedResult(std::string name, const DimVector& shape,
                      const PhysicalForm& form, std::vector<std::string> texts,
                      DType type = kF32) {
  return Refused(std::move(name), {{Desc(type, shape)}, {}, {Result(form)}},
                 std::move(texts));
}

void AddBroadcasts(std::vector<Example>& rows) {
  const std::string kIdentityRule =
      "Broadcast dimensions field must either be not set or be the identity on "
      "binary operations with operands of the same rank.";
  const std::string kLengthRule =
      "Size of broadcast_dimensions has to match lower-rank operand's rank;  "
      "lower-rank operand's rank is ";
  rows.push_back(RefusedAdd("RefusedWithoutBroadcastDimensions", {2, 3}, {3},
                            {},
                            "Shapes must be equal rank, but are f32[3] "
                            "and f32[2,3]"));
  rows.push_back(RefusedAdd("RefusedVectorOntoRowsOfOtherLength", {2, 3}, {3},
                            {0}, "Broadcast dimension 0 mismatch: 3 != 2; "));
  rows.push_back(RefusedAdd("RefusedVectorOntoFourRows", {4, 3}, {3}, {0},
                            "Broadcast dimension 0 mismatch: 3 != 4; "));
  rows.push_back(RefusedAdd("RefusedMatrixOntoCube", {2, 3, 4}, {2, 1}, {1, 2},
                            "Broadcast dimension 0 mismatch: 2 != 3; "));
  rows.push_back(RefusedAdd("RefusedSmallerLeftOperand", {3}, {2, 3}, {0},
                            "Broadcast dimension 0 mismatch: 3 != 2; "));
  rows.push_back(RefusedAdd("RefusedIncompatibleShapes", {7, 2, 5}, {7, 2, 6},
                            {},
                            "Binary op add with incompatible shapes: "
                            "f32[7,2,5] and f32[7,2,6]."));
  rows.push_back(RefusedAdd("RefusedZeroAgainstTwo", {0, 3}, {2, 3}, {},
                            "Binary op add with incompatible shapes: f32[0,3] "
                            "and f32[2,3]."));
  rows.push_back(RefusedAdd("RefusedDescendingDimensions", {5, 6, 2, 2}, {2, 2},
                            {3, 2},
                            "Broadcast dimensions order is wrong: 2 comes "
                            "after 3."));
  rows.push_back(RefusedAdd("RefusedRepeatedDimensions", {5, 6, 2, 2}, {2, 2},
                            {3, 3},
                            "Broadcast dimensions order is wrong: 3 comes "
                            "after 3."));
  rows.push_back(RefusedAdd("RefusedSizeFaultBeforeOrderFault", {5, 6, 2, 2},
                            {2, 3}, {3, 2},
                            "Broadcast dimension 1 mismatch: 3 != 2; "));
  rows.push_back(RefusedAdd("RefusedNegativeDimension", {2, 3}, {3}, {-1},
                            "Broadcast dimension number (-1) cannot be "
                            "negative."));
  rows.push_back(RefusedAdd("RefusedDimensionTooLarge", {2, 3, 4, 5}, {5}, {4},
                            "Broadcast dimension number (4) too large; "
                            "higher-rank operand has rank 4."));
  rows.push_back(RefusedAdd("RefusedSwappedIdentity", {2, 3}, {2, 3}, {1, 0},
                            kIdentityRule));
  rows.push_back(
      RefusedAdd("RefusedShortIdentity", {2, 3}, {2, 3}, {0}, kIdentityRule));
  rows.push_back(RefusedAdd("RefusedScalarWithDimensions", {}, {2}, {0},
                            kLengthRule + "0, size of broadcast_dimensions is "
                                          "1."));
  rows.push_back(RefusedAdd("RefusedTooManyDimensions", {2, 3, 4}, {3}, {1, 2},
                            kLengthRule + "1, size of broadcast_dimensions is "
                                          "2."));
  const auto types = [](DType lhs, DType rhs) {
    return Program({Desc(lhs, {2}), Desc(rhs, {2})},
                   {BinaryOp(Opcode::kAdd, 0, 1)});
  };
  rows.push_back(Refused("RefusedDifferentTypes", types(kF32, kS32),
                         {"instructions[0]",
                          "Binary op add with different element types: f32[2] "
                          "and s32[2]."}));
  rows.push_back(Refused("RefusedDifferentPrecisions", types(kF32, kBF16),
                         {"instructions[0]",
                          "Binary op add with different element types: f32[2] "
                          "and bf16[2]."}));
}

void AddResultLayouts(std::vector<Example>& rows) {
  rows.push_back(RefusedResult("RefusedResultStrideZero", {2, 3},
                               Strides({0, 1}), {"results[0].strides"}));
  rows.push_back(RefusedResult("RefusedResultOverlap", {2, 3}, Strides({2, 1}),
                               {"results[0].strides"}));
  rows.push_back(
      RefusedResult("RefusedResultInterlocked", {2, 3}, Strides({3, 2}),
                    {"results[0].strides", "not provably non-overlapping"}));
  rows.push_back(RefusedResult("RefusedResultNegativeStride", {4},
                               Strides({-1}, 3), {"results[0].strides"}));
  rows.push_back(RefusedResult("RefusedResultStrideCount", {2, 3}, Strides({1}),
                               {"results[0].strides.strides: 1", "rank 2"}));
  rows.push_back(
      RefusedResult("RefusedResultTotalTooSmall", {2, 3}, Strides({5, 1}, 0, 7),
                    {"results[0].strides.total_elements", "7", "8"}));
  rows.push_back(RefusedResult("RefusedResultOrderLength", {2, 3}, Order({0}),
                               {"results[0].layout.minor_to_major",
                                "layout minor_to_major field contains 1 "
                                "elements, but shape is rank 2"}));
  rows.push_back(
      RefusedResult("RefusedResultOrderOutOfBounds", {2, 3}, Order({0, 2}),
                    {"results[0].layout.minor_to_major",
                     "layout minor_to_major field has out-of-bounds value"}));
  rows.push_back(
      RefusedResult("RefusedResultOrderDuplicate", {2, 3}, Order({1, 1}),
                    {"results[0].layout.minor_to_major",
                     "layout minor_to_major field has duplicate values"}));
  rows.push_back(
      RefusedResult("RefusedResultPaddingCount", {2, 3}, Order({0, 1}, {4}),
                    {"results[0].layout.padded_dimensions",
                     "layout has 1 padded dimensions, but shape is rank 2"}));
  rows.push_back(RefusedResult(
      "RefusedResultPaddingTooSmall", {2, 3}, Order({0, 1}, {2, 2}),
      {"results[0].layout.padded_dimensions",
       "for dimension 1, dimension padding (2) is smaller than the dimension "
       "size (3) of the shape"}));
  rows.push_back(RefusedResult(
      "RefusedResultLowestOfComplex", {2},
      Order({0}, {3}, PaddingValue::kLowest),
      {"results[0].layout.padding_value", "LOWEST", "c64"}, kC64));
}

void AddSizes(std::vector<Example>& rows) {
  // 2^40 elements of 4 bytes from one number.
  rows.push_back(
      Refused("RefusedTerabyteByBroadcasting",
              Program({Desc(kF32, {})},
                      {Op(Opcode::kBroadcastInDim, {0},
                          BroadcastInDimAttribute{{1048576, 1048576}, {}})}),
              {"4398046511104"}, absl::StatusCode::kResourceExhausted));
  rows.push_back(Refused("RefusedTerabyteByOuterSum",
                         Program({Desc(kF32, {1 << 19, 1}, Strides({0, 0})),
                                  Desc(kF32, {1, 1 << 19}, Strides({0, 0}))},
                                 {BinaryOp(Opcode::kAdd, 0, 1)}),
                         {"1099511627776"},
                         absl::StatusCode::kResourceExhausted));
  rows.push_back(
      Refused("RefusedTerabyteByResultPadding",
              {{Desc(kU8, {1})}, {}, {Result(Order({0}, {int64_t{1} << 40}))}},
              {"1099511627776"}, absl::StatusCode::kResourceExhausted));
  rows.push_back(
      Refused("RefusedBroadcastPastInt64",
              Program({Desc(kF32, {})},
                      {Op(Opcode::kBroadcastInDim, {0},
                          BroadcastInDimAttribute{
                              {int64_t{1} << 32, int64_t{1} << 32}, {}})}),
              {"instructions[0]", "BROADCAST_IN_DIM", "overflow"}));
}

void AddOperations(std::vector<Example>& rows) {
  const auto refused = [&](std::string name, std::vector<TensorDesc> operands,
                           Instruction instruction,
                           std::vector<std::string> texts) {
    texts.push_back("instructions[0]");
    texts.emplace_back(OperationOf(instruction.opcode).label);
    rows.push_back(Refused(std::move(name),
                           Program(std::move(operands), {instruction}),
                           std::move(texts)));
  };
  const auto transpose = [](DimVector permutation) {
    return Op(Opcode::kTranspose, {0}, DimensionsAttribute{permutation});
  };
  refused("RefusedSubtractOnPred", {Desc(kPred, {2}), Desc(kPred, {2})},
          BinaryOp(Opcode::kSubtract, 0, 1), {"pred"});
  refused("RefusedAndOnFloats", {Desc(kF32, {2}), Desc(kF32, {2})},
          BinaryOp(Opcode::kAnd, 0, 1), {"f32"});
  refused("RefusedMaximumOfComplex", {Desc(kC64, {2}), Desc(kC64, {2})},
          BinaryOp(Opcode::kMaximum, 0, 1), {"c64"});
  refused("RefusedOrderOfComplex", {Desc(kC64, {2}), Desc(kC64, {2})},
          BinaryOp(Opcode::kCompare, 0, 1, {},
                   CompareAttribute{CompareAttribute::Direction::kLt}),
          {"c64"});
  refused("RefusedSelectWithoutPredicate",
          {Desc(kU8, {2}), Desc(kF32, {2}), Desc(kF32, {2})},
          Op(Opcode::kSelect, {0, 1, 2}), {"pred", "u8"});
  refused("RefusedSelectOfOtherShape",
          {Desc(kPred, {3}), Desc(kF32, {2}), Desc(kF32, {2})},
          Op(Opcode::kSelect, {0, 1, 2}), {"[3]", "[2]"});
  refused("RefusedTransposeOfWrongLength", {Desc(kF32, {2, 3})}, transpose({0}),
          {"dimensions"});
  refused("RefusedTransposeThatRepeats", {Desc(kF32, {2, 3})},
          transpose({0, 0}), {"dimensions"});
  refused("RefusedReverseThatRepeats", {Desc(kF32, {2, 3})},
          Op(Opcode::kReverse, {0}, DimensionsAttribute{{1, 1}}),
          {"dimensions"});
  refused("RefusedSlicePastTheEnd", {Desc(kF32, {2, 3})},
          Op(Opcode::kSlice, {0}, SliceAttribute{{0, 0}, {2, 4}, {}}),
          {"slice", "4", "3"});
  refused("RefusedSliceStepZero", {Desc(kF32, {3})},
          Op(Opcode::kSlice, {0}, SliceAttribute{{0}, {3}, {0}}), {"slice"});
}

}  // namespace

std::vector<Example> RefusedExamples() {
  std::vector<Example> rows;
  AddBroadcasts(rows);
  AddResultLayouts(rows);
  AddSizes(rows);
  AddOperations(rows);
  return rows;
}

}  // namespace stridecast::testing
