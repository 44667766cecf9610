// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The sweep's instructions.

#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tests/support/sweep.h"

namespace stridecast::testing {
namespace {

using enum DType;

constexpr DType kQuantizedTypes[] = {kS8, kU8, kS16, kU16, kS32};
constexpr DType kFloats[] = {kF16, kBF16, kF32, kF64};

// Formats narrower than a type's own in one way or both, other types', and
// wider ones; an exponent of a type's own width keeps subnormals.
constexpr ReducePrecisionAttribute kPrecisions[] = {
    {1, 0}, {2, 0},  {3, 99}, {4, 3},   {5, 2},   {5, 10}, {5, 22},
    {8, 0}, {8, 7},  {8, 23}, {11, 51}, {11, 52}, {40, 1}, {40, 99},
    {7, 7}, {10, 6}, {2, 23}, {1, 1},   {3, 0},
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Of operations that take one scalar: ordinary ones, then 0, what is subnormal
// or great as f32, what becomes 0 or an infinity there, and no numbers; -1e-10
// lets CELU overflow.
constexpr double kAlphas[] = {
    0.1,    3,     2.5,    -0.3,  0,      -0.0,      1e30,       -1e30,
    -1e-10, 1e-40, 1e-310, 1e300, -1e300, kInfinity, -kInfinity, kNan,
};

// Of those that take two.
constexpr ScalarsAttribute kAlphasAndBetas[] = {
    {0.1, {}},       {3.0, {}},
    {{}, 0.7},       {0.01, 1.25},
    {-0.3, 1.7},     {0.5, -0.1},
    {0, 0},          {-0.0, -0.0},
    {1e30, -1e30},   {-1e-40, 1e-310},
    {1e-310, 1e300}, {kInfinity, kInfinity},
    {-kInfinity, 1}, {kInfinity, -kInfinity},
    {0, -kInfinity}, {kNan, {}},
    {{}, kNan},
};

std::vector<Attribute> Scalars(Opcode opcode) {
  std::vector<Attribute> attributes = {{}};
  if (OperationOf(opcode).form != Form::kUnaryScalar) {
    for (const auto& scalars : kAlphasAndBetas) attributes.push_back(scalars);
  } else {
    for (double alpha : kAlphas) {
      attributes.push_back(ScalarsAttribute{alpha, {}});
    }
  }
  return attributes;
}

std::vector<Attribute> Comparisons(DType type) {
  std::vector<Attribute> attributes;
  for (int direction = 1; direction <= (IsComplex(type) ? 2 : 6); ++direction) {
    for (const bool total_order : {false, true}) {
      if (total_order && !IsFloat(type)) continue;
      attributes.push_back(CompareAttribute{
          static_cast<CompareAttribute::Direction>(direction), total_order});
    }
  }
  return attributes;
}

std::vector<Attribute> Conversions() {
  std::vector<Attribute> attributes;
  for (DType to : kAllDTypes) {
    for (const Overflow overflow :
         {Overflow::kUnspecified, Overflow::kSaturate, Overflow::kWrap}) {
      attributes.push_back(ConvertAttribute{to, overflow});
    }
  }
  return attributes;
}

std::vector<Attribute> Bitcasts(DType type) {
  std::vector<Attribute> attributes;
  for (DType to : kAllDTypes) {
    if (IsComplex(type) != IsComplex(to)) continue;
    if ((type == kPred) != (to == kPred)) continue;
    attributes.push_back(ConvertAttribute{to});
  }
  return attributes;
}

std::vector<Attribute> Quantizations(absl::Span<const DType> types) {
  std::vector<Attribute> attributes;
  for (DType to : types) attributes.push_back(QuantizeAttribute{to, {}});
  return attributes;
}

std::vector<Attribute> AttributesOf(const Operation& operation, DType type) {
  switch (operation.form) {
    case Form::kUnaryScalar:
    case Form::kUnaryScalars:
    case Form::kBinaryScalars:
      return Scalars(operation.opcode);
    case Form::kReducePrecision:
      return {std::begin(kPrecisions), std::end(kPrecisions)};
    case Form::kCompare:
      return Comparisons(type);
    case Form::kConvert:
      return Conversions();
    case Form::kBitcastConvert:
      return Bitcasts(type);
    case Form::kQuantize:
      return Quantizations(kQuantizedTypes);
    case Form::kDequantize:
      return Quantizations(kFloats);
    default:
      return {{}};
  }
}

}  // namespace

absl::InlinedVector<DType, 3> OperandTypes(const Subject& subject) {
  const auto& [opcode, type, attribute] = subject;
  switch (OperationOf(opcode).form) {
    case Form::kIota:
    case Form::kConstant:
      return {};
    case Form::kBinary:
    case Form::kBinaryScalars:
    case Form::kCompare:
    case Form::kConcatenate:
    case Form::kPad:
      return {type, type};
    case Form::kClamp:
    case Form::kFma:
      return {type, type, type};
    case Form::kSelect:
      return {kPred, type, type};
    case Form::kQuantize:
      return {type, type, std::get<QuantizeAttribute>(attribute).type};
    case Form::kDequantize:
      return {type, std::get<QuantizeAttribute>(attribute).type, type};
    default:
      return {type};
  }
}

std::vector<Subject> AllSubjects(const SupportsFn& supports) {
  std::vector<Subject> subjects;
  for (const Operation& operation : AllOperations()) {
    for (DType type : kAllDTypes) {
      if (!supports(operation.opcode, type)) continue;
      for (Attribute& attribute : AttributesOf(operation, type)) {
        subjects.push_back({operation.opcode, type, std::move(attribute)});
      }
    }
  }
  return subjects;
}

std::string ToString(const Subject& subject) {
  return absl::StrCat(OperationOf(subject.opcode).label, " ",
                      DTypeName(subject.type));
}

}  // namespace stridecast::testing
