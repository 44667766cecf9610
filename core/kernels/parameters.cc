// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// From the attribute of an instruction to the constants that its kernel takes
// after the operands. Activations: alpha and beta, as f64 for f64, else f32.
// Reduced precision: masks and bounds on the bits of the type (bits.cc).

#include <algorithm>
#include <bit>

#include "core/kernels/float_format.h"
#include "core/kernels/kernel.h"

namespace stridecast {
namespace {

struct Defaults {
  int count;
  double alpha;
  double beta;
};

Defaults DefaultsOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLeakyRelu:
      return {1, 0.01, 0};
    case Opcode::kElu:
    case Opcode::kCelu:
      return {1, 1, 0};
    case Opcode::kHardSigmoid:
      return {2, 0.2, 0.5};
    case Opcode::kThresholdedRelu:
      return {1, 1, 0};
    case Opcode::kShrink:
      return {2, 0.5, 0};
    case Opcode::kIsClose:
      return {2, 1e-5, 1e-8};
    default:
      return {0, 0, 0};
  }
}

uint64_t ScalarBits(DType type, double value) {
  if (type == DType::kF64) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

KernelParameters ReductionOf(DType type,
                             const ReducePrecisionAttribute& reduce) {
  const FloatFormat format = FloatFormatOf(type);
  const int dropped = std::max(0, format.mantissa_bits - reduce.mantissa_bits);
  const uint64_t last = dropped == 0 ? 0 : uint64_t{1} << dropped;
  const uint64_t half = dropped == 0 ? 0 : last / 2 - 1;
  const uint64_t kept = ~((uint64_t{1} << dropped) - 1);
  uint64_t overflow = format.infinity();
  uint64_t underflow = 0;
  if (reduce.exponent_bits < format.exponent_bits) {
    const int reduced_bias = (1 << (reduce.exponent_bits - 1)) - 1;
    overflow = static_cast<uint64_t>(format.bias() + reduced_bias + 1)
               << format.mantissa_bits;
    underflow = static_cast<uint64_t>(format.bias() - reduced_bias + 1)
                << format.mantissa_bits;
  }
  return {5, {last, half, kept, overflow, underflow}};
}

}  // namespace

KernelParameters ParametersOf(Opcode opcode, DType type,
                              const Attribute& attribute) {
  if (const auto* reduce = std::get_if<ReducePrecisionAttribute>(&attribute)) {
    return ReductionOf(type, *reduce);
  }
  const Defaults defaults = DefaultsOf(opcode);
  const auto* scalars = std::get_if<ScalarsAttribute>(&attribute);
  const ScalarsAttribute given =
      scalars == nullptr ? ScalarsAttribute() : *scalars;
  return {defaults.count,
          {ScalarBits(type, given.alpha.value_or(defaults.alpha)),
           ScalarBits(type, given.beta.value_or(defaults.beta))}};
}

}  // namespace stridecast
