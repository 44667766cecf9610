// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder give to lookup.cc: each its part of the table
// of one SIMD target. Plain C++: a part is rows of function pointers, known at
// compile time; asking for a part runs no SIMD instruction.

#ifndef STRIDECAST_CORE_KERNELS_PARTS_H_
#define STRIDECAST_CORE_KERNELS_PARTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "core/kernels/kernel.h"
#include "stridecast/dtype.h"
#include "stridecast/operation.h"

namespace stridecast {

enum class SimdTarget { kAvx2, kAvx3 };

// The kernels of one row of rows/; null for the types not in it.
struct KernelRow {
  Opcode opcode;
  Kernel by_type[kDTypeTableSize];
};

struct CompareRow {
  CompareAttribute::Direction direction;
  bool total_order;
  Kernel by_type[kDTypeTableSize];
};

struct ConvertPart {
  // By source and result; [0] wraps integers, [1] saturates.
  Kernel by_types[2][kDTypeTableSize][kDTypeTableSize];
};

struct QuantizePart {
  // By floating-point type and integer type.
  Kernel quantize[kDTypeTableSize][kDTypeTableSize];
  Kernel dequantize[kDTypeTableSize][kDTypeTableSize];
};

struct CopyPart {
  CopyKernel by_log2_bytes[5];
  CopyKernel from_memory_by_log2_bytes[5];
  CopyKernel past_cache_by_log2_bytes[5];
  PredKernel pred;
};

struct ChainPart {
  ChainKernel f32;
  ChainKernel f64;
};

struct BoxPart {
  BoxKernel by_log2_bytes[4];
  RunsKernel runs;
};

struct StripPart {
  StripKernel by_log2_bytes[4];
};

// ClassOf of dtype.h, for constant expressions.
constexpr TypeClass StaticClassOf(DType type) {
  switch (type) {
    case DType::kPred:
      return kPredClass;
    case DType::kS8:
    case DType::kS16:
    case DType::kS32:
    case DType::kS64:
      return kSignedClass;
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
      return kUnsignedClass;
    case DType::kF16:
    case DType::kF32:
    case DType::kF64:
    case DType::kBF16:
      return kFloatClass;
    case DType::kC64:
    case DType::kC128:
      return kComplexClass;
  }
  return kPredClass;
}

// OperationOf(opcode).form, for constant expressions.
constexpr Form StaticFormOf(Opcode opcode) {
  switch (opcode) {
#define STRIDECAST_OPERATION(name, number, label, form, types, result, cost) \
  case Opcode::k##name:                                                      \
    return Form::k##form;
#include "stridecast/operations.inc"
#undef STRIDECAST_OPERATION
  }
  return Form::kUnary;
}

// The letters of the `types` column of the rows.
namespace type_letters {
inline constexpr unsigned P = kPredClass;
inline constexpr unsigned S = kSignedClass;
inline constexpr unsigned U = kUnsignedClass;
inline constexpr unsigned F = kFloatClass;
inline constexpr unsigned C = kComplexClass;
}  // namespace type_letters

absl::Span<const KernelRow> ActivationsPart(SimdTarget target);
absl::Span<const KernelRow> ArithmeticPart(SimdTarget target);
absl::Span<const KernelRow> BitsPart(SimdTarget target);
absl::Span<const KernelRow> ClosenessPart(SimdTarget target);
absl::Span<const KernelRow> ComplexFunctionsPart(SimdTarget target);
absl::Span<const KernelRow> ComplexPart(SimdTarget target);
absl::Span<const KernelRow> DividePart(SimdTarget target);
absl::Span<const KernelRow> ErrorFunctionsPart(SimdTarget target);
absl::Span<const KernelRow> ExponentialPart(SimdTarget target);
absl::Span<const KernelRow> FmaPart(SimdTarget target);
absl::Span<const KernelRow> IntegersPart(SimdTarget target);
absl::Span<const KernelRow> LogarithmsPart(SimdTarget target);
absl::Span<const KernelRow> MinMaxPart(SimdTarget target);
absl::Span<const KernelRow> PowersPart(SimdTarget target);
absl::Span<const KernelRow> RemainderPart(SimdTarget target);
absl::Span<const KernelRow> RoundingPart(SimdTarget target);
absl::Span<const KernelRow> SelectPart(SimdTarget target);
absl::Span<const KernelRow> SmoothActivationsPart(SimdTarget target);
absl::Span<const KernelRow> TrigonometricPart(SimdTarget target);
absl::Span<const KernelRow> UnaryPart(SimdTarget target);
absl::Span<const CompareRow> ComparePart(SimdTarget target);
const ConvertPart& ConvertPartOf(SimdTarget target);
const QuantizePart& QuantizePartOf(SimdTarget target);
const CopyPart& CopyPartOf(SimdTarget target);
const ChainPart& ChainPartOf(SimdTarget target);
const BoxPart& BoxesPartOf(SimdTarget target);
const StripPart& StripsPartOf(SimdTarget target);

}  // namespace stridecast

// In the part of a .cc that is compiled once: calls `function` as compiled for
// `target`. (HWY_EXPORT would choose by the CPU alone; here tests and the
// engine choose.)
#ifdef STRIDECAST_AVX512
#define STRIDECAST_FOR_TARGET(function, target) \
  ((target) == SimdTarget::kAvx3 ? N_AVX3::function() : N_AVX2::function())
#else
#define STRIDECAST_FOR_TARGET(function, target) \
  (static_cast<void>(target), N_AVX2::function())
#endif

#endif  // STRIDECAST_CORE_KERNELS_PARTS_H_
