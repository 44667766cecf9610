// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The sweep's instructions.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/sweep.h"

namespace stridecast::testing {
namespace {

using enum DType;

constexpr DType kQuantizedTypes[] = {kS8, kU8, kS16, kU16, kS32};
constexpr DType kFloats[] = {kF16, kBF16, kF32, kF64};

// Formats narrower than a type's own in one way or both, other types', and
// wider ones; an exponent of a type's own width keeps subnormals.
constexpr ReducePrecisionAttribute kPrecisions[] = {
    {1, 0},  {2, 0},   {3, 99}, {4, 3},  {5, 2},   {5, 10},
    {5, 22}, {8, 0},   {8, 7},  {8, 23}, {11, 51}, {11, 52},
    {40, 1}, {40, 99}, {7, 7},  {10, 6}, {2, 23},
};

bool IsQuantized(DType type) {
  for (DType quantized : kQuantizedTypes) {
    if (type == quantized) return true;
  }
  return false;
}

class Lister {
 public:
  explicit Lister(std::vector<Subject>& subjects) : subjects_(subjects) {}

  void Add(const Operation& operation, DType type) {
    opcode_ = operation.opcode;
    type_ = type;
    switch (operation.form) {
      case Form::kUnary:
      case Form::kBroadcastInDim:
      case Form::kTranspose:
      case Form::kReverse:
      case Form::kSlice:
      case Form::kReshape:
        return Add({type});
      case Form::kBinary:
      case Form::kConcatenate:
      case Form::kPad:
        return Add({type, type});
      case Form::kClamp:
      case Form::kFma:
        return Add({type, type, type});
      case Form::kSelect:
        return Add({kPred, type, type});
      case Form::kIota:
      case Form::kConstant:
        return Add({});
      case Form::kUnaryScalars:
        return AddScalars({type});
      case Form::kBinaryScalars:
        return AddScalars({type, type});
      case Form::kReducePrecision:
        for (const auto& precision : kPrecisions) Add({type}, precision);
        return;
      case Form::kCompare:
        return AddCompares();
      case Form::kConvert:
        return AddConverts();
      case Form::kBitcastConvert:
        return AddBitcasts();
      case Form::kQuantize:
        for (DType to : kQuantizedTypes) {
          Add({type, type, to}, QuantizeAttribute{to, {}});
        }
        return;
      case Form::kDequantize:
        if (!IsQuantized(type)) return;
        for (DType to : kFloats) {
          Add({type, to, type}, QuantizeAttribute{to, {}});
        }
        return;
    }
  }

 private:
  void Add(std::vector<DType> operands, Attribute attribute = {}) {
    subjects_.push_back(
        {opcode_, type_, std::move(operands), std::move(attribute)});
  }

  void AddScalars(const std::vector<DType>& operands) {
    Add(operands);
    Add(operands, ScalarsAttribute{0.1, std::nullopt});
    Add(operands, ScalarsAttribute{3.0, std::nullopt});
    if (opcode_ != Opcode::kHardSigmoid && opcode_ != Opcode::kShrink &&
        opcode_ != Opcode::kIsClose) {
      return;
    }
    Add(operands, ScalarsAttribute{std::nullopt, 0.7});
    Add(operands, ScalarsAttribute{0.01, 1.25});
  }

  void AddCompares() {
    for (int direction = 1; direction <= (IsComplex(type_) ? 2 : 6);
         ++direction) {
      for (const bool total_order : {false, true}) {
        if (total_order && !IsFloat(type_)) continue;
        Add({type_, type_},
            CompareAttribute{
                static_cast<CompareAttribute::Direction>(direction),
                total_order});
      }
    }
  }

  void AddConverts() {
    for (DType to : kAllDTypes) {
      for (const Overflow overflow :
           {Overflow::kUnspecified, Overflow::kSaturate, Overflow::kWrap}) {
        Add({type_}, ConvertAttribute{to, overflow});
      }
    }
  }

  void AddBitcasts() {
    for (DType to : kAllDTypes) {
      if (IsComplex(type_) != IsComplex(to)) continue;
      if ((type_ == kPred) != (to == kPred)) continue;
      Add({type_}, ConvertAttribute{to});
    }
  }

  std::vector<Subject>& subjects_;
  Opcode opcode_ = Opcode::kAdd;
  DType type_ = kF32;
};

}  // namespace

std::vector<Subject> AllSubjects(const SupportsFn& supports) {
  std::vector<Subject> subjects;
  Lister lister(subjects);
  for (const Operation& operation : AllOperations()) {
    for (DType type : kAllDTypes) {
      if (supports(operation.opcode, type)) lister.Add(operation, type);
    }
  }
  return subjects;
}

std::string ToString(const Subject& subject) {
  return absl::StrCat(OperationOf(subject.opcode).label, " ",
                      DTypeName(subject.type));
}

}  // namespace stridecast::testing
